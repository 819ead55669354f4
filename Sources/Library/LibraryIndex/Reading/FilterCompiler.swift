internal import GRDB
internal import SongFilters
internal import Songs
internal import TextPatterns

/// Compiles a filter to SQL that selects the same songs as `SongMatcher`.
struct FilterCompiler {
    /// The table that the condition applies to.
    enum Subject {
        case file
        /// All songs of a tag set at once; only for conditions that hold for all of them or for none.
        case tagset

        var set: String { self == .file ? "file.tagset" : "tagset.id" }
    }

    private let db: Database
    private let values: ValueLookup
    private let patterns: [Pattern]

    init(_ db: Database, _ filter: SongFilter) {
        self.db = db
        values = ValueLookup(db: db, deadline: .now + PatternSearch.patience)
        patterns = filter.patterns
    }

    /// Selects the songs that match a filter, or all songs without a filter.
    ///
    /// - Parameter visible: Where these are few, only they are selected; otherwise the caller leaves others out.
    /// - Throws: Also when the filter names a directory that does not exist.
    static func clause(
        _ filter: SongFilter?,
        _ db: Database,
        _ visible: VisibleSongs? = nil,
        on subject: Subject = .file
    ) throws -> Clause {
        let known = visible?.clause ?? .always
        guard let filter else { return known }
        if let base = filter.base {
            try visible?.checkThere(base)
            try checkThere(base, db)
        }
        if filter.isWide { return .all([known, try matching(filter, db, subject)]) }
        return .all([known, try FilterCompiler(db, filter).clause(filter.condition, subject)])
    }

    /// Checks the songs one by one.
    private static func matching(_ filter: SongFilter, _ db: Database, _ subject: Subject) throws -> Clause {
        let matcher = filter.matcher()
        var maker = SongMaker()
        var numbers: [Int] = []
        try Query(db, "SELECT id, lines FROM block").each { row in
            if unsafe row.withBytes(1, { unsafe matcher.matches(maker.song($0)) }) { numbers.append(row.int(0)) }
        }
        try matcher.check()
        let list = "SELECT value FROM json_each(?)"
        let clause =
            switch subject {
            case .file: "file.id IN (\(list))"
            case .tagset: "tagset.id IN (SELECT tagset FROM file WHERE id IN (\(list)))"
            }
        return .sql(clause, [.text(json(numbers))], isSelective: true)
    }

    private func clause(_ condition: SongFilters.Condition, _ subject: Subject) throws -> Clause {
        switch condition {
        case .text(.uri, let match, let isNegated):
            let clause = try uriClause(match)
            return isNegated ? !clause : clause
        case .text(let field, let match, let isNegated):
            let clause = try self.clause(field, subject, whenAbsent: match.isEmpty) { tag in
                try values.numbers(tag, match)
            }
            return isNegated ? !clause : clause
        case .pattern(.uri, let index, let isNegated):
            let clause = try uriClause(patterns[index])
            return isNegated ? !clause : clause
        case .pattern(let field, let index, let isNegated):
            let clause = try self.clause(field, subject, whenAbsent: false) { tag in
                try values.numbers(tag, patterns[index])
            }
            return isNegated ? !clause : clause
        case .base(let base): return baseClause(base)
        case .modifiedSince(let date):
            return .sql("file.modified / 1000000000 >= ?", [.int(date)], isSelective: true)
        case .addedSince(let date): return .sql("file.added >= ?", [.int(date)], isSelective: true)
        case .format(let mask): return try formatClause(mask)
        case .priority(let least): return least <= 0 ? .always : .never
        case .not(let condition): return try !clause(condition, subject)
        case .all(let conditions): return .all(try conditions.map { try clause($0, subject) })
        }
    }

    // MARK: - Tags

