extension String {
    /// The text as a string of JSON (RFC 8259, section 7), quotation marks included.
    ///
    /// Besides what JSON requires, all control characters are escaped, also those from U+007F on, and so are line
    /// separators, so that the text is safe to print on a terminal.
    package var jsonString: String {
        var bytes: [UInt8] = []
        bytes.append(jsonString: self)
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension [UInt8] {
    /// Appends ``String/jsonString`` of a text, in UTF-8.
    package mutating func append(jsonString text: String) {
        append(UInt8(ascii: "\""))
        defer { append(UInt8(ascii: "\"")) }
        guard text.utf8.contains(where: mayNeedEscape) else { return append(contentsOf: text.utf8) }
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": append(contentsOf: #"\""#.utf8)
            case "\\": append(contentsOf: #"\\"#.utf8)
            case "\n": append(contentsOf: #"\n"#.utf8)
            case "\r": append(contentsOf: #"\r"#.utf8)
            case "\t": append(contentsOf: #"\t"#.utf8)
            case "\u{0}"..."\u{1f}", "\u{7f}"..."\u{9f}", "\u{2028}", "\u{2029}":
                append(contentsOf: (#"\u"# + String(scalar.value, digits: 4, radix: 16)).utf8)
            default: append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            }
        }
    }
}

/// Whether a byte is, or may begin, a scalar that is escaped: those from U+0080 on begin with C2, and U+2028 and U+2029 with E2.
private func mayNeedEscape(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == 0x22 || byte == 0x5c || byte == 0x7f || byte == 0xc2 || byte == 0xe2
}
