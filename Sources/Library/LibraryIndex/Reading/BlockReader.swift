internal import GRDB

/// Reads the lines of one song after another.
///
/// Songs of a directory mostly have adjacent rows, and stepping to the next row costs a fraction of a lookup.
struct BlockReader: ~Copyable {
    private let query: Query
    private var row: Query.Row?
    /// The number of the song in the current row.
    private var place = Int.max

    /// How many rows are stepped over before a lookup is cheaper.
    private static let reach = 6

    init(_ db: Database) throws {
        query = try Query(db, "SELECT id, lines FROM block WHERE id >= ? ORDER BY id")
    }

    /// Also reads the songs' places: the third column is the directory's number, the fourth the file's name.
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

    /// The row of a song, whose second column contains its lines; valid until the next call.
    mutating func row(of number: Int) throws -> Query.Row? {
        if place < number, number - place <= Self.reach {
            while place < number { try append(query.next()) }
        } else if place != number {
            query.reset()
            query.bind(1, number)
            try append(query.next())
        }
        return place == number ? row : nil
    }

    private mutating func append(_ next: Query.Row?) {
        row = next
        place = next?.int(0) ?? Int.max
    }
}
