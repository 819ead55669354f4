internal import CivilTime
internal import TextEncodings

/// A date as HTTP writes it: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, section 5.6.7).
package struct HTTPDate: Sendable {
    private var second = Int.min
    private var known = ""

    package init() {}

    /// The date at a time, in seconds since 1970, of which those before count as 0; it is made once for each second.
    package mutating func text(at second: Int) -> String {
        if second != self.second { (self.second, known) = (second, Self.text(at: second)) }
        return known
    }

    private static let days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func text(at second: Int) -> String {
        let time = max(0, second)
        let date = CivilDate(day: time / 86_400)
        let (year, month, day) = date.parts
        let clock = [time / 3_600 % 24, time / 60 % 60, time % 60].map { String($0, digits: 2) }.joined(separator: ":")
        let words = [String(day, digits: 2), months[month - 1], String(year, digits: 4)].joined(separator: " ")
        return "\(days[date.weekday]), \(words) \(clock) GMT"
    }
}
