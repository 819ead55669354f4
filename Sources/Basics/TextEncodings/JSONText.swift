extension String {
    /// The text as a string of JSON (RFC 8259, section 7), quotation marks included.
    ///
    /// Besides what JSON requires, all control characters are escaped, also those from U+007F on, and so are line
    /// separators, so that the text is safe to print on a terminal.
    package var jsonString: String {
        var result = ""
        result.append(jsonString: self)
        return result
    }

    /// Appends ``jsonString`` of a text.
    package mutating func append(jsonString text: String) {
        self += "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": self += "\\\""
            case "\\": self += "\\\\"
            case "\n": self += "\\n"
            case "\r": self += "\\r"
            case "\t": self += "\\t"
            case "\u{0}"..."\u{1f}", "\u{7f}"..."\u{9f}", "\u{2028}", "\u{2029}":
                self += "\\u" + String(scalar.value, digits: 4, radix: 16)
            default: unicodeScalars.append(scalar)
            }
        }
        self += "\""
    }
}
