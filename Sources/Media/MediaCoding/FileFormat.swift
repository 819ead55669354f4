package import AudioTypes
internal import CFFmpeg

/// How a file is written, determined by its extension: container, codec, and sample format.
@safe
package struct FileFormat {
    let container: UnsafePointer<AVOutputFormat>
    private let defaultCodec: AVCodecID
    /// The significant bits of a sample, where a codec may keep fewer than its format has; `nil` for all.
    package var depth: Int?

    /// Why a file's extension cannot be used.
    package enum Failure: Error, Sendable, Hashable {
        case unknownExtension
        /// The container is known, but this FFmpeg has no encoder for it.
        case noEncoder
    }

    /// Determines the format of a path by its extension.
    package init(path: String) throws(Failure) {
        guard let container = unsafe av_guess_format(nil, "file:" + path, nil),
            unsafe container.pointee.flags & AVFMT_NOFILE == 0,
            unsafe container.pointee.audio_codec != AV_CODEC_ID_NONE
        else { throw .unknownExtension }
        unsafe self.container = container
        defaultCodec = unsafe container.pointee.audio_codec
        guard unsafe avcodec_find_encoder(defaultCodec) != nil else { throw .noEncoder }
    }

    /// The usual extensions that can be written here.
    package static var extensions: [String] {
        let usual = [
            "aac", "aiff", "au", "caf", "flac", "m4a", "mka", "mp3", "oga", "ogg", "opus", "tta", "wav", "wma",
            "wv",
        ]
        return usual.filter { (try? FileFormat(path: "x." + $0)) != nil }
    }

    /// The best format in which to pass frames: as close to `wanted` as the codec allows.
    package func format(for wanted: AudioFormat) -> AudioFormat {
        guard let codec = unsafe avcodec_find_encoder(codec(for: wanted.sampleFormat)) else { return wanted }
        let isLossless = unsafe Self.isLossless(codec.pointee.id)
        let sample = unsafe Self.sampleFormat(of: codec, for: isLossless ? wanted.sampleFormat : .f32)
        let packed: SampleFormat =
            switch av_get_packed_sample_fmt(sample) {
            case AV_SAMPLE_FMT_S16, AV_SAMPLE_FMT_U8: .s16
            case AV_SAMPLE_FMT_S32: .s32
            default: .f32
            }
        let layout = unsafe Self.layout(of: codec, for: wanted.channels)
        return AudioFormat(
            sampleFormat: packed,
            sampleRate: unsafe Self.sampleRate(of: codec, for: wanted.sampleRate),
            channels: layout
        )
    }

    /// The codec that keeps samples of a format: PCM comes in several widths.
    func codec(for format: SampleFormat) -> AVCodecID {
        let candidates: [AVCodecID] =
            switch format {
            case .s16: [AV_CODEC_ID_PCM_S16LE, AV_CODEC_ID_PCM_S16BE]
            case .s32 where depth.map { $0 <= 24 } == true: [AV_CODEC_ID_PCM_S24LE, AV_CODEC_ID_PCM_S24BE]
            case .s32: [AV_CODEC_ID_PCM_S32LE, AV_CODEC_ID_PCM_S32BE]
            case .f32: [AV_CODEC_ID_PCM_F32LE, AV_CODEC_ID_PCM_F32BE]
            }
        guard [AV_CODEC_ID_PCM_S16LE, AV_CODEC_ID_PCM_S16BE].contains(defaultCodec) else { return defaultCodec }
        let ordered = defaultCodec == AV_CODEC_ID_PCM_S16BE ? candidates.reversed() : candidates
        // 1 when the container can store it (avformat_query_codec, avformat.h).
        return ordered.first { unsafe avformat_query_codec(container, $0, FF_COMPLIANCE_NORMAL) == 1 } ?? defaultCodec
    }

    static func isLossless(_ codec: AVCodecID) -> Bool {
        guard let descriptor = unsafe avcodec_descriptor_get(codec) else { return false }
        return unsafe descriptor.pointee.props & AV_CODEC_PROP_LOSSY == 0
    }

    /// The sample format of an encoder that preserves most of `wanted`, and is no wider than necessary.
    static func sampleFormat(of codec: UnsafePointer<AVCodec>, for wanted: SampleFormat) -> AVSampleFormat {
        guard let list = unsafe segue_sample_formats(codec) else { return Resampler.sampleFormat(wanted) }
        var offered: [AVSampleFormat] = []
        while unsafe list[offered.count] != AV_SAMPLE_FMT_NONE { unsafe offered.append(list[offered.count]) }
        let (short, long, float) = (
            [AV_SAMPLE_FMT_S16, AV_SAMPLE_FMT_S16P], [AV_SAMPLE_FMT_S32, AV_SAMPLE_FMT_S32P],
            [AV_SAMPLE_FMT_FLT, AV_SAMPLE_FMT_FLTP]
        )
        let preferred =
            switch wanted {
            case .s16: short + long + float
            case .s32: long + float + short
            case .f32: float + long + short
            }
        return preferred.first { offered.contains($0) } ?? offered.first ?? Resampler.sampleFormat(wanted)
    }

    /// The rate itself if an encoder supports it, else the next higher one, else its highest.
    static func sampleRate(of codec: UnsafePointer<AVCodec>, for wanted: Int) -> Int {
        guard let list = unsafe segue_sample_rates(codec) else { return wanted }
        var offered: [Int] = []
        while unsafe list[offered.count] != 0 { unsafe offered.append(Int(list[offered.count])) }
        // Opus accepts lower rates too, but always plays and counts at 48 kHz (RFC 7845, section 4).
        if unsafe codec.pointee.id == AV_CODEC_ID_OPUS { return 48_000 }
        return offered.filter { $0 >= wanted }.min() ?? offered.max() ?? wanted
    }

    /// The layout itself if an encoder supports it, else one of as many channels, else the widest of fewer.
    static func layout(of codec: UnsafePointer<AVCodec>, for wanted: ChannelLayout) -> ChannelLayout {
        guard let list = unsafe segue_channel_layouts(codec) else { return wanted }
        var offered: [ChannelLayout] = []
        var index = 0
        while unsafe list[index].nb_channels > 0 {
            let mask = unsafe segue_layout_mask(list + index)
            if mask != 0 { offered.append(ChannelLayout(mask: mask)) }
            index += 1
        }
        if offered.contains(wanted) { return wanted }
        if let same = offered.first(where: { $0.count == wanted.count }) { return same }
        return offered.filter { $0.count < wanted.count }.max { $0.count < $1.count } ?? offered.first ?? wanted
    }
}
