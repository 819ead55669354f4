private import Glibc

/// A moment on the machine's monotonic clock, which stops while the machine sleeps, as playback does.
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
        Double(left.nanoseconds.subtracting(saturating: right.nanoseconds)) / 1_000_000_000
    }

    /// The moment `seconds` later, or the last one that can be represented.
    package static func + (time: Self, seconds: Double) -> Self {
        let later = Int64(saturating: (seconds * 1_000_000_000).rounded())
        return Self(nanoseconds: time.nanoseconds.adding(saturating: later))
    }
}
