/// A day of the Gregorian calendar, in no particular time zone.
package struct CivilDate: Sendable, Hashable, Comparable {
    /// Days since 1 January 1970.
    package let day: Int

    package init(day: Int) { self.day = day }

    /// - Returns: `nil` for a day that does not exist, or outside the years 1970 to 9999.
    package init?(year: Int, month: Int, day: Int) {
        guard (1970...9999).contains(year), (1...12).contains(month), day >= 1 else { return nil }
        self.day = Self.days(year, month, day)
        guard parts == (year, month, day) else { return nil }
    }

    /// 0 for Monday, to 6.
    package var weekday: Int { ((day + 3) % 7 + 7) % 7 }

    package static func < (left: Self, right: Self) -> Bool { left.day < right.day }

    /// Counts days by eras of 400 years, whose years begin in March so that leap days are the last.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    package var parts: (year: Int, month: Int, day: Int) {
        let shifted = day + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }
}

extension CivilDate {
    /// Parses `2026-12-24`.
    package init(parsing text: some StringProtocol) throws(ArgumentProblem) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == [4, 2, 2],
            parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
            let date = CivilDate(year: Int(parts[0]) ?? 0, month: Int(parts[1]) ?? 0, day: Int(parts[2]) ?? 0)
        else { throw ArgumentProblem("a date is written as 2026-12-24") }
        self = date
    }
}

extension CivilDate: CustomStringConvertible {
    package var description: String {
        let parts = parts
        return "\(parts.year)-\(two(parts.month))-\(two(parts.day))"
    }
}
