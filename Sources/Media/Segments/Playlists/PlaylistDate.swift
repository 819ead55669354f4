internal import CivilTime

/// Parses an ISO 8601 date such as `2010-02-19T14:54:23.031+08:00` into seconds since 1970; `nil` when invalid.
package func secondsSince1970(_ bytes: ArraySlice<UInt8>) -> Double? {
    guard bytes.count >= 19, bytes.count <= 40 else { return nil }
    let text = Array(bytes)
    func number(_ range: Range<Int>) -> Int? { wholeNumber(text[range]) }
    guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10),
        let hour = number(11..<13), let minute = number(14..<16), let second = number(17..<19),
        (1...12).contains(month), (1...31).contains(day), hour < 25, minute < 60, second < 61
    else { return nil }
    var seconds = Double(CivilDate.dayNumber(year: year, month: month, day: day) * 86_400)
    seconds += Double(hour * 3600 + minute * 60 + second)

    var rest = text[19...]
    if rest.first == 0x2e || rest.first == 0x2c {
        let fraction = rest.dropFirst().prefix(while: isDigit)
        seconds += Double("0." + String(decoding: fraction, as: UTF8.self)) ?? 0
        rest = rest.dropFirst().drop(while: isDigit)
    }
    return seconds - zoneOffset(rest)
}

/// The offset from UTC in seconds: `Z`, `+01:00`, `-0530`, `+02`; without a zone it is UTC.
private func zoneOffset(_ bytes: ArraySlice<UInt8>) -> Double {
    guard let sign = bytes.first, sign == 0x2b || sign == 0x2d else { return 0 }
    let digits = ArraySlice(bytes.filter(isDigit))
    guard let hours = wholeNumber(digits.prefix(2)) else { return 0 }
    let minutes = wholeNumber(digits.dropFirst(2).prefix(2)) ?? 0
    return Double(hours * 3600 + minutes * 60) * (sign == 0x2d ? -1 : 1)
}

private func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

/// A number of a few digits and nothing else.
private func wholeNumber(_ digits: ArraySlice<UInt8>) -> Int? {
    guard (1...4).contains(digits.count), digits.allSatisfy(isDigit) else { return nil }
    return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
}
