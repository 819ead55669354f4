/// A place in a medium, or a length of it, in seconds of that medium: at twice the speed two of them pass in a second.
///
/// A `Double` holds any sample of a year of 768 kHz audio exactly enough to be found again by rounding.
package struct MediaTime: Sendable, Hashable, Comparable {
    package var seconds: Double

    package init(seconds: Double) { self.seconds = seconds }

    package static let zero = MediaTime(seconds: 0)

    package static func < (left: Self, right: Self) -> Bool { left.seconds < right.seconds }
    package static func + (left: Self, right: Self) -> Self { Self(seconds: left.seconds + right.seconds) }
    package static func - (left: Self, right: Self) -> Self { Self(seconds: left.seconds - right.seconds) }

    /// The sample this time falls on at `sampleRate` samples per second, rounded to the nearest.
    package func sample(at sampleRate: Int) -> Int { Int((seconds * Double(sampleRate)).rounded()) }

    /// The time of a sample.
    package init(sample: Int, at sampleRate: Int) { self.seconds = Double(sample) / Double(sampleRate) }
}
