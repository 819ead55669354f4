internal import TextEncodings
internal import ValueText

/// Times of day, such as those at which announcements are quieter.
package struct QuietHours: Sendable, Hashable {
    /// From one minute of the day up to but not including another; across midnight when that one is earlier.
    package struct Range: Sendable, Hashable {
        package let start: Int
        package let end: Int

        /// - Returns: `nil` unless both are different minutes of a day, 0 to 1439 (the end: 1440).
        package init?(start: Int, end: Int) {
            guard (0..<minutesPerDay).contains(start), (0...minutesPerDay).contains(end), start != end else {
                return nil
            }
            self.start = start
            self.end = end
        }

        package func contains(minute: Int) -> Bool {
            start < end ? (start..<end).contains(minute) : minute >= start || minute < end
        }
    }

    package let ranges: [Range]

    package init(_ ranges: [Range]) { self.ranges = ranges }

    /// - Parameter minute: Of the day in local time, 0 to 1439.
    package func contains(minute: Int) -> Bool { ranges.contains { $0.contains(minute: minute) } }
}

extension QuietHours {
    /// Parses `22:00-07:00`, or several such separated by commas.
    ///
    /// - Returns: `nil` for anything else.
    package init?(parsing text: String) {
        var ranges: [Range] = []
        // As many as a day has hours.
        guard text.utf8.count(where: { $0 == UInt8(ascii: ",") }) < 24 else { return nil }
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let ends = part.split(separator: "-", omittingEmptySubsequences: false)
            guard ends.count == 2, let start = Self.minute(ends[0]), let end = Self.minute(ends[1]),
                let range = Range(start: start, end: end)
            else { return nil }
            ranges.append(range)
        }
        self.init(ranges)
    }

    /// Parses a time such as `7:05`, `07:05` or `24:00` into the minute of the day.
    private static func minute(_ text: Substring) -> Int? {
        let start = text.drop { $0 == " " }
        let time = start.prefix { $0 != " " }
        guard start[time.endIndex...].allSatisfy({ $0 == " " }), let seconds = TimeOfDay.seconds(time),
            seconds % 60 == 0
        else { return nil }
        return seconds / 60
    }
}

extension QuietHours: CustomStringConvertible {
    package var description: String {
        func clock(_ minute: Int) -> String {
            String(minute / 60, digits: 2) + ":" + String(minute % 60, digits: 2)
        }
        return ranges.map { "\(clock($0.start))-\(clock($0.end))" }.joined(separator: ", ")
    }
}

private let minutesPerDay = 24 * 60
