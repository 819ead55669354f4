extension JSON {
    /// Levels of arrays and objects that are read at most.
    package static let deepestLevel = 32

    /// Reads one value, with nothing but white space around it.
    ///
    /// Whole numbers are exact: one beyond 64 bits is refused rather than rounded. So are texts that are not Unicode, such as
    /// a surrogate without its other half.
    ///
    /// - Throws: `JSONError`, which names the place.
    package init(parsing bytes: [UInt8]) throws(JSONError) {
        var parser = JSONParser(bytes)
        self = try parser.value(level: 0)
        try parser.end()
    }
}

/// A fault in what should be JSON.
package struct JSONError: Error, Sendable, Hashable, CustomStringConvertible {
    package enum Fault: String, Sendable {
        case unexpected = "this is not JSON"
        case incomplete = "it ends too early"
        case tooDeep = "arrays and objects are too deep within each other"
        case tooLarge = "the number is too large"
        case badText = "the text is not Unicode"
    }

    package let fault: Fault
    /// In bytes, from 0.
    package let offset: Int

    package var description: String { "\(fault.rawValue) (at byte \(offset + 1))" }
}

/// Reads JSON from its first byte to its last.
private struct JSONParser {
    private let bytes: [UInt8]
    private var place = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

    private func error(_ fault: JSONError.Fault = .unexpected, at offset: Int? = nil) -> JSONError {
        let offset = offset ?? place
        return JSONError(fault: fault == .unexpected && offset >= bytes.count ? .incomplete : fault, offset: offset)
    }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0a || byte == 0x0d { place += 1 }
    }

    mutating func end() throws(JSONError) {
        skipSpace()
        if place < bytes.count { throw error() }
    }

    /// Takes a byte, if it is the next one.
    private mutating func take(_ byte: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: byte) else { return false }
        place += 1
        return true
    }

    private mutating func require(_ byte: Unicode.Scalar) throws(JSONError) { if !take(byte) { throw error() } }

    private mutating func require(word: StaticString) throws(JSONError) {
        for byte in word.description.unicodeScalars { try require(byte) }
    }

    // MARK: Values

    mutating func value(level: Int) throws(JSONError) -> JSON {
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): return .object(try fields(level))
        case UInt8(ascii: "["): return .array(try elements(level))
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"):
            try require(word: "true")
            return .bool(true)
        case UInt8(ascii: "f"):
            try require(word: "false")
            return .bool(false)
        case UInt8(ascii: "n"):
            try require(word: "null")
            return .null
        default: return try number()
        }
    }

    private mutating func fields(_ level: Int) throws(JSONError) -> [JSON.Field] {
        guard level < JSON.deepestLevel else { throw error(.tooDeep) }
        try require("{")
        skipSpace()
        var fields: [JSON.Field] = []
        if take("}") { return fields }
        repeat {
            skipSpace()
            let name = try string()
            skipSpace()
            try require(":")
            fields.append(JSON.Field(name, try value(level: level + 1)))
            skipSpace()
        } while take(",")
        try require("}")
        return fields
    }

    private mutating func elements(_ level: Int) throws(JSONError) -> [JSON] {
        guard level < JSON.deepestLevel else { throw error(.tooDeep) }
        try require("[")
        skipSpace()
        var values: [JSON] = []
        if take("]") { return values }
        repeat {
            values.append(try value(level: level + 1))
            skipSpace()
        } while take(",")
        try require("]")
        return values
    }

    // MARK: Numbers

    private mutating func number() throws(JSONError) -> JSON {
        let start = place
        _ = take("-")
        if !take("0") { try digits() }
        let isWhole = next != UInt8(ascii: ".") && next != UInt8(ascii: "e") && next != UInt8(ascii: "E")
        if take(".") { try digits() }
        if take("e") || take("E") {
            if !take("+") { _ = take("-") }
            try digits()
        }
        let text = String(decoding: bytes[start..<place], as: UTF8.self)
        if isWhole, let value = Int(text) { return .integer(value) }
        guard !isWhole, let value = Double(text), value.isFinite else { throw error(.tooLarge, at: start) }
        return .number(value)
    }

    private mutating func digits() throws(JSONError) {
        let start = place
        while let byte = next, (0x30...0x39).contains(byte) { place += 1 }
        if place == start { throw error() }
    }

    // MARK: Texts

    private mutating func string() throws(JSONError) -> String {
        let start = place
        try require("\"")
        while let byte = next, byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") { place += 1 }
        var text = bytes[start + 1..<place]
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                place += 1
                guard let text = String(validating: text, as: UTF8.self) else { throw error(.badText, at: start) }
                return text
            case UInt8(ascii: "\\"): try escape(into: &text)
            case 0..<0x20: throw error()
            default:
                text.append(byte)
                place += 1
            }
        }
        throw error()
    }

    private mutating func escape(into text: inout ArraySlice<UInt8>) throws(JSONError) {
        place += 1
        switch next {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(bytes[place])
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0c)
        case UInt8(ascii: "n"): text.append(0x0a)
        case UInt8(ascii: "r"): text.append(0x0d)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"): return try escapedScalar(into: &text)
        default: throw error()
        }
        place += 1
    }

    private mutating func escapedScalar(into text: inout ArraySlice<UInt8>) throws(JSONError) {
        let start = place - 1
        var code = try unit()
        if (0xd800..<0xdc00).contains(code), take("\\"), next == UInt8(ascii: "u") {
            let low = try unit()
            guard (0xdc00..<0xe000).contains(low) else { throw error(.badText, at: start) }
            code = 0x10000 + (code - 0xd800) << 10 + (low - 0xdc00)
        }
        guard let scalar = Unicode.Scalar(code) else { throw error(.badText, at: start) }
        text.append(contentsOf: Array(String(scalar).utf8))
    }

    /// `u` and four hexadecimal digits.
    private mutating func unit() throws(JSONError) -> UInt32 {
        place += 1
        guard place + 4 <= bytes.count else { throw error(.incomplete, at: bytes.count) }
        guard let unit = UInt32(digits: bytes[place..<place + 4], radix: 16) else { throw error() }
        place += 4
        return unit
    }
}
