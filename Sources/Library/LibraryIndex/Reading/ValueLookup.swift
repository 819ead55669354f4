internal import GRDB
internal import SongFilters
internal import Songs
internal import TextPatterns

/// Finds the tag values that match a comparison; each value is checked once, however many songs have it.
struct ValueLookup {
    let db: Database
    /// The time limit for regular expressions.
    let deadline: ContinuousClock.Instant

    /// A query for the numbers of the matching values; `nil` when every value matches.
    ///
    /// - Parameter tag: `nil` for all tags.
    func numbers(_ tag: TagType?, _ match: TextMatch) throws -> Clause.Condition? {
        if match.isEmpty, match.position != .whole { return nil }
        // No value contains a NUL, and FTS5 does not accept one.
        if match.text.utf8.contains(0) {
            return .init(sql: "SELECT id FROM value WHERE 0", arguments: [], isSelective: true)
        }
        var parts: [String] = []
        var arguments: [Query.Argument] = []
        append(tag, match.position != .anywhere, &parts, &arguments)
        let folded = Folding.all.fold(match.text)
        switch match.folding {
        case .none where match.position == .whole && tag != nil: break
        default: append(folded, match.position, tag, &parts, &arguments)
        }
        switch match.folding {
        case .all: break
        case .none: append(exact: match, &parts, &arguments)
        case .caseOnly: return try list(parts, arguments) { match.matches(Array($0.utf8).span) }
        }
        return .init(
            sql: "SELECT id FROM value WHERE " + parts.joined(separator: " AND "),
            arguments: arguments,
            isSelective: true
        )
    }

    /// The results of such a query.
    ///
    /// - Parameter limit: The largest number of results.
    func list(_ found: Clause.Condition, limit: Int = .max) throws -> [Int] {
        var numbers: [Int] = []
        try Query(db, found.sql, found.arguments).whileWanted { row in
            numbers.append(row.int(0))
            return numbers.count < limit
        }
        return numbers
    }

    /// The same for a regular expression.
    func numbers(_ tag: TagType?, _ pattern: Pattern) throws -> Clause.Condition {
        let search = pattern.search(until: deadline)
        var parts: [String] = []
        var arguments: [Query.Argument] = []
        append(tag, false, &parts, &arguments)
        for literal in pattern.literals.prefix(2) {
            append(Folding.all.fold(literal), .anywhere, tag, &parts, &arguments)
        }
        let found = try list(parts, arguments, search.matches)
        try search.check()
        return found
    }

    /// Restricts the query to values of a tag, or to those of any tag, so that an index by tags can be used.
    private func append(
        _ tag: TagType?,
        _ usesIndex: Bool,
        _ parts: inout [String],
        _ arguments: inout [Query.Argument]
    ) {
        if let tag {
            parts.append("tag = ?")
            arguments.append(.int(Int(tag.rawValue)))
        } else if usesIndex {
            parts.append("tag IN (\(TagType.allCases.map { String($0.rawValue) }.joined(separator: ",")))")
        }
    }

    // MARK: - By folded text

    /// Restricts the query to values whose folded text equals, begins with or contains a folded text.
    private func append(
        _ folded: String,
        _ position: TextMatch.Position,
        _ tag: TagType?,
        _ parts: inout [String],
        _ arguments: inout [Query.Argument]
    ) {
        if folded.isEmpty, position != .whole { return }
        switch position {
        case .whole:
            parts.append("folded = ?")
            arguments.append(.text(folded))
        case .prefix:
            parts.append("folded >= ? AND folded < ?")
            arguments += [.text(folded), .rawText(upperBound(folded))]
        case .anywhere:
            let trigrams = trigrams(folded)
            if !trigrams.isEmpty {
                let found = "id IN (SELECT rowid FROM value_trigram WHERE value_trigram MATCH ?)"
                // Identifiers have no trigrams, but only a hexadecimal text can be part of one.
                let mayBeIdentifier = isHexadecimal(folded) && tag?.isIdentifier != false
                let first = TagType.musicBrainzArtist.rawValue
                parts.append(mayBeIdentifier ? "(\(found) OR tag >= \(first))" : found)
                arguments.append(.text(trigrams))
            }
            // A text of three characters is its only trigram, so the match is exact.
            if folded.unicodeScalars.count == 3, tag?.isIdentifier == false || !isHexadecimal(folded) { return }
            parts.append("instr(folded, ?) > 0")
            arguments.append(.text(folded))
        }
    }

