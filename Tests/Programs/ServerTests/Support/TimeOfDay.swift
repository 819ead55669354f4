import Glibc

/// The local time of day so many seconds ahead, as commands take it.
///
/// A command that comes too late means tomorrow, so a test that is not about that has the trait `.timed`.
func timeOfDay(in seconds: Int) -> String {
    var moment = time(nil) + seconds
    var parts = unsafe tm()
    unsafe localtime_r(&moment, &parts)
    let numbers = unsafe [parts.tm_hour, parts.tm_min, parts.tm_sec]
    return numbers.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
}
