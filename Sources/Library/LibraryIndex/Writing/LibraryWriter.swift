internal import GRDB
private import Glibc
internal import Songs

/// Changes the library.
///
/// Each function is one transaction, so if the server is killed, a batch is stored completely or not at all. One thread
/// writes at a time; others wait.
package struct LibraryWriter: Sendable {
    let library: Library
    /// How many files that are gone are remembered, the most recent ones.
    package var goneLimit = 100_000

    init(_ library: Library) { self.library = library }

    /// Writes a batch of some hundred changes; best those of one directory together, with the directory's own change
    /// last.
    package func apply(_ changes: [LibraryChange]) throws(LibraryError) -> LibraryOutcome {
        if changes.isEmpty { return LibraryOutcome() }
        return try library.write { db in try WriteSession(db, now: time(nil)).apply(changes) }
    }

    // MARK: - Scans

    /// Records the start of a scan; continues an interrupted scan of the same URI if that reads no fewer files.
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

    /// Records the end of a scan, and does the work that was deferred to it.
    ///
    /// - Returns: The moves that could not be determined earlier.
    @discardableResult
    package func endScan(_ scan: ScanRecord) throws(LibraryError) -> LibraryOutcome {
        defer { library.settle() }
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

    /// How long a file that is gone keeps its number, in seconds.
    private static let memory = 365 * 86_400

    private func forget(_ db: Database, _ now: Int) throws {
        let old = try Query(db, "DELETE FROM file WHERE gone < ?", [.int(now - Self.memory)])
        try old.run()
        var forgotten = old.changes
        let most = try Query(
            db,
            """
            DELETE FROM file WHERE id IN (
                SELECT id FROM file WHERE gone IS NOT NULL ORDER BY gone DESC, id DESC LIMIT -1 OFFSET \(goneLimit)
            )
            """
        )
        try most.run()
        forgotten += most.changes
        if forgotten > 0 { try LoudnessRows.forget(db) }
    }
}
