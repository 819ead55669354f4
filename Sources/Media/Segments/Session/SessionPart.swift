/// What one demuxer can read from beginning to end.
package struct SessionPart: Sendable, Hashable {
    /// Why a new demuxer is needed.
    package enum Reason: Sendable, Hashable {
        case start
        /// `seek(to:)` was called.
        case seek
        /// The author says that time stamps or formats change, or another stream has taken the place of this one.
        case discontinuity
        /// Segments are missing before it: the server does not have them, or a live stream went on without us.
        case gap
        /// Another variant is played, or another initialisation applies.
        case format
    }

    package var reason: Reason
    /// Where its first segment begins: seconds in the presentation; live, since the beginning of the first segment
    /// that was played.
    package var startTime: Double
    /// The moment from which it is to be heard; what is before that was heard, is before what a seek or the author
    /// asked for, and only leads there.
    package var soundFrom: Double
    /// Parts with the same number have one clock: the same distance between their time stamps and the presentation's.
    package var timeline: Int
    package var container: SegmentContainer
    /// Bits per second that the playlist says of the variant.
    package var indicatedBitRate: Int?
    /// The moment at which it ends, though there may be more in its bytes; `nil`: all of it is to be heard.
    package var soundUntil: Double?
    /// The time stamp with which its first segment begins, in seconds, where the author says.
    package var mediaTime: Double?

    package init(
        reason: Reason,
        startTime: Double,
        soundFrom: Double,
        timeline: Int,
        container: SegmentContainer,
        indicatedBitRate: Int? = nil,
        soundUntil: Double? = nil,
        mediaTime: Double? = nil
    ) {
        self.reason = reason
        self.startTime = startTime
        self.soundFrom = soundFrom
        self.timeline = timeline
        self.container = container
        self.indicatedBitRate = indicatedBitRate
        self.soundUntil = soundUntil
        self.mediaTime = mediaTime
    }
}

package enum SegmentContainer: Sendable, Hashable {
    case mpegTS
    /// The part begins with its initialisation section.
    case fragmentedMP4
    /// As with MP4; what follows are clusters.
    case webM
    /// ADTS, MP3, AC-3 or E-AC-3 frames; each segment begins with an ID3 tag that carries its time stamp.
    case packedAudio
}

/// What is known of a presentation when it has been opened.
package struct SegmentPresentation: Sendable, Hashable {
    /// Whether it goes on, and what is not fetched in time is gone.
    package var isLive = false
    /// Seconds; `nil` while it is live.
    package var duration: Double?
    /// Bits per second that the master playlist says of the chosen variant.
    package var indicatedBitRate: Int?
    package var indicatedAverageBitRate: Int?
    /// Seconds of a segment at most.
    package var targetDuration: Double = 0
    /// The renditions of the sound that can be chosen from; empty: the container's own tracks can.
    package var audioTracks: [SoundTrack] = []
    /// Which of them is played.
    package var selectedTrack: Int?

    package init() {}
}

package struct SoundTrack: Sendable, Hashable {
    package var name: String
    package var language: String?
    package var isDefault: Bool
}
