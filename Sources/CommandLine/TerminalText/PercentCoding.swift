/// Percent-encoding, as in URLs.
package enum PercentCoding {
    /// `text` with the bytes selected by `isSpecial` encoded as `%XX`.
    package static func encode(_ text: String, where isSpecial: (UInt8) -> Bool) -> String {
        guard text.utf8.contains(where: isSpecial) else { return text }
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            guard isSpecial(byte) else {
                bytes.append(byte)
                continue
            }
            let digits = String(byte, radix: 16, uppercase: true)
            bytes += Array((byte < 16 ? "%0" : "%").utf8) + Array(digits.utf8)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// `text` with every `%XX` decoded.
    package static func decode(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let value = hexadecimal(rest.prefix(2)) {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func hexadecimal(_ digits: Substring.UTF8View) -> UInt8? {
        digits.count == 2 ? UInt8(digits: digits, radix: 16) : nil
    }
}
