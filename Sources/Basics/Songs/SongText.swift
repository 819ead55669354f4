internal import CivilTime
internal import TextEncodings

/// Writing the lines of songs.
extension [UInt8] {
    mutating func append(line key: String, _ value: String) {
        append(contentsOf: key.utf8)
        append(shown: value)
        append(UInt8(ascii: "\n"))
    }

    /// Appends as much of a text as clients can read, in whole characters: libmpdclient reads lines into 4,096 bytes.
    ///
    /// A line feed would end the line early and becomes a space.
    mutating func append(shown text: some StringProtocol) {
        for byte in beginning(of: Substring(text).utf8) {
            append(byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") ? UInt8(ascii: " ") : byte)
        }
    }

    /// Appends a line with a moment, given in seconds since 1970.
    mutating func append(_ key: String, _ moment: Int) {
        append(contentsOf: key.utf8)
        append(timestamp: moment)
        append(UInt8(ascii: "\n"))
    }

    mutating func append(_ range: Song.Range) {
        self += "Range: ".utf8
        append(milliseconds: range.start)
        append(UInt8(ascii: "-"))
        if let end = range.end { append(milliseconds: end) }
        append(UInt8(ascii: "\n"))
    }

    /// Appends the duration twice: rounded, for old clients, and to the millisecond.
    mutating func append(duration seconds: Double) {
        self += "Time: ".utf8
        append(number: Int(saturating: Swift.min(seconds, longest).rounded()))
        self += "\nduration: ".utf8
        append(milliseconds: seconds)
        append(UInt8(ascii: "\n"))
    }

    /// Appends seconds with three decimals.
    fileprivate mutating func append(milliseconds seconds: Double) {
        let count = Int(saturating: (Swift.max(0, Swift.min(seconds, longest)) * 1000).rounded())
        append(number: count / 1000)
        append(UInt8(ascii: "."))
        append(number: count % 1000, digits: 3)
    }
}

private func beginning(of bytes: Substring.UTF8View) -> Substring.UTF8View {
    guard var end = bytes.index(bytes.startIndex, offsetBy: 4_000, limitedBy: bytes.endIndex), end < bytes.endIndex
    else { return bytes }
    while bytes[end] & 0xc0 == 0x80 { end = bytes.index(before: end) }
    return bytes[..<end]
}

/// The longest time, in seconds: some 30,000 years.
private let longest = 1e12

/// Seconds with three decimals.
package func milliseconds(_ seconds: Double) -> String {
    var bytes: [UInt8] = []
    bytes.append(milliseconds: seconds)
    return String(decoding: bytes, as: UTF8.self)
}
