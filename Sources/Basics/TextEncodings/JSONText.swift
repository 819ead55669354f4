extension String {
    /// The text as a string of JSON (RFC 8259, section 7), quotation marks included.
    ///
    /// Besides what JSON requires, all control characters are escaped, also those from U+007F on, and so are line
    /// separators, so that the text is safe to print on a terminal.
    package var jsonString: String {
        var result = "\""
        for scalar in unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case "\u{0}"..."\u{1f}", "\u{7f}"..."\u{9f}", "\u{2028}", "\u{2029}":
                result += "\\u" + String(scalar.value, digits: 4, radix: 16)
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
