private import Files
internal import GRDB
internal import GRDBSQLite
private import Glibc

/// The database's files: opening, checking, setting aside.
struct LibraryFile {
    let path: String

    /// Opens the database, or an empty one if it is damaged or of another version.
    ///
    /// - Returns: Also the path of the database that was set aside.
    func open() throws -> (DatabasePool, setAside: String?) {
        // A write-ahead log that was left over means that the server was killed.
        let wasKilled = size(of: path + "-wal") > 0
        do {
            let pool = try connect()
            if wasKilled { try pool.read { db in try quickCheck(db, milliseconds: 60) } }
            return (pool, nil)
        } catch let error as DatabaseError where error.isDamage {
            let aside = try setAside()
            return (try openEmpty(), aside)
        } catch is AnotherVersion {
            let aside = try setAside()
            return (try openEmpty(), aside)
        }
    }

    func openEmpty() throws -> DatabasePool { try connect() }

    /// Renames the database and deletes its log.
    ///
    /// - Returns: The new path.
    func setAside() throws -> String {
        let aside = damagedName(for: path)
        do {
            try AtomicFile.rename(path, to: aside)
        } catch {
            throw DatabaseError(resultCode: .SQLITE_CANTOPEN, message: error.description)
        }
        try? AtomicFile.rename(path + "-wal", to: aside + "-wal")
        _ = unsafe unlink(path + "-shm")
        return aside
    }

    private struct AnotherVersion: Error {}

    private func connect() throws -> DatabasePool {
        var configuration = Configuration()
        configuration.label = "segue-library"
        configuration.maximumReaderCount = 3
        configuration.busyMode = .timeout(5)
        configuration.foreignKeysEnabled = false
        configuration.prepareDatabase { db in
            // In kB. A scan's cache is released when it ends; with a smaller one, the same pages are read and written
            // repeatedly.
            try db.execute(sql: "PRAGMA cache_size = -\(db.configuration.readonly ? 1_536 : 32_768)")
            // Bytes, for new databases: listings read consecutive rows, and every page costs a system call.
            try db.execute(sql: "PRAGMA page_size = 8192")
            try db.execute(sql: "PRAGMA wal_autocheckpoint = 4000")
            try db.execute(sql: "PRAGMA temp_store = MEMORY")
            // The library's owner may see what was removed, so deleted data need not be overwritten.
            try db.execute(sql: "PRAGMA secure_delete = OFF")
        }
        makePrivate()
        let pool = try DatabasePool(path: path, configuration: configuration)
        let migrator = Schema.migrator
        if try pool.read(migrator.hasBeenSuperseded) { throw AnotherVersion() }
        try migrator.migrate(pool)
        return pool
    }

    /// Restricts the database to its owner; SQLite creates its log and shared-memory file with the same mode.
    ///
    /// Errors are ignored here: SQLite then fails with the reason.
    private func makePrivate() {
        _ = try? Descriptor(path, .changing)
        for suffix in ["", "-wal", "-shm"] { unsafe chmod(path + suffix, 0o600) }
    }

    /// Searches for damage for a limited time; damage that is missed shows when it is read.
    private func quickCheck(_ db: Database, milliseconds: Int) throws {
        guard let connection = unsafe db.sqliteConnection else { return }
        let deadline = ContinuousClock.now + .milliseconds(milliseconds)
        let answer = unsafe try withProgress(connection, until: deadline) {
            try String.fetchOne(db, sql: "PRAGMA quick_check(1)")
        }
        if let answer, answer != "ok" { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: answer) }
    }

    /// Runs a statement that is interrupted at a deadline; `nil` when it was.
    private func withProgress<Result>(
        _ connection: OpaquePointer,
        until deadline: ContinuousClock.Instant,
        _ body: () throws -> Result?
    ) throws -> Result? {
        var deadline = deadline
        return try unsafe withUnsafeMutablePointer(to: &deadline) { deadline in
            unsafe sqlite3_progress_handler(connection, 1_000, isOver, deadline)
            defer { unsafe sqlite3_progress_handler(connection, 0, nil, nil) }
            do {
                return try body()
            } catch let error as DatabaseError where error.resultCode == .SQLITE_INTERRUPT {
                return nil
            }
        }
    }

    private func size(of path: String) -> Int {
        (try? FileStatus(of: path).size) ?? 0
    }
}

/// The progress handler of SQLite.
private func isOver(_ deadline: UnsafeMutableRawPointer?) -> CInt {
    guard let deadline = unsafe deadline?.assumingMemoryBound(to: ContinuousClock.Instant.self) else { return 0 }
    return unsafe ContinuousClock.now > deadline.pointee ? 1 : 0
}
