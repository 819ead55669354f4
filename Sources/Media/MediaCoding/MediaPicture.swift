private import AudioTypes
private import CFFmpeg
internal import HTTP
package import Threads

/// A picture embedded in a medium, as stored.
package struct MediaPicture: Sendable, Hashable {
    /// Such as `image/jpeg`; `nil` for a format unknown to FFmpeg.
    package var mimeType: String?
    package var bytes: [UInt8]
    /// In pixels; 0 when unknown.
    package var width = 0
    package var height = 0

    package init(mimeType: String?, bytes: [UInt8]) {
        self.mimeType = mimeType
        self.bytes = bytes
    }
}

extension MediaProbe {
    /// A medium's cover: the picture marked as the front cover, else the first one.
    ///
    /// Blocks.
    ///
    /// - Parameter limit: In bytes; a larger picture counts as none.
    /// - Throws: `MediaError`.
    package static func picture(_ location: String, atMost limit: Int, interrupt: Interrupt) throws -> MediaPicture? {
        try open(MediaEntry(location: location), interrupt: interrupt, trimsByEditList: true).cover(atMost: limit)
    }
}

extension Demuxer {
    /// The picture marked as the front cover, else the first one; `nil` when there is none of at most `limit` bytes.
    func cover(atMost limit: Int) -> MediaPicture? {
        let covers = (0..<streamCount).filter { kind(of: $0) == .cover }
        let front = covers.first { unsafe Self.isFront(self.stream($0)) }
        guard let index = front ?? covers.first else { return nil }
        let stream = unsafe self.stream(index)
        let packet = unsafe stream.pointee.attached_pic
        guard let data = unsafe packet.data, unsafe (1...limit).contains(Int(packet.size)) else { return nil }
        let bytes = unsafe Array(UnsafeBufferPointer(start: data, count: Int(packet.size)))
        var picture = MediaPicture(mimeType: unsafe Self.mimeType(of: stream), bytes: bytes)
        if let parameters = unsafe stream.pointee.codecpar {
            picture.width = unsafe Int(parameters.pointee.width)
            picture.height = unsafe Int(parameters.pointee.height)
        }
        return picture
    }

    private static func isFront(_ stream: UnsafeMutablePointer<AVStream>) -> Bool {
        // The names of ID3v2's kinds of pictures, which FFmpeg uses for all formats.
        guard let entry = unsafe av_dict_get(stream.pointee.metadata, "comment", nil, 0) else { return false }
        return unsafe String(cString: entry.pointee.value) == "Cover (front)"
    }

    private static func mimeType(of stream: UnsafeMutablePointer<AVStream>) -> String? {
        guard let parameters = unsafe stream.pointee.codecpar else { return nil }
        let codec = unsafe String(cString: avcodec_get_name(parameters.pointee.codec_id))
        switch codec {
        case "mjpeg": return "image/jpeg"
        case "png", "gif", "bmp", "webp", "tiff": return "image/" + codec
        case "jpegxl": return "image/jxl"
        default: return nil
        }
    }
}
