/// Days of the week.
package struct Weekdays: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let all = Weekdays(rawValue: 0b111_1111)
    package static let working = Weekdays(rawValue: 0b001_1111)
    package static let weekend = Weekdays(rawValue: 0b110_0000)

    /// In the order of the week.
    private static let names = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]

    /// - Parameter weekday: 0 for Monday, to 6.
    package init(weekday: Int) { self.init(rawValue: UInt8(1 << min(max(weekday, 0), 6))) }

    /// - Parameter weekday: 0 for Monday, to 6.
    package func contains(weekday: Int) -> Bool { !isDisjoint(with: Weekdays(weekday: weekday)) }
}

extension Weekdays {
    /// Parses `mon-fri`, `mon,wed,sat-sun`, `daily`, `weekdays` or `weekends`; a span may go over Sunday.
    package init(parsing text: String) throws(ArgumentProblem) {
        switch text.lowercased() {
        case "daily": self = .all
        case "weekdays": self = .working
        case "weekends": self = .weekend
        case let text: self = try Self.list(text)
        }
    }

    private static func list(_ text: String) throws(ArgumentProblem) -> Weekdays {
        var days: Weekdays = []
        for span in text.split(separator: ",", omittingEmptySubsequences: false) {
            let ends = span.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
            guard let first = ends.first.flatMap(weekday), let last = ends.last.flatMap(weekday) else {
                throw ArgumentProblem("days are written as mon-fri, mon,wed,sat, daily, weekdays or weekends")
            }
            for step in 0...((last - first + 7) % 7) { days.formUnion(Weekdays(weekday: (first + step) % 7)) }
        }
        return days
    }

    private static func weekday(_ name: Substring) -> Int? { names.firstIndex { $0 == name } }
}

extension Weekdays: CustomStringConvertible {
    /// `mon-fri,sun`; empty for no day.
    package var description: String {
        var spans: [String] = []
        var day = 0
        while day < 7 {
            guard contains(weekday: day) else {
                day += 1
                continue
            }
            let first = day
            while day < 7, contains(weekday: day) { day += 1 }
            spans.append(Self.span(first, day - 1))
        }
        return spans.joined(separator: ",")
    }

    private static func span(_ first: Int, _ last: Int) -> String {
        guard first < last else { return names[first] }
        return names[first] + (last == first + 1 ? "," : "-") + names[last]
    }
}
