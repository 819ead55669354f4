/// A player's description of its current media, like MPNowPlayingInfoCenter's dictionary: replaced as a whole.
package struct NowPlayingInfo: Sendable, Hashable {
    package var title: String?
    package var artists: [String] = []
    package var album: String?
    package var albumArtists: [String] = []
    package var composers: [String] = []
    package var genres: [String] = []
    package var track: Int?
    package var trackCount: Int?
    package var disc: Int?
    package var discCount: Int?
    /// In seconds.
    package var duration: Double?
    /// In seconds, as of the moment that it was told; receivers go on from there with `rate`.
    package var elapsed: Double?
    /// 0 while paused; `nil` is 1 while the session plays.
    package var rate: Double?
    package var defaultRate: Double?
    /// A file's path, or an address.
    package var artwork: String?
    package var uri: String?
    /// Identifies the content beyond this connection.
    package var persistentID: String?
    package var mediaType: String?
    /// Counted from 0.
    package var queueIndex: Int?
    package var queueCount: Int?
    /// Counted from 0.
    package var chapter: Int?
    package var chapterCount: Int?
    package var isLive = false
    /// `off`, `one` or `all`.
    package var repeatMode: String?
    /// `off`, `items` or `collections`.
    package var shuffleMode: String?

    /// In bytes, of one value.
    package static let longestText = 4_096
    /// In seconds: some 317 years.
    package static let longestTime = 1e10
    /// Of one key.
    package static let valueLimit = 32

    package init() {}

    package var isEmpty: Bool { self == NowPlayingInfo() }

    /// Reads keys and values: `title "So What" artist "Miles Davis"`; keys of lists may come several times.
    ///
    /// - Throws: `NowPlayingError`, which names the key.
    package init(parsing words: [String]) throws(NowPlayingError) {
        guard words.count.isMultiple(of: 2) else { throw NowPlayingError("each key has a value") }
        for index in stride(from: 0, to: words.count, by: 2) { try set(words[index], words[index + 1]) }
    }

    private mutating func set(_ key: String, _ value: String) throws(NowPlayingError) {
        guard let known = Self.keys.first(where: { "\($0.name)" == key }) else {
            throw NowPlayingError("there is no key '\(key)'; known are \(Self.names)")
        }
        guard (1...Self.longestText).contains(value.utf8.count) else {
            throw NowPlayingError("\(key) has 1 to \(Self.longestText) bytes")
        }
        switch known.place {
        case .text(let path): self[keyPath: path] = value
        case .list(let path):
            guard self[keyPath: path].count < Self.valueLimit else {
                throw NowPlayingError("\(key) comes at most \(Self.valueLimit) times")
            }
            self[keyPath: path].append(value)
        case .count(let path):
            guard let number = Int32(value), number >= 0 else {
                throw NowPlayingError("\(key) is a whole number from 0 to \(Int32.max)")
            }
            self[keyPath: path] = Int(number)
        case .number(let path, let range):
            guard let number = Double(value), range.contains(number) else {
                throw NowPlayingError("\(key) is a number from \(range.lowerBound) to \(range.upperBound)")
            }
            self[keyPath: path] = number
        case .word(let path, let words):
            guard words.contains(value) else {
                throw NowPlayingError("\(key) is \(words.joined(separator: " or "))")
            }
            self[keyPath: path] = value
        case .truth(let path):
            guard ["0", "1"].contains(value) else { throw NowPlayingError("\(key) is 0 or 1") }
            self[keyPath: path] = value == "1"
        }
    }

    private enum Place: Sendable {
        case text(any WritableKeyPath<NowPlayingInfo, String?> & Sendable)
        case list(any WritableKeyPath<NowPlayingInfo, [String]> & Sendable)
        case count(any WritableKeyPath<NowPlayingInfo, Int?> & Sendable)
        case number(any WritableKeyPath<NowPlayingInfo, Double?> & Sendable, ClosedRange<Double>)
        case word(any WritableKeyPath<NowPlayingInfo, String?> & Sendable, [String])
        case truth(any WritableKeyPath<NowPlayingInfo, Bool> & Sendable)
    }

    private static var names: String { keys.map { "\($0.name)" }.joined(separator: ", ") }

    private static let keys: [(name: StaticString, place: Place)] = [
        ("title", .text(\.title)), ("artist", .list(\.artists)), ("album", .text(\.album)),
        ("albumartist", .list(\.albumArtists)), ("composer", .list(\.composers)), ("genre", .list(\.genres)),
        ("track", .count(\.track)), ("trackcount", .count(\.trackCount)), ("disc", .count(\.disc)),
        ("disccount", .count(\.discCount)), ("duration", .number(\.duration, 0...longestTime)),
        ("elapsed", .number(\.elapsed, 0...longestTime)), ("rate", .number(\.rate, -16...16)),
        ("defaultrate", .number(\.defaultRate, -16...16)), ("artwork", .text(\.artwork)), ("uri", .text(\.uri)),
        ("persistentid", .text(\.persistentID)), ("mediatype", .text(\.mediaType)),
        ("queueindex", .count(\.queueIndex)), ("queuecount", .count(\.queueCount)), ("chapter", .count(\.chapter)),
        ("chaptercount", .count(\.chapterCount)), ("live", .truth(\.isLive)),
        ("repeat", .word(\.repeatMode, RemoteCommand.repeatModes)),
        ("shuffle", .word(\.shuffleMode, RemoteCommand.shuffleModes)),
    ]

    /// The keys that are set, with their values, in the order of the manual.
    package var lines: [(key: StaticString, value: String)] {
        Self.keys.flatMap { key in values(at: key.place).map { (key.name, $0) } }
    }

    private func values(at place: Place) -> [String] {
        switch place {
        case .text(let path), .word(let path, _): self[keyPath: path].map { [$0] } ?? []
        case .list(let path): self[keyPath: path]
        case .count(let path): self[keyPath: path].map { [String($0)] } ?? []
        case .number(let path, _): self[keyPath: path].map { [decimal($0)] } ?? []
        case .truth(let path): self[keyPath: path] ? ["1"] : []
        }
    }

    /// Whether it describes the same content as another.
    package func isSameContent(as other: NowPlayingInfo) -> Bool {
        persistentID == other.persistentID && title == other.title && artists == other.artists && album == other.album
            && uri == other.uri
    }
}
