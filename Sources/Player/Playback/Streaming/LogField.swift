private import AudioTypes
private import CivilTime
private import TextEncodings

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
        return sign + String(parts: thousandths, places: 3)
    }

    /// UTC to the millisecond, as in RFC 3339.
    private static func date(_ seconds: Double) -> String {
        guard seconds.isFinite, (0..<253_402_300_800).contains(seconds) else { return "-" }
        return utc(seconds)
    }
}
