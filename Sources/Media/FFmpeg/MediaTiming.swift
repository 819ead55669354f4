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

    init(of track: Track, movie: MovieTiming?, mpeg: MPEGAudioIndex?) {
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
        if let start = track.start, start > 0 { zero = track.samples(start) }
        let packetLength = unsafe Int(track.parameters.pointee.frame_size)
        if Int(track.timeBase.den) < track.sampleRate * Int(track.timeBase.num), packetLength > 1,
            track.initialPadding <= 0
        {
            grid = packetLength
        }
        let isVorbis = unsafe track.parameters.pointee.codec_id == AV_CODEC_ID_VORBIS
        if track.container == "ogg", isVorbis, track.start == 0, track.duration > 0 {
            mayBeOnePage = true
            trims = true
            length = track.samples(track.duration)
        }
        isExact =
            !(track.container == "aac" || track.container.hasPrefix("matroska") || track.container.hasPrefix("mpegts"))
    }

    /// Learns from the timestamp of the first frame after opening or a seek.
    mutating func noteFirstFrame(_ timestamp: Int64, of track: Track) {
        guard mayBeOnePage else { return }
        // Streams of more pages begin below zero.
        zero = max(0, track.samples(timestamp))
        mayBeOnePage = zero > 0
    }

    /// The sample, counted from the first one that is heard, that a timestamp means.
    func sample(_ timestamp: Int64, of track: Track) -> Int {
        let sample = track.samples(timestamp) - zero
        guard let grid else { return sample }
        let nearest = Int((Double(sample) / Double(grid)).rounded()) * grid
        let tick = track.sampleRate * Int(track.timeBase.num) / Int(track.timeBase.den) + 1
        return abs(nearest - sample) <= tick ? nearest : sample
    }
}
