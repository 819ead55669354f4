internal import AudioTypes
internal import Charsets

/// M3U and M3U8: one location per line, with lines that start with `#` between them.
///
/// Supports, besides locations: `#EXTINF` (duration, attributes, `Artist - Title` or a station's name), `#PLAYLIST`, `#EXTALB`, `#EXTART`,
/// `#EXTGENRE`, `#EXTGRP`, `#EXTENC`, and VLC's `#EXTVLCOPT` for start and end. Other directives are comments.
struct M3UParser {
    private var builder: PlaylistBuilder
    private var pending = Pending()
    /// The tags of `#EXTALB` and the like for all following entries, until they are changed.
    private var album = Tags()

    /// The attributes of the entry whose location is still to come.
    private struct Pending {
        var tags = Tags()
        /// The words behind an `#EXTINF`.
        var name: ArraySlice<UInt8> = []
        var duration: MediaTime?
        var start: MediaTime?
        var end: MediaTime?
        /// The line of an `#EXTINF`, which requires a location.
        var promisedBy: Int?
        /// Whether the next line may name a cover's file.
        var mayBePicture = false
    }

    static func parse(_ text: SourceText, limits: ParseLimits) throws(ParseError) -> Playlist {
        var parser = M3UParser(builder: PlaylistBuilder(format: .m3u, text: text, limits: limits))
        for line in text.lines {
            let content = line.bytes.trimmed
            guard !content.isEmpty else { continue }
            if content.first == .hash {
                if isMediaManifestDirective(content) { throw .mediaManifest }
                if parser.builder.accepts(line) { parser.read(directive: content, line: line.number) }
            } else if parser.builder.accepts(line) {
                parser.read(location: content, line: line.number)
            }
            if parser.builder.isFull { break }
        }
        if let line = parser.pending.promisedBy { parser.builder.report(.missingLocation, line: line) }
        return parser.builder.playlist
    }

    private init(builder: PlaylistBuilder) { self.builder = builder }

    /// The character set that a list names near its start, with `#EXTENC:`; `nil` also for UTF-8, which is recognised in any case.
    static func declaredCharset(_ content: [UInt8]) -> Charset? {
        let head = content.prefix(4_096).split(whereSeparator: { $0 == .lineFeed || $0 == .carriageReturn })
        let charset = head.firstNonNil { $0.dropping(prefix: "#EXTENC:").flatMap { Charset(named: $0.trimmed.text) } }
        return charset == .utf8 ? nil : charset
    }

    private mutating func read(location: ArraySlice<UInt8>, line: Int) {
        let isStation = ["http://", "https://"].contains { location.dropping(prefix: $0) != nil }
        let location = location.text
        if pending.mayBePicture, isPicture(location) {
            pending.mayBePicture = false
            return
        }
        // A station's name is one, whatever is in it; of a length, or in a file, it is a song's.
        pending.tags.setName(pending.name, isStation: isStation && pending.duration == nil)
        var tags = pending.tags
        for name in album.names where tags[name] == nil { tags.set(name, to: album[name]) }
        var entry = MediaEntry(location: location, tags: tags, duration: pending.duration)
        entry.start = pending.start
        if let end = pending.end, end <= pending.start ?? .zero {
            builder.report(.invalidTime("stop-time=\(end.seconds)"), line: line)
        } else {
            entry.end = pending.end
        }
        builder.append(entry, line: line)
        pending = Pending()
    }

    private mutating func read(directive: ArraySlice<UInt8>, line: Int) {
        // Almost all directives are this one, so it is tried first.
        if let rest = directive.dropping(prefix: "#EXTINF:") {
            if let earlier = pending.promisedBy { builder.report(.missingLocation, line: earlier) }
            pending.promisedBy = line
            read(information: rest, line: line)
        } else if let rest = directive.dropping(prefix: "#EXTVLCOPT:") {
            read(option: rest.trimmed, line: line)
        } else if let rest = directive.dropping(prefix: "#PLAYLIST:") {
            builder.setTitle(rest.trimmed.text)
        } else if let rest = directive.dropping(prefix: "#EXTALB:") {
            album.set("album", to: rest.trimmed.text)
        } else if let rest = directive.dropping(prefix: "#EXTART:") {
            album.set("album_artist", to: rest.trimmed.text)
        } else if let rest = directive.dropping(prefix: "#EXTGENRE:") {
            album.set("genre", to: rest.trimmed.text)
        } else if let rest = directive.dropping(prefix: "#EXTGRP:") {
            pending.tags.set("grouping", to: rest.trimmed.text)
        } else if directive.dropping(prefix: "#EXTIMG:") != nil {
            pending.mayBePicture = true
        } else if let rest = directive.dropping(prefix: "#EXTENC:") {
            let name = rest.trimmed
            if Charset(named: name.text) == nil, !name.isWord("UTF-16") {
                builder.report(.unknownEncoding(name.text), line: line)
            }
        }
    }

