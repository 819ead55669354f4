internal import Files
internal import LibraryIndex
internal import LibraryService
internal import LineProtocol
internal import MusicDirectories
internal import ServerBasics
internal import ServerMusic
internal import ServerRequests
internal import SongFilters
internal import Songs
internal import Threads

extension SongFilter {
    /// The work queue for queries with this filter.
    var workQueue: WorkQueue { hasPatterns ? .expressions : .index }
}

extension Request where Services: LibraryServices {
    /// The library as the client sees it.
    var library: LibraryView {
        get throws(AckError) { LibraryView(try services.upkeep.requireLibrary(), client.visible) }
    }

    /// The same, once its first scan is complete; for a client that sees a part of it also before, since such a client gets
    /// nothing from the file system.
    var completeLibrary: LibraryView? {
        let upkeep = services.upkeep
        return (client.visible == nil ? upkeep.completeLibrary : upkeep.library).map { LibraryView($0, client.visible) }
    }

    /// Queries the library on another thread, and passes the answer to `body`.
    func ask<Value: Sendable>(
        _ body: @escaping @Sendable (LibraryReader) throws -> Value,
        then: @escaping (Value) throws -> Outcome
    ) throws -> Outcome {
        try ask(nil, { reader, _ in try body(reader) }, then: then)
    }

    /// Queries the library with a filter.
    ///
    /// - Parameters:
    ///   - filter: Also decides which work queue the query runs on.
    ///   - body: Gets the filter back, which lives as long as the request.
    func ask<Value: Sendable>(
        _ filter: SongFilter?,
        _ body: @escaping @Sendable (LibraryReader, SongFilter?) throws -> Value,
        then: @escaping (Value) throws -> Outcome
    ) throws -> Outcome {
        let library = try library
        return try perform(on: filter?.workQueue ?? .index) { cancellation in
            let filter = filter?.cancelled { cancellation.isCancelled }
            return try library.read { try body($0, filter) }
        } then: {
            try then($0)
        }
    }
}

/// The songs that match a query.
struct FoundSongs: PageMaker {
    private let library: LibraryView
    private let query: SongQuery
    private let tags: TagMask
    private var numbers: [Int]?
    private var place = 0

    private static let pageSize = 512

    init(_ library: LibraryView, _ query: SongQuery, _ tags: TagMask) {
        self.library = library
        self.query = query
        self.tags = tags
    }

    mutating func makePage(_ bytes: inout [UInt8], _ cancellation: Cancellation) throws -> Bool {
        let found: [Int]
        if let numbers {
            found = numbers
        } else {
            let query = query.cancelled { cancellation.isCancelled }
            found = try library.read { try $0.find(query) }
        }
        numbers = found
        let end = min(found.count, place + Self.pageSize)
        let page = found[place..<end]
        try library.read { try $0.appendLines(of: page, tags: tags, to: &bytes) }
        place = end
        return place < found.count
    }
}

/// All songs of a directory, in the form of `listall` or `listallinfo`.
struct WalkedSongs: PageMaker {
    private let library: LibraryView
    private let form: LibraryCursor.Form
    private var cursor: LibraryCursor

    /// Entries at a time: about as many bytes of either form.
    private var pageSize: Int { form == .uris ? 4_096 : 512 }

    init(_ library: LibraryView, _ cursor: LibraryCursor, _ form: LibraryCursor.Form) {
        self.library = library
        self.cursor = cursor
        self.form = form
    }

    mutating func makePage(_ bytes: inout [UInt8], _ cancellation: Cancellation) throws -> Bool {
        try library.read { _ in try cursor.appendPage(form, limit: pageSize, to: &bytes) }
    }
}
