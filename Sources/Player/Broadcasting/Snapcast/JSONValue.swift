/// A value in JSON (RFC 8259), as a server sends it.
enum JSONValue: Sendable, Hashable {
    case null
    case truth(Bool)
    case number(Double)
    case text(String)
    case list([JSONValue])
    case table([String: JSONValue])

    /// - Returns: `nil` for what is no JSON, or is nested too deeply.
    init?(parsing bytes: some Collection<UInt8>) {
        var parser = JSONParser(bytes: Array(bytes))
        guard let value = parser.value(depth: 0), parser.isAtEnd else { return nil }
        self = value
    }

    subscript(name: String) -> JSONValue? { if case .table(let members) = self { members[name] } else { nil } }

    var text: String? { if case .text(let text) = self { text } else { nil } }
    var number: Double? { if case .number(let number) = self { number } else { nil } }
    var list: [JSONValue] { if case .list(let values) = self { values } else { [] } }
}

private struct JSONParser {
    let bytes: [UInt8]
    private var place = 0

    private static let inNumbers = Set("0123456789+-.eE".utf8)
    /// Levels of lists and tables at most.
    private static let deepest = 32

    init(bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool {
        mutating get {
            skipSpace()
            return place == bytes.count
        }
    }

    private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0a || byte == 0x0d { place += 1 }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        skipSpace()
        guard next == byte else { return false }
        place += 1
        return true
    }

    private mutating func take(word: StaticString) -> Bool {
        let word = Array(word.description.utf8)
        guard bytes[place...].starts(with: word) else { return false }
        place += word.count
        return true
    }

    mutating func value(depth: Int) -> JSONValue? {
        guard depth < Self.deepest else { return nil }
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): return table(depth)
        case UInt8(ascii: "["): return list(depth)
        case UInt8(ascii: "\""): return text().map { .text($0) }
        case UInt8(ascii: "t"): return take(word: "true") ? .truth(true) : nil
        case UInt8(ascii: "f"): return take(word: "false") ? .truth(false) : nil
        case UInt8(ascii: "n"): return take(word: "null") ? .null : nil
        default: return number()
        }
    }

    private mutating func table(_ depth: Int) -> JSONValue? {
        place += 1
        var members: [String: JSONValue] = [:]
        if take(UInt8(ascii: "}")) { return .table(members) }
        repeat {
            skipSpace()
            guard let name = text(), take(UInt8(ascii: ":")), let value = value(depth: depth + 1) else { return nil }
            members[name] = value
        } while take(UInt8(ascii: ","))
        return take(UInt8(ascii: "}")) ? .table(members) : nil
    }

    private mutating func list(_ depth: Int) -> JSONValue? {
        place += 1
        var values: [JSONValue] = []
        if take(UInt8(ascii: "]")) { return .list(values) }
        repeat {
            guard let value = value(depth: depth + 1) else { return nil }
            values.append(value)
        } while take(UInt8(ascii: ","))
        return take(UInt8(ascii: "]")) ? .list(values) : nil
    }

    private mutating func number() -> JSONValue? {
        let start = place
        while let byte = next, Self.inNumbers.contains(byte) { place += 1 }
        let text = String(decoding: bytes[start..<place], as: UTF8.self)
        return Double(text).flatMap { $0.isFinite ? .number($0) : nil }
    }

    private mutating func text() -> String? {
        guard next == UInt8(ascii: "\"") else { return nil }
        place += 1
        var result: [UInt8] = []
        while let byte = next {
            place += 1
            switch byte {
            case UInt8(ascii: "\""): return String(validating: result, as: UTF8.self)
            case UInt8(ascii: "\\"): guard escape(into: &result) else { return nil }
            case 0..<0x20: return nil
            default: result.append(byte)
            }
        }
        return nil
    }

    private mutating func escape(into result: inout [UInt8]) -> Bool {
        guard let byte = next else { return false }
        place += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): result.append(byte)
        case UInt8(ascii: "b"): result.append(0x08)
        case UInt8(ascii: "f"): result.append(0x0c)
        case UInt8(ascii: "n"): result.append(0x0a)
        case UInt8(ascii: "r"): result.append(0x0d)
        case UInt8(ascii: "t"): result.append(0x09)
        case UInt8(ascii: "u"): return escapedScalar(into: &result)
        default: return false
        }
        return true
    }

    private mutating func escapedScalar(into result: inout [UInt8]) -> Bool {
        guard var code = unit() else { return false }
        if code >= 0xd800, code < 0xdc00, take(word: "\\u"), let low = unit(), low >= 0xdc00, low < 0xe000 {
            code = 0x10000 + (code - 0xd800) << 10 + (low - 0xdc00)
        }
        guard let scalar = Unicode.Scalar(code) else { return false }
        result.append(contentsOf: Array(String(scalar).utf8))
        return true
    }

    /// Four hexadecimal digits.
    private mutating func unit() -> UInt32? {
        guard place + 4 <= bytes.count else { return nil }
        defer { place += 4 }
        return UInt32(digits: bytes[place..<place + 4], radix: 16)
    }
}
