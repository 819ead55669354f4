package import AudioTypes
package import Mixing

/// Decides how the end of one item and the beginning of the next one overlap, as in MPD.
///
/// A pure value.
package struct Crossfade: Sendable, Hashable {
    /// How long both are heard, in seconds; 0 is off.
    package var seconds: Double = 0
    /// With MixRamp, the level in dB at which the items meet.
    package var mixRampThreshold: Double = 0
    /// With MixRamp, the seconds by which they overlap less; `nil` turns MixRamp off.
    package var mixRampDelay: Double?

    package init() {}

    /// In seconds.
    package static let longest = 60.0
    /// Bytes of an item's end withheld at most: a minute of 48 kHz stereo floats is 23 MB.
    package static let memory = 32 << 20

    /// The number of frames that may be withheld for an overlap of `seconds`.
    package static func frames(in seconds: Double, of format: AudioFormat) -> Int {
        min(format.frames(in: min(seconds, longest)), memory / format.bytesPerFrame)
    }

    /// One of two items that meet.
    package struct Side: Sendable, Hashable {
        package var entry: MediaEntry
        /// How long the item lasts at its rate; `nil` when unknown.
        package var seconds: Double?
        package var tags: Tags
        /// The gain on its samples.
        package var gain: Gain

        package init(entry: MediaEntry, seconds: Double?, tags: Tags = Tags(), gain: Gain = .unity) {
            self.entry = entry
            self.seconds = seconds
            self.tags = tags
            self.gain = gain
        }

        fileprivate func ramp(_ tag: String) -> MixRamp? { tags[tag].flatMap { MixRamp($0) } }

        /// Whether another item is the next part of the same medium, such as the next track of a CUE sheet.
        fileprivate func continues(into next: Side) -> Bool {
            guard entry.location == next.entry.location, let end = entry.end, let start = next.entry.start else {
                return false
            }
            return abs(end.seconds - start.seconds) < 0.001
        }
    }

    /// How two items overlap.
    package struct Overlap: Sendable, Hashable {
        package var seconds: Double
        package var curve: Overlay.Curve
    }

    package var isOn: Bool { seconds > 0 || mixRampDelay != nil }

    /// Seconds of an item's end that may be needed when it meets the next one.
    package func reach(of side: Side) -> Double {
        guard mixRampDelay != nil, let ramp = side.ramp("mixramp_end") else { return seconds }
        let own = ramp.seconds(to: mixRampThreshold - side.gain.decibels) ?? 0
        return max(seconds, min(own + Self.longestStart, Self.longestOverlap))
    }

    /// How the end of one item and the beginning of another overlap; `nil` when they do not.
    package func overlap(from ended: Side, to next: Side) -> Overlap? {
        guard let last = ended.seconds, let first = next.seconds, !ended.continues(into: next) else { return nil }
        let overlap = mixRamp(from: ended, to: next) ?? Overlap(seconds: seconds, curve: .equalPower)
        guard overlap.seconds > 0, min(last, first) >= 2 * overlap.seconds else { return nil }
        return overlap
    }

    /// - Returns: `nil` when one of the two has no MixRamp tags.
    private func mixRamp(from ended: Side, to next: Side) -> Overlap? {
        guard let delay = mixRampDelay, let last = ended.ramp("mixramp_end"), let first = next.ramp("mixramp_start")
        else { return nil }
        let end = last.seconds(to: mixRampThreshold - ended.gain.decibels)
        let start = first.seconds(to: mixRampThreshold - next.gain.decibels)
        guard let end, let start else { return Overlap(seconds: 0, curve: .sum) }
        return Overlap(seconds: min(max(0, end + start - delay), Self.longestOverlap), curve: .sum)
    }

    /// Longest overlap by MixRamp, and the longest part of it within the next item, in seconds.
    private static let longestOverlap = 30.0
    private static let longestStart = 10.0
}
