private import Glibc

/// A moment on the machine's monotonic clock, which stands while the machine sleeps, as sound does.
package struct HostTime: Sendable, Hashable, Comparable {
    package var nanoseconds: Int64

    package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// This moment (`CLOCK_MONOTONIC`).
    package static var now: HostTime {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return HostTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    package static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }

    /// Seconds from `right` to `left`.
    package static func - (left: Self, right: Self) -> Double {
        Double(left.nanoseconds - right.nanoseconds) / 1_000_000_000
    }

    package static func + (time: Self, seconds: Double) -> Self {
        Self(nanoseconds: time.nanoseconds + Int64((seconds * 1_000_000_000).rounded()))
    }
}