    /// Selects songs that have, in a field, one of the values that `numbers` finds.
    private func clause(
        _ field: SongFilters.Condition.Field,
        _ subject: Subject,
        whenAbsent: Bool,
        _ numbers: (TagType?) throws -> Clause.Condition?
    ) throws -> Clause {
        switch field {
        case .uri: return .never
        case .anyTag:
            guard let found = try numbers(nil) else { return .sql("file.mask <> 0", []) }
            return clause(values: try values.list(found), subject)
        case .tag(let tag):
            let family = [tag] + tag.substitutes
            let kinds = family.reduce(0) { $0 | $1.bit }
            let absent = try subject == .file ? SongMasks.lacking(kinds, db) : .sql("tagset.mask & \(kinds) = 0", [])
            // Every value matches, so only the tag's presence matters.
            guard let found = try numbers(tag) else { return whenAbsent ? .always : !absent }
            guard tag.isShared else {
                let present = Clause.sql(
                    "file.id IN (SELECT file FROM file_value WHERE value IN (\(found.sql)))",
                    found.arguments,
                    isSelective: true
                )
                return whenAbsent ? .any([present, absent]) : present
            }
            let present = try sets(family, first: found, numbers)
            let clause = Clause.sql("\(subject.set) IN (\(present.sql))", present.arguments, isSelective: true)
            return whenAbsent ? .any([clause, absent]) : clause
        }
    }

    /// Selects songs with any of the values.
    private func clause(values: [Int]) -> Clause { clause(values: values, .file) }

    private func clause(values: [Int], _ subject: Subject) -> Clause {
        if values.isEmpty { return .never }
        let list = Query.Argument.text(json(values))
        return .sql(
            """
            \(subject.set) IN (SELECT tagset FROM tagset_value WHERE value IN (SELECT value FROM json_each(?)))
            OR file.id IN (SELECT file FROM file_value WHERE value IN (SELECT value FROM json_each(?)))
            """,
            [list, list],
            isSelective: true
        )
    }

    /// The songs that a filter selects.
    enum Selection {
        case clause(Clause)
        /// Songs with one of the values of each of these lists, of which some are long.
        case values([Values])
    }

    /// The values that a comparison matches.
    enum Values {
        case few([Int])
        /// Called once all texts are in memory.
        case many((ValueTexts) throws -> [Int])

        func list(_ texts: ValueTexts) throws -> [Int] {
            switch self {
            case .few(let values): values
            case .many(let values): try values(texts)
            }
        }
    }

    /// Finds out how to select the songs that match a filter, or all songs without a filter.
    ///
    /// - Parameter limit: The largest number of values that SQLite is to look up.
    static func selection(
        _ filter: SongFilter?,
        _ db: Database,
        _ visible: VisibleSongs?,
        limit: Int
    ) throws -> Selection {
        guard let filter else { return .clause(visible?.clause ?? .always) }
        let compiler = FilterCompiler(db, filter)
        // Long lists of several comparisons are not given to SQLite.
        guard let comparisons = comparisons(filter.condition), comparisons.count == 1 || limit != .max,
            let lists = try compiler.values(comparisons, limit: limit)
        else { return .clause(try clause(filter, db, visible)) }
        let clauses = lists.compactMap {
            if case .few(let values) = $0 { compiler.clause(values: values) } else { nil }
        }
        if clauses.count < lists.count { return .values(lists) }
        return .clause(.all([visible?.clause ?? .always] + clauses))
    }

    /// A comparison with the values of a tag, or of any tag.
    private typealias Comparison = (tag: TagType?, match: TextMatch)

    /// The comparisons that a condition consists of; `nil` if anything else belongs to it.
    private static func comparisons(_ condition: SongFilters.Condition) -> [Comparison]? {
        switch condition {
        case .text(.anyTag, let match, isNegated: false) where !match.isEmpty: return [(nil, match)]
        case .text(.tag(let tag), let match, isNegated: false)
        where !match.isEmpty && !tag.isShared && tag.substitutes.isEmpty:
            return [(tag, match)]
        case .all(let conditions):
            var comparisons: [Comparison] = []
            for condition in conditions {
                guard let more = self.comparisons(condition) else { return nil }
                comparisons += more
            }
            return comparisons
        default: return nil
        }
    }

