internal import GRDB
internal import GRDBSQLite
private import Glibc

/// The database as files: opening, checking, setting aside.
struct LibraryFile {
    let path: String

    /// Opens the database, or an empty one in place of one that is damaged or another version's.
    ///
    /// - Returns: Also where the old one was set aside.
    func open() throws -> (DatabasePool, setAside: String?) {
        // A log that was not taken over tells of an end by force.
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

    /// Renames the database and takes its log away.
    ///
    /// - Returns: Where it is now.
    func setAside() throws -> String {
        var number = 1
        while unsafe access(path + ".damaged-\(number)", F_OK) == 0 { number += 1 }
        let aside = path + ".damaged-\(number)"
        guard unsafe rename(path, aside) == 0 else {
            throw DatabaseError(resultCode: .SQLITE_CANTOPEN, message: unsafe String(cString: strerror(errno)))
        }
        _ = unsafe rename(path + "-wal", aside + "-wal")
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
            // In kB. What a scan fills is given back when it ends; with less of it, pages are read and written over and over.
            try db.execute(sql: "PRAGMA cache_size = -\(db.configuration.readonly ? 1_536 : 32_768)")
            // Bytes, of a new database: a listing reads a row after another, and every page costs a call.
            try db.execute(sql: "PRAGMA page_size = 8192")
            try db.execute(sql: "PRAGMA wal_autocheckpoint = 4000")
            try db.execute(sql: "PRAGMA temp_store = MEMORY")
            // Nothing in it is secret from who can read the music.
            try db.execute(sql: "PRAGMA secure_delete = OFF")
        }
        let pool = try DatabasePool(path: path, configuration: configuration)
        let migrator = Schema.migrator
        if try pool.read(migrator.hasBeenSuperseded) { throw AnotherVersion() }
        try migrator.migrate(pool)
        return pool
    }

    /// Looks for damage for a while; what is not found then shows when it is read.
    private func quickCheck(_ db: Database, milliseconds: Int) throws {
        guard let connection = unsafe db.sqliteConnection else { return }
        let deadline = ContinuousClock.now + .milliseconds(milliseconds)
        let answer = unsafe try withProgress(connection, until: deadline) {
            try String.fetchOne(db, sql: "PRAGMA quick_check(1)")
        }
        if let answer, answer != "ok" { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: answer) }
    }

    /// Runs a statement that is interrupted at a time; `nil` when it was.
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
        var status = stat()
        return unsafe stat(path, &status) == 0 ? Int(status.st_size) : 0
    }
}

/// What SQLite calls every so many instructions.
private func isOver(_ deadline: UnsafeMutableRawPointer?) -> CInt {
    guard let deadline = unsafe deadline?.assumingMemoryBound(to: ContinuousClock.Instant.self) else { return 0 }
    return unsafe ContinuousClock.now > deadline.pointee ? 1 : 0
}
