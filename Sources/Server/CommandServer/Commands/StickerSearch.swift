internal import LineProtocol
internal import MediaLibrary
internal import MusicFiles
internal import MusicLibrary
internal import Songs
internal import Stickers

/// `sticker find TYPE URI NAME`, and what may follow: an operator and a value, `sort KEY`, `window START:END`.
struct StickerSearch: Sendable {
    let name: String
    private(set) var window = 0..<Int.max
    private let type: StickerType
    private let base: String
    private var condition: StickerCondition?
    private var sort = StickerSort(.uri)

    /// - Parameter words: From the name on.
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

/// The stickers that a search finds, of the songs that are there: those of a song that is gone wait until it comes back.
struct FoundSongStickers: PageMaker {
    private let search: StickerSearch
    private let library: MusicLibrary
    private let music: MusicDirectory
    private var stickers: StickerStore?
    /// What is to be looked for yet.
    private var found: ArraySlice<StickerStore.Found> = []
    /// How many songs were there.
    private var count = 0

    private static let pageSize = 512

    init(_ search: StickerSearch, _ stickers: StickerStore, _ library: MusicLibrary, _ music: MusicDirectory) {
        self.search = search
        self.stickers = stickers
        self.library = library
        self.music = music
    }

    mutating func makePage(_ bytes: inout [UInt8]) throws -> Bool {
        if let stickers {
            found = search.find(in: stickers)[...]
            // Nobody else has it then, so that changes need no copy.
            self.stickers = nil
        }
        let page = found.prefix(Self.pageSize)
        found = found.dropFirst(Self.pageSize)
        let isKnown = try library.read { try $0.hasSongs(page.map(\.uri)) }
        var reply = Reply()
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

    /// Whether something is a song that the library need not know: as for the other commands.
    private func isThere(_ uri: String) -> Bool { hasScheme(uri) || (try? music.unexamined(uri)) != nil }
}
