internal import AudioTypes
internal import CFFmpeg

/// How a stream's timestamps relate to the samples that are heard; all in samples at the decoder's rate.
///
/// Where the container is trusted to trim (everything but local MP3 and MP4), FFmpeg drops the padding itself and
/// `trims` is false.
struct MediaTiming {
    /// The timestamp, in samples, of the first sample that is heard.
    var zero = 0
    /// How many samples are heard; `nil` when only the end of the data tells.
    var length: Int?
    /// Whether the decoder gives out padding, to be dropped here.
    var trims = false
    /// Whether the end is known to the sample.
    var isExact = true
    /// The sample that the medium's first packet begins with, when it has no timestamp.
    var first: Int { mayBeOnePage ? 0 : -zero }
    /// Whether this is Vorbis that may fit on one page of Ogg.
    ///
    /// Of that FFmpeg 5.1 counts the first packet, which gives no samples, so timestamps are late, and too little or too
    /// much is dropped at the end. Every seek ends at the page's beginning.
    private(set) var mayBeOnePage = false
    /// Where timestamps are coarser than a sample: the length of the stream's packets, on whose multiples they lie.
    private var grid: Int?

    init(of index: Int, in demuxer: borrowing Demuxer, movie: MovieTiming?, mpeg: MPEGAudioIndex?) {
        let stream = unsafe demuxer.stream(index)
        let start = unsafe stream.pointee.start_time
        let rate = unsafe Int(stream.pointee.codecpar?.pointee.sample_rate ?? 0)
        if let movie {
            zero = movie.startPadding
            length = movie.length
            isExact = movie.isExact
            trims = true
            return
        }
        if let timing = mpeg?.timing {
            zero = timing.startPadding
            length = timing.length
            isExact = timing.length != nil
            trims = true
            return
        }
        // A start below zero is padding that FFmpeg drops.
        if start != segue_AV_NOPTS_VALUE, start > 0 { zero = unsafe Self.samples(start, of: stream, rate: rate) }
        let base = unsafe stream.pointee.time_base
        let packetLength = unsafe Int(stream.pointee.codecpar?.pointee.frame_size ?? 0)
        let hasPadding = unsafe stream.pointee.codecpar?.pointee.initial_padding ?? 0 > 0
        if Int(base.den) < rate * Int(base.num), packetLength > 1, !hasPadding { grid = packetLength }
        let container = demuxer.container
        let duration = unsafe stream.pointee.duration
        let isVorbis = unsafe stream.pointee.codecpar?.pointee.codec_id == AV_CODEC_ID_VORBIS
        if container == "ogg", isVorbis, start == 0, duration > 0 {
            mayBeOnePage = true
            trims = true
            length = unsafe Self.samples(duration, of: stream, rate: rate)
        }
        isExact = !(container == "aac" || container.hasPrefix("matroska") || container.hasPrefix("mpegts"))
    }

    /// Learns from the timestamp of the first frame after opening or a seek.
    mutating func noteFirstFrame(_ timestamp: Int64, of stream: UnsafeMutablePointer<AVStream>, rate: Int) {
        guard mayBeOnePage else { return }
        // Streams of more pages begin below zero.
        zero = unsafe max(0, Self.samples(timestamp, of: stream, rate: rate))
        mayBeOnePage = zero > 0
    }

    /// The sample, counted from the first one that is heard, that a timestamp means.
    func sample(_ timestamp: Int64, of stream: UnsafeMutablePointer<AVStream>, rate: Int) -> Int {
        let sample = unsafe Self.samples(timestamp, of: stream, rate: rate) - zero
        guard let grid else { return sample }
        let nearest = Int((Double(sample) / Double(grid)).rounded()) * grid
        let tick = unsafe rate * Int(stream.pointee.time_base.num) / Int(stream.pointee.time_base.den) + 1
        return abs(nearest - sample) <= tick ? nearest : sample
    }

    /// A timestamp of a stream in samples.
    private static func samples(_ timestamp: Int64, of stream: UnsafeMutablePointer<AVStream>, rate: Int) -> Int {
        let base = unsafe stream.pointee.time_base
        return Int(av_rescale_q_rnd(timestamp, base, AVRational(num: 1, den: Int32(rate)), AV_ROUND_NEAR_INF))
    }

    /// Samples as a timestamp of a stream, rounded down.
    static func timestamp(_ samples: Int, of stream: UnsafeMutablePointer<AVStream>, rate: Int) -> Int64 {
        let base = unsafe stream.pointee.time_base
        return av_rescale_q_rnd(Int64(samples), AVRational(num: 1, den: Int32(rate)), base, AV_ROUND_DOWN)
    }
}
