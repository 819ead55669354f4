private import Glibc

/// Lines in the making.
struct SongBlock {
    private(set) var bytes: [UInt8] = []

    /// Adds a line; a line feed in a value would end it early and becomes a space.
    mutating func line(_ key: String, _ value: String) {
        bytes.append(contentsOf: key.utf8)
        bytes.append(UInt8(ascii: ":"))
        bytes.append(UInt8(ascii: " "))
        for byte in beginning(of: value) {
            bytes.append(byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") ? UInt8(ascii: " ") : byte)
        }
        bytes.append(UInt8(ascii: "\n"))
    }

    /// As much of a text as clients can read, in whole characters: libmpdclient reads lines into 4,096 bytes.
    private func beginning(of text: String) -> Substring.UTF8View {
        let bytes = text.utf8
        guard var end = bytes.index(bytes.startIndex, offsetBy: 4_000, limitedBy: bytes.endIndex),
            end < bytes.endIndex
        else { return bytes[...] }
        while bytes[end] & 0xc0 == 0x80 { end = bytes.index(before: end) }
        return bytes[..<end]
    }

    mutating func range(_ range: Song.Range) {
        line("Range", milliseconds(range.start) + "-" + (range.end.map(milliseconds) ?? ""))
    }

    /// The length twice: rounded, as old clients want it, and to the millisecond.
    mutating func duration(_ seconds: Double) {
        line("Time", String(Int(min(seconds, longest).rounded())))
        line("duration", milliseconds(seconds))
    }
}

/// No time is longer, in seconds: some 30,000 years.
private let longest = 1e12

/// Seconds with three decimals.
package func milliseconds(_ seconds: Double) -> String {
    let count = Int((max(0, min(seconds, longest)) * 1000).rounded())
    let fraction = String(count % 1000)
    return String(count / 1000) + "." + String(repeating: "0", count: 3 - fraction.count) + fraction
}

/// A moment as ISO 8601 has it, in UTC, from seconds since 1970.
package func timestamp(_ seconds: Int) -> String {
    var moment = time_t(seconds)
    var parts = unsafe tm()
    unsafe gmtime_r(&moment, &parts)
    func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let (year, month, day) = unsafe (parts.tm_year, parts.tm_mon, parts.tm_mday)
    let (hour, minute, second) = unsafe (parts.tm_hour, parts.tm_min, parts.tm_sec)
    return "\(1900 + year)-\(two(month + 1))-\(two(day))T\(two(hour)):\(two(minute)):\(two(second))Z"
}
