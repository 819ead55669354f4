internal import GRDB
internal import Songs

/// Writes the data that makes a file a song: its lines, and its searchable tags.
final class SongRows {
    private let db: Database
    private let values: ValueRows
    private let sets: TagSetRows
    private let addValue: Query
    private let putBlock: Query
    private let setSong: Query
    private var formats: [String: Int] = [:]
    private var positions: [Int: Int] = [:]

    init(_ db: Database) throws {
        self.db = db
        values = try ValueRows(db)
        sets = try TagSetRows(db, values)
        addValue = try Query(db, "INSERT OR IGNORE INTO file_value (value, file, is_first) VALUES (?, ?, ?)")
        putBlock = try Query(db, "INSERT OR REPLACE INTO block (id, lines) VALUES (?, ?)")
        setSong = try Query(
            db,
            """
            UPDATE file SET tagset = ?, own = ?, mask = ?, format = ?, milliseconds = ?, position = ? WHERE id = ?
            """
        )
    }

    /// Stores a song's lines, without listing it.
    func keep(_ song: Song, _ number: Int) throws {
        var lines: [UInt8] = []
        song.appendListed(to: &lines, tags: .all)
        putBlock.bind(1, number)
        putBlock.bind(2, lines)
        try putBlock.run()
    }

    /// The columns of a listed song.
    struct Shown {
        let tagset: Int
        let own: PackedTags
        let mask: Int
        let format: Int?
        let milliseconds: Int?
        let position: Int
    }

    /// Writes a song's values, and returns its columns.
    func values(of song: Song, in directory: Int) throws -> Shown {
        var (own, shared) = (PackedTags(), PackedTags())
        var mask = 0
        for (tag, text) in song.tags {
            let value = try values.number(tag, text)
            if tag.isShared { shared.append(tag, value) } else { own.append(tag, value) }
            mask |= tag.bit
        }
        return Shown(
            tagset: try sets.number(shared),
            own: own,
            mask: mask,
            format: try song.format.map(format),
            milliseconds: song.duration.map { Int(saturating: ($0 * 1000).rounded()) },
            position: try nextPosition(in: directory)
        )
    }

    /// Makes a song searchable by its own values.
    func link(_ own: PackedTags, to number: Int) throws {
        var mask = 0
        for (tag, value) in own {
            addValue.bind(1, value)
            addValue.bind(2, number)
            addValue.bind(3, mask & tag.bit == 0 ? 1 : 0)
            try addValue.run()
            mask |= tag.bit
        }
    }

    /// Lists a song that is hidden; its row must exist.
    func show(_ song: Song, _ number: Int, in directory: Int) throws {
        let shown = try values(of: song, in: directory)
        setSong.bind(1, shown.tagset)
        setSong.bind(2, shown.own.bytes)
        setSong.bind(3, shown.mask)
        setSong.bind(4, shown.format)
        setSong.bind(5, shown.milliseconds)
        setSong.bind(6, shown.position)
        setSong.bind(7, number)
        try setSong.run()
        try link(shown.own, to: number)
    }

    /// The position after all others of a directory, until the directory is sorted: most new songs belong there.
    private func nextPosition(in directory: Int) throws -> Int {
        let next =
            try positions[directory]
            ?? Query(
                db,
                "SELECT max(position) + 1 FROM file WHERE directory = ? AND tagset IS NOT NULL",
                [.int(directory)]
            ).first { $0.int(0) }
        positions[directory] = (next ?? 0) + 1
        return next ?? 0
    }

    /// Removes a song from listings and searches, if it is there; its lines stay.
    func hide(_ number: Int) throws {
        let find = try Query(db, "SELECT tagset, own FROM file WHERE id = ? AND tagset IS NOT NULL", [.int(number)])
        guard let (set, own) = try find.first({ ($0.int(0), PackedTags(bytes: $0.bytes(1))) }) else { return }
        try Query(
            db,
            "UPDATE file SET tagset = NULL, own = NULL, mask = 0, format = NULL, milliseconds = NULL WHERE id = ?",
            [.int(number)]
        ).run()
        let remove = try Query(db, "DELETE FROM file_value WHERE value = ? AND file = ?")
        for tag in own {
            remove.bind(1, tag.value)
            remove.bind(2, number)
            try remove.run()
        }
        values.abandon(own)
        sets.abandon(set)
    }

    func removeLines(_ number: Int) throws {
        try Query(db, "DELETE FROM block WHERE id = ?", [.int(number)]).run()
    }

    /// The song of a file, listed or hidden.
    func song(_ number: Int, uri: String) throws -> Song? {
        try Query(db, "SELECT lines FROM block WHERE id = ?", [.int(number)]).first {
            Song.reading($0.bytes(0), uri: uri)
        }
    }

    /// Deletes values that no song uses any more; called at the end of a transaction.
    func sweep() throws {
        try sets.sweep()
        try values.sweep()
    }

    private func format(_ text: String) throws -> Int {
        if let number = formats[text] { return number }
        try Query(db, "INSERT INTO format (text) VALUES (?) ON CONFLICT DO NOTHING", [.text(text)]).run()
        let number = try Query(db, "SELECT id FROM format WHERE text = ?", [.text(text)]).first { $0.int(0) } ?? 0
        formats[text] = number
        return number
    }
}
