/// Chooses the step of a ladder that the network can carry.
///
/// Steps down at once when a segment takes about as long to arrive as it lasts; up by one step when a higher one would
/// have arrived with a margin for long enough, and for longer after each failure.
struct Adaptation: Sendable, Hashable {
    /// The measurement of one segment.
    struct Sample: Sendable, Hashable {
        /// Seconds spent waiting for data.
        var seconds: Double
        /// Seconds of media in it.
        var mediaDuration: Double
        /// Bits per second received lately while waiting for data.
        var throughput: Double
    }

    /// Bits per second of each step, ascending.
    let bandwidths: [Int]
    /// The highest step that may be played.
    let ceiling: Int
    private(set) var current: Int
    /// Seconds of media received at a speed that carries the next step.
    private var carried: Double = 0
    /// Seconds of media required at that speed.
    private var patience = Self.firstPatience
    /// Seconds of media since the last step up.
    private var sinceRise: Double?

    private static let firstPatience: Double = 10
    private static let lastPatience: Double = 320

    init(bandwidths: [Int], ceiling: Int, current: Int) {
        self.bandwidths = bandwidths
        self.ceiling = ceiling
        self.current = current
    }

    /// Handles a completely received segment.
    ///
    /// - Returns: Another step, to be played from the next segment on.
    mutating func received(_ sample: Sample) -> Int? {
        guard sample.mediaDuration > 0 else { return nil }
        sinceRise = sinceRise.map { $0 + sample.mediaDuration }
        if sample.seconds > 0.95 * sample.mediaDuration, current > 0 { return fall(to: sample.throughput) }
        return rise(sample.throughput, sample.mediaDuration)
    }

    /// Changes the step for another reason: its playlist is available, the current one's is not.
    mutating func move(to step: Int) {
        current = step
        carried = 0
    }

    /// Stays on the current step because the wanted one cannot be played; the next attempt comes later.
    mutating func stay(on step: Int) {
        move(to: step)
        patience = min(2 * patience, Self.lastPatience)
    }

    private mutating func fall(to throughput: Double) -> Int {
        if let since = sinceRise, since < 6 * patience { patience = min(2 * patience, Self.lastPatience) }
        sinceRise = nil
        move(to: bandwidths[..<current].lastIndex { Double($0) * 1.25 <= throughput } ?? 0)
        return current
    }

    private mutating func rise(_ throughput: Double, _ duration: Double) -> Int? {
        let next = bandwidths.indices.first { $0 <= ceiling && bandwidths[$0] > bandwidths[current] }
        guard let next, throughput >= Double(bandwidths[next]) * 1.4 else {
            carried = 0
            return nil
        }
        carried += duration
        guard carried >= patience else { return nil }
        sinceRise = 0
        move(to: next)
        return next
    }
}
