internal import GRDB
internal import Songs

/// Writes tag sets, each once, and deletes those that no song uses any more.
final class TagSetRows {
    private let insert: Query
    private let find: Query
    private let addValue: Query
    private let db: Database
    private let values: ValueRows
    private var known: [PackedTags: Int] = [:]
    private var abandoned: Set<Int> = []

    init(_ db: Database, _ values: ValueRows) throws {
        self.db = db
        self.values = values
        insert = try Query(db, "INSERT INTO tagset (content, mask) VALUES (?, ?) ON CONFLICT DO NOTHING")
        find = try Query(db, "SELECT id FROM tagset WHERE content = ?")
        addValue = try Query(db, "INSERT OR IGNORE INTO tagset_value (value, tagset, is_first) VALUES (?, ?, ?)")
    }

    /// The number of a set; new sets are inserted.
    func number(_ tags: PackedTags) throws -> Int {
        if let number = known[tags] { return number }
        let number = try look(tags)
        known[tags] = number
        return number
    }

    private func look(_ tags: PackedTags) throws -> Int {
        var mask = 0
        var rows: [(value: Int, isFirst: Bool)] = []
        for (tag, value) in tags {
            rows.append((value, mask & tag.bit == 0))
            mask |= tag.bit
        }
        insert.bind(1, tags.bytes)
        insert.bind(2, mask)
        try insert.run()
        guard insert.changes > 0 else {
            find.bind(1, tags.bytes)
            return try find.first { $0.int(0) } ?? 0
        }
        let number = insert.lastInsertedID
        for row in rows {
            addValue.bind(1, row.value)
            addValue.bind(2, number)
            addValue.bind(3, row.isFirst ? 1 : 0)
            try addValue.run()
        }
        return number
    }

    /// Records that a song no longer uses a set.
    func abandon(_ number: Int) { abandoned.insert(number) }

    /// Deletes unused sets, and passes on their values as abandoned.
    func sweep() throws {
        guard !abandoned.isEmpty else { return }
        let get = try Query(
            db,
            "SELECT content FROM tagset WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM file WHERE tagset = ?1)"
        )
        let remove = try Query(db, "DELETE FROM tagset WHERE id = ?")
        let removeValue = try Query(db, "DELETE FROM tagset_value WHERE value = ? AND tagset = ?")
        for number in abandoned {
            get.bind(1, number)
            guard let content = try get.first({ PackedTags(bytes: $0.bytes(0)) }) else { continue }
            remove.bind(1, number)
            try remove.run()
            for tag in content {
                removeValue.bind(1, tag.value)
                removeValue.bind(2, number)
                try removeValue.run()
            }
            values.abandon(content)
        }
        abandoned = []
        known = [:]
    }
}
