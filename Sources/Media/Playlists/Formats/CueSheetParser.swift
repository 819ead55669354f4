internal import AudioTypes

/// Parses cue sheets.
///
/// Supports FILE, TRACK, INDEX, PREGAP, POSTGAP, TITLE, PERFORMER, SONGWRITER, ISRC, CATALOG, and the REM fields of
/// rippers (DATE, GENRE, COMMENT, DISCNUMBER, TOTALDISCS, COMPOSER, REPLAYGAIN_*). Other commands are skipped.
struct CueSheetParser {
    private var builder: PlaylistBuilder
    private var sheet = CueSheet()

    static func parse(_ text: SourceText, limits: ParseLimits) throws(ParseError) -> Playlist {
        var parser = CueSheetParser(builder: PlaylistBuilder(format: .cue, text: text, limits: limits))
        for line in text.lines where !line.bytes.isEmpty && parser.builder.accepts(line) {
            parser.read(line.bytes, line: line.number)
        }
        guard !parser.sheet.files.isEmpty, !parser.sheet.tracks.isEmpty else { throw .notInFormat(.cue) }
        var builder = parser.builder
        if let title = parser.sheet.tags.album { builder.setTitle(title) }
        parser.sheet.append(to: &builder)
        return builder.playlist
    }

    private init(builder: PlaylistBuilder) { self.builder = builder }

    private mutating func read(_ bytes: ArraySlice<UInt8>, line: Int) {
        let (command, rest) = bytes.firstWord
        switch String(decoding: command.prefix(16).map(\.asciiLowercased), as: UTF8.self) {
        case "file": readFile(rest, line: line)
        case "track": readTrack(rest, line: line)
        case "index": readIndex(rest, line: line)
        case "pregap": readGap(\.pregap, rest, line: line)
        case "postgap": readGap(\.postgap, rest, line: line)
        case "title": set(disc: "album", track: "title", to: rest)
        case "performer": set(disc: "album_artist", track: "artist", to: rest)
        case "songwriter": set(disc: "composer", track: "composer", to: rest)
        case "isrc": set(disc: nil, track: "isrc", to: rest)
        case "catalog": set(disc: "barcode", track: nil, to: rest)
        case "rem": readRemark(rest)
        default: break
        }
    }

    /// `FILE "name" TYPE`; without quotes the last word is the type.
    private mutating func readFile(_ rest: ArraySlice<UInt8>, line: Int) {
        var name = rest
        var type: ArraySlice<UInt8> = []
        if rest.first == .quote, let close = rest.lastIndex(of: .quote), close > rest.startIndex {
            name = rest[(rest.startIndex + 1)..<close]
            type = rest[(close + 1)...].trimmed
        } else if let space = rest.lastIndex(where: \.isASCIIWhitespace) {
            name = rest[..<space].trimmed
            type = rest[(space + 1)...]
        }
        guard !name.isEmpty else { return builder.report(.missingLocation, line: line) }
        sheet.files.append(CueSheet.File(name: name.text, type: type.text, line: line))
    }

    private mutating func readTrack(_ rest: ArraySlice<UInt8>, line: Int) {
        let (digits, mode) = rest.firstWord
        guard let number = digits.wholeNumber else { return builder.report(.invalidNumber(digits.text), line: line) }
        guard sheet.tracks.count < builder.limits.entries else {
            return builder.report(.tooManyEntries(limit: builder.limits.entries), line: line)
        }
        let isAudio = mode.isEmpty || mode.isWord("AUDIO")
        sheet.tracks.append(CueSheet.Track(number: number, isAudio: isAudio, line: line))
    }

    private mutating func readIndex(_ rest: ArraySlice<UInt8>, line: Int) {
        let (digits, time) = rest.firstWord
        guard let track = sheet.tracks.indices.last, !sheet.files.isEmpty else {
            return builder.report(.unexpectedCommand("INDEX"), line: line)
        }
        guard let number = digits.wholeNumber, number < 100 else {
            return builder.report(.invalidNumber(digits.text), line: line)
        }
        guard let place = frames(time) else { return builder.report(.invalidTime(time.text), line: line) }
        guard sheet.tracks[track].indexes[number] == nil else {
            return builder.report(.duplicateKey("INDEX \(digits.text)"), line: line)
        }
        sheet.tracks[track].indexes[number] = CueSheet.Index(file: sheet.files.count - 1, place: place)
    }

    private mutating func readGap(
        _ field: WritableKeyPath<CueSheet.Track, CueSheet.Frames?>,
        _ time: ArraySlice<UInt8>,
        line: Int
    ) {
        guard let track = sheet.tracks.indices.last else {
            return builder.report(.unexpectedCommand("a gap"), line: line)
        }
        guard let length = frames(time) else { return builder.report(.invalidTime(time.text), line: line) }
        sheet.tracks[track][keyPath: field] = length
    }

    private mutating func readRemark(_ rest: ArraySlice<UInt8>) {
        let (key, value) = rest.firstWord
        switch String(decoding: key.prefix(32).map(\.asciiLowercased), as: UTF8.self) {
        case "date", "year": set(disc: "date", track: "date", to: value)
        case "genre": set(disc: "genre", track: "genre", to: value)
        case "comment": set(disc: "comment", track: "comment", to: value)
        case "composer": set(disc: "composer", track: "composer", to: value)
        case "discnumber": set(disc: "disc", track: nil, to: value)
        case "totaldiscs": set(disc: "totaldiscs", track: nil, to: value)
        case "replaygain_album_gain": set(disc: "replaygain_album_gain", track: nil, to: value)
        case "replaygain_album_peak": set(disc: "replaygain_album_peak", track: nil, to: value)
        case "replaygain_track_gain": set(disc: nil, track: "replaygain_track_gain", to: value)
        case "replaygain_track_peak": set(disc: nil, track: "replaygain_track_peak", to: value)
        default: break
        }
    }

    /// Sets a tag of the current track, or of the disc before the first track.
    ///
    /// - Parameters:
    ///   - disc: The tag's name on the disc; `nil` if it has no meaning there.
    ///   - track: The tag's name on a track; `nil` if it always belongs to the disc.
    private mutating func set(disc: String?, track: String?, to value: ArraySlice<UInt8>) {
        let text = unquoted(value)
        guard !text.isEmpty else { return }
        if let track, let place = sheet.tracks.indices.last {
            sheet.tracks[place].tags.set(track, to: text)
        } else if let disc {
            sheet.tags.set(disc, to: text)
        }
    }
}

/// A value without the surrounding quotes; quotes inside stay.
private func unquoted(_ value: ArraySlice<UInt8>) -> String {
    var value = value
    if value.first == .quote { value = value.dropFirst() }
    if value.last == .quote { value = value.dropLast() }
    return value.trimmed.text
}

/// `MM:SS:FF`, with any number of minutes, seconds below 60 and frames below 75.
private func frames(_ time: ArraySlice<UInt8>) -> CueSheet.Frames? {
    let parts = time.trimmed.split(separator: .colon, omittingEmptySubsequences: false).map(\.wholeNumber)
    guard parts.count == 3, let minutes = parts[0], let seconds = parts[1], let frames = parts[2] else { return nil }
    guard minutes < 1_000_000, seconds < 60, frames < 75 else { return nil }
    return CueSheet.Frames((minutes * 60 + seconds) * 75 + frames)
}
