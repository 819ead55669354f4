/// A run of bytes that one demuxer can read from start to end.
package struct SessionPart: Sendable, Hashable {
    /// Why a new demuxer is needed.
    package enum Reason: Sendable, Hashable {
        case start
        /// `seek(to:)` was called.
        case seek
        /// A declared change of timestamps or formats, or another stream that has replaced this one.
        case discontinuity
        /// Segments before it are missing: the server lacks them, or a live stream advanced without us.
        case gap
        /// Another variant is played, or another initialisation section applies.
        case format
    }

    package var reason: Reason
    /// The start of its first segment: seconds in the presentation; if live, since the start of the first segment
    /// played.
    package var startTime: Double
    /// The moment from which it is audible; the part before was heard already, or only leads to the target of a seek or
    /// the author's start.
    package var soundFrom: Double
    /// Parts with the same number share a clock: the same offset between their timestamps and the presentation's.
    package var timeline: Int
    package var container: SegmentContainer
    /// Bits per second that the playlist indicates for the variant.
    package var indicatedBitRate: Int?
    /// The moment at which it ends, even if its bytes go on; `nil`: all of it is audible.
    package var soundUntil: Double?
    /// The timestamp of its first segment's start, in seconds, if declared.
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
    /// Starts with its initialisation section.
    case fragmentedMP4
    /// As with MP4, followed by clusters.
    case webM
    /// ADTS, MP3, AC-3 or E-AC-3 frames; each segment starts with an ID3 tag that contains its timestamp.
    case packedAudio
}

/// The properties of an open presentation.
package struct SegmentPresentation: Sendable, Hashable {
    /// Whether it is live, so that segments not fetched in time are gone.
    package var isLive = false
    /// In seconds; `nil` while it is live.
    package var duration: Double?
    /// Bits per second that the master playlist indicates for the chosen variant.
    package var indicatedBitRate: Int?
    package var indicatedAverageBitRate: Int?
    /// The longest segment, in seconds.
    package var targetDuration: Double = 0
    /// The audio renditions to choose from; if empty, the container's own tracks.
    package var audioTracks: [SoundTrack] = []
    /// The selected one.
    package var selectedTrack: Int?

    package init() {}
}

package struct SoundTrack: Sendable, Hashable {
    package var name: String
    package var language: String?
    package var isDefault: Bool
}
