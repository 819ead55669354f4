package import Alarms
private import Files
private import Glibc

extension LocalTime {
    /// The machine's time zone; ``readAgain()`` follows a change of it.
    package static let system = LocalTime { moment in
        var moment = time_t(moment)
        var parts = unsafe tm()
        unsafe localtime_r(&moment, &parts)
        return unsafe Int(parts.tm_gmtoff)
    }

    /// Reads the time zone again, if its file has changed.
    ///
    /// Blocks; before that it may not keep others from telling the local time, so the file is read here first: tzset(3) holds
    /// a lock meanwhile that they need.
    package static func readAgain() {
        guard (try? fileContents("/etc/localtime", atMost: 1 << 20)) != nil else { return }
        tzset()
    }
}
