private import Glibc

/// The machine's time of day, in seconds since 1970.
package func wallClock() -> Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
