private import TextEncodings

/// A time on a clock, to the second.
package struct TimeOfDay: Sendable, Hashable, Comparable {
    /// Seconds since midnight as a clock shows them, 0 to 86399.
    package let seconds: Int

    /// - Returns: `nil` unless it is 0 to 86399.
    package init?(seconds: Int) {
        guard (0..<86_400).contains(seconds) else { return nil }
        self.seconds = seconds
    }

    package static func < (left: Self, right: Self) -> Bool { left.seconds < right.seconds }
}

extension TimeOfDay {
    /// Parses `7:05`, `07:05` or `07:05:30`.
    package init(parsing text: some StringProtocol) throws(ArgumentProblem) {
        guard let seconds = Self.seconds(text), let time = TimeOfDay(seconds: seconds) else {
            throw ArgumentProblem("a time of day is written as 07:05 or 19:30")
        }
        self = time
    }

    /// Seconds since midnight, up to `24:00`; `nil` for what is no time of day.
    package static func seconds(_ text: some StringProtocol) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count), (1...2).contains(parts[0].utf8.count),
            parts.dropFirst().allSatisfy({ $0.utf8.count == 2 })
        else { return nil }
        var total = 0
        for (place, part) in parts.enumerated() {
            guard part.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(part),
                place == 0 || number < 60
            else { return nil }
            total = total * 60 + number
        }
        if parts.count == 2 { total *= 60 }
        return total <= 86_400 ? total : nil
    }
}

extension TimeOfDay: CustomStringConvertible {
    /// `07:05`, or `07:05:30`.
    package var description: String {
        let (minutes, rest) = (seconds / 60, seconds % 60)
        return String(minutes / 60, digits: 2) + ":" + String(minutes % 60, digits: 2)
            + (rest == 0 ? "" : ":" + String(rest, digits: 2))
    }
}
