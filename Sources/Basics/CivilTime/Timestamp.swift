private import TextEncodings

/// Formats seconds since 1970 as RFC 3339 in UTC: `2026-11-21T05:31:16Z`.
package func timestamp(_ seconds: Int) -> String {
    var bytes: [UInt8] = []
    bytes.append(timestamp: seconds)
    return String(decoding: bytes, as: UTF8.self)
}

/// Formats seconds since 1970 with milliseconds: `2026-11-21T05:31:16.125Z`; times before 1970 are its beginning.
package func utc(_ seconds: Double) -> String {
    let milliseconds = max(0, Int(saturating: (seconds * 1_000).rounded()))
    return "\(timestamp(milliseconds / 1_000).dropLast())." + String(milliseconds % 1_000, digits: 3) + "Z"
}

extension [UInt8] {
    /// Appends ``timestamp(_:)``, limited to the years 0 to 9999.
    package mutating func append(timestamp seconds: Int) {
        let moment = Swift.min(Swift.max(seconds, -62_167_219_200), 253_402_300_799)
        let time = (moment % 86_400 + 86_400) % 86_400
        let date = CivilDate(day: (moment - time) / 86_400).parts
        append(number: date.year, digits: 4)
        append(UInt8(ascii: "-"))
        append(number: date.month, digits: 2)
        append(UInt8(ascii: "-"))
        append(number: date.day, digits: 2)
        append(UInt8(ascii: "T"))
        append(number: time / 3600, digits: 2)
        append(UInt8(ascii: ":"))
        append(number: time / 60 % 60, digits: 2)
        append(UInt8(ascii: ":"))
        append(number: time % 60, digits: 2)
        append(UInt8(ascii: "Z"))
    }
}

/// Parses the output of ``timestamp(_:)`` or of ``utc(_:)`` into seconds since 1970, without their fraction.
///
/// - Returns: `nil` for other text.
package func seconds(ofTimestamp text: some StringProtocol) -> Int? {
    var text = String(text)
    return text.withUTF8 { unsafe seconds(ofTimestamp: UnsafeRawBufferPointer($0)) }
}

package func seconds(ofTimestamp text: UnsafeRawBufferPointer) -> Int? {
    guard text.count >= 20, unsafe text[text.count - 1] == UInt8(ascii: "Z"), unsafe hasSeparators(text),
        let year = unsafe number(text, 0..<4), let month = unsafe number(text, 5..<7),
        let day = unsafe number(text, 8..<10), let hour = unsafe number(text, 11..<13),
        let minute = unsafe number(text, 14..<16), let second = unsafe number(text, 17..<19),
        (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second <= 60
    else { return nil }
    let days = CivilDate.dayNumber(year: year, month: month, day: day)
    return days * 86_400 + hour * 3600 + minute * 60 + second
}

private func hasSeparators(_ text: UnsafeRawBufferPointer) -> Bool {
    let inFraction = unsafe text[20...].dropLast()
    return unsafe text[4] == UInt8(ascii: "-") && text[7] == UInt8(ascii: "-") && text[10] == UInt8(ascii: "T")
        && text[13] == UInt8(ascii: ":") && text[16] == UInt8(ascii: ":")
        && (text.count == 20 || text[19] == UInt8(ascii: ".") && inFraction.allSatisfy { (0x30...0x39).contains($0) })
}

private func number(_ text: UnsafeRawBufferPointer, _ range: Range<Int>) -> Int? {
    var number = 0
    for place in range {
        guard unsafe (0x30...0x39).contains(text[place]) else { return nil }
        number = unsafe number * 10 + Int(text[place] - 0x30)
    }
    return number
}
