/// A position in a medium, or a duration, in seconds of that medium: at twice the speed two of them pass per second.
///
/// A `Double` is exact enough to find any sample of a year of 768 kHz audio again by rounding. Times are limited
/// to ±`limit` and never NaN, so samples and milliseconds of any time can be counted and added.
package struct MediaTime: Sendable, Hashable, Comparable {
    package let seconds: Double

    /// In seconds: some 317 years, enough for any moment of the Unix epoch that a broadcast counts from.
    package static let limit = 1e10

    /// A computed time, limited to ±`limit`; zero for NaN.
    package init(seconds: Double) {
        self.seconds = seconds.isNaN ? 0 : seconds.clamped(to: -Self.limit...Self.limit)
    }

    /// A time from a client, a file, a server or the disk; `nil` when it is not a number within ±`limit`.
    package init?(checking seconds: Double) {
        guard (-Self.limit...Self.limit).contains(seconds) else { return nil }
        self.seconds = seconds
    }

    package static let zero = MediaTime(seconds: 0)

    package static func < (left: Self, right: Self) -> Bool { left.seconds < right.seconds }
    package static func + (left: Self, right: Self) -> Self { Self(seconds: left.seconds + right.seconds) }
    package static func - (left: Self, right: Self) -> Self { Self(seconds: left.seconds - right.seconds) }

    /// The sample at this time at `sampleRate` samples per second, rounded to the nearest.
    ///
    /// Limited to ±2^53, up to which a `Double` counts every sample.
    package func sample(at sampleRate: Int) -> Int { Int(sample: (seconds * Double(sampleRate)).rounded()) }

    /// The time of a sample.
    package init(sample: Int, at sampleRate: Int) { self.init(seconds: Double(sample) / Double(sampleRate)) }

    /// The time in milliseconds, rounded to the nearest.
    package var milliseconds: Int { Int(saturating: (seconds * 1000).rounded()) }
}
