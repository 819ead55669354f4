package import Announcements

/// The times at which something that the owner has decided holds.
package struct Validity: Sendable, Hashable {
    /// In seconds since 1970: when it ends; `nil` for never.
    package var until: Double?
    /// The times of day; `nil` for all day.
    package var hours: QuietHours?

    package init() {}

    /// Whether it is always.
    package var isAlways: Bool { until == nil && hours == nil }

    package func contains(_ moment: Moment) -> Bool {
        until.map { moment.seconds < $0 } ?? true && hours?.contains(minute: moment.minute) ?? true
    }

    /// The next moment at which it may begin or end, in seconds since 1970.
    package func nextChange(after moment: Moment) -> Double? {
        [until, hours?.nextChange(after: moment)].compactMap(\.self).filter { $0 > moment.seconds }.min()
    }

    /// Whether it has ended, and does not begin again.
    func isOver(at moment: Moment) -> Bool { until.map { $0 <= moment.seconds } ?? false }
}

extension QuietHours {
    /// The next moment at which they may begin or end, in seconds since 1970.
    ///
    /// They are looked at on each full hour as well, when clocks are put forward or back.
    func nextChange(after moment: Moment) -> Double {
        let distances = ranges.flatMap { [$0.start, $0.end] }.map { end in
            let distance = (end - moment.minute + Moment.minutesPerDay) % Moment.minutesPerDay
            return distance == 0 ? Moment.minutesPerDay : distance
        }
        let minutes = min(distances.min() ?? Moment.minutesPerDay, 60 - moment.minute % 60)
        return moment.seconds - moment.secondOfMinute + Double(minutes) * 60
    }
}

/// As words: `until 1790000000 hours 07:00-20:00`.
extension Validity {
    /// - Returns: Whether the value is one; `nil` for a key that is not its own.
    mutating func set(_ key: String, _ value: String) -> Bool? {
        switch key {
        case "until":
            until = Double(value).flatMap { (0...1e11).contains($0) ? $0 : nil }
            return until != nil || value == "never"
        case "hours":
            hours = value == "always" ? nil : QuietHours(parsing: value)
            return hours != nil || value == "always"
        default: return nil
        }
    }

    var untilWords: [String] { until.map { ["until", "\(Int(saturating: $0))"] } ?? [] }
    var hoursWords: [String] { hours.map { ["hours", $0.word] } ?? [] }
}

extension QuietHours {
    /// Without spaces.
    var word: String { "\(self)".replacing(" ", with: "") }
}
