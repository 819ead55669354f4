package import Charsets

/// The kind of some content, with regard to playlists.
package enum ContentKind: Sendable, Hashable {
    case playlist(PlaylistFormat)
    /// An HLS manifest: text, but a medium.
    case mediaManifest
    /// Text without the mark of any format, and without a playlist's extension. It may be a bare list of locations.
    case text
    /// XML or HTML that is not a playlist, such as a server's error page.
    case markup
    /// Anything else: most likely a medium.
    case other

    /// Detects the kind by content, and by name if the content is ambiguous.
    ///
    /// The content has precedence: a PLS named `.m3u` is a PLS, and an MP3 named `.m3u` is not a playlist.
    ///
    /// - Parameters:
    ///   - content: The start, 1 KiB or more, or all of it; 64 KiB are examined.
    ///   - name: The file's name, path or URL.
    package init(of content: [UInt8], named name: String) {
        let promised = PlaylistFormat(nameOf: name)
        // Its letters do not matter here, and it may be anything.
        let text = SourceText(decoding: Array(content.prefix(65_536)), charset: .windows1252)
        guard !text.bytes.isEmpty else {
            self = promised.map { .playlist($0) } ?? .other
            return
        }
        guard isText(text.bytes.prefix(1024)) else {
            self = .other
            return
        }
        if text.bytes.first(where: { !$0.isASCIIWhitespace }) == .less {
            var reader = XMLReader(text.bytes, nestingLimit: 4)
            switch reader.nextTag() {
            case .start("playlist", _): self = .playlist(.xspf)
            case .start("asx", _): self = .playlist(.asx)
            case nil: self = promised.flatMap { $0.isXML ? .playlist($0) : nil } ?? .markup
            default: self = .markup
            }
            return
        }
        self = mark(in: text) ?? promised.map { $0.isXML ? .text : .playlist($0) } ?? .text
    }
}

extension Playlist {
    /// Parses a playlist whose format is detected by ``ContentKind``.
    ///
    /// - Parameters:
    ///   - content: All of it.
    ///   - name: The file's name, path or URL.
    ///   - readsBareText: Whether text without the mark of any format is taken as an M3U.
    ///   - charset: Of lines that are not UTF-8; `nil` to judge by them.
    package init(
        _ content: [UInt8],
        named name: String,
        readsBareText: Bool = false,
        charset: Charset? = nil,
        limits: ParseLimits = ParseLimits()
    ) throws(ParseError) {
        switch ContentKind(of: content, named: name) {
        case .playlist(let format): try self.init(content, as: format, charset: charset, limits: limits)
        case .text where readsBareText: try self.init(content, as: .m3u, charset: charset, limits: limits)
        case .mediaManifest: throw .mediaManifest
        case .text, .markup, .other: throw .unrecognized
        }
    }

    /// Parses a playlist of a known format.
    package init(
        _ content: [UInt8],
        as format: PlaylistFormat,
        charset: Charset? = nil,
        limits: ParseLimits = ParseLimits()
    ) throws(ParseError) {
        let declared = format == .m3u ? M3UParser.declaredCharset(content) : nil
        let text = SourceText(decoding: content, charset: declared ?? charset)
        self =
            switch format {
            case .m3u: try M3UParser.parse(text, limits: limits)
            case .pls: try PLSParser.parse(text, limits: limits)
            case .xspf: try XSPFParser.parse(text, limits: limits)
            case .asx: try ASXParser.parse(text, limits: limits)
            case .cue: try CueSheetParser.parse(text, limits: limits)
            }
    }
}

extension XMLReader {
    fileprivate mutating func nextTag() -> Event? {
        while let event = next() {
            if case .text = event { continue }
            return event
        }
        return nil
    }
}

/// Whether bytes contain no control characters except those of text files.
private func isText(_ bytes: ArraySlice<UInt8>) -> Bool {
    // Form feed, escape and DOS's end of file do occur.
    bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7f || $0.isASCIIWhitespace || $0 == 0x1a || $0 == 0x1b }
}

/// The format that a line of the text identifies; `nil` when none does.
private func mark(in text: SourceText) -> ContentKind? {
    var isFirst = true
    var isM3U = false
    var hasCueFile = false
    for line in text.lines {
        let content = line.bytes.trimmed
        guard !content.isEmpty else { continue }
        if content.first == .hash {
            if isMediaManifestDirective(content) { return .mediaManifest }
            isM3U = isM3U || content.dropping(prefix: "#EXTM3U") != nil || content.dropping(prefix: "#EXTINF:") != nil
            continue
        }
        if isM3U { continue }
        if content.first == .semicolon { continue }
        if isFirst, content.isWord("[playlist]") || content.isWord("[reference]") || isPLSKey(content) {
            return .playlist(.pls)
        }
        isFirst = false
        let (command, rest) = content.firstWord
        if command.isWord("FILE") { hasCueFile = hasCueFile || !rest.isEmpty }
        if hasCueFile, command.isWord("TRACK"), rest.first?.isASCIIDigit == true { return .playlist(.cue) }
    }
    return isM3U ? .playlist(.m3u) : nil
}

private func isPLSKey(_ line: ArraySlice<UInt8>) -> Bool {
    guard let (key, _) = line.split(atFirst: .equals) else { return false }
    if key.trimmed.isWord("NumberOfEntries") { return true }
    return key.trimmed.dropping(prefix: "File")?.wholeNumber != nil
}
