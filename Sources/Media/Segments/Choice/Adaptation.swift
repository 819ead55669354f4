/// Which step of a ladder the network carries.
///
/// Down at once, when a segment took about as long to come as it lasts; up by one step when a higher one would have come
/// with room to spare for long enough, and for longer each time that went wrong.
struct Adaptation: Sendable, Hashable {
    /// What one segment told.
    struct Sample: Sendable, Hashable {
        /// Seconds in which bytes were waited for.
        var seconds: Double
        /// Seconds of media in them.
        var mediaDuration: Double
        /// Bits per second that came lately while they were waited for.
        var throughput: Double
    }

    /// Bits per second of each step, ascending.
    let bandwidths: [Int]
    /// The highest step that may be played.
    let ceiling: Int
    private(set) var current: Int
    /// Seconds of media that have come at a speed that carries the next step.
    private var carried: Double = 0
    /// Seconds of media for which it has to.
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

    /// A segment has come in full.
    ///
    /// - Returns: Another step, to be played from the next segment on.
    mutating func received(_ sample: Sample) -> Int? {
        guard sample.mediaDuration > 0 else { return nil }
        sinceRise = sinceRise.map { $0 + sample.mediaDuration }
        if sample.seconds > 0.95 * sample.mediaDuration, current > 0 { return fall(to: sample.throughput) }
        return rise(sample.throughput, sample.mediaDuration)
    }

    /// Another step is played for another reason: its playlist is there, this one's is not.
    mutating func move(to step: Int) {
        current = step
        carried = 0
    }

    /// The step that was wanted cannot be played; the next try comes later.
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
