internal import AudioTypes

/// The description of a run of packets for one decoder; comes before its first packet.
struct StreamPart: Sendable {
    /// The contents of the medium.
    var info: MediaInfo
    var track: Track
    var timing: MediaTiming
    var placement: Placement
    /// Seconds from the medium's start before which the part is not audible; `nil`: it is audible throughout.
    var earliest: Double?
    /// Whether it is heard from there on, whatever was asked for.
    var isFromEarliest = false
    /// Seconds from the medium's start at which the part ends, even if packets follow; `nil`: at its last packet.
    var latest: Double?
    /// Whether its first packet follows the last one of the part before, for the same decoder.
    var continues = false

    /// The sample of `latest`.
    var end: Int? { latest.map { Int(sample: ($0 * Double(track.sampleRate)).rounded()) } }

    /// Makes it a live part, without duration and seeking.
    mutating func losePlaces() {
        info.duration = nil
        info.isSeekable = false
        placement = .following
    }

    /// The information known once its decoder was opened.
    func describedInfo(_ sample: SourceFormat.Sample) -> MediaInfo {
        var info = info
        info.sourceFormat = SourceFormat(
            sample: sample,
            sampleRate: track.sampleRate,
            channels: max(1, track.channelCount)
        )
        return info
    }

    /// How the part's timestamps map to positions.
    enum Placement: Sendable, Hashable {
        /// By its timing.
        case timestamps
        /// The first packet starts where the part before ended; later ones are counted.
        case following
    }
}
