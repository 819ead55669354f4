internal import AudioTypes
internal import CFFmpeg
internal import FFmpegValues

/// Owns one file or stream being written (`AVFormatContext`), with one stream of sound.
@safe
struct Muxer: ~Copyable {
    /// Where the bytes go.
    enum Destination {
        /// A file, which is created or truncated.
        case file(String)
        /// Memory, from which `takeBytes` takes them; nothing that was written can be changed.
        case memory
    }

    private let context: UnsafeMutablePointer<AVFormatContext>
    private let isInMemory: Bool

    private init(adopting context: UnsafeMutablePointer<AVFormatContext>, isInMemory: Bool) {
        unsafe self.context = context
        self.isInMemory = isInMemory
    }

    deinit {
        if isInMemory {
            unsafe av_free(takeMemory()?.baseAddress)
        } else {
            unsafe avio_closep(&context.pointee.pb)
        }
        unsafe avformat_free_context(context)
    }

    /// Opens the destination, and writes the header.
    ///
    /// - Parameters:
    ///   - tags: Names and texts for the header, where its format has tags.
    ///   - chapters: Where its format has such.
    ///   - picture: The cover, which is written right after the header.
    static func open(
        _ destination: Destination,
        _ file: FileFormat,
        for encoder: borrowing Encoder,
        tags: [(name: String, text: String)] = [],
        chapters: [Chapter] = [],
        picture: Picture? = nil
    ) throws(FFmpegError) -> Muxer {
        let operation: StaticString = "cannot write"
        var allocated: UnsafeMutablePointer<AVFormatContext>?
        try FFmpegError.check(
            unsafe avformat_alloc_output_context2(&allocated, file.container, nil, nil),
            operation
        )
        var isInMemory = false
        if case .memory = destination { isInMemory = true }
        let muxer = unsafe Muxer(adopting: try FFmpegError.unwrap(allocated, operation), isInMemory: isInMemory)
        let context = unsafe muxer.context
        let stream = unsafe try FFmpegError.unwrap(avformat_new_stream(context, nil), operation)
        unsafe stream.pointee.time_base = encoder.context.pointee.time_base
        try FFmpegError.check(
            unsafe avcodec_parameters_from_context(stream.pointee.codecpar, encoder.context),
            operation
        )
        if let picture { unsafe try picture.addStream(to: context) }
        unsafe try addChapters(chapters, to: context)
        switch destination {
        case .file(let path):
            try FFmpegError.check(unsafe avio_open(&context.pointee.pb, "file:" + path, AVIO_FLAG_WRITE), operation)
        case .memory: try muxer.openMemory()
        }
        for (name, text) in tags {
            unsafe av_dict_set(&context.pointee.metadata, name, text, AV_DICT_MULTIKEY)
        }
        var options: OpaquePointer?
        defer { unsafe av_dict_free(&options) }
        if isInMemory { unsafe setStreamOptions(&options) }
        // WAV's sizes have 32 bits; this reserves room for 64 and uses it when needed. Other formats have no such
        // option.
        if !isInMemory {
            unsafe av_dict_set(&options, "rf64", "auto", 0)
            // AIFF has no tags of its own to speak of.
            unsafe av_dict_set(&options, "write_id3v2", "1", 0)
        }
        try FFmpegError.check(unsafe avformat_write_header(context, &options), operation)
        unsafe try picture?.write(to: context)
        return muxer
    }

    /// Writes a packet of an encoder, which is empty afterwards.
    func write(_ packet: borrowing Packet, of encoder: borrowing Encoder) throws(FFmpegError) {
        guard let stream = unsafe context.pointee.streams[0] else { return }
        unsafe packet.pointer.pointee.stream_index = 0
        unsafe av_packet_rescale_ts(packet.pointer, encoder.context.pointee.time_base, stream.pointee.time_base)
        defer { packet.clear() }
        // There is one stream of sound, so nothing has to be put into an order.
        try FFmpegError.check(unsafe av_write_frame(context, packet.pointer), "cannot write")
        try checkFile()
    }

    /// Leaves out what a listener who comes in the middle has no use for.
    private static func setStreamOptions(_ options: inout OpaquePointer?) {
        unsafe av_dict_set(&options, "write_xing", "0", 0)
        unsafe av_dict_set(&options, "id3v2_version", "0", 0)
        unsafe av_dict_set(&options, "write_bext", "0", 0)
    }

    /// Writes the trailer, and closes the file.
    func finish() throws(FFmpegError) {
        let code = unsafe av_write_trailer(context)
        guard !isInMemory else {
            try FFmpegError.check(code, "cannot write")
            return
        }
        let written = unsafe context.pointee.pb?.pointee.error ?? 0
        let closed = unsafe avio_closep(&context.pointee.pb)
        for code in [written, code, closed] { try FFmpegError.check(code, "cannot write") }
    }

    // MARK: In memory

    private func openMemory() throws(FFmpegError) {
        try FFmpegError.check(unsafe avio_open_dyn_buf(&context.pointee.pb), "cannot write")
        unsafe context.pointee.pb.pointee.seekable = 0
    }

    private func takeMemory() -> UnsafeMutableRawBufferPointer? {
        guard let memory = unsafe context.pointee.pb else { return nil }
        unsafe context.pointee.pb = nil
        var bytes: UnsafeMutablePointer<UInt8>?
        let count = unsafe avio_close_dyn_buf(memory, &bytes)
        return unsafe UnsafeMutableRawBufferPointer(start: bytes, count: Int(max(0, count)))
    }

    /// Appends the bytes written since the last call, up to a boundary at which a reader can begin.
    func takeBytes(into bytes: inout [UInt8]) throws(FFmpegError) {
        // Ends an Ogg page; formats without pages have nothing to flush.
        try FFmpegError.check(unsafe av_write_frame(context, nil), "cannot write")
        try takeWritten(into: &bytes)
    }

    /// Appends the bytes written since the last call.
    func takeWritten(into bytes: inout [UInt8]) throws(FFmpegError) {
        guard let memory = unsafe takeMemory() else { return }
        unsafe bytes.append(contentsOf: memory)
        unsafe av_free(memory.baseAddress)
        try openMemory()
    }

    /// Checks for write errors, which the muxer does not always notice, because the writes are buffered.
    private func checkFile() throws(FFmpegError) {
        try FFmpegError.check(unsafe context.pointee.pb?.pointee.error ?? 0, "cannot write")
    }
}
