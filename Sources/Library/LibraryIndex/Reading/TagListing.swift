internal import GRDB
package import SongFilters
package import Songs

extension LibraryReader {
    /// What `list` shows: the values of a tag, each once and sorted by its bytes, below those of the tags it is grouped by.
    ///
    /// - Parameter groups: In the order of the command's words; the last one is the outermost.
    /// - Returns: Lines as they go over the wire.
    package func list(
        _ tag: TagType,
        _ filter: SongFilter? = nil,
        groups: [TagType] = []
    ) throws(LibraryError) -> [UInt8] {
        try library.read { db in
            if filter == nil, groups.isEmpty, let lines = try allValues(tag, db) { return lines }
            return try TagTable(db, filter, groups.reversed() + [tag]).lines
        }
    }

    /// What `list file` shows.
    package func listURIs(_ filter: SongFilter? = nil) throws(LibraryError) -> [UInt8] {
        try library.read { db in
            let clause = try FilterCompiler.clause(filter, db)
            var uris: [[UInt8]] = []
            try Query(
                db,
                """
                SELECT path, name \(SongSearch.fromFile) WHERE file.tagset IS NOT NULL AND \(clause.text)
                """,
                clause.arguments
            ).each { uris.append(Array(uri($0.text(1), in: $0.text(0)).utf8)) }
            uris.sort { $0.lexicographicallyPrecedes($1) }
            var lines: [UInt8] = []
            for uri in uris { lines.append(name: "file", uri) }
            return lines
        }
    }

    /// The values of a tag for which no other stands in; `nil` when one does.
    private func allValues(_ tag: TagType, _ db: Database) throws -> [UInt8]? {
        let isEverywhere = try SongMasks.all(db).allSatisfy { $0 & tag.bit != 0 }
        guard isEverywhere || tag.substitutes.isEmpty else { return nil }
        var lines: [UInt8] = []
        if !isEverywhere { lines.append(name: tag.name, []) }
        try Query(db, "SELECT text FROM value WHERE tag = ? ORDER BY text", [.int(Int(tag.rawValue))]).each { row in
            unsafe row.withBytes(0) { unsafe lines.append(name: tag.name, $0) }
        }
        return lines
    }
}

/// The combinations of values that songs have for some tags, each once, sorted by their texts.
private struct TagTable {
    private let db: Database
    private let tags: [TagType]
    private var rows: TagRows

    init(_ db: Database, _ filter: SongFilter?, _ tags: [TagType]) throws {
        self.db = db
        self.tags = tags
        var rows = TagRows(tags)
        if tags.allSatisfy(\.isShared), filter?.isOfSharedTags != false {
            let clause = try FilterCompiler.clause(filter, db, on: .tagset)
            try Query(db, "SELECT content FROM tagset WHERE \(clause.text)", clause.arguments).each { row in
                unsafe row.withBytes(0) { unsafe rows.read($0) }
                rows.endSong()
            }
        } else {
            let clause = try FilterCompiler.clause(filter, db)
            try Query(
                db,
                """
                SELECT tagset.content, file.own FROM file CROSS JOIN tagset ON tagset.id = file.tagset
                WHERE file.tagset IS NOT NULL AND \(clause.text)
                """,
                clause.arguments
            ).each { row in
                unsafe row.withBytes(0) { unsafe rows.read($0) }
                unsafe row.withBytes(1) { unsafe rows.read($0) }
                rows.endSong()
            }
        }
        self.rows = rows
    }

    var lines: [UInt8] {
        get throws {
            let ranks = try TextRanks(db, rows.numbers, of: tags)
            var lines: [UInt8] = []
            var last: [UInt32]?
            forEachSorted(ranks) { row in
                var isNew = false
                for (column, rank) in row.enumerated() {
                    isNew = isNew || last?[column] != rank || column == row.count - 1
                    if isNew { lines.append(name: tags[column].name, ranks.text(rank)) }
                }
                last = row
            }
            return lines
        }
    }

    /// Gives each row once, as ranks and in their order.
    private func forEachSorted(_ ranks: TextRanks, _ body: ([UInt32]) -> Void) {
        let bits = UInt32.bitWidth - UInt32(ranks.count).leadingZeroBitCount
        let width = rows.width
        guard width * bits <= UInt64.bitWidth else {
            let sorted = Set(
                stride(from: 0, to: rows.numbers.count, by: width).map { start in
                    rows.numbers[start..<start + width].map(ranks.rank)
                }
            ).sorted { $0.lexicographicallyPrecedes($1) }
            for row in sorted { body(row) }
            return
        }
        // As one number each they are sorted in a fraction of the time.
        var packed: [UInt64] = []
        packed.reserveCapacity(rows.numbers.count / width)
        var (index, row) = (0, UInt64(0))
        for number in rows.numbers {
            row = row << UInt64(bits) | UInt64(ranks.rank(number))
            index += 1
            guard index == width else { continue }
            if packed.last != row { packed.append(row) }
            (index, row) = (0, 0)
        }
        packed.sort()
        var last: UInt64?
        for row in packed where row != last {
            last = row
            body(
                (0..<width).map {
                    UInt32(truncatingIfNeeded: row >> UInt64((width - 1 - $0) * bits) & (1 << UInt64(bits) - 1))
                }
            )
        }
    }
}

extension [UInt8] {
    /// Adds a line of a reply.
    mutating func append(name: String, _ value: some Sequence<UInt8>) {
        append(contentsOf: name.utf8)
        append(UInt8(ascii: ":"))
        append(UInt8(ascii: " "))
        append(contentsOf: value)
        append(UInt8(ascii: "\n"))
    }
}
