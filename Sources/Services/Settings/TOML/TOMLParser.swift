/// Parses TOML 1.0 into values with line numbers.
///
/// Existing libraries give the line of a syntax error but not that of a value, and the most common one crashes on some
/// malformed files; messages with line numbers need both.
struct TOMLParser {
    /// - Throws: The first syntax error.
    static func parse(_ text: String) throws(TOMLProblem) -> Node {
        var parser = TOMLParser(bytes: Array(text.utf8))
        return try parser.document()
    }

    /// The nesting limit of lists and tables.
    static let deepest = 32

    private let bytes: [UInt8]
    private(set) var place = 0
    /// Counted from 1.
    private(set) var line = 1
    private var tree = TOMLTree()

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private mutating func document() throws(TOMLProblem) -> Node {
        var table = TOMLTree.root
        while try skipToItem() {
            if take("[") {
                table = try header()
            } else {
                try assignment(in: table, depth: 0)
            }
            try endLine()
        }
        return tree.node()
    }

    /// The rest of `[a.b]` or `[[a.b]]`.
    private mutating func header() throws(TOMLProblem) -> TOMLTree.ID {
        let line = line
        let isList = take("[")
        let keys = try keys()
        guard take("]"), !isList || take("]") else { throw problem("a table's name ends with \(isList ? "]]" : "]")") }
        return try tree.open(keys, isList: isList, at: line)
    }

    /// `a.b = value`.
    private mutating func assignment(in table: TOMLTree.ID, depth: Int) throws(TOMLProblem) {
        let line = line
        let keys = try keys()
        guard take("=") else { throw problem("after the key \(quoted(keys.joined(separator: "."))) a = is expected") }
        skipBlanks()
        if current == UInt8(ascii: "{") {
            let inner = try tree.openInline(keys, in: table, at: line)
            try inlineTable(into: inner, depth: depth)
        } else {
            try tree.assign(keys, in: table, at: line, try value(depth: depth))
        }
    }

    /// `{ a = 1, b.c = 2 }`.
    private mutating func inlineTable(into table: TOMLTree.ID, depth: Int) throws(TOMLProblem) {
        guard depth < Self.deepest else { throw problem("values are nested too deeply") }
        advance()
        skipBlanks()
        if take("}") { return }
        while true {
            try assignment(in: table, depth: depth + 1)
            skipBlanks()
            if take("}") { return }
            guard take(",") else { throw problem("a , or } is expected in an inline table, on its line") }
            skipBlanks()
        }
    }

    /// An inline table in a list, which belongs to no key.
    mutating func looseTable(depth: Int) throws(TOMLProblem) -> Node.Value {
        let outer = tree
        tree = TOMLTree()
        defer { tree = outer }
        try inlineTable(into: TOMLTree.root, depth: depth)
        return tree.node().value
    }

    /// `a."b c".d`, including the blanks after it.
    private mutating func keys() throws(TOMLProblem) -> [String] {
        var keys: [String] = []
        repeat {
            skipBlanks()
            keys.append(try key())
            guard keys.count <= Self.deepest else { throw problem("tables are nested too deeply") }
            skipBlanks()
        } while take(".")
        return keys
    }

    private mutating func key() throws(TOMLProblem) -> String {
        if let quote = current, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
            return try shortString(quote)
        }
        let start = place
        while let byte = current, Self.isBare(byte) { place += 1 }
        guard start < place else { throw problem("a key is expected") }
        return text(start..<place)
    }

    private static func isBare(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte) || byte == 0x2d
            || byte == 0x5f
    }
}

/// Advancing in the text.
extension TOMLParser {
    var current: UInt8? { place < bytes.count ? bytes[place] : nil }

    func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    func problem(_ text: String) -> TOMLProblem { TOMLProblem(line: line, text: text) }

    func starts(with text: [UInt8]) -> Bool { bytes[place...].starts(with: text) }

    mutating func advance(_ count: Int = 1) {
        for byte in bytes[place...].prefix(count) where byte == 0x0a { line += 1 }
        place = min(place + count, bytes.count)
    }

    mutating func take(_ byte: Unicode.Scalar) -> Bool {
        guard current == UInt8(ascii: byte) else { return false }
        advance()
        return true
    }

    mutating func skipBlanks() {
        while let current, current == 0x20 || current == 0x09 { place += 1 }
    }

    /// Skips the end of a line, if there is one here.
    mutating func takeNewline() -> Bool {
        if starts(with: [0x0d, 0x0a]) {
            advance(2)
            return true
        }
        return take("\n")
    }

    private mutating func skipComment() throws(TOMLProblem) {
        guard current == UInt8(ascii: "#") else { return }
        while let byte = current, byte != 0x0a, !starts(with: [0x0d, 0x0a]) {
            guard byte >= 0x20 || byte == 0x09, byte != 0x7f else {
                throw problem("a control character is in a comment")
            }
            place += 1
        }
    }

    /// Skips blanks, line ends and comments.
    ///
    /// - Returns: Whether any text is left.
    mutating func skipToItem() throws(TOMLProblem) -> Bool {
        repeat {
            skipBlanks()
            try skipComment()
        } while takeNewline()
        return current != nil
    }

    private mutating func endLine() throws(TOMLProblem) {
        skipBlanks()
        try skipComment()
        guard current == nil || takeNewline() else { throw problem("nothing may follow on the same line") }
    }
}
