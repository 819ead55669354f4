/// How long to wait before the next attempt, in seconds: doubled from one to the next.
///
/// A pure value.
package struct Backoff: Sendable, Hashable {
    private let first: Double
    private let longest: Double
    private var delay: Double

    package init(from first: Double, to longest: Double) {
        self.first = first
        self.longest = longest
        delay = first
    }

    /// The time before the next attempt.
    package mutating func next() -> Double {
        defer { delay = min(2 * delay, longest) }
        return delay
    }

    /// Begins again, after a success.
    package mutating func reset() { delay = first }
}
