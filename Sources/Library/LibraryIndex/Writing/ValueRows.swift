internal import GRDB
internal import Songs

/// Writes tag values, each once, and deletes those that no song uses any more.
final class ValueRows {
    private let insert: Query
    private let find: Query
    private let addTrigrams: Query
    private let db: Database
    private var known: [Key: Int] = [:]
    private var abandoned: Set<Int> = []

    private struct Key: Hashable {
        let tag: TagType
        let text: ExactText
    }

    init(_ db: Database) throws {
        self.db = db
        insert = try Query(db, "INSERT INTO value (tag, text, folded) VALUES (?, ?, ?) ON CONFLICT DO NOTHING")
        find = try Query(db, "SELECT id FROM value WHERE tag = ? AND text = ?")
        addTrigrams = try Query(db, "INSERT INTO value_trigram (rowid, folded) VALUES (?, ?)")
    }

    /// The number of a value; new values are inserted.
    func number(_ tag: TagType, _ text: String) throws -> Int {
        // Titles and identifiers are mostly unique, so they are not cached.
        guard tag.isShared || tag.isCommon else { return try look(tag, text) }
        let key = Key(tag: tag, text: ExactText(text))
        if let number = known[key] { return number }
        let number = try look(tag, text)
        known[key] = number
        return number
    }

    private func look(_ tag: TagType, _ text: String) throws -> Int {
        let folded = folded(text)
        insert.bind(1, Int(tag.rawValue))
        insert.bind(2, text)
        insert.bind(3, folded)
        try insert.run()
        guard insert.changes > 0 else {
            find.bind(1, Int(tag.rawValue))
            find.bind(2, text)
            return try find.first { $0.int(0) } ?? 0
        }
        let number = insert.lastInsertedID
        if hasTrigrams(tag, folded: folded) {
            addTrigrams.bind(1, number)
            addTrigrams.bind(2, folded)
            try addTrigrams.run()
        }
        return number
    }

    /// Records that a song or a tag set no longer uses these values.
    func abandon(_ tags: PackedTags) { abandoned.formUnion(tags.lazy.map(\.value)) }

    /// Deletes the values that no song uses any more.
    func sweep() throws {
        guard !abandoned.isEmpty else { return }
        let get = try Query(
            db,
            """
            SELECT tag, folded FROM value WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM tagset_value WHERE value = ?1)
                AND NOT EXISTS (SELECT 1 FROM file_value WHERE value = ?1)
            """
        )
        let remove = try Query(db, "DELETE FROM value WHERE id = ?")
        let removeTrigrams = try Query(
            db,
            "INSERT INTO value_trigram (value_trigram, rowid, folded) VALUES ('delete', ?, ?)"
        )
        for number in abandoned {
            get.bind(1, number)
            guard let (tag, folded) = try get.first({ (TagType(rawValue: UInt8($0.int(0))), $0.text(1)) }) else {
                continue
            }
            remove.bind(1, number)
            try remove.run()
            if let tag, hasTrigrams(tag, folded: folded) {
                removeTrigrams.bind(1, number)
                removeTrigrams.bind(2, folded)
                try removeTrigrams.run()
            }
        }
        abandoned = []
        known = [:]
    }
}
