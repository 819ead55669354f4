/// One song as MPD's clients see it: where it is, and what is known of it.
///
/// Immutable, and kept as the very lines that go over the wire, so that listing a hundred thousand of them copies bytes.
package final class Song: Sendable {
    /// The path below the music directory, or a URL; what `add` takes.
    ///
    /// What is written out of it never shows a URL's credentials.
    package let uri: String
    /// What of the medium is the song, in seconds; `nil` for all of it.
    package let range: Range?
    /// Seconds since 1970; `nil` when unknown.
    package let lastModified: Int?
    package let added: Int?
    /// Sample rate, bits and channels, such as `44100:16:2`; `nil` when unknown.
    package let format: String?
    /// In seconds; `nil` when unknown or endless.
    ///
    /// Of the range, where there is one.
    package let duration: Double?
    /// Whether the medium was looked into; until then there are no tags and no duration.
    package let isExamined: Bool

    /// The block's lines: what comes before the tags, the tags, the times.
    private let bytes: [UInt8]
    private let lines: [Line]
    private let tagsStart: Int

    private struct Line {
        let tag: TagType
        /// In bytes, the line feed included.
        let length: UInt32
    }

    /// A stretch of a medium, in seconds.
    package struct Range: Sendable, Hashable {
        package var start: Double
        /// `nil`: to the medium's end.
        package var end: Double?

        package init(start: Double, end: Double? = nil) {
            self.start = start
            self.end = end
        }
    }

    package init(
        uri: String,
        range: Range? = nil,
        lastModified: Int? = nil,
        added: Int? = nil,
        format: String? = nil,
        tags: [(TagType, String)] = [],
        duration: Double? = nil,
        isExamined: Bool = false
    ) {
        self.uri = uri
        self.range = range
        self.lastModified = lastModified
        self.added = added
        self.format = format
        let duration = duration.flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
        self.duration = duration
        self.isExamined = isExamined
        var block = SongBlock()
        block.line("file", withoutCredentials(uri))
        if let range { block.range(range) }
        if let lastModified { block.line("Last-Modified", timestamp(lastModified)) }
        if let added { block.line("Added", timestamp(added)) }
        if let format { block.line("Format", format) }
        tagsStart = block.bytes.count
        var lines: [Line] = []
        lines.reserveCapacity(tags.count)
        for (tag, value) in tags {
            let start = block.bytes.count
            block.line(tag.name, value)
            lines.append(Line(tag: tag, length: UInt32(block.bytes.count - start)))
        }
        self.lines = lines
        if let duration { block.duration(duration) }
        bytes = block.bytes
    }

    /// The tags in their order; some kinds may come several times.
    package var tags: [(TagType, String)] {
        var place = tagsStart
        return lines.map { line in
            let end = place + Int(line.length)
            defer { place = end }
            let value = bytes[(place + line.tag.name.utf8.count + 2)..<(end - 1)]
            return (line.tag, String(decoding: value, as: UTF8.self))
        }
    }

    /// The values of one kind of tag.
    package func values(of tag: TagType) -> [String] { tags.filter { $0.0 == tag }.map(\.1) }

    /// What a look through the values of a kind of tag found.
    package enum ValueSearch: Sendable, Hashable {
        /// There is no such tag.
        case absent
        case mismatched
        case matched
    }

    /// Looks for a value as it is stored, in UTF-8, without making strings of any.
    ///
    /// - Parameter tag: `nil` looks through the tags of all kinds.
    package func search(_ tag: TagType?, for isMatch: (ArraySlice<UInt8>) -> Bool) -> ValueSearch {
        var result = ValueSearch.absent
        var place = tagsStart
        for line in lines {
            let end = place + Int(line.length)
            defer { place = end }
            guard tag == nil || line.tag == tag else { continue }
            if isMatch(bytes[(place + line.tag.name.utf8.count + 2)..<(end - 1)]) { return .matched }
            result = .mismatched
        }
        return result
    }

    /// Adds the song's lines, from `file:` to `duration:`, with the tags of a mask.
    package func append(to target: inout [UInt8], tags mask: TagMask) {
        // Mostly all of them are wanted.
        if lines.allSatisfy({ mask.contains($0.tag) }) { return target.append(contentsOf: bytes) }
        target.append(contentsOf: bytes[..<tagsStart])
        var place = tagsStart
        for line in lines {
            let end = place + Int(line.length)
            if mask.contains(line.tag) { target.append(contentsOf: bytes[place..<end]) }
            place = end
        }
        target.append(contentsOf: bytes[place...])
    }

    /// How long the whole medium is; `nil` when only the length of a part that ends within it is known.
    package var mediumDuration: Double? {
        guard let range else { return duration }
        return range.end == nil ? duration.map { $0 + range.start } : nil
    }

    /// The same song with another range; the duration follows it.
    package func with(range: Range?, mediumDuration: Double?) -> Song {
        let end = range?.end ?? mediumDuration
        let duration = end.map { max(0, $0 - (range?.start ?? 0)) }
        return Song(
            uri: uri,
            range: range,
            lastModified: lastModified,
            added: added,
            format: format,
            tags: tags,
            duration: duration,
            isExamined: isExamined
        )
    }

    /// The same song with other tags.
    package func with(tags: [(TagType, String)]) -> Song {
        Song(
            uri: uri,
            range: range,
            lastModified: lastModified,
            added: added,
            format: format,
            tags: tags,
            duration: duration,
            isExamined: isExamined
        )
    }
}

/// Whether a URI names a place on the network or another scheme's, rather than a path below the music directory.
package func hasScheme(_ uri: some StringProtocol) -> Bool {
    guard let colon = uri.utf8.firstIndex(of: UInt8(ascii: ":")), colon != uri.utf8.startIndex,
        uri.utf8[colon...].starts(with: "://".utf8)
    else { return false }
    return uri.utf8[..<colon].allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}

/// A URL without `user:password@`; anything else as it is.
package func withoutCredentials(_ uri: String) -> String {
    guard hasScheme(uri), let scheme = uri.firstRange(of: "://") else { return uri }
    let rest = uri[scheme.upperBound...]
    let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    guard let at = authority.lastIndex(of: "@") else { return uri }
    return String(uri[..<scheme.upperBound] + rest[rest.index(after: at)...])
}
