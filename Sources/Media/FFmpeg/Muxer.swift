internal import CFFmpeg
internal import LibAV

/// Owns one file being written (`AVFormatContext`), with one stream.
@safe
struct Muxer: ~Copyable {
    private let context: UnsafeMutablePointer<AVFormatContext>

    private init(adopting context: UnsafeMutablePointer<AVFormatContext>) { unsafe self.context = context }

    deinit {
        unsafe avio_closep(&context.pointee.pb)
        unsafe avformat_free_context(context)
    }

    /// Creates or truncates the file, and writes its header.
    static func open(
        _ path: String,
        _ file: FileFormat,
        for encoder: borrowing Encoder
    ) throws(FFmpegError) -> Muxer {
        let operation: StaticString = "cannot write"
        var allocated: UnsafeMutablePointer<AVFormatContext>?
        try FFmpegError.check(
            unsafe avformat_alloc_output_context2(&allocated, file.container, nil, nil),
            operation
        )
        let muxer = unsafe Muxer(adopting: try FFmpegError.unwrap(allocated, operation))
        let context = unsafe muxer.context
        let stream = unsafe try FFmpegError.unwrap(avformat_new_stream(context, nil), operation)
        unsafe stream.pointee.time_base = encoder.context.pointee.time_base
        try FFmpegError.check(
            unsafe avcodec_parameters_from_context(stream.pointee.codecpar, encoder.context),
            operation
        )
        try FFmpegError.check(unsafe avio_open(&context.pointee.pb, "file:" + path, AVIO_FLAG_WRITE), operation)
        var options: OpaquePointer?
        defer { unsafe av_dict_free(&options) }
        // WAV's sizes have 32 bits; this reserves room for 64 and uses it when needed. Other formats have no such
        // option.
        unsafe av_dict_set(&options, "rf64", "auto", 0)
        try FFmpegError.check(unsafe avformat_write_header(context, &options), operation)
        return muxer
    }

    /// Writes a packet of an encoder, which is empty afterwards.
    func write(_ packet: borrowing Packet, of encoder: borrowing Encoder) throws(FFmpegError) {
        guard let stream = unsafe context.pointee.streams[0] else { return }
        unsafe packet.pointer.pointee.stream_index = 0
        unsafe av_packet_rescale_ts(packet.pointer, encoder.context.pointee.time_base, stream.pointee.time_base)
        try FFmpegError.check(unsafe av_interleaved_write_frame(context, packet.pointer), "cannot write")
        try checkFile()
    }

    /// Writes the trailer, and closes the file.
    func finish() throws(FFmpegError) {
        let code = unsafe av_write_trailer(context)
        let written = unsafe context.pointee.pb?.pointee.error ?? 0
        let closed = unsafe avio_closep(&context.pointee.pb)
        for code in [written, code, closed] { try FFmpegError.check(code, "cannot write") }
    }

    /// Checks for write errors, which the muxer does not always notice, because the writes are buffered.
    private func checkFile() throws(FFmpegError) {
        try FFmpegError.check(unsafe context.pointee.pb?.pointee.error ?? 0, "cannot write")
    }
}
