internal import AudioTypes

/// How much silence keeps a stream at the pace of time while no frames come: readers of a stream that pauses would give up
/// or fall behind.
///
/// A pure value.
struct SilenceGap: Sendable, Hashable {
    /// Up to when the stream is complete; `nil` before its first frames.
    private var end: HostTime?
    private var begin: HostTime?
    /// Whether the last frames were silence.
    private var isSilent = false

    /// When silence comes, in seconds.
    struct Timing: Sendable, Hashable {
        /// Without frames for so long there is silence.
        var patience: Double
        /// Silence stays so far behind, so that frames find their place after it.
        var lag: Double
        /// How much silence comes at once.
        var step: Double
        /// How much silence a stream begins with when no frames come.
        var start: Double

        /// For readers with seconds of their own in store.
        static let patient = Timing(patience: 0.6, lag: 0.25, step: 0.25, start: 1.5)
        /// For readers who hear at once what comes.
        static let prompt = Timing(patience: 0.2, lag: 0.06, step: 0.06, start: 0)
    }

    private let timing: Timing

    init(_ timing: Timing = .patient) { self.timing = timing }

    /// Begins a stream, unless it has begun.
    mutating func begin(at now: HostTime) { begin = begin ?? now }

    /// Ends the stream.
    mutating func stop() { self = SilenceGap(timing) }

    /// Frames have come.
    ///
    /// - Returns: Seconds of silence that belong before them.
    mutating func framesCame(_ seconds: Double, at now: HostTime) -> Double {
        begin(at: now)
        defer {
            end = now
            isSilent = false
        }
        guard let end else { return 0 }
        let gap = now - end - seconds
        return gap > (isSilent ? 0 : timing.patience) ? gap : 0
    }

    /// Seconds of silence that are due now.
    mutating func due(at now: HostTime) -> Double {
        guard let begin, let deadline, now >= deadline else { return 0 }
        let silence = end.map { now - $0 - timing.lag } ?? timing.start + (now - begin) - timing.lag
        end = now + -timing.lag
        isSilent = true
        return silence
    }

    /// When silence is due next.
    var deadline: HostTime? {
        guard let end else { return begin.map { $0 + timing.lag } }
        return end + (isSilent ? timing.lag + timing.step : timing.patience)
    }
}
