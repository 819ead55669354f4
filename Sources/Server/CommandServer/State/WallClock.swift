private import Glibc
internal import Songs

/// The minute of the day in local time, 0 to 1439.
func minuteOfDay() -> Int {
    var moment = time_t(saturating: wallClock())
    var parts = unsafe tm()
    unsafe localtime_r(&moment, &parts)
    return unsafe Int(parts.tm_hour) * 60 + Int(parts.tm_min)
}
