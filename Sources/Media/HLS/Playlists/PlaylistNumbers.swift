internal import Segments
internal import TextEncodings

extension UInt8 {
    static let tab: UInt8 = 0x09
    static let lineFeed: UInt8 = 0x0a
    static let carriageReturn: UInt8 = 0x0d
    static let space: UInt8 = 0x20
    static let quote: UInt8 = 0x22
    static let hash: UInt8 = 0x23
    static let comma: UInt8 = 0x2c
    static let colon: UInt8 = 0x3a
    static let equals: UInt8 = 0x3d
    static let atSign: UInt8 = 0x40

    var isDigit: Bool { (0x30...0x39).contains(self) }
}

extension ArraySlice<UInt8> {
    var text: String { String(decoding: self, as: UTF8.self) }

    /// Without spaces and tabs at both ends.
    var trimmed: ArraySlice<UInt8> {
        var (start, end) = (startIndex, endIndex)
        while start < end, self[start] == .space || self[start] == .tab { start += 1 }
        while end > start, self[end - 1] == .space || self[end - 1] == .tab { end -= 1 }
        return self[start..<end]
    }

    /// A `decimal-integer` and nothing else, at most 2⁶⁰, so that sums of a few never overflow.
    ///
    /// RFC 8216 allows 2⁶⁴ − 1, which is not used in practice.
    var decimalInteger: Int? {
        guard (1...20).contains(count), allSatisfy(\.isDigit) else { return nil }
        guard let value = Int(text), value <= 1 << 60 else { return nil }
        return value
    }

    /// A decimal number and nothing else, such as `6`, `9.009` or `-12.5`, below 10⁹ in magnitude.
    var decimalNumber: Double? {
        let isNegative = first == 0x2d
        let digits = isNegative || first == 0x2b ? dropFirst() : self
        guard (1...40).contains(digits.count), digits.contains(where: \.isDigit) else { return nil }
        guard digits.allSatisfy({ $0.isDigit || $0 == 0x2e }), digits.count(where: { $0 == 0x2e }) <= 1 else {
            return nil
        }
        // "5." and ".5" occur, but the standard library does not parse them.
        guard let value = Double("0" + digits.text + (digits.last == 0x2e ? "0" : "")), value < 1e9 else { return nil }
        return isNegative ? -value : value
    }

    /// `0x` and 1 to 32 hexadecimal digits as 16 bytes, the most significant first.
    var hexadecimalSequence: [UInt8]? {
        guard starts(with: "0x".utf8) || starts(with: "0X".utf8) else { return nil }
        let digits = dropFirst(2)
        guard (1...32).contains(digits.count) else { return nil }
        return [UInt8](hexadecimal: String(repeating: "0", count: 32 - digits.count) + digits.text)
    }
}
