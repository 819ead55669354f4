internal import GRDB
internal import GRDBSQLite

/// A prepared statement, bound and stepped by hand: for most of our queries, GRDB's rows cost more than the search
/// itself.
///
/// The connection caches statements by their text: never run one inside another with the same text.
@safe
struct Query {
    private let statement: Statement
    private let handle: OpaquePointer

    init(_ db: Database, _ sql: String) throws {
        statement = try db.cachedStatement(sql: sql)
        unsafe handle = statement.sqliteStatement
        unsafe sqlite3_reset(handle)
    }

    /// The same, with arguments in order.
    init(_ db: Database, _ sql: String, _ arguments: [Argument]) throws {
        try self.init(db, sql)
        for (index, argument) in arguments.enumerated() { bind(index + 1, argument) }
    }

    // MARK: - Arguments, counted from 1

    enum Argument: Sendable {
        case int(Int)
        case text(String)
        case bytes([UInt8])
        /// Bytes that are compared as text, but need not be UTF-8.
        case rawText([UInt8])
        case null
    }

    func bind(_ index: Int, _ argument: Argument) {
        switch argument {
        case .int(let value): bind(index, value)
        case .text(let text): bind(index, text)
        case .bytes(let bytes): bind(index, bytes)
        case .rawText(let bytes): bindText(index, bytes)
        case .null: unsafe sqlite3_bind_null(handle, CInt(index))
        }
    }

    func bind(_ index: Int, _ value: Int) { unsafe sqlite3_bind_int64(handle, CInt(index), Int64(value)) }

    func bind(_ index: Int, _ value: Int?) { bind(index, value.map { .int($0) } ?? .null) }

    func bind(_ index: Int, _ value: Double) { unsafe sqlite3_bind_double(handle, CInt(index), value) }

    func bind(_ index: Int, _ text: String) {
        var text = text
        text.withUTF8 { bytes in
            _ = unsafe bytes.withMemoryRebound(to: CChar.self) { chars in
                // An empty text may have no address, and would be bound as NULL.
                let start = unsafe chars.baseAddress ?? UnsafePointer(bitPattern: 1)
                unsafe sqlite3_bind_text(handle, CInt(index), start, CInt(chars.count), transient)
            }
        }
    }

    func bind(_ index: Int, _ text: String?) { bind(index, text.map { .text($0) } ?? .null) }

    func bind(_ index: Int, _ bytes: [UInt8]) {
        guard !bytes.isEmpty else {
            unsafe sqlite3_bind_zeroblob(handle, CInt(index), 0)
            return
        }
        _ = unsafe bytes.withUnsafeBytes { bytes in
            unsafe sqlite3_bind_blob(handle, CInt(index), bytes.baseAddress, CInt(bytes.count), transient)
        }
    }

    private func bindText(_ index: Int, _ bytes: [UInt8]) {
        _ = unsafe bytes.withUnsafeBytes { bytes in
            let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
            unsafe sqlite3_bind_text(handle, CInt(index), start, CInt(bytes.count), transient)
        }
    }

    // MARK: - Running

    /// Runs to the end, and calls `body` for each row.
    func each(_ body: (Row) throws -> Void) throws {
        defer { unsafe sqlite3_reset(handle) }
        while try step() { try body(row) }
    }

    /// Calls `body` for each row until it returns `false`.
    func whileWanted(_ body: (Row) throws -> Bool) throws {
        defer { unsafe sqlite3_reset(handle) }
        while try step() { guard try body(row) else { return } }
    }

    /// The result of `body` for the first row, if there is one.
    func first<Result>(_ body: (Row) throws -> Result) throws -> Result? {
        defer { unsafe sqlite3_reset(handle) }
        return try step() ? try body(row) : nil
    }

    /// The next row of a statement that stays open until `reset`.
    func next() throws -> Row? { try step() ? row : nil }

    func reset() { unsafe sqlite3_reset(handle) }

    /// Runs a statement that returns no rows.
    func run() throws {
        defer { unsafe sqlite3_reset(handle) }
        while try step() {}
    }

    /// The number of rows changed by the last statement.
    var changes: Int { unsafe Int(sqlite3_changes(sqlite3_db_handle(handle))) }

    var lastInsertedID: Int { unsafe Int(sqlite3_last_insert_rowid(sqlite3_db_handle(handle))) }

    private var row: Row { unsafe Row(handle) }

    private func step() throws -> Bool {
        switch unsafe sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code:
            let message = unsafe sqlite3_errmsg(sqlite3_db_handle(handle)).map { unsafe String(cString: $0) }
            throw DatabaseError(resultCode: ResultCode(rawValue: code), message: message, sql: statement.sql)
        }
    }

    /// The current row of a statement; columns are counted from 0.
    @safe
    struct Row {
        private let handle: OpaquePointer

        fileprivate init(_ handle: OpaquePointer) { unsafe self.handle = handle }

        func int(_ column: Int) -> Int { unsafe Int(sqlite3_column_int64(handle, CInt(column))) }

        func optionalInt(_ column: Int) -> Int? { isNull(column) ? nil : int(column) }

        func optionalDouble(_ column: Int) -> Double? { isNull(column) ? nil : double(column) }

        func double(_ column: Int) -> Double { unsafe sqlite3_column_double(handle, CInt(column)) }

        func isNull(_ column: Int) -> Bool { unsafe sqlite3_column_type(handle, CInt(column)) == SQLITE_NULL }

        func text(_ column: Int) -> String { unsafe withBytes(column) { unsafe String(decoding: $0, as: UTF8.self) } }

        func optionalText(_ column: Int) -> String? { isNull(column) ? nil : text(column) }

        func bytes(_ column: Int) -> [UInt8] { unsafe withBytes(column) { unsafe Array($0) } }

        /// The bytes of a text or blob in SQLite's memory.
        func withBytes<Result>(_ column: Int, _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
            let start = unsafe sqlite3_column_blob(handle, CInt(column))
            let count = unsafe Int(sqlite3_column_bytes(handle, CInt(column)))
            return unsafe try body(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
        }
    }
}

/// Tells SQLite to make a copy.
private nonisolated(unsafe) let transient = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
