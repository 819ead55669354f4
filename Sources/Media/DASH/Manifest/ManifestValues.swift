internal import Segments

/// Parses a whole number of XML Schema, from 0 to `ManifestLimits.number`.
func wholeNumber(_ text: String?) -> Int? {
    guard let value = text.flatMap({ Int(trimmed($0)) }), (0...ManifestLimits.number).contains(value) else {
        return nil
    }
    return value
}

/// Parses a duration such as `PT1H2M3.5S` (ISO 8601) into seconds; `nil` when invalid, or over three thousand years.
///
/// Years have 365 days and months 30, because their start is unknown.
func seconds(ofDuration text: String?) -> Double? {
    guard let text, trimmed(text).utf8.first == UInt8(ascii: "P") else { return nil }
    var total: Double = 0
    var number = ""
    var isTime = false
    for character in trimmed(text).dropFirst() {
        if character == "T", number.isEmpty {
            isTime = true
        } else if character.isASCII, character.isNumber || character == "." {
            number.append(character)
        } else {
            guard let unit = unit(character, isTime: isTime), number.count < 40, let value = Double(number) else {
                return nil
            }
            total += value * unit
            number = ""
        }
    }
    return number.isEmpty && total < 1e11 ? total : nil
}

private func unit(_ letter: Character, isTime: Bool) -> Double? {
    switch (letter, isTime) {
    case ("Y", false): 365 * 86_400
    case ("M", false): 30 * 86_400
    case ("W", false): 7 * 86_400
    case ("D", false): 86_400
    case ("H", true): 3_600
    case ("M", true): 60
    case ("S", true): 1
    default: nil
    }
}

/// Parses a date into seconds since 1970; without a zone it is UTC.
func seconds(ofDate text: String?) -> Double? { text.flatMap { secondsSince1970(Array(trimmed($0).utf8)[...]) } }

/// Parses `FIRST-LAST`, in bytes.
func byteRange(_ text: String?) -> ByteRange? {
    guard let ends = text?.split(separator: "-", maxSplits: 1), ends.count == 2,
        let first = wholeNumber(String(ends[0])),
        let last = wholeNumber(String(ends[1])), last >= first
    else { return nil }
    return ByteRange(offset: first, length: last - first + 1)
}

/// Without white space at both ends.
func trimmed(_ text: String) -> String {
    let isBlank: (Unicode.Scalar) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\n" || $0 == "\r" }
    let scalars = text.unicodeScalars.drop(while: isBlank)
    guard let last = scalars.lastIndex(where: { !isBlank($0) }) else { return "" }
    return String(scalars[...last])
}
