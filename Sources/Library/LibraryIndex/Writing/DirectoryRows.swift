internal import GRDB
internal import Songs

/// Writes directories.
///
/// Their keys sort in listing order: a directory before its contents, siblings in natural order.
final class DirectoryRows {
    private let db: Database
    private let find: Query
    private var known: [ExactText: Int] = [:]

    init(_ db: Database) throws {
        self.db = db
        find = try Query(db, "SELECT id FROM directory WHERE path = ?")
    }

    func number(ifKnown path: String) throws -> Int? {
        if let number = known[ExactText(path)] { return number }
        find.bind(1, path)
        let number = try find.first { $0.int(0) }
        known[ExactText(path)] = number
        return number
    }

    /// The number of a directory; new directories are inserted, including their parents.
    func number(_ path: String) throws -> Int {
        if let number = try number(ifKnown: path) { return number }
        let parent = path.isEmpty ? nil : try number(parts(ofURI: path).directory)
        let key = directoryKey(path)
        let before = try Query(
            db,
            "SELECT rank FROM directory WHERE key < ? ORDER BY key DESC LIMIT 1",
            [.bytes(key)]
        ).first { $0.int(0) }
        let insert = try Query(db, "INSERT INTO directory (parent, path, key, rank, folded) VALUES (?, ?, ?, ?, ?)")
        insert.bind(1, parent)
        insert.bind(2, path)
        insert.bind(3, key)
        insert.bind(4, before ?? 0)
        insert.bind(5, foldedUnlessASCII(path))
        try insert.run()
        let number = insert.lastInsertedID
        known[ExactText(path)] = number
        return number
    }

    func remove(_ number: Int, path: String) throws {
        known[ExactText(path)] = nil
        try Query(db, "DELETE FROM directory WHERE id = ?", [.int(number)]).run()
    }

    /// The directories at and below a path, with their numbers.
    func all(below path: String) throws -> [(number: Int, path: String)] {
        var found: [(number: Int, path: String)] = []
        if let number = try number(ifKnown: path) { found.append((number, path)) }
        let (low, high) = pathsBelow(path)
        try Query(
            db,
            "SELECT id, path FROM directory WHERE path >= ? AND path < ? AND path <> ''",
            [.text(low), .text(high)]
        ).each { found.append(($0.int(0), $0.text(1))) }
        return found
    }

    /// Assigns a rank of its own to each directory, so that results sort by integers.
    func renumber() throws {
        try db.execute(
            sql: """
                UPDATE directory SET rank = place.number
                FROM (SELECT id, row_number() OVER (ORDER BY key) AS number FROM directory) AS place
                WHERE place.id = directory.id AND directory.rank <> place.number
                """
        )
    }
}

/// The bounds of the paths below a directory; `high` is exclusive.
func pathsBelow(_ path: String) -> (low: String, high: String) {
    // `0` is the character after `/`.
    path.isEmpty ? ("", "\u{10FFFF}") : (path + "/", path + "0")
}

/// A key that sorts directories in listing order.
func directoryKey(_ path: String) -> [UInt8] {
    var key: [UInt8] = []
    for component in components(ofPath: path) { CollationKey(String(component)).append(to: &key) }
    return key
}

/// A text's folded form, unless SQLite's `lower` gives the same.
func foldedUnlessASCII(_ text: String) -> String? { text.utf8.allSatisfy { $0 < 0x80 } ? nil : folded(text) }
