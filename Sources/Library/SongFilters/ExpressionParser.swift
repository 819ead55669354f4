internal import Songs
internal import TextPatterns

/// Parses one expression such as `((artist == "A") AND (!(title contains "B")))`.
struct ExpressionParser {
    private var rest: Substring.UTF8View
    /// The folding of `==`, `contains` and `starts_with` without `_cs` or `_ci`.
    private let folding: Folding
    /// The folding of `_ci`.
    private let insensitive: Folding
    private(set) var patterns: [Pattern]

    /// No client nests deeper, and deeper nesting would cost stack.
    private static let depthLimit = 64

    init(_ text: String, _ folding: Folding, insensitive: Folding, patterns: [Pattern]) {
        rest = text[...].utf8
        self.folding = folding
        self.insensitive = insensitive
        self.patterns = patterns
    }

    /// Parses the whole text as one expression.
    mutating func parse() throws(SongFilterError) -> Condition {
        let condition = try expression(depth: 0)
        skipSpaces()
        guard rest.isEmpty else { throw SongFilterError("Unparsed garbage after expression") }
        return condition
    }

    private mutating func expression(depth: Int) throws(SongFilterError) -> Condition {
        guard depth < Self.depthLimit else { throw SongFilterError("Expression is nested too deeply") }
        try expect("(")
        skipSpaces()
        let condition: Condition
        if rest.first == UInt8(ascii: "(") {
            condition = try conjunction(depth: depth)
        } else if rest.first == UInt8(ascii: "!") {
            rest = rest.dropFirst()
            skipSpaces()
            condition = .not(try expression(depth: depth + 1))
        } else {
            condition = try predicate()
        }
        skipSpaces()
        try expect(")")
        return condition
    }

    private mutating func conjunction(depth: Int) throws(SongFilterError) -> Condition {
        var conditions = [try expression(depth: depth + 1)]
        while true {
            skipSpaces()
            if rest.first == UInt8(ascii: ")") { return conditions.count == 1 ? conditions[0] : .all(conditions) }
            guard take("AND") else { throw SongFilterError("'AND' expected") }
            skipSpaces()
            conditions.append(try expression(depth: depth + 1))
        }
    }

    private mutating func predicate() throws(SongFilterError) -> Condition {
        let word = String(rest.prefix { isLetter($0) || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-") }) ?? ""
        guard !word.isEmpty else { throw SongFilterError("Word expected") }
        rest = rest.dropFirst(word.utf8.count)
        skipSpaces()
        switch word.lowercased() {
        case "base": return .base(try quoted())
        case "modified-since": return .modifiedSince(try parseDate(try quoted()))
        case "added-since": return .addedSince(try parseDate(try quoted()))
        case "audioformat":
            let isMask = take("=~")
            guard isMask || take("==") else { throw SongFilterError("'==' or '=~' expected") }
            skipSpaces()
            return .format(try FormatMask(try quoted(), allowsWildcards: isMask))
        case "prio":
            guard take(">=") else { throw SongFilterError("'>=' expected") }
            skipSpaces()
            let digits = String(rest.prefix { (0x30...0x39).contains($0) }) ?? ""
            guard let number = Int(digits) else { throw SongFilterError("Number expected") }
            rest = rest.dropFirst(digits.utf8.count)
            return .priority(atLeast: number)
        default:
            guard let field = Condition.Field(name: word) else { throw SongFilterError("Unknown filter type: \(word)") }
            return try comparison(of: field)
        }
    }

    private mutating func comparison(of field: Condition.Field) throws(SongFilterError) -> Condition {
        for isNegated in [false, true] {
            if take(isNegated ? "!~" : "=~") {
                patterns.append(try compiled(try value()))
                return .pattern(field, patterns.count - 1, isNegated: isNegated)
            }
            if take(isNegated ? "!=" : "==") {
                return .text(field, TextMatch(try value(), .whole, folding), isNegated: isNegated)
            }
            for (name, position) in [
                ("eq", TextMatch.Position.whole), ("contains", .anywhere), ("starts_with", .prefix),
            ] {
                for (suffix, folding) in [("_cs", Folding.none), ("_ci", insensitive), ("", self.folding)] {
                    if suffix.isEmpty, name == "eq" { continue }
                    guard take((isNegated ? "!" : "") + name + suffix, isWord: true) else { continue }
                    return .text(field, TextMatch(try value(), position, folding), isNegated: isNegated)
                }
            }
        }
        throw SongFilterError("'==' or '!=' expected")
    }

    private func compiled(_ text: String) throws(SongFilterError) -> Pattern {
        do throws(PatternError) {
            return try Pattern(text, ignoresCase: folding != .none)
        } catch {
            throw SongFilterError(error.description)
        }
    }

    // MARK: - Words

    private mutating func value() throws(SongFilterError) -> String {
        skipSpaces()
        return try quoted()
    }

    /// A text in single or double quotes; a backslash makes any character literal.
    private mutating func quoted() throws(SongFilterError) -> String {
        guard let quote = rest.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
            throw SongFilterError("Quoted string expected")
        }
        var bytes: [UInt8] = []
        var index = rest.index(after: rest.startIndex)
        while index < rest.endIndex {
            var byte = rest[index]
            if byte == quote {
                rest = rest[rest.index(after: index)...]
                return String(decoding: bytes, as: UTF8.self)
            }
            if byte == UInt8(ascii: "\\") {
                index = rest.index(after: index)
                guard index < rest.endIndex else { break }
                byte = rest[index]
            }
            bytes.append(byte)
            index = rest.index(after: index)
        }
        throw SongFilterError("Closing quote not found")
    }

    private mutating func skipSpaces() {
        rest = rest.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    }

    private mutating func expect(_ word: String) throws(SongFilterError) {
        guard take(word) else { throw SongFilterError("'\(word)' expected") }
    }

    /// Skips a word at the beginning, if it is there; only as a whole word if `isWord` is set.
    private mutating func take(_ word: String, isWord: Bool = false) -> Bool {
        guard rest.starts(with: word.utf8) else { return false }
        let after = rest.dropFirst(word.utf8.count)
        if isWord, let next = after.first, isLetter(next) || next == UInt8(ascii: "_") { return false }
        rest = after
        return true
    }

    private func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7a).contains(byte | 0x20) }
}

extension Condition.Field {
    /// A field by its name in a filter.
    init?(name: String) {
        switch name.lowercased() {
        case "any": self = .anyTag
        case "file", "filename": self = .uri
        default:
            guard let tag = TagType(name: name) else { return nil }
            self = .tag(tag)
        }
    }
}
