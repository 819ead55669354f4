import Foundation
import ProtocolClient

extension RemoteConnection {
    /// Adds an alarm or a schedule that is due within seconds; another one where the command came too late, so that the first
    /// would be due tomorrow.
    ///
    /// - Parameters:
    ///   - kind: `alarm` or `schedule`.
    ///   - words: What follows the time of day.
    /// - Returns: Its number.
    func addTimer(_ kind: String, in seconds: Int = 2, _ words: [String] = []) throws -> String {
        var ahead = seconds
        while true {
            let time = Self.timeOfDay(in: ahead)
            let id = try run(Request(kind, ["add", time] + words))[kind] ?? ""
            let next = try run(kind, "info", id)["next"].flatMap { ISO8601DateFormatter.fractional.date(from: $0) }
            // One that is due by now may tell of no next time.
            guard let next, next.timeIntervalSinceNow > 3_600 else { return id }
            try run(kind, "rm", id)
            ahead *= 3
        }
    }

    /// The local time of day so many seconds ahead.
    ///
    /// `time(2)` may be some milliseconds behind the clock that timers go by.
    static func timeOfDay(in seconds: Int) -> String {
        var moment = time_t(Date().timeIntervalSince1970) + seconds
        var parts = unsafe tm()
        unsafe localtime_r(&moment, &parts)
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return unsafe "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))"
    }
}

extension ISO8601DateFormatter {
    /// Of times such as `2026-11-27T00:15:04.000Z`.
    fileprivate static var fractional: ISO8601DateFormatter {
        let formatter = ISO8601DateFormatter()
        formatter.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
        return formatter
    }
}