    /// Restricts the query to values that equal, begin with or contain a text, byte by byte.
    private func append(exact match: TextMatch, _ parts: inout [String], _ arguments: inout [Query.Argument]) {
        switch match.position {
        case .whole:
            parts.append("text = ?")
            arguments.append(.text(match.text))
        case .prefix:
            parts.append("text >= ? AND text < ?")
            arguments += [.text(match.text), .rawText(upperBound(match.text))]
        case .anywhere:
            parts.append("instr(text, ?) > 0")
            arguments.append(.text(match.text))
        }
    }

    /// The FTS5 query: some of a text's trigrams; empty when it has none.
    private func trigrams(_ text: String) -> String {
        let scalars = Array(text.unicodeScalars)
        guard scalars.count >= 3 else { return "" }
        // Adjacent ones and the last one: each further trigram costs as much as it saves.
        let last = scalars.count - 3
        let step = max(3, last / 8)
        return (Array(stride(from: 0, to: last, by: step)) + [last]).map { index in
            var trigram = String.UnicodeScalarView()
            for scalar in scalars[index..<index + 3] {
                trigram.append(scalar)
                if scalar == "\"" { trigram.append(scalar) }
            }
            return "\"" + String(trigram) + "\""
        }.joined(separator: " AND ")
    }

    // MARK: - One by one

    private func list(
        _ parts: [String],
        _ arguments: [Query.Argument],
        _ isMatch: (String) -> Bool
    ) throws -> Clause.Condition {
        var numbers: [Int] = []
        let condition = parts.isEmpty ? "1" : parts.joined(separator: " AND ")
        try Query(db, "SELECT id, text FROM value WHERE \(condition)", arguments).each { row in
            if isMatch(row.text(1)) { numbers.append(row.int(0)) }
        }
        return .init(sql: "SELECT value FROM json_each(?)", arguments: [.text(json(numbers))], isSelective: true)
    }
}

/// Numbers in the form for `json_each`.
func json(_ numbers: [Int]) -> String { "[" + numbers.lazy.map(String.init).joined(separator: ",") + "]" }

/// The smallest byte string above all texts with a given beginning.
private func upperBound(_ text: String) -> [UInt8] {
    var bytes = Array(text.utf8)
    // UTF-8 contains no byte 0xff, so adding one cannot overflow.
    if let last = bytes.popLast() { bytes.append(last + 1) }
    return bytes
}

extension Pattern {
    /// Texts of at least three letters that every match contains.
    ///
    /// Only simple expressions are analysed.
    fileprivate var literals: [String] {
        guard !text.utf8.contains(where: { ##"|?*{}()[]\#"##.utf8.contains($0) }) else { return [] }
        var literals: [String] = []
        var run = ""
        for character in text.unicodeScalars {
            // These letters also have case variants outside ASCII, so they need not appear literally.
            let isUnsure = ignoresCase && "sSkK".unicodeScalars.contains(character)
            if character.isASCII, character.properties.isAlphabetic || (0x30...0x39).contains(character.value),
                !isUnsure
            {
                run.unicodeScalars.append(character)
                continue
            }
            // The character occurs at least once, but the next literal need not follow it directly.
            literals.append(run)
            run = ""
        }
        literals.append(run)
        return literals.filter { $0.utf8.count >= 3 }.sorted { $0.utf8.count > $1.utf8.count }
    }
}
