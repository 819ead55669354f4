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

    /// Seconds without frames after which there is silence.
    private static let patience = 0.6
    /// Seconds by which silence stays behind, so that frames find their place after it.
    private static let lag = 0.25
    /// Seconds of silence at once.
    private static let step = 0.25
    /// Seconds of silence with which a stream begins when no frames come.
    private static let start = 1.5

    /// Begins a stream, unless it has begun.
    mutating func begin(at now: HostTime) { begin = begin ?? now }

    /// Ends the stream.
    mutating func stop() { self = SilenceGap() }

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
        return gap > (isSilent ? 0 : Self.patience) ? gap : 0
    }

    /// Seconds of silence that are due now.
    mutating func due(at now: HostTime) -> Double {
        guard let begin, let deadline, now >= deadline else { return 0 }
        let silence = end.map { now - $0 - Self.lag } ?? Self.start + (now - begin) - Self.lag
        end = now + -Self.lag
        isSilent = true
        return silence
    }

    /// When silence is due next.
    var deadline: HostTime? {
        guard let end else { return begin.map { $0 + Self.lag } }
        return end + (isSilent ? Self.lag + Self.step : Self.patience)
    }
}
