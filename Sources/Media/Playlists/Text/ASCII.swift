extension UInt8 {
    static let tab: UInt8 = 0x09
    static let lineFeed: UInt8 = 0x0a
    static let carriageReturn: UInt8 = 0x0d
    static let space: UInt8 = 0x20
    static let quote: UInt8 = 0x22
    static let hash: UInt8 = 0x23
    static let percent: UInt8 = 0x25
    static let comma: UInt8 = 0x2c
    static let minus: UInt8 = 0x2d
    static let dot: UInt8 = 0x2e
    static let slash: UInt8 = 0x2f
    static let zero: UInt8 = 0x30
    static let colon: UInt8 = 0x3a
    static let semicolon: UInt8 = 0x3b
    static let less: UInt8 = 0x3c
    static let equals: UInt8 = 0x3d
    static let greater: UInt8 = 0x3e
    static let question: UInt8 = 0x3f
    static let backslash: UInt8 = 0x5c

    var isASCIIDigit: Bool { (0x30...0x39).contains(self) }
    var isASCIILetter: Bool { (0x61...0x7a).contains(self | 0x20) }
    /// Space or tab, and the line ends, form feed and vertical tab that occur in XML and sloppy text.
    var isASCIIWhitespace: Bool { self == .space || (0x09...0x0d).contains(self) }
    /// The lower-case letter of an ASCII letter; any other byte as it is.
    var asciiLowercased: UInt8 { (0x41...0x5a).contains(self) ? self | 0x20 : self }
}

extension ArraySlice<UInt8> {
    /// The bytes as text; invalid UTF-8 is replaced.
    var text: String { String(decoding: self, as: UTF8.self) }

    /// Without white space at both ends.
    var trimmed: ArraySlice<UInt8> {
        var (start, end) = (startIndex, endIndex)
        while start < end, self[start].isASCIIWhitespace { start += 1 }
        while end > start, self[end - 1].isASCIIWhitespace { end -= 1 }
        return self[start..<end]
    }

    /// The rest after `prefix`, compared without regard to the case of ASCII letters; `nil` when it does not match.
    func dropping(prefix: String) -> ArraySlice<UInt8>? {
        var index = startIndex
        for byte in prefix.utf8 {
            guard index < endIndex, self[index].asciiLowercased == byte.asciiLowercased else { return nil }
            index += 1
        }
        return self[index...]
    }

    /// Whether it is this word, without regard to the case of ASCII letters.
    func isWord(_ word: String) -> Bool { dropping(prefix: word)?.isEmpty == true }

    /// The first word, and the rest without the white space between.
    var firstWord: (word: ArraySlice<UInt8>, rest: ArraySlice<UInt8>) {
        let line = trimmed
        let end = line.firstIndex { $0.isASCIIWhitespace } ?? line.endIndex
        return (line[..<end], line[end...].trimmed)
    }

    /// Splits at the first `separator`; `nil` when there is none.
    func split(atFirst separator: UInt8) -> (ArraySlice<UInt8>, ArraySlice<UInt8>)? {
        guard let place = firstIndex(of: separator) else { return nil }
        return (self[..<place], self[(place + 1)...])
    }

    /// A whole number of at most nine decimal digits, and nothing else.
    var wholeNumber: Int? {
        guard (1...9).contains(count), allSatisfy(\.isASCIIDigit) else { return nil }
        return reduce(0) { $0 * 10 + Int($1 - .zero) }
    }

    /// A decimal number of seconds, such as `-1`, `215` or `12.5`, below 10⁹ in magnitude.
    var decimalSeconds: Double? {
        let isNegative = first == .minus
        let digits = isNegative ? dropFirst() : self
        guard (1...40).contains(digits.count), digits.contains(where: \.isASCIIDigit) else { return nil }
        guard digits.allSatisfy({ $0.isASCIIDigit || $0 == .dot }), digits.count(where: { $0 == .dot }) <= 1 else {
            return nil
        }
        // "5." and ".5" occur, but the standard library does not parse them.
        let number = "0" + digits.text + (digits.last == .dot ? "0" : "")
        guard let seconds = Double(number), seconds < 1e9 else { return nil }
        return isNegative ? -seconds : seconds
    }
}
