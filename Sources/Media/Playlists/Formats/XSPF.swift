internal import AudioTypes

/// XSPF, the XML playlist format of xspf.org, version 1, with VLC's start and end of a track.
///
/// `xml:base` is applied within its element, so such locations are resolved against it; others are left as written. Of
/// several locations of a track the first one is used. Namespaces are not checked.
struct XSPFParser {
    private var builder: PlaylistBuilder
    private var reader: XMLReader
    /// The bases of the open elements, innermost last.
    private var bases: [String?] = []
    private var track = Track()
    private var text = ""

    private struct Track {
        var location: String?
        var line = 0
        var entry = MediaEntry(location: "")
    }

    static func parse(_ text: SourceText, limits: ParseLimits) throws(ParseError) -> Playlist {
        var parser = XSPFParser(
            builder: PlaylistBuilder(format: .xspf, text: text, limits: limits),
            reader: XMLReader(text.bytes, nestingLimit: limits.nesting)
        )
        var isPlaylist = false
        while let event = parser.reader.next() {
            switch event {
            case .start(let name, let attributes):
                if !isPlaylist {
                    guard name == "playlist" else { throw .notInFormat(.xspf) }
                    isPlaylist = true
                }
                parser.start(attributes)
            case .text(let text):
                parser.text += text
            case .end(let name):
                parser.end(name)
            }
            if parser.builder.isFull { break }
        }
        guard isPlaylist else { throw .notInFormat(.xspf) }
        if let fault = parser.reader.fault { parser.builder.report(.brokenXML(fault), line: parser.reader.line) }
        return parser.builder.playlist
    }

    private init(builder: PlaylistBuilder, reader: XMLReader) {
        self.builder = builder
        self.reader = reader
    }

    private mutating func start(_ attributes: [String: String]) {
        let outer = bases.last ?? nil
        if let base = attributes["xml:base"] {
            bases.append(outer.map { resolved(base, against: $0) } ?? base)
        } else {
            bases.append(outer)
        }
        text = ""
        if reader.path == ["playlist", "tracklist", "track"] { track = Track(line: reader.line) }
    }

    private mutating func end(_ name: String) {
        let outer = reader.path
        let value = text.utf8Trimmed
        let base = bases.popLast() ?? nil
        text = ""
        switch outer {
        case ["playlist"]:
            if name == "title" { builder.setTitle(value) }
        case ["playlist", "tracklist"]:
            if name == "track" { finishTrack() }
        case ["playlist", "tracklist", "track"]:
            if name == "location" {
                guard track.location == nil, !value.isEmpty else { return }
                track.location = base.map { resolved(value, against: $0) } ?? value
                track.line = reader.line
            } else if !value.isEmpty {
                read(name, value)
            }
        case ["playlist", "tracklist", "track", "extension"]:
            if name == "option" { read(option: Array(value.utf8)[...]) }
        default:
            break
        }
    }

    private mutating func read(_ name: String, _ value: String) {
        switch name {
        case "title": track.entry.tags.set("title", to: value)
        case "creator": track.entry.tags.set("artist", to: value)
        case "album": track.entry.tags.set("album", to: value)
        case "annotation": track.entry.tags.set("comment", to: value)
        case "tracknum":
            guard let number = Array(value.utf8)[...].wholeNumber, number > 0 else {
                return builder.report(.invalidNumber(value), line: reader.line)
            }
            track.entry.tags.set("track", to: String(number))
        case "duration":
            // In milliseconds. VLC writes −1 for unknown.
            guard let milliseconds = Array(value.utf8)[...].decimalSeconds else {
                return builder.report(.invalidDuration(value), line: reader.line)
            }
            if milliseconds > 0 { track.entry.duration = MediaTime(seconds: milliseconds / 1000) }
        default: break
        }
    }

    private mutating func read(option: ArraySlice<UInt8>) {
        let isStart = option.dropping(prefix: "start-time=") != nil
        guard let value = option.dropping(prefix: isStart ? "start-time=" : "stop-time=") else { return }
        guard let seconds = value.decimalSeconds, seconds >= 0 else {
            return builder.report(.invalidTime(option.text), line: reader.line)
        }
        let time = MediaTime(seconds: seconds)
        if isStart { track.entry.start = time } else { track.entry.end = time }
    }

    private mutating func finishTrack() {
        var entry = track.entry
        entry.location = track.location ?? ""
        if let end = entry.end, end <= entry.start ?? .zero {
            builder.report(.invalidTime("stop-time=\(end.seconds)"), line: track.line)
            entry.end = nil
        }
        builder.append(entry, line: track.line)
    }
}

private func resolved(_ reference: String, against base: String) -> String {
    URLReference(reference).resolved(against: URLReference(base)).text
}

extension String {
    /// Without ASCII white space at both ends.
    fileprivate var utf8Trimmed: String {
        let bytes = Array(utf8)[...]
        let trimmed = bytes.trimmed
        return trimmed.count == bytes.count ? self : trimmed.text
    }
}
