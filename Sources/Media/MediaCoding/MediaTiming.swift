internal import AudioTypes
internal import CFFmpeg
internal import MediaHeaders

/// Maps a stream's timestamps to the audible samples; all in samples at the decoder's rate.
///
/// Where the container is trusted to trim (everything but local MP3 and MP4), FFmpeg drops the padding itself and
/// `trims` is false.
struct MediaTiming {
    /// The timestamp, in samples, of the first audible sample.
    var zero = 0
    /// The position of that sample in the medium: 0, but where another stream precedes this one.
    var base = 0
    /// The number of audible samples; `nil` when known only at the end of the data.
    var length: Int?
    /// Whether the decoder outputs padding, to be dropped here.
    var trims = false
    /// Whether the end is known to the sample.
    var isExact = true
    /// The sample that the medium's first packet starts with, when it has no timestamp.
    var first: Int { mayBeOnePage ? base : base - zero }
    /// Whether this is Vorbis that may fit on one Ogg page.
    ///
    /// FFmpeg 5.1 counts its first packet, which has no samples, so timestamps are late, and too little or too much is
    /// dropped at the end. Every seek ends at the page's start.
    private(set) var mayBeOnePage = false
    /// Where timestamps are coarser than a sample: the length of the stream's packets, of which they are multiples.
    private var grid: Int?

    init(of track: Track, movie: MovieTiming?, mpeg: MPEGAudioIndex?) {
        if let movie {
            zero = movie.startPadding
            length = movie.length
            isExact = movie.isExact
            trims = true
            return
        }
        if let mpeg {
            zero = mpeg.startPadding
            length = mpeg.length
            isExact = mpeg.length != nil
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
        let isSpeex = unsafe track.parameters.pointee.codec_id == AV_CODEC_ID_SPEEX
        if track.container == "ogg", isSpeex, let start = track.start, start <= 0, track.duration > 0 {
            // The last page says where the sound ends, which FFmpeg does not apply.
            length = track.samples(start.adding(saturating: track.duration))
        }
        isExact =
            !(track.container == "aac" || track.container.hasPrefix("matroska") || track.container.hasPrefix("mpegts"))
    }

    /// Corrects the timing from the timestamp of the first frame after opening or a seek.
    mutating func recordFirstFrame(_ timestamp: Int64, of track: Track) {
        guard mayBeOnePage else { return }
        // Streams of several pages start below zero.
        zero = max(0, track.samples(timestamp))
        mayBeOnePage = zero > 0
    }

    /// The sample of a timestamp, counted from the medium's first audible one.
    func sample(_ timestamp: Int64, of track: Track) -> Int {
        let sample = track.samples(timestamp) - zero
        guard let grid else { return base + sample }
        let nearest = Int(sample: (Double(sample) / Double(grid)).rounded()) * grid
        let tick = track.sampleRate * Int(track.timeBase.num) / max(1, Int(track.timeBase.den)) + 1
        return base + (abs(nearest - sample) <= tick ? nearest : sample)
    }
}
