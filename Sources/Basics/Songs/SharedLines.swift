private import Synchronization

/// The text that the songs of an album have in common, stored once for all of them.
///
/// A song combines its `SharedLines` with its own words: a hundred thousand songs of a queue take a third of the memory
/// that they would take separately.
final class SharedLines: Sendable {
    /// The directory, then the tags' lines; for a tag that differs between songs only its name.
    ///
    /// Each ends with a line feed.
    let text: [UInt8]
    let lines: [Line]
    /// The tags of all lines, the songs' own included.
    let tags: TagMask
    /// The length of the directory in the text, including the slash at its end.
    private let directoryLength: UInt32

    struct Line {
        let tag: TagType
        /// The offset in `text` after the line feed.
        let end: UInt32

        /// Whether each song has its own value.
        var isOwn: Bool { SongWords.ownTags.contains(tag) }
    }

    var directory: ArraySlice<UInt8> { text[..<Int(directoryLength)] }
    /// Where the first line begins.
    var start: Int { Int(directoryLength) + 1 }

    /// The shared instance with this text; created when there is none.
    static func shared(_ text: [UInt8]) -> SharedLines { all.withLock { $0.shared(text) } }

    fileprivate init(_ text: [UInt8]) {
        self.text = text.exact
        var lines: [Line] = []
        var place = (text.firstIndex(of: UInt8(ascii: "\n")) ?? 0) + 1
        directoryLength = UInt32(place - 1)
        while place < text.count {
            let end = (text[place...].firstIndex(of: UInt8(ascii: "\n")) ?? text.count - 1) + 1
            let tag = unsafe text.withUnsafeBytes { text in
                unsafe TagType(lineName: text[place..<LineEnds(text, from: place).nameEnd])
            }
            if let tag { lines.append(Line(tag: tag, end: UInt32(end))) }
            place = end
        }
        self.lines = lines.exact
        tags = TagMask(lines.map(\.tag))
    }

    private static let all = Mutex(Pool())

    /// All instances in use, and at most as many unused ones.
    private struct Pool {
        /// By the text's hash; of two texts with the same hash only one is found.
        private var lines: [Int: SharedLines] = [:]
        private var limit = 1_024

        mutating func shared(_ text: [UInt8]) -> SharedLines {
            var hasher = Hasher()
            unsafe text.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
            let key = hasher.finalize()
            if let found = lines[key], found.text == text { return found }
            if lines.count >= limit { sweep() }
            let made = SharedLines(text)
            lines[key] = made
            return made
        }

        private mutating func sweep() {
            var used: [Int: SharedLines] = [:]
            for index in lines.indices where !isKnownUniquelyReferenced(&lines.values[index]) {
                used[lines[index].key] = lines[index].value
            }
            lines = used
            limit = max(1_024, 2 * lines.count)
        }
    }
}

/// Builds a song's words: its own, and those that it shares with the other songs of its album.
///
/// Reused from song to song; consecutive songs of an album are fastest.
struct SongWords {
    /// The file's name or a URL, the format, and the values of the song's own tags, each ended by a line feed.
    private(set) var own: [UInt8] = []
    private var common: [UInt8] = []
    private var last: SharedLines?

    /// - Parameters:
    ///   - file: As in the song's first line.
    ///   - format: Empty when it is unknown.
    mutating func begin(file: Slice<UnsafeRawBufferPointer>, format: Slice<UnsafeRawBufferPointer>) {
        own.removeAll(keepingCapacity: true)
        common.removeAll(keepingCapacity: true)
        let slash = unsafe file.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? file.startIndex
        unsafe common.append(contentsOf: file[..<slash])
        common.append(UInt8(ascii: "\n"))
        unsafe own.append(contentsOf: file[slash...])
        own.append(UInt8(ascii: "\n"))
        unsafe own.append(contentsOf: format)
        own.append(UInt8(ascii: "\n"))
    }

    /// Adds a tag's line.
    ///
    /// - Parameter line: In full, with its line feed.
    mutating func append(_ tag: TagType, line: Slice<UnsafeRawBufferPointer>) {
        if Self.ownTags.contains(tag) {
            let name = tag.name.utf8
            common += name
            common.append(UInt8(ascii: "\n"))
            unsafe own.append(contentsOf: line.dropFirst(name.count + 2))
        } else {
            unsafe common.append(contentsOf: line)
        }
    }

    /// The words shared with other songs.
    mutating func shared() -> SharedLines {
        if let last, last.text == common { return last }
        let lines = SharedLines.shared(common)
        last = lines
        return lines
    }

    /// The tags that usually differ within an album.
    static let ownTags = TagMask([
        .title, .titleSort, .track, .name, .work, .movement, .movementNumber, .comment,
        .musicBrainzTrack, .musicBrainzReleaseTrack, .musicBrainzWork,
    ])
}

extension Array {
    /// The same without spare capacity.
    var exact: Self {
        var exact: Self = []
        exact.reserveCapacity(count)
        exact += self
        return exact
    }
}
