internal import AudioTypes
internal import CFFmpeg
internal import FFmpegValues

/// Owns one audio encoder (`AVCodecContext`).
@safe
struct Encoder: ~Copyable {
    let context: UnsafeMutablePointer<AVCodecContext>

    /// The result of `receive`.
    enum ReceiveResult {
        case packet
        case needsInput
        case ended
    }

    private init(adopting context: UnsafeMutablePointer<AVCodecContext>) { unsafe self.context = context }

    deinit {
        var context: UnsafeMutablePointer<AVCodecContext>? = unsafe context
        unsafe avcodec_free_context(&context)
    }

    /// Opens the encoder of a file, for frames of a format.
    ///
    /// - Parameter quality: `nil` for one that is hard to distinguish from the original.
    static func open(
        _ file: FileFormat,
        for source: AudioFormat,
        quality: EncodingQuality? = nil
    ) throws(FFmpegError) -> Encoder {
        let operation: StaticString = "cannot open its encoder"
        guard let codec = unsafe avcodec_find_encoder(file.codec(for: source.sampleFormat)) else {
            throw FFmpegError(code: segue_AVERROR_ENCODER_NOT_FOUND, operation: operation)
        }
        let encoder = unsafe Encoder(adopting: try FFmpegError.unwrap(avcodec_alloc_context3(codec), operation))
        let context = unsafe encoder.context
        let rate = unsafe Int32(FileFormat.sampleRate(of: codec, for: source.sampleRate))
        let channels = unsafe FileFormat.layout(of: codec, for: source.channels)
        unsafe context.pointee.sample_fmt = FileFormat.sampleFormat(of: codec, for: source.sampleFormat)
        unsafe context.pointee.sample_rate = rate
        unsafe context.pointee.time_base = AVRational(num: 1, den: rate)
        unsafe context.pointee.ch_layout = Resampler.layout(channels.mask, channels.count)
        encoder.setQuality(channelCount: channels.count)
        if let quality { encoder.set(quality) }
        if unsafe file.container.pointee.flags & AVFMT_GLOBALHEADER != 0 {
            unsafe context.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER
        }
        try FFmpegError.check(unsafe avcodec_open2(context, codec, nil), operation)
        return encoder
    }

    /// Sets the quality of lossy codecs to be hard to distinguish from the original.
    ///
    /// FFmpeg's defaults are for small files.
    private func setQuality(channelCount: Int) {
        switch unsafe context.pointee.codec_id {
        case AV_CODEC_ID_OPUS: unsafe context.pointee.bit_rate = Int64(80_000 * channelCount)
        case AV_CODEC_ID_AAC: unsafe context.pointee.bit_rate = Int64(96_000 * channelCount)
        case AV_CODEC_ID_MP3: setConstantQuality(2)
        case AV_CODEC_ID_VORBIS: setConstantQuality(6)
        case AV_CODEC_ID_FLAC, AV_CODEC_ID_ALAC, AV_CODEC_ID_TTA:
            // The upper 24 bits of 32-bit samples are kept.
            if unsafe av_get_bytes_per_sample(context.pointee.sample_fmt) == 4 {
                unsafe context.pointee.bits_per_raw_sample = 24
            }
        default: break
        }
    }

    private func set(_ quality: EncodingQuality) {
        switch quality {
        case .bitRate(let rate):
            unsafe context.pointee.flags &= ~AV_CODEC_FLAG_QSCALE
            unsafe context.pointee.bit_rate = Int64(rate)
        case .level(let level):
            if unsafe context.pointee.codec_id == AV_CODEC_ID_FLAC {
                unsafe context.pointee.compression_level = Int32(saturating: level)
            } else {
                unsafe context.pointee.flags |= AV_CODEC_FLAG_QSCALE
                unsafe context.pointee.global_quality = Int32(saturating: level * Double(FF_QP2LAMBDA))
            }
        }
    }

    private func setConstantQuality(_ quality: Int32) {
        unsafe context.pointee.flags |= AV_CODEC_FLAG_QSCALE
        unsafe context.pointee.global_quality = quality * FF_QP2LAMBDA
    }

    /// The number of frames per call: exactly so many, except for the last.
    var frameSize: Int {
        let size = unsafe Int(context.pointee.frame_size)
        return size > 0 ? size : 4_096
    }

    /// The required shape of frames.
    var shape: DecodedShape {
        unsafe DecodedShape(
            sampleFormat: context.pointee.sample_fmt.rawValue,
            sampleRate: context.pointee.sample_rate,
            channelMask: segue_layout_mask(&context.pointee.ch_layout),
            channelCount: context.pointee.ch_layout.nb_channels
        )
    }

    /// Passes samples to the encoder; only after `receive` returned `needsInput`.
    func send(_ frame: borrowing Frame) throws(FFmpegError) {
        try FFmpegError.check(unsafe avcodec_send_frame(context, frame.pointer), "cannot encode")
    }

    /// Signals the end, so that the encoder outputs the packets it still holds.
    func sendEnd() throws(FFmpegError) {
        try FFmpegError.check(unsafe avcodec_send_frame(context, nil), "cannot encode")
    }

    /// Receives the next packet; the previous contents of `packet` are released.
    func receive(into packet: borrowing Packet) throws(FFmpegError) -> ReceiveResult {
        let code = unsafe avcodec_receive_packet(context, packet.pointer)
        if code == segue_AVERROR_EAGAIN { return .needsInput }
        if code == segue_AVERROR_EOF { return .ended }
        try FFmpegError.check(code, "cannot encode")
        return .packet
    }
}
