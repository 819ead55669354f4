private import Foundation

/// One figure, with others' beside it: printed as one line of JSON.
struct Figure: Sendable {
    let name: String
    private var fields: [(key: String, value: String)] = []

    init(_ name: String) {
        self.name = name
        set("figure", name)
    }

    mutating func set(_ key: String, _ text: String) { fields.append((key, Self.quoted(text))) }
    mutating func set(_ key: String, _ flag: Bool) { fields.append((key, flag ? "true" : "false")) }
    mutating func set(_ key: String, _ number: Int?) { fields.append((key, number.map { String($0) } ?? "null")) }
    mutating func set(_ key: String, _ number: Double?) { fields.append((key, Self.text(number))) }

    mutating func set(_ key: String, _ numbers: [Int?]?) {
        let list = numbers.map { "[" + $0.map { $0.map { String($0) } ?? "null" }.joined(separator: ",") + "]" }
        fields.append((key, list ?? "null"))
    }

    /// Says what must be reached and whether it is.
    mutating func setLimit(_ limit: Double?, for value: Double?) {
        set("limit", limit)
        if let limit, let value { set("met", value <= limit) } else { fields.append(("met", "null")) }
    }

    /// Says what must be exceeded and whether it is.
    mutating func setFloor(_ floor: Double?, for value: Double?) {
        set("floor", floor)
        if let floor, let value { set("met", value >= floor) } else { fields.append(("met", "null")) }
    }

    /// Prints the line at once, also into a pipe.
    func report() {
        let line = "{" + fields.map { "\(Self.quoted($0.key)):\($0.value)" }.joined(separator: ",") + "}\n"
        FileHandle.standardOutput.write(Data(line.utf8))
    }

    /// Four digits that count.
    private static func text(_ number: Double?) -> String {
        guard let number, number.isFinite else { return "null" }
        if number == 0 { return "0" }
        let digits = max(0, 3 - Int(log10(abs(number)).rounded(.down)))
        let text = String(format: "%.*f", min(digits, 6), number)
        guard text.contains(".") else { return text }
        return String(text.reversed().drop { $0 == "0" }.drop { $0 == "." }.reversed())
    }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case "\u{0}"..<" ": result += String(format: "\\u%04x", scalar.value)
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}

extension Collection<Double> {
    /// The middle one, or the mean of the two in the middle; `nil` for none.
    var median: Double? {
        guard !isEmpty else { return nil }
        let sorted = sorted()
        return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2
    }
}