    private func values(_ comparisons: [Comparison], limit: Int) throws -> [Values]? {
        var lists: [Values] = []
        for (tag, match) in comparisons {
            guard let query = try values.numbers(tag, match) else { return nil }
            let first = try values.list(query, limit: limit == .max ? limit : limit + 1)
            guard first.count > limit else {
                lists.append(.few(first))
                continue
            }
            lists.append(
                .many { texts in
                    if match.folding == .all, match.position == .anywhere,
                        let found = texts.numbers(of: tag, having: Folding.all.fold(match.text))
                    {
                        return found
                    }
                    return try values.list(query)
                }
            )
        }
        return lists
    }

    /// A query for tag sets with a matching value, where each set counts with the first tag of `family` that it has.
    private func sets(
        _ family: [TagType],
        first: Clause.Condition,
        _ numbers: (TagType?) throws -> Clause.Condition?
    ) throws -> Clause.Condition {
        var queries: [String] = []
        var arguments: [Query.Argument] = []
        var before = 0
        for tag in family {
            guard let found = try before == 0 ? first : numbers(tag) else { continue }
            let query = "SELECT tagset_value.tagset FROM tagset_value"
            let isWanted = "WHERE value IN (\(found.sql))"
            if before == 0 {
                queries.append("\(query) \(isWanted)")
            } else {
                queries.append(
                    """
                    \(query) JOIN tagset AS other ON other.id = tagset_value.tagset \(isWanted) AND other.mask & \(before) = 0
                    """
                )
            }
            arguments += found.arguments
            before |= tag.bit
        }
        return .init(sql: queries.joined(separator: " UNION ALL "), arguments: arguments, isSelective: true)
    }

    // MARK: - Places and formats

    /// Throws unless a directory or a song has the URI.
    static func checkThere(_ uri: String, _ db: Database) throws {
        // Clients may write the root as `/`.
        if uri.isEmpty || uri == "/" { return }
        let (folder, name) = parts(ofURI: uri)
        let isThere = try Query(
            db,
            """
            SELECT 1 FROM directory WHERE path = ? UNION ALL
            SELECT 1 FROM directory JOIN file ON file.directory = directory.id
            WHERE directory.path = ? AND file.name = ? AND tagset IS NOT NULL
            """,
            [.text(uri), .text(folder), .text(name)]
        ).first { _ in true }
        if isThere == nil { throw LibraryError.nothingThere(uri) }
    }

    private func baseClause(_ base: String) -> Clause {
        if base.isEmpty { return .always }
        let base = base.utf8.last == UInt8(ascii: "/") ? String(base.dropLast()) : base
        if base.isEmpty { return .never }
        let (low, high) = pathsBelow(base)
        let (folder, name) = parts(ofURI: base)
        return .any([
            .sql(
                "file.directory IN (SELECT id FROM directory WHERE path = ? OR path >= ? AND path < ?)",
                [.text(base), .text(low), .text(high)],
                isSelective: true
            ),
            .sql(
                "file.directory = (SELECT id FROM directory WHERE path = ?) AND file.name = ?",
                [.text(folder), .text(name)],
                isSelective: true
            ),
        ])
    }

    private func uriClause(_ match: TextMatch) throws -> Clause {
        if match.folding == .none, match.position == .whole {
            let (folder, name) = parts(ofURI: match.text)
            return .sql(
                "file.directory = (SELECT id FROM directory WHERE path = ?) AND file.name = ?",
                [.text(folder), .text(name)],
                isSelective: true
            )
        }
        // Narrow down in SQL, since most URIs do not match.
        let folded = Folding.all.fold(match.text)
        let form = match.folding == .none ? Self.uri : Self.foldedUri
        let text = match.folding == .none ? match.text : folded
        let clause =
            switch match.position {
            case .whole: Clause.sql("\(form) = ?", [.text(text)])
            case .prefix: Clause.sql("substr(\(form), 1, length(?)) = ?", [.text(text), .text(text)])
            case .anywhere: Clause.sql("instr(\(form), ?) > 0", [.text(text)])
            }
        let narrowed = text.isEmpty && match.position != .whole ? .always : clause
        if match.folding != .caseOnly, case .always = narrowed { return .always }
        return try uriClause(narrowed, match.folding == .caseOnly ? { match.matches(Array($0.utf8).span) } : nil)
    }

