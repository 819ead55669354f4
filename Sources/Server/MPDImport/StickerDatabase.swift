internal import CSQLite

/// MPD's sticker database, opened read-only, since MPD may have it open.
enum StickerDatabase {
    /// An error message of SQLite.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    static func stickers(in path: String) throws(Failure) -> [ImportedSticker] {
        var database: OpaquePointer?
        let status = unsafe sqlite3_open_v2(path, &database, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nil)
        // "Whether or not an error occurs when it is opened, resources associated with the database connection handle
        // should be released by passing it to sqlite3_close()" (sqlite3_open).
        defer { unsafe sqlite3_close(database) }
        guard status == SQLITE_OK, let database = unsafe database else { throw unsafe failure(database) }
        unsafe sqlite3_busy_timeout(database, 2_000)
        return try unsafe rows(of: database)
    }

    private static func rows(of database: OpaquePointer) throws(Failure) -> [ImportedSticker] {
        var statement: OpaquePointer?
        let query = "SELECT type, uri, name, value FROM sticker ORDER BY type, uri, name"
        let status = unsafe sqlite3_prepare_v2(database, query, -1, &statement, nil)
        guard status == SQLITE_OK, let statement = unsafe statement else { throw unsafe failure(database) }
        defer { unsafe sqlite3_finalize(statement) }
        var stickers: [ImportedSticker] = []
        while true {
            switch unsafe sqlite3_step(statement) {
            case SQLITE_ROW:
                stickers.append(
                    ImportedSticker(
                        type: unsafe text(statement, 0),
                        uri: unsafe text(statement, 1),
                        name: unsafe text(statement, 2),
                        value: unsafe text(statement, 3)
                    )
                )
            case SQLITE_DONE: return stickers
            default: throw unsafe failure(database)
            }
        }
    }

    /// The column's bytes as text; the pointer is valid until the next step.
    private static func text(_ statement: OpaquePointer, _ column: Int32) -> String {
        guard let start = unsafe sqlite3_column_text(statement, column) else { return "" }
        let count = unsafe Int(sqlite3_column_bytes(statement, column))
        return unsafe String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    private static func failure(_ database: OpaquePointer?) -> Failure {
        guard let database = unsafe database, let message = unsafe sqlite3_errmsg(database) else {
            return Failure(description: "there is no memory for it")
        }
        return Failure(description: unsafe String(cString: message))
    }
}
