internal import Alarms
private import Glibc

extension LocalTime {
    /// The machine's time zone; ``readAgain()`` follows a change of it.
    static let system = LocalTime { moment in
        var moment = time_t(moment)
        var parts = unsafe tm()
        unsafe localtime_r(&moment, &parts)
        return unsafe Int(parts.tm_gmtoff)
    }

    /// Reads the time zone again, if its file has changed.
    ///
    /// Blocks.
    static func readAgain() { tzset() }
}