    private func uriClause(_ pattern: Pattern) throws -> Clause {
        let search = pattern.search(until: values.deadline)
        let clause = try uriClause(.always, search.matches)
        try search.check()
        return clause
    }

    private static let uri = "iif(directory.path = '', '', directory.path || '/') || file.name"
    private static let foldedUri = """
        iif(directory.path = '', '', ifnull(directory.folded, lower(directory.path)) || '/')
        || ifnull(file.folded, lower(file.name))
        """

    /// Checks the URIs of all songs that pass `narrowed`.
    private func uriClause(_ narrowed: Clause, _ isMatch: ((String) -> Bool)?) throws -> Clause {
        var numbers: [Int] = []
        try Query(
            db,
            """
            SELECT file.id, \(isMatch == nil ? "NULL" : Self.uri)
            FROM directory CROSS JOIN file ON file.directory = directory.id
            WHERE file.tagset IS NOT NULL AND \(narrowed.text)
            """,
            narrowed.arguments
        ).each { row in
            if isMatch?(row.text(1)) ?? true { numbers.append(row.int(0)) }
        }
        return .sql("file.id IN (SELECT value FROM json_each(?))", [.text(json(numbers))], isSelective: true)
    }

    private func formatClause(_ mask: FormatMask) throws -> Clause {
        var numbers: [Int] = []
        try Query(db, "SELECT id, text FROM format").each { row in
            if mask.matches(row.text(1)) { numbers.append(row.int(0)) }
        }
        if numbers.isEmpty { return .never }
        // Never NULL, so that it can be negated.
        return .sql("ifnull(file.format, 0) IN (\(numbers.map(String.init).joined(separator: ",")))", [])
    }
}

extension SongFilter {
    /// Whether songs with the same shared tags either all match or all fail.
    var isOfSharedTags: Bool { condition.isOfSharedTags }

    /// Whether it searches for parts of texts, which many songs may contain.
    var looksForParts: Bool { condition.looksForParts }

    /// Whether songs are checked one by one, because many values may match many of its comparisons.
    ///
    /// SQLite keeps the values of all of them at the same time: with 100,000 songs, up to 12 MB for each.
    var isWide: Bool { condition.wideComparisons > 4 }
}

extension SongFilters.Condition {
    fileprivate var looksForParts: Bool {
        switch self {
        case .text(_, let match, isNegated: _): match.position != .whole
        case .not(let condition): condition.looksForParts
        case .all(let conditions): conditions.contains(where: \.looksForParts)
        case .pattern, .base, .modifiedSince, .addedSince, .format, .priority: false
        }
    }

    fileprivate var wideComparisons: Int {
        switch self {
        case .text(_, let match, isNegated: _): match.position == .whole ? 0 : 1
        case .pattern: 1
        case .not(let condition): condition.wideComparisons
        case .all(let conditions): conditions.reduce(0) { $0 + $1.wideComparisons }
        case .base, .modifiedSince, .addedSince, .format, .priority: 0
        }
    }

    fileprivate var isOfSharedTags: Bool {
        switch self {
        case .text(.tag(let tag), _, isNegated: _), .pattern(.tag(let tag), _, isNegated: _): tag.isShared
        case .text, .pattern, .base, .modifiedSince, .addedSince, .format: false
        case .priority: true
        case .not(let condition): condition.isOfSharedTags
        case .all(let conditions): conditions.allSatisfy(\.isOfSharedTags)
        }
    }
}
