internal import GRDB

/// Reads the lines of one song after another.
///
/// Songs of a directory mostly lie side by side, and the next row costs a fraction of looking one up.
struct BlockReader: ~Copyable {
    private let query: Query
    private var row: Query.Row?
    /// Of the song that the row is.
    private var place = Int.max

    /// So many rows are passed before one is looked up.
    private static let reach = 6

    init(_ db: Database) throws {
        query = try Query(db, "SELECT id, lines FROM block WHERE id >= ? ORDER BY id")
    }

    /// Reads also where the songs are: the third column is the number of the directory, the fourth the file's name.
    init(withPlaces db: Database) throws {
        query = try Query(
            db,
            """
            SELECT file.id, lines, directory, name FROM file JOIN block ON block.id = file.id
            WHERE file.id >= ? AND tagset IS NOT NULL ORDER BY file.id
            """
        )
    }

    deinit { query.reset() }

    /// A song's row, whose second column are its lines; valid until the next one is asked for.
    mutating func row(of number: Int) throws -> Query.Row? {
        if place < number, number - place <= Self.reach {
            while place < number { try take(query.next()) }
        } else if place != number {
            query.reset()
            query.bind(1, number)
            try take(query.next())
        }
        return place == number ? row : nil
    }

    private mutating func take(_ next: Query.Row?) {
        row = next
        place = next?.int(0) ?? Int.max
    }
}
