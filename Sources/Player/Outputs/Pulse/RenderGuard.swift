internal import AudioTypes

/// When the sink takes frames: just then, none may be replaced.
///
/// Frames travel in blocks, and for a moment the first is all there is after the sink's read position. A sink that takes
/// more just then runs dry, in the middle of its own buffer.
///
/// A pure value.
struct RenderGuard: Sendable, Hashable {
    /// When the sink next takes frames, if known.
    var renderTime: HostTime?
    /// Whether the sink takes only one block at once, which makes all moments good.
    var isOff = false

    /// Seconds before and after the sink takes frames in which none are replaced.
    static let before = 0.012
    static let after = 0.005

    /// Seconds until frames can be replaced; `nil` when they can now.
    ///
    /// - Parameter period: Seconds from one time that the sink takes frames to the next.
    func delay(at now: HostTime, period: Double) -> Double? {
        guard !isOff, let renderTime else { return nil }
        let late = now - renderTime
        // Then it takes as much as it may, unless limited before.
        let rest = late - (late / period).rounded() * period
        return rest > -Self.before && rest < Self.after ? Self.after - rest : nil
    }
}
