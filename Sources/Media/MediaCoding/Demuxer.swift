internal import AudioTypes
internal import CFFmpeg
internal import FFmpegValues
internal import HTTP
internal import Threads
internal import TimedText

/// Owns one open medium (`AVFormatContext`) and reads its packets.
///
/// Opening, reading and seeking block; the `Interrupt` passed on opening interrupts them.
@safe
struct Demuxer: ~Copyable {
    let context: UnsafeMutablePointer<AVFormatContext>
    private let interrupt: Interrupt
    /// The object that libavformat reads through without owning it.
    private let input: AnyObject?

    /// The result of a read.
    enum ReadResult {
        case packet
        case end
    }

    private init(
        adopting context: UnsafeMutablePointer<AVFormatContext>,
        _ interrupt: Interrupt,
        _ input: AnyObject?
    ) {
        unsafe self.context = context
        self.interrupt = interrupt
        self.input = input
    }

    deinit {
        var context: UnsafeMutablePointer<AVFormatContext>? = unsafe context
        unsafe avformat_close_input(&context)
    }

    /// Opens a medium and finds its streams.
    ///
    /// - Parameters:
    ///   - trimsByEditList: Whether FFmpeg applies MP4's edit lists; otherwise the caller trims.
    ///   - examinesVideo: Whether video is looked into, which may mean to decode its first frames.
    ///   - allowsSilence: Whether video is looked into if there is no audio.
    ///   - readsSubtitles: Whether subtitle packets that are read while the streams are found are kept for `read`.
    static func open(
        _ entry: MediaEntry,
        interrupt: Interrupt,
        trimsByEditList: Bool,
        examinesVideo: Bool = false,
        source: PacketReader.Source? = nil,
        http: HTTPOptions = HTTPOptions(),
        readsSubtitles: Bool = false,
        allowsSilence: Bool = false
    ) throws(FFmpegError) -> Demuxer {
        let operation: StaticString = "cannot open"
        silenceFFmpeg()
        let pipe = source == nil ? try PipeInput.open(entry, interrupt: interrupt) : nil
        let local = source == nil && pipe == nil ? LocalBytes(entry) : nil
        let input = if let local { try InputContext(local) } else { source?.input }
        var context: UnsafeMutablePointer<AVFormatContext>? = unsafe try FFmpegError.unwrap(
            avformat_alloc_context(),
            operation
        )
        // avformat_open_input frees the context when it fails ("Note that a user-supplied AVFormatContext will be freed
        // on failure", avformat.h), and reads through our `pb` without owning it.
        unsafe context?.pointee.interrupt_callback = AVIOInterruptCB(
            callback: interruptCallback,
            opaque: Unmanaged.passUnretained(interrupt).toOpaque()
        )
        if let context = unsafe context { unsafe segue_forbid_nested_opens(context) }
        if let pipe { unsafe context?.pointee.pb = pipe.context }
        if let input { unsafe context?.pointee.pb = input.context }
        var options: OpaquePointer?
        defer { unsafe av_dict_free(&options) }
        if !trimsByEditList { unsafe av_dict_set(&options, "ignore_editlist", "1", 0) }
        unsafe av_dict_set(&options, "protocol_whitelist", Self.allowedProtocols(for: entry), 0)
        unsafe av_dict_set(&options, "format_whitelist", MediaCatalog.demuxers(for: entry), 0)
        var analysis = source?.analysis
        if source == nil, let scheme = StreamScheme(of: entry.location) {
            unsafe http.set(&options, for: scheme)
            // Seconds that a listener has to wait: live data arrives no faster.
            if !scheme.isOfFiles { analysis = 2 }
        }
        if let analysis {
            unsafe av_dict_set(&options, "analyzeduration", "\(Int(saturating: analysis * 1_000_000))", 0)
        }
        let container = unsafe source?.container.flatMap { unsafe av_find_input_format($0) }
        var url = entry.location == "-" ? [0] : entry.location.utf8CString.map(\.self)
        // Forces a path to be read as one: with a colon in it, it would be taken for a URL.
        if let path = entry.filePath { url = "file:".utf8CString.dropLast() + path.cString }
        try FFmpegError.check(unsafe avformat_open_input(&context, url, container, &options), operation)
        guard let opened = unsafe context else { throw FFmpegError(code: segue_AVERROR_ENOMEM, operation: operation) }
        let demuxer = unsafe Demuxer(adopting: opened, interrupt, input ?? pipe)
        if let local {
            local.endWithSound()
            input?.dropBuffer()
        }
        let isSilent = allowsSilence && !(0..<demuxer.streamCount).contains { demuxer.kind(of: $0) == .audio }
        try demuxer.findStreams(
            examinesVideo || isSilent ? [.audio, .video] : [.audio],
            keepingSubtitles: readsSubtitles
        )
        return demuxer
    }

    /// The protocols allowed for an entry: `file` for a file, those that its scheme needs for a stream.
    private static func allowedProtocols(for entry: MediaEntry) -> String {
        guard entry.isURL, entry.filePath == nil else { return "file" }
        return StreamScheme(of: entry.location)?.protocols.joined(separator: ",") ?? ""
    }

    private func findStreams(
        _ kinds: Set<StreamInfo.Kind>,
        keepingSubtitles keepsSubtitles: Bool
    ) throws(FFmpegError) {
        for index in 0..<streamCount where !kinds.contains(kind(of: index)) {
            if keepsSubtitles, subtitleCodec(of: index) != nil { continue }
            if hasTimedTags(index) { continue }
            unsafe stream(index).pointee.discard = AVDISCARD_ALL
        }
        try FFmpegError.check(unsafe avformat_find_stream_info(context, nil), "cannot find its streams")
    }

