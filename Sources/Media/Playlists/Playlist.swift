package import AudioTypes

/// A parsed playlist: its entries in order, and the problems found.
package struct Playlist: Sendable, Hashable {
    package var format: PlaylistFormat
    /// The encoding of the text.
    package var encoding: TextEncoding
    package var title: String?
    /// Locations as written; ``Playlist/location(ofEntry:against:)`` resolves them.
    package var entries: [MediaEntry]
    /// The line of each entry's location, from 1: `lines[n]` belongs to `entries[n]`.
    package var lines: [Int]
    /// The problems, in the order of the lines.
    ///
    /// Problems never prevent the other entries from being played.
    package var problems: [PlaylistProblem]

    package init(
        format: PlaylistFormat,
        encoding: TextEncoding = .utf8,
        title: String? = nil,
        entries: [MediaEntry] = [],
        lines: [Int] = [],
        problems: [PlaylistProblem] = []
    ) {
        self.format = format
        self.encoding = encoding
        self.title = title
        self.entries = entries
        self.lines = lines
        self.problems = problems
    }

    /// The resolved location of an entry.
    ///
    /// - Parameter base: The playlist's own path or URL.
    package func location(ofEntry index: Int, against base: String) -> String {
        resolve(entries[index].location, against: base, as: format.locationSyntax)
    }
}

/// The supported playlist formats.
package enum PlaylistFormat: String, Sendable, Hashable, CaseIterable {
    case m3u, pls, xspf, asx, cue

    /// The format of a file name's extension; `nil` when it is not a playlist's.
    package init?(nameOf name: String) {
        switch pathExtension(of: name)?.lowercased() {
        case "m3u", "m3u8": self = .m3u
        case "pls": self = .pls
        case "xspf": self = .xspf
        case "asx", "wax", "wvx": self = .asx
        case "cue": self = .cue
        default: return nil
        }
    }

    /// Whether it is written in XML, which a page of the web may be taken for.
    var isXML: Bool { self == .xspf || self == .asx }

    /// The syntax of its locations.
    package var locationSyntax: LocationSyntax { self == .xspf ? .uri : .path }
}

/// A problem at one position of a playlist.
package struct PlaylistProblem: Sendable, Hashable {
    package enum Reason: Sendable, Hashable {
        case lineTooLong(limit: Int)
        case tooManyEntries(limit: Int)
        /// Further problems were found and not kept.
        case moreProblems
        case invalidDuration(String)
        /// An invalid start or end time, or an end that is not after its start.
        case invalidTime(String)
        /// A location with a byte that no path and no URL can have.
        case invalidLocation
        /// Attributes of an entry without a location after them.
        case missingLocation
        /// An unsupported encoding; the text is read as if none were declared.
        case unknownEncoding(String)
        case invalidNumber(String)
        case duplicateKey(String)
        /// XML that is truncated or nested too deeply; the rest was not read.
        case brokenXML(XMLFault)
        /// A cue sheet's line that is invalid at its position.
        case unexpectedCommand(String)
        /// A cue sheet's track without a position in a file.
        case trackWithoutIndex
        /// A cue sheet's track that starts where another one in the same file does, and so has no length.
        case tracksAtSamePlace
    }

    /// From 1.
    package var line: Int
    package var reason: Reason

    package init(line: Int, reason: Reason) {
        self.line = line
        self.reason = reason
    }
}

/// Why XML could not be read to its end.
package enum XMLFault: Sendable, Hashable {
    case truncated
    case tooDeep(limit: Int)
}

extension PlaylistProblem: CustomStringConvertible {
    package var description: String { "line \(line): \(reason)" }
}

extension PlaylistProblem.Reason: CustomStringConvertible {
    package var description: String {
        switch self {
        case .lineTooLong(let limit): "line longer than \(limit) bytes"
        case .tooManyEntries(let limit): "more than \(limit) entries; the rest is left out"
        case .moreProblems: "more problems follow"
        case .invalidDuration(let text): "'\(excerpt(text))' is not a duration in seconds"
        case .invalidTime(let text): "'\(excerpt(text))' is not a usable time"
        case .invalidLocation: "the location contains a NUL byte"
        case .missingLocation: "entry without a location"
        case .unknownEncoding(let name):
            "encoding '\(excerpt(name))' is not supported; reading as if none were named"
        case .invalidNumber(let text): "'\(excerpt(text))' is not a usable number"
        case .duplicateKey(let key): "'\(excerpt(key))' is given twice; the first one counts"
        case .brokenXML(.truncated): "the XML ends before its last element is closed"
        case .brokenXML(.tooDeep(let limit)): "elements nested more than \(limit) deep; the rest is left out"
        case .unexpectedCommand(let word): "'\(excerpt(word))' is unexpected here"
        case .trackWithoutIndex: "track without an INDEX"
        case .tracksAtSamePlace: "another track begins at the same place"
        }
    }
}

/// The start of a text that may be long, for a message of one line: control characters become `?`.
private func excerpt(_ text: String) -> String {
    let printable = String(
        text.unicodeScalars.prefix(60).map { $0.properties.generalCategory == .control ? "?" : Character($0) }
    )
    return text.unicodeScalars.count > 60 ? printable + "…" : printable
}

/// Why bytes are not a playlist at all.
package enum ParseError: Error, Sendable, Hashable {
    /// Neither the content nor the name belongs to a known format.
    case unrecognized
    /// An HLS manifest: a medium to be played, although it looks like a playlist.
    case mediaManifest
    /// The mark of the format is missing: `[playlist]`, `<playlist>`, a cue sheet's `FILE` and `TRACK`.
    case notInFormat(PlaylistFormat)
}

extension ParseError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unrecognized: "not a playlist"
        case .mediaManifest: "a stream's manifest, not a playlist"
        case .notInFormat(.m3u): "not an M3U playlist"
        case .notInFormat(.pls): "not a PLS playlist: it has no [playlist] section and no File1="
        case .notInFormat(.xspf): "not an XSPF playlist: it has no <playlist> element"
        case .notInFormat(.asx): "not an ASX playlist: it has no <asx> element"
        case .notInFormat(.cue): "not a cue sheet: it has no TRACK of a FILE"
        }
    }
}

/// Limits of a playlist; the excess is left out and reported.
package struct ParseLimits: Sendable, Hashable {
    package var entries: Int
    /// In bytes of UTF-8.
    package var lineLength: Int
    /// Levels of XML elements.
    package var nesting: Int
    package var problems: Int

    package init(entries: Int = 1_000_000, lineLength: Int = 65_536, nesting: Int = 64, problems: Int = 100) {
        self.entries = entries
        self.lineLength = lineLength
        self.nesting = nesting
        self.problems = problems
    }
}
