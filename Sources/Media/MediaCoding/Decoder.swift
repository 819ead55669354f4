internal import AudioTypes
internal import CFFmpeg
internal import FFmpegValues

/// Owns one audio decoder (`AVCodecContext`).
@safe
struct Decoder: ~Copyable {
    private let context: UnsafeMutablePointer<AVCodecContext>

    /// The result of `receive`.
    enum ReceiveResult {
        case frame
        case needsInput
        case ended
    }

    private init(adopting context: UnsafeMutablePointer<AVCodecContext>) { unsafe self.context = context }

    deinit {
        var context: UnsafeMutablePointer<AVCodecContext>? = unsafe context
        unsafe avcodec_free_context(&context)
    }

    /// Opens the decoder of a track.
    ///
    /// - Parameter keepsPadding: Whether to output samples that the container marks as padding.
    static func open(
        _ track: Track,
        keepsPadding: Bool
    ) throws(FFmpegError) -> Decoder {
        let operation: StaticString = "cannot open its decoder"
        guard let codec = unsafe codec(track.parameters.pointee.codec_id) else {
            throw FFmpegError(code: segue_AVERROR_DECODER_NOT_FOUND, operation: operation)
        }
        let decoder = unsafe Decoder(adopting: try FFmpegError.unwrap(avcodec_alloc_context3(codec), operation))
        let context = unsafe decoder.context
        try FFmpegError.check(unsafe avcodec_parameters_to_context(context, track.parameters), operation)
        unsafe context.pointee.pkt_timebase = track.timeBase
        unsafe context.pointee.thread_count = 1
        if keepsPadding { unsafe context.pointee.flags2 |= AV_CODEC_FLAG2_SKIP_MANUAL }
        // libavcodec compares frames' checksums only when told to; otherwise damaged frames are played as noise. Those of MP3
        // are not compared: encoders wrote wrong ones.
        if unsafe [AV_CODEC_ID_FLAC, AV_CODEC_ID_WAVPACK, AV_CODEC_ID_TTA, AV_CODEC_ID_APE].contains(codec.pointee.id) {
            unsafe context.pointee.err_recognition |= Int32(AV_EF_CRCCHECK | AV_EF_EXPLODE)
        }
        try FFmpegError.check(unsafe avcodec_open2(context, codec, nil), operation)
        return decoder
    }

    /// The decoder of a codec; for MPEG's layers I and II the one that rounds no samples to integers.
    private static func codec(_ id: AVCodecID) -> UnsafePointer<AVCodec>? {
        let name: StaticString? =
            switch id {
            case AV_CODEC_ID_MP1: "mp1float"
            case AV_CODEC_ID_MP2: "mp2float"
            default: nil
            }
        let exact = unsafe name.flatMap { name in
            unsafe name.utf8Start.withMemoryRebound(to: CChar.self, capacity: name.utf8CodeUnitCount + 1) {
                unsafe avcodec_find_decoder_by_name($0)
            }
        }
        return unsafe exact ?? avcodec_find_decoder(id)
    }

    /// The format of an output sample.
    var sample: SourceFormat.Sample {
        let format = unsafe av_get_packed_sample_fmt(context.pointee.sample_fmt)
        if format == AV_SAMPLE_FMT_FLT || format == AV_SAMPLE_FMT_DBL { return .floating }
        let bits = unsafe Int(context.pointee.bits_per_raw_sample)
        return .integer(bits: bits > 0 ? bits : 8 * Int(av_get_bytes_per_sample(format)))
    }

    /// Passes a packet to the decoder; only after `receive` returned `needsInput`.
    func send(_ packet: borrowing Packet) throws(FFmpegError) {
        let code = unsafe avcodec_send_packet(context, packet.pointer)
        if code == segue_AVERROR_EAGAIN || code == segue_AVERROR_EOF { return }
        try FFmpegError.check(code, "cannot decode")
    }

    /// Signals the end of the packets, so that the decoder outputs the frames it still holds.
    func sendEnd() { unsafe _ = avcodec_send_packet(context, nil) }

    /// Receives the next decoded frame; the previous contents of `frame` are released.
    func receive(into frame: borrowing Frame) throws(FFmpegError) -> ReceiveResult {
        let code = unsafe avcodec_receive_frame(context, frame.pointer)
        if code == segue_AVERROR_EAGAIN { return .needsInput }
        if code == segue_AVERROR_EOF { return .ended }
        try FFmpegError.check(code, "cannot decode")
        return .frame
    }

    /// Resets the decoder, before packets from another position.
    func flush() { unsafe avcodec_flush_buffers(context) }
}
