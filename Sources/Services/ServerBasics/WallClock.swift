package import AudioTypes
private import CivilTime
private import Glibc
package import NIOCore
package import Threads

/// The time of day, and timers that go by it.
///
/// Services are given one; what shall pass whether or not the clock is set, they measure by their event loop's `hostTime`.
package protocol WallClock: Sendable {
    /// Seconds since 1970.
    var now: Double { get }
    /// The minute of the day in local time, 0 to 1439.
    var minuteOfDay: Int { get }

    /// Makes a timer that also rings whenever the clock is set.
    ///
    /// - Parameter ring: Called on any thread.
    /// - Returns: `nil` when the process has no descriptor or thread left.
    func makeTimer(_ ring: @escaping @Sendable () -> Void) -> (any WallTimer)?
}

/// Rings at a moment of the time of day.
package protocol WallTimer: Sendable {
    /// Sets when it rings, in seconds since 1970; `nil`: no more. A moment that has passed rings at once.
    func set(_ moment: Int64?)
    func close()
}

extension WallClockTimer: WallTimer {}

/// The machine's clock, `CLOCK_REALTIME`.
package struct SystemWallClock: WallClock {
    package init() {}

    package var now: Double { wallClock() }

    package var minuteOfDay: Int {
        var moment = time_t(saturating: now)
        var parts = unsafe tm()
        unsafe localtime_r(&moment, &parts)
        return unsafe Int(parts.tm_hour) * 60 + Int(parts.tm_min)
    }

    package func makeTimer(_ ring: @escaping @Sendable () -> Void) -> (any WallTimer)? { WallClockTimer(ring) }
}

extension EventLoop {
    /// This moment on the loop's clock: the machine's monotonic one, unless a test moves the loop.
    package var hostTime: HostTime { HostTime(nanoseconds: Int64(clamping: now.uptimeNanoseconds)) }
}

extension HostTime {
    /// Seconds on the monotonic clock.
    package var seconds: Double { Double(nanoseconds) / 1e9 }
}

extension Duration {
    package var seconds: Double { self / .seconds(1) }
}
