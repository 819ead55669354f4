package import AudioTypes
internal import TextEncodings

/// Times as people read them.
package enum TimeText {
    /// `1:02`, `1:02:03`; the seconds are truncated, not rounded, as on every clock.
    package static func clock(_ time: MediaTime, withHours: Bool = false) -> String {
        guard abs(time.seconds) < 1e9 else { return "-:--" }
        let sign = time.seconds <= -1 ? "-" : ""
        let seconds = Int(saturating: abs(time.seconds))
        return sign + parts(seconds, withHours: withHours)
    }

    /// `3:21.347`.
    package static func exact(_ time: MediaTime) -> String {
        guard abs(time.seconds) < 1e9 else { return "-:--" }
        let thousandths = Int(saturating: (abs(time.seconds) * 1000).rounded())
        let sign = time.seconds < 0 && thousandths > 0 ? "-" : ""
        return sign + parts(thousandths / 1000, withHours: false) + "." + String(thousandths % 1000, digits: 3)
    }

    /// A position and the duration in the same form: `0:01:02 / 1:02:03`.
    package static func position(_ time: MediaTime, of duration: MediaTime?) -> String {
        guard let duration, duration > .zero else { return clock(time) }
        return clock(time, withHours: duration.seconds >= 3600) + " / " + clock(duration)
    }

    private static func parts(_ seconds: Int, withHours: Bool) -> String {
        let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
        let rest = String(seconds % 60, digits: 2)
        return hours > 0 || withHours ? "\(hours):\(String(minutes, digits: 2)):\(rest)" : "\(minutes):\(rest)"
    }
}
