extension TOMLParser {
    /// A string in any of the four kinds of quotation marks.
    mutating func string() throws(TOMLProblem) -> String {
        guard let quote = current else { throw problem("a string is expected") }
        guard starts(with: [quote, quote, quote]) else { return try shortString(quote) }
        let start = line
        advance(3)
        _ = takeNewline()
        var content: [UInt8] = []
        while let byte = current {
            if starts(with: [quote, quote, quote]) {
                advance(3)
                // Up to two further quotation marks belong to the text.
                for _ in 0..<2 where current == quote {
                    content.append(quote)
                    advance()
                }
                return String(decoding: content, as: UTF8.self)
            }
            if takeNewline() {
                content.append(0x0a)
            } else if byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") {
                if !takeLineContinuation() { content += try escape() }
            } else {
                try takePlain(byte, &content)
            }
        }
        throw TOMLProblem(line: start, text: "a string of several lines has no end")
    }

    /// A string on one line.
    mutating func shortString(_ quote: UInt8) throws(TOMLProblem) -> String {
        var content: [UInt8] = []
        advance()
        while let byte = current, byte != 0x0a {
            if byte == quote {
                advance()
                return String(decoding: content, as: UTF8.self)
            }
            if byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") {
                content += try escape()
            } else {
                try takePlain(byte, &content)
            }
        }
        throw problem("a string has no closing quotation mark")
    }

    private mutating func takePlain(_ byte: UInt8, _ content: inout [UInt8]) throws(TOMLProblem) {
        guard byte >= 0x20 || byte == 0x09, byte != 0x7f else { throw problem("a control character is in a string") }
        content.append(byte)
        advance()
    }

    /// Skips a backslash at the end of a line together with the blanks and line ends that follow.
    private mutating func takeLineContinuation() -> Bool {
        var ahead = self
        ahead.advance()
        ahead.skipBlanks()
        guard ahead.takeNewline() else { return false }
        repeat { ahead.skipBlanks() } while ahead.takeNewline()
        self = ahead
        return true
    }

    private mutating func escape() throws(TOMLProblem) -> [UInt8] {
        advance()
        guard let byte = current else { throw problem("a string has no closing quotation mark") }
        advance()
        switch byte {
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "n"): return [0x0a]
        case UInt8(ascii: "f"): return [0x0c]
        case UInt8(ascii: "r"): return [0x0d]
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): return [byte]
        case UInt8(ascii: "u"): return try character(digits: 4)
        case UInt8(ascii: "U"): return try character(digits: 8)
        default: throw problem("\\ must be followed by one of b t n f r u U \" \\ in a string")
        }
    }

    private mutating func character(digits: Int) throws(TOMLProblem) -> [UInt8] {
        let start = place
        while place - start < digits, let byte = current, Character(Unicode.Scalar(byte)).isHexDigit { advance() }
        let code = text(start..<place)
        guard code.utf8.count == digits, let number = UInt32(digits: code.utf8, radix: 16),
            let scalar = Unicode.Scalar(number)
        else {
            throw problem("\\u and \\U must be followed by the \(digits) digits of a character")
        }
        return Array(String(Character(scalar)).utf8)
    }
}