    /// The codec of a stream whose subtitles are text.
    func subtitleCodec(of index: Int) -> SubtitleCodec? {
        guard kind(of: index) == .subtitle, let parameters = unsafe stream(index).pointee.codecpar else { return nil }
        return SubtitleCodec(rawValue: unsafe String(cString: avcodec_get_name(parameters.pointee.codec_id)))
    }

    var streamCount: Int { unsafe Int(context.pointee.nb_streams) }

    /// The stream at an index below `streamCount`.
    func stream(_ index: Int) -> UnsafeMutablePointer<AVStream> {
        // libavformat guarantees nb_streams non-null pointers (avformat.h); an index beyond is a programming error.
        guard index < streamCount, let stream = unsafe context.pointee.streams[index] else {
            preconditionFailure("stream \(index) does not exist")
        }
        return unsafe stream
    }

    func kind(of index: Int) -> StreamInfo.Kind {
        let stream = unsafe stream(index)
        guard let parameters = unsafe stream.pointee.codecpar else { return .data }
        if unsafe stream.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC != 0 { return .cover }
        switch unsafe parameters.pointee.codec_type {
        case AVMEDIA_TYPE_AUDIO: return .audio
        case AVMEDIA_TYPE_VIDEO: return .video
        case AVMEDIA_TYPE_SUBTITLE: return .subtitle
        case AVMEDIA_TYPE_ATTACHMENT: return .attachment
        default: return .data
        }
    }

    /// Selects streams; packets of others are skipped, if possible without being read.
    func select(_ selected: Set<Int>) {
        for index in 0..<streamCount {
            unsafe stream(index).pointee.discard = selected.contains(index) ? AVDISCARD_DEFAULT : AVDISCARD_ALL
        }
    }

    /// Reads the next packet; the previous contents of `packet` are released.
    func read(into packet: borrowing Packet) throws(FFmpegError) -> ReadResult {
        while true {
            packet.clear()
            let code = unsafe av_read_frame(context, packet.pointer)
            if code == segue_AVERROR_EAGAIN { continue }
            if code == segue_AVERROR_EOF { return .end }
            try FFmpegError.check(code, "cannot continue reading")
            return .packet
        }
    }

    /// Seeks to the last position at or before a timestamp of a stream where decoding can start.
    func seek(stream index: Int, to timestamp: Int64) throws(FFmpegError) {
        let code = unsafe avformat_seek_file(context, Int32(index), .min, timestamp, timestamp, 0)
        try FFmpegError.check(code, "cannot seek")
    }

    /// Seeks to a byte of the file.
    func seek(toByte offset: Int) throws(FFmpegError) {
        try FFmpegError.check(unsafe av_seek_frame(context, -1, Int64(offset), AVSEEK_FLAG_BYTE), "cannot seek")
    }

    var byteInput: InputContext? { input as? InputContext }

    /// The tags, when they have changed since the last call (`AVFMT_EVENT_FLAG_METADATA_UPDATED`).
    func takeChangedTags() -> Tags? {
        var hasChanged = unsafe context.pointee.event_flags & AVFMT_EVENT_FLAG_METADATA_UPDATED != 0
        unsafe context.pointee.event_flags &= ~AVFMT_EVENT_FLAG_METADATA_UPDATED
        for index in 0..<streamCount {
            let stream = unsafe stream(index)
            guard unsafe stream.pointee.event_flags & AVSTREAM_EVENT_FLAG_METADATA_UPDATED != 0 else { continue }
            unsafe stream.pointee.event_flags &= ~AVSTREAM_EVENT_FLAG_METADATA_UPDATED
            hasChanged = true
        }
        return hasChanged ? info().tags : nil
    }

    /// FFmpeg's short name of the container.
    var container: String { unsafe String(cString: context.pointee.iformat.pointee.name) }

    /// Whether the last byte has been read.
    var isAtEnd: Bool {
        guard let io = unsafe context.pointee.pb else { return false }
        return unsafe io.pointee.eof_reached != 0
    }

    /// The byte that is read next; `nil` when that is not known.
    var position: Int? {
        guard let io = unsafe context.pointee.pb else { return nil }
        let position = unsafe avio_seek(io, 0, SEEK_CUR)
        return position >= 0 ? Int(position) : nil
    }

    var isSeekable: Bool {
        guard let io = unsafe context.pointee.pb else { return true }
        return unsafe io.pointee.seekable & AVIO_SEEKABLE_NORMAL != 0
    }
}

extension HTTPOptions {
    /// Sets the options of libavformat's own protocols.
    fileprivate func set(_ options: inout OpaquePointer?, for scheme: StreamScheme) {
        let silence = "\(Int(saturating: silenceLimit * 1_000_000))"
        unsafe av_dict_set(&options, "user_agent", userAgent ?? "\(Product.name)/\(Product.version)", 0)
        unsafe av_dict_set(&options, "tls_verify", verifiesCertificates ? "1" : "0", 0)
        unsafe av_dict_set(&options, "rw_timeout", silence, 0)
        // Some have a time-out of their own, which is infinite and takes precedence.
        if scheme.hasTimeout { unsafe av_dict_set(&options, "timeout", silence, 0) }
        // A TCP connection reports its loss, and passes firewalls that block datagrams.
        unsafe av_dict_set(&options, "rtsp_flags", "prefer_tcp", 0)
    }
}
