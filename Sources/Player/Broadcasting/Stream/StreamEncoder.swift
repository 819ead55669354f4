internal import AudioTypes
internal import MediaCoding
internal import Outputs

/// Encodes frames into a stream that readers can join.
final class StreamEncoder {
    let encoding: StreamEncoding
    /// The format of the frames to write.
    let format: AudioFormat
    /// The header, which a reader needs before all else.
    private(set) var header: [UInt8]
    /// Counts the streams that followed each other.
    private var stream = 0
    private var writer: MediaWriter
    private var tags: [String: String]

    init(_ encoding: StreamEncoding, wanted: AudioFormat, tags: [String: String] = [:]) throws {
        self.encoding = encoding
        self.tags = tags
        format = try encoding.format(for: wanted)
        writer = try .stream(encoding.file, format: format, quality: encoding.quality, tags: tags)
        header = try writer.takeHeader()
    }

    /// Writes a whole number of frames.
    func write(_ bytes: UnsafeRawBufferPointer) throws { unsafe try writer.write(bytes) }

    /// Takes what was encoded since the last call.
    func encode(_ seconds: Double, isSilent: Bool) throws -> StreamPacket {
        var bytes: [UInt8] = []
        if seconds > 0 { try writer.takeBytes(into: &bytes) }
        return StreamPacket(header: header, stream: stream, bytes: bytes, seconds: seconds, isSilent: isSilent)
    }

    /// Ends the stream, and begins another one whose header has a title.
    ///
    /// - Returns: The end of the old one.
    func restart(with title: StreamTitle) throws -> StreamPacket {
        var end = try encode(0, isSilent: false)
        try writer.finish()
        try writer.takeEnd(into: &end.bytes)
        let all = tags.merging(title.tags) { $1 }
        writer = try .stream(encoding.file, format: format, quality: encoding.quality, tags: all)
        header = try writer.takeHeader()
        stream += 1
        return end
    }
}

extension StreamTitle {
    fileprivate var tags: [String: String] {
        ["title": title, "artist": artist, "album": album].filter { !$0.value.isEmpty }
    }
}
