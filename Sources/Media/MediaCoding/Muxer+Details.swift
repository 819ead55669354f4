internal import AudioTypes
internal import CFFmpeg
internal import FFmpegValues

/// The parts of a file besides its stream of sound.
extension Muxer {
    /// A cover in a stream of its own.
    struct Picture {
        private let bytes: [UInt8]
        private let codec: AVCodecID
        private let width, height: Int
        private let isAttachment: Bool

        /// - Returns: `nil` unless it is a JPEG or PNG of known size.
        init?(_ cover: MediaPicture, isAttachment: Bool) {
            switch cover.mimeType {
            case "image/jpeg": codec = AV_CODEC_ID_MJPEG
            case "image/png": codec = AV_CODEC_ID_PNG
            default: return nil
            }
            guard cover.width > 0, cover.height > 0, !cover.bytes.isEmpty else { return nil }
            (bytes, width, height) = (cover.bytes, cover.width, cover.height)
            self.isAttachment = isAttachment
        }

        func addStream(to context: UnsafeMutablePointer<AVFormatContext>) throws(FFmpegError) {
            let operation: StaticString = "cannot write"
            let stream = unsafe try FFmpegError.unwrap(avformat_new_stream(context, nil), operation)
            let parameters = unsafe try FFmpegError.unwrap(stream.pointee.codecpar, operation)
            unsafe parameters.pointee.codec_id = codec
            unsafe parameters.pointee.width = Int32(clamping: width)
            unsafe parameters.pointee.height = Int32(clamping: height)
            guard isAttachment else {
                unsafe parameters.pointee.codec_type = AVMEDIA_TYPE_VIDEO
                unsafe stream.pointee.disposition = AV_DISPOSITION_ATTACHED_PIC
                unsafe stream.pointee.time_base = AVRational(num: 1, den: 90_000)
                // The name of ID3v2's kind of picture, which FFmpeg uses for all formats.
                unsafe av_dict_set(&stream.pointee.metadata, "comment", "Cover (front)", 0)
                return
            }
            unsafe parameters.pointee.codec_type = AVMEDIA_TYPE_ATTACHMENT
            let memory = unsafe try FFmpegError.unwrap(
                av_mallocz(bytes.count + Int(AV_INPUT_BUFFER_PADDING_SIZE))?.assumingMemoryBound(to: UInt8.self),
                operation
            )
            unsafe memory.update(from: bytes, count: bytes.count)
            unsafe parameters.pointee.extradata = memory
            unsafe parameters.pointee.extradata_size = Int32(clamping: bytes.count)
            let isPNG = codec == AV_CODEC_ID_PNG
            unsafe av_dict_set(&stream.pointee.metadata, "filename", isPNG ? "cover.png" : "cover.jpg", 0)
            unsafe av_dict_set(&stream.pointee.metadata, "mimetype", isPNG ? "image/png" : "image/jpeg", 0)
        }

        func write(to context: UnsafeMutablePointer<AVFormatContext>) throws(FFmpegError) {
            guard !isAttachment else { return }
            let packet = try Packet()
            try FFmpegError.check(unsafe av_new_packet(packet.pointer, Int32(clamping: bytes.count)), "cannot write")
            unsafe packet.pointer.pointee.data.update(from: bytes, count: bytes.count)
            unsafe packet.pointer.pointee.stream_index = 1
            unsafe packet.pointer.pointee.flags = AV_PKT_FLAG_KEY
            unsafe (packet.pointer.pointee.pts, packet.pointer.pointee.dts) = (0, 0)
            try FFmpegError.check(unsafe av_write_frame(context, packet.pointer), "cannot write")
        }
    }

    /// Adds chapters, which the context then owns.
    static func addChapters(
        _ chapters: [Chapter],
        to context: UnsafeMutablePointer<AVFormatContext>
    ) throws(FFmpegError) {
        guard !chapters.isEmpty else { return }
        let operation: StaticString = "cannot write"
        let size = unsafe MemoryLayout<UnsafeMutablePointer<AVChapter>?>.stride
        let places = unsafe try FFmpegError.unwrap(
            av_calloc(chapters.count, size)?
                .bindMemory(to: UnsafeMutablePointer<AVChapter>?.self, capacity: chapters.count),
            operation
        )
        unsafe context.pointee.chapters = places
        for (index, chapter) in chapters.enumerated() {
            let place = unsafe try FFmpegError.unwrap(
                av_mallocz(MemoryLayout<AVChapter>.size)?.bindMemory(to: AVChapter.self, capacity: 1),
                operation
            )
            unsafe places[index] = place
            unsafe context.pointee.nb_chapters = UInt32(index + 1)
            unsafe place.pointee.id = Int64(index + 1)
            unsafe place.pointee.time_base = AVRational(num: 1, den: 1_000)
            unsafe place.pointee.start = Self.milliseconds(chapter.start)
            unsafe place.pointee.end = max(Self.milliseconds(chapter.start), Self.milliseconds(chapter.end))
            if let title = chapter.title { unsafe av_dict_set(&place.pointee.metadata, "title", title, 0) }
        }
    }

    private static func milliseconds(_ time: MediaTime) -> Int64 {
        Int64(Int(saturating: (time.seconds * 1_000).rounded()))
    }
}
