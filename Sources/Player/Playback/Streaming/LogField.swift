private import AudioTypes

/// One value of a log entry, with its name as a property and its name in a log file.
package struct LogField: Sendable, Hashable {
    package enum Value: Sendable, Hashable {
        /// `nil` when unknown.
        case text(String?)
        /// Negative when unknown.
        case count(Int)
        /// Negative when unknown.
        case number(Double)
        /// Seconds since 1970.
        case date(Double)
    }

    /// The name of AVFoundation's property, such as `numberOfStalls`.
    package let name: String
    /// The name in the log file, such as `c-stalls`.
    package let logName: String
    package let value: Value

    init(_ name: String, _ logName: String, _ value: Value) {
        self.name = name
        self.logName = logName
        self.value = value
    }
}

/// Logs as text: W3C's Extended Log File Format.
enum ExtendedLog {
    /// - Parameter names: The fields' names in the log, in the order of the entries' fields.
    static func text(_ names: [String], _ entries: [[LogField]]) -> String {
        var lines = ["#Version: 1.0", "#Software: \(Product.name)/\(Product.version)"]
        lines.append("#Fields: " + names.joined(separator: " "))
        lines += entries.map { fields in fields.map { text($0.value) }.joined(separator: " ") }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func text(_ value: LogField.Value) -> String {
        switch value {
        case .text(let text): text.map(quoted) ?? "-"
        case .count(let count): "\(count)"
        case .number(let number): decimal(number)
        case .date(let seconds): date(seconds)
        }
    }

    /// Quotes text that is empty or not a single word.
    private static func quoted(_ text: String) -> String {
        let isWord = text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x22 && $0 != 0x7f }
        if isWord, !text.isEmpty, text != "-" { return text }
        // A line break would begin another entry.
        let line = text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7f ? " " : Character($0) }
        return "\"" + String(line).replacing("\"", with: "\"\"") + "\""
    }

    /// With at most three decimal places.
    private static func decimal(_ number: Double) -> String {
        guard number.isFinite, abs(number) < 1e15 else { return "-1" }
        let thousandths = Int(saturating: (abs(number) * 1_000).rounded())
        let sign = number < 0 && thousandths > 0 ? "-" : ""
        var places = String(thousandths % 1_000)
        places = String(repeating: "0", count: 3 - places.count) + places
        while places.last == "0" { places.removeLast() }
        return sign + String(thousandths / 1_000) + (places.isEmpty ? "" : "." + places)
    }

    /// UTC to the millisecond, as in RFC 3339.
    private static func date(_ seconds: Double) -> String {
        guard seconds.isFinite, (0..<253_402_300_800).contains(seconds) else { return "-" }
        let milliseconds = Int(saturating: (seconds * 1_000).rounded())
        func padded(_ number: Int, _ width: Int = 2) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        let day = civil(milliseconds / 86_400_000)
        let time = milliseconds % 86_400_000
        let clock = [time / 3_600_000, time / 60_000 % 60, time / 1_000 % 60].map { padded($0) }.joined(separator: ":")
        return "\(padded(day.year, 4))-\(padded(day.month))-\(padded(day.day))T\(clock).\(padded(time % 1_000, 3))Z"
    }

    /// The date of a day counted from 1970-01-01: years start in March, so that a leap day is the last one.
    private static func civil(_ days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let isNextYear = month >= 10
        let year = yearOfEra + era * 400 + (isNextYear ? 1 : 0)
        return (year, month + (isNextYear ? -9 : 3), dayOfYear - (153 * month + 2) / 5 + 1)
    }
}
