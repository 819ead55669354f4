internal import CFFmpeg
internal import FFmpegValues

/// The properties of the selected stream, independent of the demuxer: packets may be decoded on another thread than
/// they are read on.
///
/// Sound as `@unchecked Sendable`: immutable after `init`.
@safe
final class Track: @unchecked Sendable {
    /// Its index among the medium's streams.
    let index: Int
    /// The container's number for it.
    let id: Int
    let parameters: UnsafeMutablePointer<AVCodecParameters>
    let timeBase: AVRational
    /// In the time base; `nil` when unknown.
    let start: Int64?
    /// In the time base; 0 when unknown.
    let duration: Int64
    /// FFmpeg's short name of the container.
    let container: String

    init(_ index: Int, of demuxer: borrowing Demuxer) throws(FFmpegError) {
        let stream = unsafe demuxer.stream(index)
        let copy = unsafe try FFmpegError.unwrap(avcodec_parameters_alloc(), "cannot open")
        unsafe parameters = copy
        self.index = index
        id = unsafe Int(stream.pointee.id)
        timeBase = unsafe stream.pointee.time_base
        start = unsafe stream.pointee.start_time == segue_AV_NOPTS_VALUE ? nil : stream.pointee.start_time
        duration = unsafe max(0, stream.pointee.duration)
        container = demuxer.container
        guard let source = unsafe stream.pointee.codecpar else { return }
        try FFmpegError.check(unsafe avcodec_parameters_copy(copy, source), "cannot open")
    }

    /// Silence of as long as a film lasts; its samples are counted from the film's first frame.
    ///
    /// - Parameter film: The stream of the film's pictures.
    init(silenceFor film: Int, of demuxer: borrowing Demuxer) throws(FFmpegError) {
        unsafe parameters = try FFmpegError.unwrap(avcodec_parameters_alloc(), "cannot open")
        (index, id, container) = (film, 0, demuxer.container)
        (timeBase, start, duration) = (AVRational(num: 1, den: Int32(SilentSound.sampleRate)), 0, 0)
        unsafe parameters.pointee.codec_type = AVMEDIA_TYPE_AUDIO
        unsafe parameters.pointee.codec_id = AV_CODEC_ID_PCM_S16LE
        unsafe parameters.pointee.format = AV_SAMPLE_FMT_S16.rawValue
        unsafe parameters.pointee.sample_rate = Int32(SilentSound.sampleRate)
        unsafe av_channel_layout_default(&parameters.pointee.ch_layout, Int32(SilentSound.channels))
        unsafe parameters.pointee.bits_per_coded_sample = 16
    }

    deinit {
        var parameters: UnsafeMutablePointer<AVCodecParameters>? = unsafe parameters
        unsafe avcodec_parameters_free(&parameters)
    }

    /// Samples per second.
    var sampleRate: Int { unsafe Int(parameters.pointee.sample_rate) }
    var channelCount: Int { unsafe Int(parameters.pointee.ch_layout.nb_channels) }
    /// Samples of the encoder's delay.
    var initialPadding: Int { unsafe Int(parameters.pointee.initial_padding) }

    /// Seconds of one tick of its timestamps.
    var unit: Double { av_q2d(timeBase) }

    /// Whether a decoder of another track can continue with this one's packets.
    func isDecoded(like other: Track) -> Bool {
        let (mine, theirs) = unsafe (parameters.pointee, other.parameters.pointee)
        guard unsafe mine.codec_id == theirs.codec_id, unsafe mine.profile == theirs.profile,
            unsafe mine.format == theirs.format, sampleRate == other.sampleRate, channelCount == other.channelCount,
            timeBase.num == other.timeBase.num, timeBase.den == other.timeBase.den
        else { return false }
        return unsafe UnsafeBufferPointer(start: mine.extradata, count: Int(mine.extradata_size))
            .elementsEqual(UnsafeBufferPointer(start: theirs.extradata, count: Int(theirs.extradata_size)))
    }

    /// A timestamp in samples, rounded to the nearest, and limited to ±2^53 as `Int(sample:)` is.
    func samples(_ timestamp: Int64) -> Int {
        let unit = AVRational(num: 1, den: Int32(max(1, sampleRate)))
        // On overflow the result is the lowest number.
        let samples = Int(av_rescale_q_rnd(timestamp, timeBase, unit, AV_ROUND_NEAR_INF))
        if samples == .min, timestamp > 0 { return 1 << 53 }
        return samples.clamped(to: -(1 << 53)...1 << 53)
    }

    /// Samples as a timestamp, rounded down.
    func timestamp(_ samples: Int) -> Int64 {
        av_rescale_q_rnd(Int64(samples), AVRational(num: 1, den: Int32(max(1, sampleRate))), timeBase, AV_ROUND_DOWN)
    }

    /// A timestamp at or before every packet's.
    var firstTimestamp: Int64 {
        let delay = av_rescale_q(Int64(initialPadding), AVRational(num: 1, den: Int32(max(1, sampleRate))), timeBase)
        return min(start ?? 0, 0).subtracting(saturating: delay)
    }

    /// Samples before a position that must be decoded for it to be right (`AVCodecParameters.seek_preroll` and the
    /// needs of overlapping transforms).
    var preroll: Int {
        let declared = unsafe Int(parameters.pointee.seek_preroll)
        if declared > 0 { return declared }
        let codec = unsafe parameters.pointee.codec_id
        guard let descriptor = unsafe avcodec_descriptor_get(codec) else { return 0 }
        let isLossy = unsafe descriptor.pointee.props & AV_CODEC_PROP_LOSSLESS == 0
        let isPCM = codec.rawValue < 0x11000 && codec.rawValue >= 0x10000
        return isLossy && !isPCM ? 4_608 : 0
    }
}
