internal import AudioTypes

/// ASX, Windows Media's list in XML (also `.wax` and `.wvx`), as radio stations still offer: `<asx>` with an `<entry>` for each
/// medium and `<entryref>` for other lists.
///
/// Of several addresses of an entry (`<ref href="…">`) the first one is used, as of XSPF's locations.
struct ASXParser {
    private var builder: PlaylistBuilder
    private var reader: XMLReader
    /// The entry that is open; `nil` between entries.
    private var entry: MediaEntry?
    private var line = 0
    private var text = ""

    static func parse(_ text: SourceText, limits: ParseLimits) throws(ParseError) -> Playlist {
        var parser = ASXParser(
            builder: PlaylistBuilder(format: .asx, text: text, limits: limits),
            reader: XMLReader(text.bytes, nestingLimit: limits.nesting)
        )
        var isList = false
        while let event = parser.reader.next(), !parser.builder.isFull {
            switch event {
            case .start(let name, let attributes):
                guard isList || name == "asx" else { throw .notInFormat(.asx) }
                isList = true
                parser.start(name, attributes)
            case .text(let text): parser.text += text
            case .end(let name): parser.end(name)
            }
        }
        guard isList else { throw .notInFormat(.asx) }
        if let fault = parser.reader.fault { parser.builder.report(.brokenXML(fault), line: parser.reader.line) }
        // An entry that is not closed counts as far as it was read.
        parser.finishEntry()
        return parser.builder.playlist
    }

    private init(builder: PlaylistBuilder, reader: XMLReader) {
        self.builder = builder
        self.reader = reader
    }

    private mutating func start(_ name: String, _ attributes: [String: String]) {
        text = ""
        let address = value(of: "href", in: attributes)
        switch name {
        case "entry":
            finishEntry()
            (entry, line) = (MediaEntry(location: ""), reader.line)
        case "ref":
            guard let address, entry?.location.isEmpty == true else { break }
            entry?.location = address
            line = reader.line
        case "entryref": if let address { builder.append(MediaEntry(location: address), line: reader.line) }
        case "duration": if let value = value(of: "value", in: attributes) { readDuration(value) }
        default: break
        }
    }

    /// The value of an attribute, whose name may be in any case.
    private func value(of name: String, in attributes: [String: String]) -> String? {
        attributes[name] ?? attributes.first { $0.key.lowercased() == name }?.value
    }

    private mutating func end(_ name: String) {
        let value = Array(text.utf8)[...].trimmed.text
        text = ""
        switch name {
        case "title" where entry == nil: builder.setTitle(value)
        case "title": if !value.isEmpty { entry?.tags.set("title", to: value) }
        case "entry": finishEntry()
        default: break
        }
    }

    /// Reads hours, minutes and seconds with colons between them.
    private mutating func readDuration(_ text: String) {
        let parts = text.split(separator: ":").map { Array($0.utf8)[...].decimalSeconds }
        guard (1...3).contains(parts.count), !parts.contains(nil) else {
            return builder.report(.invalidDuration(text), line: reader.line)
        }
        let seconds = parts.reduce(0) { $0 * 60 + ($1 ?? 0) }
        if seconds > 0 { entry?.duration = MediaTime(seconds: seconds) }
    }

    private mutating func finishEntry() {
        guard let entry = entry.take() else { return }
        builder.append(entry, line: line)
    }
}
