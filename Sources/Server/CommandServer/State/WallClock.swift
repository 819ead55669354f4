private import Glibc
internal import Songs

/// Seconds since 1970.
func wallClock() -> Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// A time as clients see it: UTC, with milliseconds.
func utc(_ seconds: Double) -> String {
    let milliseconds = Int(saturating: (seconds * 1_000).rounded())
    let fraction = String(milliseconds % 1_000)
    let padding = String(repeating: "0", count: 3 - fraction.count)
    return "\(timestamp(milliseconds / 1_000).dropLast()).\(padding)\(fraction)Z"
}

/// The minute of the day in local time, 0 to 1439.
func minuteOfDay() -> Int {
    var moment = time_t(saturating: wallClock())
    var parts = unsafe tm()
    unsafe localtime_r(&moment, &parts)
    return unsafe Int(parts.tm_hour) * 60 + Int(parts.tm_min)
}
