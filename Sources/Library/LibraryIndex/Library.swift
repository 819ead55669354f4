internal import GRDB
private import Glibc
private import Synchronization

/// The music index: one SQLite database, one writer, several readers.
///
/// The contents can be rebuilt from the files, so a damaged database is set aside and replaced by an empty one. All
/// functions are synchronous and may wait for a disk: call them from threads that may block.
package final class Library: Sendable {
    /// The path of the database.
    package let path: String
    /// The paths of damaged databases that were set aside when this one was opened.
    package let setAside: [String]

    private let state: Mutex<State>

    private struct State {
        /// `nil` while the database is being replaced, and when that has failed.
        var pool: DatabasePool?
        /// Incremented when the database is replaced.
        var epoch = 0
        /// Incremented with every change.
        var generation = 0 {
            didSet { (table, stats) = (nil, nil) }
        }
        var isClosed = false
        /// The table of this generation.
        var table: SongTable?
        /// The counts of this generation.
        var stats: LibraryStats?
    }

    /// - Parameter path: The path of the database; its directory must exist.
    package init(path: String) throws(LibraryError) {
        self.path = path
        do {
            let (pool, aside) = try LibraryFile(path: path).open()
            setAside = aside.map { [$0] } ?? []
            state = Mutex(State(pool: pool))
        } catch {
            throw LibraryError(error, path: path)
        }
    }

    package var writer: LibraryWriter { LibraryWriter(self) }

    package var reader: LibraryReader { LibraryReader(self) }

    /// Changes whenever the library's contents change.
    package var generation: Int { state.withLock { $0.generation } }

    /// The result of `stats`, if it was asked for since the contents last changed; cheap.
    package var knownStats: LibraryStats? { state.withLock { $0.stats } }

    /// Counts the library's contents, unless that was done since they last changed.
    func stats(_ count: (Database) throws -> LibraryStats) throws(LibraryError) -> LibraryStats {
        let (generation, known) = state.withLock { ($0.generation, $0.stats) }
        if let known { return known }
        let stats = try read(count)
        state.withLock { if $0.generation == generation { $0.stats = stats } }
        return stats
    }

    /// Releases the memory and the room on the disk that a scan has used; readers keep their small caches.
    package func settle() {
        _ = try? perform { pool in
            try pool.writeWithoutTransaction { db in
                // For this connection only: GRDB's call for all of them starts threads that wake up once a second for
                // ever.
                db.releaseMemory()
                try db.checkpoint(.truncate)
            }
        }
    }

    /// Closes the database and empties the write-ahead log; no reads or writes may follow.
    package func close() {
        let pool = state.withLock { state -> DatabasePool? in
            defer { state.isClosed = true }
            return state.isClosed ? nil : state.pool
        }
        guard let pool else { return }
        // The connections that close last are read-only, and cannot empty the log.
        _ = try? pool.writeWithoutTransaction { db in try db.checkpoint(.truncate) }
        try? pool.close()
    }

    // MARK: - Transactions

    func read<Result>(_ body: (Database) throws -> Result) throws(LibraryError) -> Result {
        try perform { pool in try pool.read(body) }
    }

    func write<Result>(_ body: (Database) throws -> Result) throws(LibraryError) -> Result {
        defer { state.withLock { $0.generation += 1 } }
        return try perform { pool in try pool.write(body) }
    }

    /// Changes what no query for songs shows, so that what is remembered of the contents stays valid.
    func writeUnseen<Result>(_ body: (Database) throws -> Result) throws(LibraryError) -> Result {
        try perform { pool in try pool.write(body) }
    }

    /// The table of all songs, made if necessary.
    ///
    /// - Parameter generation: The library's generation before the transaction that uses the table.
    func songTable(_ db: Database, _ generation: Int) throws -> SongTable {
        if let table = state.withLock({ $0.generation == generation ? $0.table : nil }) { return table }
        let table = try SongTable(db)
        state.withLock { if $0.generation == generation { $0.table = table } }
        return table
    }

    private func perform<Result>(_ body: (DatabasePool) throws -> Result) throws(LibraryError) -> Result {
        let (pool, epoch) = state.withLock { ($0.pool, $0.epoch) }
        guard let pool else { throw .failed(path: path, reason: "it is damaged, and is being replaced") }
        do {
            return try body(pool)
        } catch let error as DatabaseError where error.isDamage {
            throw replace(epoch: epoch)
        } catch {
            throw LibraryError(error, path: path)
        }
    }

    /// Sets the database aside, unless another thread has done so since `epoch`.
    ///
    /// Waits for all readers, which may access the state meanwhile: so no lock is held.
    private func replace(epoch: Int) -> LibraryError {
        let old = state.withLock { state -> DatabasePool? in
            guard state.epoch == epoch else { return nil }
            state.epoch += 1
            return state.pool.take()
        }
        guard let old else { return .failed(path: path, reason: "it was damaged, and is being replaced") }
        do {
            let file = LibraryFile(path: path)
            try? old.close()
            let aside = try file.setAside()
            let new = try file.openEmpty()
            let isClosed = state.withLock { state in
                state.generation += 1
                if !state.isClosed { state.pool = new }
                return state.isClosed
            }
            if isClosed { try? new.close() }
            return .damaged(path: path, setAside: aside)
        } catch {
            return LibraryError(error, path: path)
        }
    }
}
