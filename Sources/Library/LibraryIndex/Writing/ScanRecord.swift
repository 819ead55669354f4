internal import GRDB

/// A scan in progress, or one that was interrupted by the server's end.
package struct ScanRecord: Sendable, Hashable {
    /// The number that marks the files it has read.
    package let number: Int
    /// The scanned directory; empty for everything.
    package let uri: String
    /// Whether unchanged files are read, too (`rescan`).
    package let rereads: Bool
    /// Seconds since 1970.
    package let started: Int

    static func current(_ db: Database) throws -> ScanRecord? {
        try Query(db, "SELECT number, uri, rereads, started FROM scan WHERE ended IS NULL ORDER BY number DESC LIMIT 1")
            .first { ScanRecord(number: $0.int(0), uri: $0.text(1), rereads: $0.int(2) != 0, started: $0.int(3)) }
    }
}
