/// A place in a TOML document that moves on token by token.
struct TOMLCursor {
    private let bytes: [UInt8]
    private(set) var place = 0
    /// Counted from 1.
    private(set) var line = 1

    init(_ document: String) { bytes = Array(document.utf8) }

    private var current: UInt8? { place < bytes.count ? bytes[place] : nil }

    mutating func skipByte() {
        guard let current else { return }
        if current == UInt8(ascii: "\n") { line += 1 }
        place += 1
    }

    mutating func skipBlanks() {
        while let current, current == 0x20 || current == 0x09 { place += 1 }
    }

    /// Goes over blanks, ends of lines and comments; false at the end.
    mutating func skipToKey() -> Bool {
        while let current {
            switch current {
            case 0x20, 0x09, 0x0a, 0x0d: skipByte()
            case UInt8(ascii: "#"):
                while let byte = self.current, byte != UInt8(ascii: "\n") { place += 1 }
            default: return true
            }
        }
        return false
    }

    mutating func take(_ byte: Unicode.Scalar) -> Bool {
        guard current == UInt8(ascii: byte) else { return false }
        skipByte()
        return true
    }

    /// `a."b c".d`.
    mutating func keys() -> [String] {
        var keys: [String] = []
        repeat {
            skipBlanks()
            guard let key = key() else { break }
            keys.append(key)
            skipBlanks()
        } while take(".")
        return keys
    }

    private mutating func key() -> String? {
        let start = place
        if let quote = current, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
            skipString(quote)
            return String(decoding: bytes[start..<place].dropFirst().dropLast(), as: UTF8.self)
        }
        while let byte = current, Self.isBare(byte) { place += 1 }
        return start == place ? nil : String(decoding: bytes[start..<place], as: UTF8.self)
    }

    private static func isBare(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x7a).contains(byte | 0x20) || byte == 0x2d || byte == 0x5f
            || byte >= 0x80
    }

    /// Goes over a string, a number, a truth value or a date.
    mutating func skipScalar() {
        if let quote = current, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") { return skipString(quote) }
        let ends: [UInt8] = [0x0a, UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"), UInt8(ascii: "#")]
        while let byte = current, !ends.contains(byte) { place += 1 }
    }

    private mutating func skipString(_ quote: UInt8) {
        let isEscaping = quote == UInt8(ascii: "\"")
        var width = 1
        if bytes[place...].starts(with: [quote, quote, quote]) { width = 3 }
        place += width
        let end = Array(repeating: quote, count: width)
        while current != nil, !bytes[place...].starts(with: end) {
            if isEscaping, current == UInt8(ascii: "\\") { skipByte() }
            skipByte()
        }
        place = min(place + width, bytes.count)
        // Up to two quotation marks may stand right before the three that end a string.
        while width == 3, current == quote { place += 1 }
    }
}
