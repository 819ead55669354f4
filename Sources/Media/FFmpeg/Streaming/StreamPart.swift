internal import AudioTypes

/// A run of packets that one decoder can take: what comes before its first packet.
struct StreamPart: Sendable {
    /// What the medium contains.
    var info: MediaInfo
    var track: Track
    var timing: MediaTiming
    var placement: Placement
    /// Seconds from the medium's beginning before which nothing of the part is heard; `nil`: all of it is.
    var earliest: Double?
    /// Seconds from the medium's beginning at which the part ends, though it may go on; `nil`: all of it is heard.
    var latest: Double?
    /// Whether its first packet follows the last one of the part before, for the same decoder.
    var continues = false

    /// The sample that `latest` is.
    var end: Int? { latest.map { Int(($0 * Double(track.sampleRate)).rounded()) } }

    /// Makes it one that is heard as it comes: nobody knows how long it is, and nothing of it is sought.
    mutating func losePlaces() {
        info.duration = nil
        info.isSeekable = false
        placement = .following
    }

    /// What is known once its decoder was opened.
    func describedInfo(_ sample: SourceFormat.Sample) -> MediaInfo {
        var info = info
        info.sourceFormat = SourceFormat(
            sample: sample,
            sampleRate: track.sampleRate,
            channels: max(1, track.channelCount)
        )
        return info
    }

    /// How the part's timestamps lead to the place that is heard.
    enum Placement: Sendable, Hashable {
        /// Through its timing.
        case timestamps
        /// The first one is where the part before ended; the others are counted.
        case following
    }
}
