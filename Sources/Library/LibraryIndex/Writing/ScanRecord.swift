internal import GRDB

/// A scan that is under way, or was when the server ended.
package struct ScanRecord: Sendable, Hashable {
    /// Files that were read in it have this number.
    package let number: Int
    /// What is scanned: a directory, or empty for everything.
    package let uri: String
    /// Whether files are read that have not changed (`rescan`).
    package let rereads: Bool
    /// Seconds since 1970.
    package let started: Int

    static func current(_ db: Database) throws -> ScanRecord? {
        try Query(db, "SELECT number, uri, rereads, started FROM scan WHERE ended IS NULL ORDER BY number DESC LIMIT 1")
            .first { ScanRecord(number: $0.int(0), uri: $0.text(1), rereads: $0.int(2) != 0, started: $0.int(3)) }
    }
}
