internal import AudioTypes

/// PLS: `[playlist]`, then `File1=`, `Title1=`, `Length1=` and so on, in any order and any case.
///
/// Windows Media's lists without XML, `[Reference]` with `Ref1=` and so on, are read as well.
///
/// Entries are sorted by their number. `NumberOfEntries` is ignored.
struct PLSParser {
    private struct Entry {
        var number: Int
        var line: Int
        var location: String?
        var title: String?
        var duration: MediaTime?
    }

    private var builder: PlaylistBuilder
    private var entries: [Entry] = []
    /// The index in `entries` of each number.
    private var places: [Int: Int] = [:]

    static func parse(_ text: SourceText, limits: ParseLimits) throws(ParseError) -> Playlist {
        var parser = PLSParser(builder: PlaylistBuilder(format: .pls, text: text, limits: limits))
        var isPlaylist = false
        var isOtherSection = false
        for line in text.lines {
            let content = line.bytes.trimmed
            guard let first = content.first, first != .semicolon, first != .hash else { continue }
            if first == 0x5b {
                let isOurs = content.isWord("[playlist]") || content.isWord("[reference]")
                isPlaylist = isPlaylist || isOurs
                isOtherSection = !isOurs
            } else if !isOtherSection, let (key, value) = content.split(atFirst: .equals), parser.builder.accepts(line)
            {
                parser.read(key: key.trimmed, value: value.trimmed, line: line.number)
            }
        }
        guard isPlaylist || !parser.entries.isEmpty else { throw .notInFormat(.pls) }
        return parser.finish()
    }

    private init(builder: PlaylistBuilder) { self.builder = builder }

    private mutating func read(key: ArraySlice<UInt8>, value: ArraySlice<UInt8>, line: Int) {
        if let number = key.dropping(prefix: "File") ?? key.dropping(prefix: "Ref") {
            set(\.location, of: number, to: value.text, key: key, line: line)
        } else if let number = key.dropping(prefix: "Title") {
            set(\.title, of: number, to: value.text, key: key, line: line)
        } else if let number = key.dropping(prefix: "Length") {
            guard let seconds = value.decimalSeconds else {
                if !value.isEmpty { builder.report(.invalidDuration(value.text), line: line) }
                return
            }
            // Both 0 and −1 mean unknown.
            if seconds > 0 {
                set(\.duration, of: number, to: MediaTime(seconds: seconds), key: key, line: line)
            }
        } else if key.isWord("X-GNOME-Title") || key.isWord("PlaylistName") {
            builder.setTitle(value.text)
        }
    }

    private mutating func set<Value>(
        _ field: WritableKeyPath<Entry, Value?>,
        of digits: ArraySlice<UInt8>,
        to value: Value,
        key: ArraySlice<UInt8>,
        line: Int
    ) {
        guard let number = digits.wholeNumber else { return builder.report(.invalidNumber(key.text), line: line) }
        let place: Int
        if let known = places[number] {
            place = known
        } else {
            guard entries.count < builder.limits.entries else {
                return builder.report(.tooManyEntries(limit: builder.limits.entries), line: line)
            }
            place = entries.count
            places[number] = place
            entries.append(Entry(number: number, line: line))
        }
        guard entries[place][keyPath: field] == nil else { return builder.report(.duplicateKey(key.text), line: line) }
        entries[place][keyPath: field] = value
        if field == \Entry.location { entries[place].line = line }
    }

    private consuming func finish() -> Playlist {
        var builder = builder
        for entry in entries.sorted(by: { $0.number < $1.number }) {
            var tags = Tags()
            if let title = entry.title, !title.isEmpty { tags.set("title", to: title) }
            let media = MediaEntry(location: entry.location ?? "", tags: tags, duration: entry.duration)
            builder.append(media, line: entry.line)
        }
        return builder.playlist
    }
}
