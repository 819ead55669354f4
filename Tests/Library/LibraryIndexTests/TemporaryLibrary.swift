import CSQLite
import Foundation
import LibraryIndex
import MediaHeaders
import SongFilters
import Songs

/// A library in a folder of its own, which goes with it.
final class TemporaryLibrary {
    let folder: URL
    var library: Library

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "segue-library-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        library = try Library(path: folder.appending(path: "library.db").path)
    }

    deinit {
        library.close()
        try? FileManager.default.removeItem(at: folder)
    }

    var path: String { library.path }
    var reader: LibraryReader { library.reader }
    var writer: LibraryWriter { library.writer }

    /// Writes files, and puts their directories in order.
    @discardableResult
    func add(_ files: [ScannedFile]) throws -> LibraryOutcome {
        let folders = Set(files.map { parent($0.uri) }).sorted()
        return try apply(
            files.map { .file($0) } + folders.map { .directory(SeenDirectory(uri: $0, modified: 1, inode: 1)) }
        )
    }

    @discardableResult
    func apply(_ changes: [LibraryChange]) throws -> LibraryOutcome { try writer.apply(changes) }

    /// What a scan of everything does.
    @discardableResult
    func scan(_ body: () throws -> LibraryOutcome) throws -> LibraryOutcome {
        let scan = try writer.beginScan("", rereads: false)
        var outcome = try body()
        outcome.add(try writer.endScan(scan))
        return outcome
    }

    /// The number of a song.
    func number(_ uri: String) throws -> Int? { try reader.songs(below: uri)?.first }

    /// Has all that is known be so many seconds older.
    func age(by seconds: Int) throws {
        try edit("UPDATE file SET added = added - \(seconds), gone = gone - \(seconds)")
        try edit("UPDATE scan SET started = started - \(seconds)")
    }

    /// Says when a song came, which only its row tells.
    func setAdded(_ uri: String, _ added: Int) throws {
        try edit("UPDATE file SET added = \(added) WHERE id = \(number(uri) ?? 0)")
    }

    /// Changes the database by hand.
    func edit(_ sql: String) throws {
        var database: OpaquePointer?
        defer { unsafe sqlite3_close(database) }
        guard unsafe sqlite3_open(path, &database) == SQLITE_OK else { throw CocoaError(.fileReadUnknown) }
        guard unsafe sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK else {
            throw CocoaError(.fileWriteUnknown)
        }
    }

    /// All songs, in the order of a listing.
    func songs() throws -> [Song] { try reader.songs(reader.songs(below: "") ?? []) }

    func uris(_ words: [String], _ mode: SongFilter.Mode = .exact) throws -> [String] {
        try reader.songs(reader.find(SongQuery(words, mode))).map(\.uri)
    }
}

func parent(_ uri: String) -> String { uri.split(separator: "/").dropLast().joined(separator: "/") }

func file(
    _ uri: String,
    _ tags: [(TagType, String)] = [],
    duration: Double? = nil,
    portable: String? = nil,
    inode: UInt64 = 0
) -> ScannedFile {
    var file = ScannedFile(uri: uri, size: 1_000, modified: 1_700_000_000_000_000_000, inode: inode)
    file.tags = tags
    file.duration = duration
    file.portableID = portable
    return file
}

/// A generator whose numbers come again.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed &* 0x9e37_79b9_7f4a_7c15 | 1 }

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state &* 0x2545_f491_4f6c_dd1d
    }
}

extension LibraryOutcome {
    mutating func add(_ other: LibraryOutcome) {
        added += other.added
        changed += other.changed
        removed += other.removed
        moves += other.moves
    }
}
