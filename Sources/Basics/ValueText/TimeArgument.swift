package import AudioTypes

/// Parses times and durations: `90`, `1:30`, `1:02:03.5`, `30m`, `1h30m`, `1.5s`, `500ms`.
package enum TimeArgument {
    /// The longest time accepted, about 11 days; longer ones are typing errors.
    package static let limit = MediaTime(seconds: 1_000_000)

    /// Parses a time.
    package static func parse(_ text: String) throws(ArgumentProblem) -> MediaTime {
        guard let seconds = text.contains(":") ? clock(text) : units(text) else {
            throw ArgumentProblem("a time is written as 90, 1:30, 1:02:03.5, 30m or 1h30m")
        }
        guard seconds <= limit.seconds else {
            throw ArgumentProblem("a time is at most \(Int(saturating: limit.seconds)) seconds")
        }
        return MediaTime(seconds: seconds)
    }

    /// `m:ss` and `h:mm:ss`, with decimals of the seconds; only the first number may reach 60.
    private static func clock(_ text: String) -> Double? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count) else { return nil }
        var total = 0.0
        for (place, part) in parts.enumerated() {
            let isLast = place == parts.count - 1
            guard let value = decimal(part, allowsFraction: isLast), place == 0 || value < 60 else { return nil }
            total = total * 60 + value
        }
        return total
    }

    /// A bare number of seconds, or numbers each with a unit in descending order.
    private static func units(_ text: String) -> Double? {
        if let seconds = decimal(text[...], allowsFraction: true) { return seconds }
        let scales: [(unit: String, seconds: Double)] = [("h", 3600), ("m", 60), ("s", 1), ("ms", 0.001)]
        var rest = text[...]
        var next = 0
        var total = 0.0
        while !rest.isEmpty {
            let number = rest.prefix { $0.isNumber || $0 == "." }
            rest = rest[number.endIndex...]
            let unit = rest.prefix { $0.isLetter }
            rest = rest[unit.endIndex...]
            guard
                let value = decimal(number, allowsFraction: true),
                let place = scales[next...].firstIndex(where: { $0.unit == unit.lowercased() })
            else { return nil }
            total += value * scales[place].seconds
            next = place + 1
        }
        return text.isEmpty ? nil : total
    }

    /// Digits with at most one point; no sign, no exponent, nor anything else that `Double` accepts.
    private static func decimal(_ text: Substring, allowsFraction: Bool) -> Double? {
        guard
            text.utf8.contains(where: isDigit),
            text.utf8.allSatisfy({ isDigit($0) || (allowsFraction && $0 == UInt8(ascii: ".")) })
        else { return nil }
        if text.hasPrefix(".") { return Double("0" + text) }
        return Double(text.hasSuffix(".") ? text + "0" : text)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
