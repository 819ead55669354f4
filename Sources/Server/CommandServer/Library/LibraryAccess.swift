internal import LineProtocol
internal import MediaLibrary
internal import Mixing
internal import MusicFiles
internal import MusicLibrary
internal import NIOPosix
internal import SongFilters
internal import Songs
private import Synchronization

/// Asking the library.
extension ServerState {
    func musicLibrary() throws(AckError) -> MusicLibrary {
        guard let library else { throw AckError(.doesNotExist, "No database") }
        return library
    }

    /// The library, once everything was read: what is not in it then is asked of the file system, and so is all before that.
    var completeLibrary: MusicLibrary? { library?.isComplete == true ? library : nil }

    /// Starts work on a thread that may block; slow work on one that nobody else waits for.
    ///
    /// One slow work is done at a time, so that there is always somebody free to read the library for the others.
    func workers(isSlow: Bool) -> (@escaping @Sendable () -> Void) -> Void {
        guard isSlow else { return { [pool] body in pool.submit { _ in body() } } }
        return { [slowWork] body in WorkThread.start(named: "segue-query") { slowWork.carryOut(body) } }
    }
}

extension MusicLibrary {
    /// A song as the library knows it, unless its file is another one now; `nil` when it does not know it yet.
    ///
    /// Blocks.
    func song(_ uri: String, in music: MusicDirectory) -> Song? {
        guard let song = try? read({ try $0.song(uri) }),
            let state = try? music.state(of: uri), song.lastModified == state.lastModified
        else { return nil }
        return song
    }
}

/// Lets one thread at a time do what may take long.
final class SlowWork: Sendable {
    private let lock = Mutex(())

    /// Blocks until the others are done.
    func carryOut(_ body: () -> Void) { lock.withLock { _ in body() } }
}

extension Client {
    /// Asks the library on another thread, and goes on with the answer.
    ///
    /// - Parameter filter: What decides how long it may take.
    func ask<Value: Sendable>(
        _ filter: SongFilter?,
        _ body: @escaping @Sendable (LibraryReader) throws -> Value,
        then: @escaping (Value) throws -> Outcome
    ) throws -> Outcome {
        let library = try server.musicLibrary()
        return server.perform(
            for: self,
            on: server.workers(isSlow: filter?.hasPatterns == true),
            { try library.read(body) },
            then: then
        )
    }
}

/// The songs that a query finds.
struct FoundSongs: PageMaker {
    private let library: MusicLibrary
    private let query: SongQuery
    private let tags: TagMask
    private var numbers: [Int]?
    private var place = 0

    private static let pageSize = 512

    init(_ library: MusicLibrary, _ query: SongQuery, _ tags: TagMask) {
        self.library = library
        self.query = query
        self.tags = tags
    }

    mutating func makePage(_ bytes: inout [UInt8]) throws -> Bool {
        let found: [Int]
        if let numbers { found = numbers } else { found = try library.read { try $0.find(query) } }
        numbers = found
        let end = min(found.count, place + Self.pageSize)
        let page = found[place..<end]
        try library.read { try $0.appendLines(of: page, tags: tags, to: &bytes) }
        place = end
        return place < found.count
    }
}

/// All songs of a directory, as `listall` and `listallinfo` show them.
struct WalkedSongs: PageMaker {
    private let library: MusicLibrary
    private let form: LibraryWalk.Form
    private var walk: LibraryWalk

    private static let pageSize = 512

    init(_ library: MusicLibrary, _ walk: LibraryWalk, _ form: LibraryWalk.Form) {
        self.library = library
        self.walk = walk
        self.form = form
    }

    mutating func makePage(_ bytes: inout [UInt8]) throws -> Bool {
        try library.read { _ in try walk.appendPage(form, limit: Self.pageSize, to: &bytes) }
    }
}
