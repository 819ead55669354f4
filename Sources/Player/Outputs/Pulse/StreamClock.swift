internal import AudioTypes

/// The clock of a stream, as the server has told it.
///
/// A pure value.
struct StreamClock: Sendable, Hashable {
    private var clock = OutputClock(frame: 0, time: .now, rate: 0)
    /// The end of the frames sent; the clock stands there until more are sent.
    private var limit = 0

    /// - Parameters:
    ///   - time: When the frame is heard.
    ///   - rate: In frames per second; 0 while the stream stands.
    mutating func set(_ frame: Double, at time: HostTime, rate: Double, limit: FramePosition) {
        clock = OutputClock(frame: frame, time: time, rate: rate)
        self.limit = limit.index
    }

    /// Frames that were sent are about to change.
    mutating func shorten(to limit: FramePosition) { self.limit = limit.index }

    /// More frames were sent.
    ///
    /// - Returns: Whether the clock stood, because all those before were heard: only the server knows when it continues.
    mutating func extend(to limit: FramePosition, at now: HostTime) -> Bool {
        let hasStood = clock.rate > 0 && clock.frame(at: now) >= Double(self.limit)
        if hasStood { clock = OutputClock(frame: Double(self.limit), time: now, rate: 0) }
        self.limit = limit.index
        return hasStood
    }

    var isMoving: Bool { clock.rate > 0 }

    /// The frame heard at a moment, as far as known.
    func heard(at now: HostTime) -> Double { min(clock.frame(at: now), Double(limit)) }

    /// When a frame will be heard, if it is sent by then; `nil` while the stream stands.
    func time(of frame: FramePosition) -> HostTime? { clock.time(of: frame) }

    /// The clock to compute with from a moment on.
    func reading(at now: HostTime) -> OutputClock {
        guard clock.frame(at: now) >= Double(limit) else { return clock }
        return OutputClock(frame: Double(limit), time: now, rate: 0)
    }
}
