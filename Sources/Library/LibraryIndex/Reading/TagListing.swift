internal import GRDB
package import SongFilters
package import Songs

extension LibraryReader {
    /// The result of `list`: the values of a tag, each once and sorted by bytes, nested below those of the grouping
    /// tags.
    ///
    /// - Parameter groups: In the order of the command's arguments; the last one is the outermost.
    /// - Returns: Lines of the protocol.
    package func list(
        _ tag: TagType,
        _ filter: SongFilter? = nil,
        groups: [TagType] = []
    ) throws(LibraryError) -> [UInt8] {
        try library.read { db in
            if filter == nil, groups.isEmpty, visible == nil, let lines = try allValues(tag, db) { return lines }
            return try TagTable(db, filter, groups.reversed() + [tag], visible).lines
        }
    }

    /// The result of `list file`.
    package func listURIs(_ filter: SongFilter? = nil) throws(LibraryError) -> [UInt8] {
        try library.read { db in
            let clause = try FilterCompiler.clause(filter, db, visible)
            var uris: [[UInt8]] = []
            try Query(
                db,
                """
                SELECT path, name, file.id \(SongSearch.fromFile) WHERE file.tagset IS NOT NULL AND \(clause.text)
                """,
                clause.arguments
            ).each { row in
                if visible?.contains(number: row.int(2)) == false { return }
                uris.append(Array(uri(row.text(1), in: row.text(0)).utf8))
            }
            uris.sort { $0.lexicographicallyPrecedes($1) }
            var lines: [UInt8] = []
            for uri in uris { lines.append(name: "file", uri) }
            return lines
        }
    }

    /// The values of a tag if no other tag substitutes for it in any song, else `nil`.
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

/// The combinations of values of some tags in songs, each once, sorted by text.
private struct TagTable {
    private let db: Database
    private let tags: [TagType]
    private var rows: TagRows

    init(_ db: Database, _ filter: SongFilter?, _ tags: [TagType], _ visible: VisibleSongs?) throws {
        self.db = db
        self.tags = tags
        var rows = TagRows(tags)
        if visible == nil, tags.allSatisfy(\.isShared), filter?.isOfSharedTags != false {
            let clause = try FilterCompiler.clause(filter, db, on: .tagset)
            try Query(db, "SELECT content FROM tagset WHERE \(clause.text)", clause.arguments).each { row in
                unsafe row.withBytes(0) { unsafe rows.read($0) }
                rows.endSong()
            }
        } else {
            let clause = try FilterCompiler.clause(filter, db, visible)
            try Query(
                db,
                """
                SELECT tagset.content, file.own, file.id FROM file CROSS JOIN tagset ON tagset.id = file.tagset
                WHERE file.tagset IS NOT NULL AND \(clause.text)
                """,
                clause.arguments
            ).each { row in
                if visible?.contains(number: row.int(2)) == false { return }
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

    /// Calls `body` once for each distinct row of ranks, in order.
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
        // Rows packed into one integer each sort in a fraction of the time.
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
    /// Appends a line to a reply.
    mutating func append(name: String, _ value: some Sequence<UInt8>) {
        append(contentsOf: name.utf8)
        append(UInt8(ascii: ":"))
        append(UInt8(ascii: " "))
        append(contentsOf: value)
        append(UInt8(ascii: "\n"))
    }
}
