internal import GRDB
private import Glibc
private import Synchronization

/// The index of the music: one SQLite database, one writer, several readers.
///
/// What is in it can be made again from the files, so a damaged database is set aside and an empty one begun. Every
/// function is synchronous and may wait for a disk: call them from threads that may block.
package final class Library: Sendable {
    /// Where the database lies.
    package let path: String
    /// Where damaged databases were set aside when this one was opened.
    package let setAside: [String]

    private let state: Mutex<State>

    private struct State {
        var pool: DatabasePool
        /// Raised when another database takes this one's place.
        var epoch = 0
        /// Raised with every change.
        var generation = 0 {
            didSet { table = nil }
        }
        var isClosed = false
        /// Of this generation.
        var table: SongTable?
    }

    /// - Parameter path: The database's; its directory exists.
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

    /// Changes with every change to what is in the library.
    package var generation: Int { state.withLock { $0.generation } }

    /// Gives back the memory that a scan has filled; readers keep their little.
    package func releaseMemory() {
        // Each connection's own: GRDB's way for all of them starts threads, which wake up once a second for ever.
        _ = try? perform { pool in pool.writeWithoutTransaction { $0.releaseMemory() } }
    }

    /// Ends with nothing left in the write-ahead log; nothing may be read or written after it.
    package func close() {
        let pool = state.withLock { state -> DatabasePool? in
            defer { state.isClosed = true }
            return state.isClosed ? nil : state.pool
        }
        guard let pool else { return }
        // The connections that are closed last only read.
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

    /// What is kept of all songs, made if need be.
    ///
    /// - Parameter generation: Of the library before the transaction began that is to see it.
    func songTable(_ db: Database, _ generation: Int) throws -> SongTable {
        if let table = state.withLock({ $0.generation == generation ? $0.table : nil }) { return table }
        let table = try SongTable(db)
        state.withLock { if $0.generation == generation { $0.table = table } }
        return table
    }

    private func perform<Result>(_ body: (DatabasePool) throws -> Result) throws(LibraryError) -> Result {
        let (pool, epoch) = state.withLock { ($0.pool, $0.epoch) }
        do {
            return try body(pool)
        } catch let error as DatabaseError where error.isDamage {
            throw replace(epoch: epoch)
        } catch {
            throw LibraryError(error, path: path)
        }
    }

    /// Sets the database aside, unless somebody else has done it since `epoch`.
    private func replace(epoch: Int) -> LibraryError {
        state.withLock { state in
            guard state.epoch == epoch else { return .failed(path: path, reason: "it was just begun anew") }
            do {
                let file = LibraryFile(path: path)
                try? state.pool.close()
                let aside = try file.setAside()
                state.pool = try file.openEmpty()
                state.epoch += 1
                state.generation += 1
                return .damaged(path: path, setAside: aside)
            } catch {
                return LibraryError(error, path: path)
            }
        }
    }
}
