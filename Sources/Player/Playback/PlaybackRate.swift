/// A rate at which media can play.
package struct PlaybackRate: Sendable, Hashable {
    /// 0.25 to 4; 1 is the media's own speed.
    package let value: Double

    package static let range = 0.25...4.0

    package init(_ value: Double) throws(PlaybackRateError) {
        guard Self.range.contains(value) else { throw PlaybackRateError(rate: value) }
        self.value = value
    }
}

/// Why a rate was refused.
package struct PlaybackRateError: Error, Hashable, CustomStringConvertible {
    package let rate: Double

    package var description: String {
        if rate < 0 { return "playing backwards is not supported: a rate is at least 0.25, or 0 to pause, not \(rate)" }
        if rate > PlaybackRate.range.upperBound { return "a rate is at most 4, not \(rate)" }
        return "a rate is at least 0.25, or 0 to pause, not \(rate)"
    }
}
