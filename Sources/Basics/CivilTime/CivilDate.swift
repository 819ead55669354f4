private import TextEncodings

/// A day of the Gregorian calendar, also before that was introduced, in no particular time zone.
package struct CivilDate: Sendable, Hashable, Comparable {
    /// Days since 1 January 1970, within the years 0 to 9999.
    package let day: Int

    /// 1 January of the year 0.
    private static let first = -719_528
    /// 31 December 9999.
    private static let last = 2_932_896

    /// - Parameter day: Days since 1 January 1970; a day outside the years 0 to 9999 becomes the nearest one inside.
    package init(day: Int) { self.day = min(max(day, Self.first), Self.last) }

    /// - Returns: `nil` for a day that does not exist, or outside the years 1970 to 9999.
    package init?(year: Int, month: Int, day: Int) {
        guard (1970...9999).contains(year), (1...12).contains(month), day >= 1 else { return nil }
        self.day = Self.dayNumber(year: year, month: month, day: day)
        guard parts == (year, month, day) else { return nil }
    }

    /// 0 for Monday, to 6.
    package var weekday: Int { ((day + 3) % 7 + 7) % 7 }

    package static func < (left: Self, right: Self) -> Bool { left.day < right.day }

    /// Days since 1 January 1970 of a date whose parts were checked; a day behind a month's last one is one of the next month.
    ///
    /// Days are counted by eras of 400 years, whose years begin in March so that a leap day is the last.
    ///
    /// - Parameters:
    ///   - year: 0 to 9999.
    ///   - month: 1 to 12.
    ///   - day: 1 to 31.
    package static func dayNumber(year: Int, month: Int, day: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * daysPerEra + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - epoch
    }

    package var parts: (year: Int, month: Int, day: Int) {
        let shifted = day + Self.epoch
        let era = (shifted >= 0 ? shifted : shifted - Self.daysPerEra + 1) / Self.daysPerEra
        let dayOfEra = shifted - era * Self.daysPerEra
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }

    /// Days from 1 March of the year 0 to 1 January 1970.
    private static let epoch = 719_468
    /// Days in 400 years, after which the calendar repeats.
    private static let daysPerEra = 146_097
}

extension CivilDate: CustomStringConvertible {
    /// `2026-12-24`.
    package var description: String {
        let parts = parts
        return "\(parts.year)-\(String(parts.month, digits: 2))-\(String(parts.day, digits: 2))"
    }
}
