/// A value in seconds that grows with time, and the moments between which it was read.
///
/// Two clocks read one after the other differ by whatever the machine did in between, so a comparison allows for all that
/// the moments leave open.
package struct Reading: Sendable {
    package let value: Double
    package let moments: ClosedRange<ContinuousClock.Instant>

    package init(_ read: () -> Double) {
        let before = ContinuousClock.now
        value = read()
        moments = before...ContinuousClock.now
    }

    /// A value that is known otherwise: of one moment, or of one among some.
    package init(_ value: Double, at moments: ClosedRange<ContinuousClock.Instant>) {
        self.value = value
        self.moments = moments
    }

    /// By how much the value has grown more than time has passed since an earlier reading; negative where it has grown
    /// less, and zero where the moments allow that it has grown evenly.
    package func lead(over earlier: Reading) -> Duration {
        let change = Duration.seconds(value - earlier.value)
        let shortest = moments.lowerBound - earlier.moments.upperBound
        let longest = moments.upperBound - earlier.moments.lowerBound
        return change - min(max(change, shortest), longest)
    }
}