    /// Parses the text after `#EXTINF:`, such as `215 name="value",Artist - Title`.
    private mutating func read(information: ArraySlice<UInt8>, line: Int) {
        let (head, title) = splitOutsideQuotes(information) ?? (information, [])
        let (duration, attributes) = head.firstWord
        if let seconds = duration.decimalSeconds {
            // Both 0 and −1 mean unknown.
            pending.duration = seconds > 0 ? MediaTime(seconds: seconds) : nil
        } else if !duration.isEmpty {
            builder.report(.invalidDuration(duration.text), line: line)
        }
        read(attributes: attributes)
        pending.name = title.trimmed
    }

    /// Parses `name="value"`, repeated; each becomes a tag, at most 64 of them.
    private mutating func read(attributes: ArraySlice<UInt8>) {
        var rest = attributes
        for _ in 0..<64 {
            guard let (name, value) = rest.split(atFirst: .equals), value.first == .quote else { return }
            guard let (text, next) = value.dropFirst().split(atFirst: .quote) else { return }
            let key = name.trimmed
            if !key.isEmpty, key.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit || $0 == .minus || $0 == 0x5f }) {
                pending.tags.set(key.text, to: text.text)
            }
            rest = next
        }
    }

    /// Parses `start-time=12.5` and `stop-time=30`, also with the dashes or the colon of command-line options.
    private mutating func read(option: ArraySlice<UInt8>, line: Int) {
        let option = option.drop { $0 == .minus || $0 == .colon }
        let value: ArraySlice<UInt8>
        let isStart: Bool
        if let rest = option.dropping(prefix: "start-time=") {
            (value, isStart) = (rest, true)
        } else if let rest = option.dropping(prefix: "stop-time=") {
            (value, isStart) = (rest, false)
        } else {
            return
        }
        guard let seconds = value.trimmed.decimalSeconds, seconds >= 0 else {
            return builder.report(.invalidTime(option.text), line: line)
        }
        let time = MediaTime(seconds: seconds)
        if isStart { pending.start = time } else { pending.end = time }
    }
}

extension Tags {
    /// Sets a title, and an artist where `Artist - Title` is no station's name.
    fileprivate mutating func setName(_ name: ArraySlice<UInt8>, isStation: Bool) {
        guard !name.isEmpty else { return }
        // Trimmed text neither starts nor ends with the separator's spaces, so both sides of it are non-empty.
        if !isStation, let dash = name.indices.first(where: { name[$0...].starts(with: " - ".utf8) }) {
            set("artist", to: name[..<dash].trimmed.text)
            set("title", to: name[(dash + 3)...].trimmed.text)
        } else {
            set("title", to: name.text)
        }
    }
}

/// Whether this line makes an M3U an HLS manifest.
///
/// RFC 8216 requires `TARGETDURATION` in every media playlist, and a master playlist consists of `STREAM-INF`s. Other
/// `#EXT-X-` directives also occur in lists of television stations.
func isMediaManifestDirective(_ line: ArraySlice<UInt8>) -> Bool {
    guard let rest = line.dropping(prefix: "#EXT-X-") else { return false }
    return rest.dropping(prefix: "TARGETDURATION:") != nil || rest.dropping(prefix: "STREAM-INF:") != nil
        || rest.dropping(prefix: "MEDIA-SEQUENCE:") != nil || rest.dropping(prefix: "I-FRAME-STREAM-INF:") != nil
}

private func isPicture(_ location: String) -> Bool {
    switch pathExtension(of: location)?.lowercased() {
    case "jpg", "jpeg", "png", "gif", "webp", "bmp", "avif": true
    default: false
    }
}

/// Splits at the first comma outside of double quotes.
private func splitOutsideQuotes(_ bytes: ArraySlice<UInt8>) -> (ArraySlice<UInt8>, ArraySlice<UInt8>)? {
    var isQuoted = false
    for index in bytes.indices {
        switch bytes[index] {
        case .quote: isQuoted.toggle()
        case .comma where !isQuoted: return (bytes[..<index], bytes[(index + 1)...])
        default: break
        }
    }
    // An odd quote: a title such as `12" Mix` after no attributes.
    return bytes.split(atFirst: .comma)
}
