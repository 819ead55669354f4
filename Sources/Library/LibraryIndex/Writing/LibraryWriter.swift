internal import GRDB
private import Glibc
internal import Songs

/// Changes the library.
///
/// Each function is one transaction, so whatever kills the server, a batch is there in full or not at all. One thread at
/// a time writes; others wait.
package struct LibraryWriter: Sendable {
    let library: Library
    /// So many files that are gone are remembered, those that went last.
    package var goneLimit = 100_000

    init(_ library: Library) { self.library = library }

    /// Writes a batch: some hundred changes, those of one directory best together, what is said of the directory last.
    package func apply(_ changes: [LibraryChange]) throws(LibraryError) -> LibraryOutcome {
        if changes.isEmpty { return LibraryOutcome() }
        return try library.write { db in try WriteSession(db, now: time(nil)).apply(changes) }
    }

    // MARK: - Scans

    /// Notes that a scan begins, or goes on: the one that was under way when the server ended, when it asks for no less.
    package func beginScan(_ uri: String, rereads: Bool) throws(LibraryError) -> ScanRecord {
        try library.write { db in
            if let current = try ScanRecord.current(db) {
                if isSame(current.uri, uri), current.rereads || !rereads { return current }
                _ = try WriteSession(db, now: time(nil)).settleMoves()
                try db.execute(sql: "DELETE FROM scan WHERE ended IS NULL")
            }
            let last = try Query(db, "SELECT max(number) FROM scan").first { $0.int(0) } ?? 0
            let record = ScanRecord(number: last + 1, uri: uri, rereads: rereads, started: time(nil))
            try Query(
                db,
                "INSERT INTO scan (number, uri, rereads, started) VALUES (?, ?, ?, ?)",
                [.int(record.number), .text(uri), .int(rereads ? 1 : 0), .int(record.started)]
            ).run()
            return record
        }
    }

    /// Notes that a scan has ended, and puts in order what it left for later.
    ///
    /// - Returns: The moves that can be told only now.
    @discardableResult
    package func endScan(_ scan: ScanRecord) throws(LibraryError) -> LibraryOutcome {
        defer { library.releaseMemory() }
        return try library.write { db in
            let outcome = try WriteSession(db, now: time(nil)).settleMoves()
            var unordered: [Int] = []
            try Query(db, "SELECT id FROM directory WHERE unordered <> 0").each { unordered.append($0.int(0)) }
            for directory in unordered { try SongOrder.settle(directory, db) }
            try DirectoryRows(db).renumber()
            let now = time(nil)
            try Query(db, "DELETE FROM scan WHERE number < ?", [.int(scan.number)]).run()
            try Query(db, "UPDATE scan SET ended = ? WHERE number = ?", [.int(now), .int(scan.number)]).run()
            try forget(db, now)
            return outcome
        }
    }

    /// For so long what is gone may come back with its number, in seconds.
    private static let memory = 365 * 86_400

    private func forget(_ db: Database, _ now: Int) throws {
        try Query(db, "DELETE FROM file WHERE gone < ?", [.int(now - Self.memory)]).run()
        try Query(
            db,
            """
            DELETE FROM file WHERE id IN (
                SELECT id FROM file WHERE gone IS NOT NULL ORDER BY gone DESC, id DESC LIMIT -1 OFFSET \(goneLimit)
            )
            """
        ).run()
    }
}
