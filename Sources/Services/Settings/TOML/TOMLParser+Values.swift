extension TOMLParser {
    mutating func value(depth: Int) throws(TOMLProblem) -> Node.Value {
        guard depth < Self.deepest else { throw problem("values are nested too deeply") }
        switch current {
        case UInt8(ascii: "\""), UInt8(ascii: "'"): return .text(try string())
        case UInt8(ascii: "["): return .list(try list(depth: depth))
        case UInt8(ascii: "{"): return try looseTable(depth: depth)
        default: return try word()
        }
    }

    private mutating func list(depth: Int) throws(TOMLProblem) -> [Node] {
        let start = line
        var nodes: [Node] = []
        advance()
        while try skipToItem() {
            if take("]") { return nodes }
            let line = line
            nodes.append(Node(line: line, value: try value(depth: depth + 1)))
            guard try skipToItem() else { break }
            if take("]") { return nodes }
            guard take(",") else { throw problem("a , or ] is expected in a list") }
        }
        throw TOMLProblem(line: start, text: "a list has no ] at its end")
    }

    /// A number, a boolean or a date.
    private mutating func word() throws(TOMLProblem) -> Node.Value {
        let start = place
        let ends = Array(",]}# \t\r\n".utf8)
        while let byte = current, !ends.contains(byte) { advance() }
        let text = text(start..<place)
        switch text {
        case "": throw problem("a value is expected")
        case "true": return .truth(true)
        case "false": return .truth(false)
        default: break
        }
        if let value = Self.number(text) { return value }
        if Self.isDate(text) {
            skipTimeAfterDate(text)
            return .date
        }
        throw problem("\(quoted(text)) is not a value; strings need quotation marks")
    }

    /// A time may follow its date after a blank.
    private mutating func skipTimeAfterDate(_ date: String) {
        guard date.utf8.count == 10, current == 0x20 else { return }
        var ahead = self
        ahead.advance()
        let start = ahead.place
        let allowed = Array("0123456789:.+-Zz".utf8)
        while let byte = ahead.current, allowed.contains(byte) { ahead.advance() }
        if Self.isTime(text(start..<ahead.place)) { self = ahead }
    }

    private static func isDate(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard bytes.count >= 10 else { return isTime(text) }
        let date = bytes.prefix(10)
        let isShaped = date.enumerated().allSatisfy { place, byte in
            place == 4 || place == 7 ? byte == UInt8(ascii: "-") : isDigit(byte)
        }
        if !isShaped { return isTime(text) }
        if bytes.count == 10 { return true }
        return bytes[10] | 0x20 == UInt8(ascii: "t") && isTime(String(decoding: bytes[11...], as: UTF8.self))
    }

    /// Whether a text has the form of a time, optionally with fractions and an offset.
    private static func isTime(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard bytes.count >= 8 else { return false }
        let isShaped = bytes.prefix(8).enumerated().allSatisfy { place, byte in
            place == 2 || place == 5 ? byte == UInt8(ascii: ":") : isDigit(byte)
        }
        let rest = Array("0123456789:.+-Zz".utf8)
        return isShaped && bytes.dropFirst(8).allSatisfy(rest.contains)
    }

    static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}

/// Numbers.
extension TOMLParser {
    private static func number(_ text: String) -> Node.Value? {
        let unsigned = text.first == "+" || text.first == "-" ? text.dropFirst() : text[...]
        for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] where text.hasPrefix(prefix) {
            guard let digits = withoutUnderscores(text.dropFirst(2), radix: radix) else { return nil }
            return Int(digits: digits.utf8, radix: radix).map { .integer($0) }
        }
        switch unsigned {
        case "inf": return .number(text.first == "-" ? -.infinity : .infinity)
        case "nan": return .number(.nan)
        default: break
        }
        if let digits = withoutUnderscores(unsigned, radix: 10) {
            guard digits == "0" || digits.first != "0" else { return nil }
            return Int((text.first == "-" ? "-" : "") + digits).map { .integer($0) }
        }
        return float(unsigned).map { .number(text.first == "-" ? -$0 : $0) }
    }

    /// Removes single underscores between digits; `nil` if they are misplaced.
    private static func withoutUnderscores(_ text: Substring, radix: Int) -> String? {
        let parts = text.split(separator: "_", omittingEmptySubsequences: false)
        let areDigits = parts.allSatisfy { part in
            !part.isEmpty && part.allSatisfy { $0.isASCII && $0.hexDigitValue.map { $0 < radix } == true }
        }
        return areDigits ? parts.joined() : nil
    }

    /// `1.5`, `1e3`, `1.5e-3`: digits on both sides of the point.
    private static func float(_ text: Substring) -> Double? {
        let parts = text.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 == "e" || $0 == "E" }
        let mantissa = parts[0].split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = withoutUnderscores(mantissa[0], radix: 10), whole == "0" || whole.first != "0" else {
            return nil
        }
        var plain = whole
        if mantissa.count == 2 {
            guard let fraction = withoutUnderscores(mantissa[1], radix: 10) else { return nil }
            plain += "." + fraction
        }
        if parts.count == 2 {
            let sign = parts[1].first == "+" || parts[1].first == "-" ? String(parts[1].prefix(1)) : ""
            guard let exponent = withoutUnderscores(parts[1].dropFirst(sign.count), radix: 10) else { return nil }
            plain += "e" + sign + exponent
        }
        return mantissa.count + parts.count > 2 ? Double(plain) : nil
    }
}
