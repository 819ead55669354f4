internal import LibraryIndex
internal import LibraryService
internal import LineProtocol
internal import MusicDirectories
internal import ServerMusic
internal import ServerRequests
internal import Songs
internal import Stickers
internal import Threads

/// `sticker find TYPE URI NAME` and its options: an operator with a value, `sort KEY`, `window START:END`.
struct StickerSearch: Sendable {
    let name: String
    private(set) var window = 0..<Int.max
    private let type: StickerType
    private let base: String
    private var condition: StickerCondition?
    private var sort = StickerSort(.uri)

    /// - Parameter words: The arguments from NAME on.
    init(_ type: StickerType, below base: String, _ words: [String]) throws(AckError) {
        self.type = type
        self.base = base
        name = words[0]
        let bad = AckError(.badArgument, "bad request")
        var words = words.dropFirst()
        while let word = words.popFirst() {
            guard let value = words.popFirst() else { throw bad }
            switch word {
            case "sort":
                guard let sort = StickerSort(value) else {
                    throw AckError(.badArgument, "Unknown sort tag \"\(value)\"")
                }
                self.sort = sort
            case "window":
                let range = try QueueRange(parsing: value)
                window = range.start..<(range.end ?? Int.max)
            default:
                guard condition == nil, let comparison = StickerCondition.Comparison(rawValue: word) else {
                    throw AckError(.badArgument, "bad operator")
                }
                condition = StickerCondition(comparison, value)
            }
        }
    }

    func find(in stickers: StickerStore, window: Range<Int>? = nil) -> [StickerStore.Found] {
        stickers.find(type, below: base, name, where: condition, sortedBy: sort, window: window)
    }
}

/// The result of a sticker search.
///
/// Stickers of songs that do not exist are left out, but kept until the song comes back.
struct FoundSongStickers: PageMaker {
    private let search: StickerSearch
    private let library: LibraryView
    private let music: MusicDirectory
    private var stickers: StickerStore?
    /// Stickers that have not been checked yet.
    private var found: ArraySlice<StickerStore.Found> = []
    /// The number of stickers so far whose songs exist.
    private var count = 0

    /// Of a line, in bytes.
    private let longestValue: Int

    private static let pageSize = 512

    init(
        _ search: StickerSearch,
        _ stickers: StickerStore,
        _ library: LibraryView,
        _ music: MusicDirectory,
        longestValue: Int
    ) {
        self.longestValue = longestValue
        self.search = search
        self.stickers = stickers
        self.library = library
        self.music = music
    }

    mutating func makePage(_ bytes: inout [UInt8], _ cancellation: Cancellation) throws -> Bool {
        if let stickers {
            found = search.find(in: stickers)[...]
            // Release the store: as its only owner, the service can then change it without a copy.
            self.stickers = nil
        }
        let page = found.prefix(Self.pageSize)
        found = found.dropFirst(Self.pageSize)
        let isKnown = try library.read { try $0.hasSongs(page.map(\.uri)) }
        var reply = Reply()
        reply.longestValue = longestValue
        for (sticker, isKnown) in zip(page, isKnown) where isKnown || isThere(sticker.uri) {
            if search.window.contains(count) {
                reply.line("file", withoutCredentials(sticker.uri))
                reply.appendSticker(search.name, sticker.value)
            }
            count += 1
        }
        bytes += reply.bytes
        return !found.isEmpty && count < search.window.upperBound
    }

    /// Whether a URI that is not in the library is a song nevertheless, by the rules of the other sticker commands.
    private func isThere(_ uri: String) -> Bool {
        library.visible == nil && (hasScheme(uri) || (try? music.unexamined(uri)) != nil)
    }
}
