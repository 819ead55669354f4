internal import CCurl
private import Glibc

/// The time of day, for logs.
func secondsSince1970() -> Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
}

/// Parses an HTTP date; `nil` when invalid.
func secondsSince1970(_ date: String) -> Double? {
    let seconds = unsafe curl_getdate(date, nil)
    return seconds >= 0 ? Double(seconds) : nil
}
