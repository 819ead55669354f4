import ArgumentParser
import AudioTypes
import Glibc
import ValueText

/// When something ends, as people say it: `23:30` (the next one), `2026-12-24`, `2026-12-24T18:00`, `2h`, `never`.
struct EndTime: ExpressibleByArgument, Equatable {
    /// In seconds since 1970; `nil` for never.
    let seconds: Int?

    init?(argument: String) { self.init(argument, now: time(nil)) }

    /// - Parameter now: In seconds since 1970.
    init?(_ text: String, now: Int) {
        if text == "never" {
            seconds = nil
        } else if let clock = Self.clock(text[...]) {
            seconds = Self.next(clock, after: now)
        } else if text.count(where: { $0 == "-" }) == 2 {
            guard let date = Self.date(text) else { return nil }
            seconds = date
        } else if !text.contains(":"), let length = try? TimeArgument.parse(text), length.seconds > 0 {
            seconds = now + Int(saturating: length.seconds)
        } else {
            return nil
        }
    }

    /// As the server takes it.
    var word: String { seconds.map { "\($0)" } ?? "never" }

    private typealias Clock = (hour: Int32, minute: Int32)

    private static func clock(_ text: Substring) -> Clock? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].utf8.count == 2, let hour = number(parts[0], 0...23),
            let minute = number(parts[1], 0...59)
        else { return nil }
        return (hour, minute)
    }

    private static func date(_ text: String) -> Int? {
        let parts = text.split(separator: "T", maxSplits: 1, omittingEmptySubsequences: false)
        let numbers = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard numbers.count == 3, let year = number(numbers[0], 1970...9999), let month = number(numbers[1], 1...12),
            let day = number(numbers[2], 1...31), let clock = parts.count == 1 ? (0, 0) : clock(parts[1])
        else { return nil }
        var fields = unsafe tm()
        unsafe (fields.tm_year, fields.tm_mon, fields.tm_mday) = (year - 1900, month - 1, day)
        unsafe (fields.tm_hour, fields.tm_min, fields.tm_isdst) = (clock.hour, clock.minute, -1)
        let seconds = unsafe mktime(&fields)
        // mktime makes March 2 of February 30.
        return unsafe fields.tm_mday == day ? seconds : nil
    }

    private static func next(_ clock: Clock, after now: Int) -> Int {
        var moment = time_t(now)
        var fields = unsafe tm()
        unsafe localtime_r(&moment, &fields)
        unsafe (fields.tm_hour, fields.tm_min, fields.tm_sec, fields.tm_isdst) = (clock.hour, clock.minute, 0, -1)
        var seconds = unsafe mktime(&fields)
        guard seconds <= now else { return seconds }
        unsafe fields.tm_mday += 1
        unsafe fields.tm_isdst = -1
        seconds = unsafe mktime(&fields)
        return seconds
    }

    private static func number(_ text: Substring, _ range: ClosedRange<Int32>) -> Int32? {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int32(text), range.contains(number)
        else { return nil }
        return number
    }
}
