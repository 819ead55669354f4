internal import CivilTime
internal import LibraryIndex
internal import LibraryService
internal import LineProtocol
internal import PictureValues
internal import ServerBasics
internal import ServerMusic
internal import ServerRequests
internal import SongFilters
internal import Songs
internal import Threads

/// The arguments of `library media`: a kind, a URI, and keys with values.
struct MediaRequest {
    let filter: MediaFilter
    /// Without slashes at its end.
    let uri: String
    let window: Range<Int>

    init(_ words: [String]) throws {
        var words = words[...]
        var window: Range<Int>?
        var chosen: MediaFilter?
        while words.count >= 2, let value = words.last {
            let key = words[words.endIndex - 2]
            if key == "window", window == nil {
                window = try parseWindow(value)
            } else if key == "filter", chosen == nil {
                chosen = try MediaFilter(parsing: value)
            } else {
                break
            }
            words = words.dropLast(2)
        }
        let kind: MediaFilter? =
            switch words.first.flatMap(LibraryMedium.Kind.init) {
            case .image: .images
            case .video: .videos
            case nil: nil
            }
        if kind != nil { words = words.dropFirst() }
        guard words.count <= 1 else { throw AckError(.badArgument, "too many arguments for \"library media\"") }
        var uri = words.first ?? ""
        while uri.hasSuffix("/") { uri.removeLast() }
        self.uri = uri
        self.window = window ?? 0..<Int.max
        filter = .all([kind, chosen].compactMap(\.self))
    }
}

extension Request<MusicServices> {
    func listMedia(_ request: MediaRequest) throws -> Outcome {
        let library = try library
        let uri = services.media.uriInMusic(request.uri)
        return try perform(on: .index) { [request] in
            try library.read { try MediaCursor($0, uri, request.filter, window: request.window) }
        } then: { cursor in
            guard let cursor else { throw AckError(.doesNotExist, "No such directory") }
            return try stream(ListedMedia(library: library, cursor: cursor))
        }
    }
}

/// The pictures and videos of the library.
struct ListedMedia: PageMaker {
    let library: LibraryView
    var cursor: MediaCursor
    /// The places of those that are chosen, by their URIs.
    var selected: [String: Int] = [:]

    private static let pageSize = 512

    mutating func makePage(_ bytes: inout [UInt8], _ cancellation: Cancellation) throws -> Bool {
        let page = try library.read { _ in try cursor.nextPage(limit: Self.pageSize) }
        var reply = Reply()
        for medium in page {
            reply.append(medium)
            if let place = selected[medium.uri] { reply.line("selected", place) }
        }
        bytes += reply.bytes
        return !cursor.isAtEnd
    }
}

extension Reply {
    mutating func append(_ medium: LibraryMedium) {
        line("file", medium.uri)
        line("kind", medium.kind.rawValue)
        line("size", medium.size)
        line("Last-Modified", timestamp(medium.lastModified))
        if let size = medium.dimensions {
            line("width", size.width)
            line("height", size.height)
        }
        if let date = medium.captured { line("captured", date.description) }
        if let duration = medium.duration { line("duration", seconds: duration) }
        if medium.isCover { line("cover", true) }
    }
}
