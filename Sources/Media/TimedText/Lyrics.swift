package import AudioTypes

/// The words of a song, line by line.
package struct Lyrics: Sendable, Hashable {
    package struct Line: Sendable, Hashable {
        /// When it is sung; `nil` in lyrics without times.
        package var time: MediaTime?
        /// May be empty: a pause, or a line between verses.
        package var text: String

        package init(time: MediaTime?, text: String) {
            self.time = time
            self.text = text
        }
    }

    /// By time; without times, as they are written.
    package private(set) var lines: [Line]
    /// As the source names it, in ID3v2 by ISO 639-2; `nil` when it does not.
    package private(set) var language: String?
    /// Whether the lines have times.
    package let isSynced: Bool

    /// The bytes that are read of a file or a tag with lyrics.
    package static let byteLimit = 256 * 1_024
    /// The lines that are kept.
    package static let lineLimit = 10_000
    /// The Unicode scalars that are kept of a line.
    package static let characterLimit = 1_000

    /// The UTF-8 bytes that are kept of all lines: a line with many times is there many times.
    package static let textLimit = 2 * byteLimit

    /// Lyrics with times; `nil` when there is no text.
    package init?(synced lines: [(time: MediaTime, text: String)], language: String? = nil) {
        let sorted = lines.prefix(Self.lineLimit).enumerated()
            .sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element)
        var kept: [Line] = []
        var room = Self.textLimit
        for line in sorted {
            let text = Self.oneLine(line.text[...])
            room -= text.utf8.count
            guard room >= 0 else { break }
            kept.append(Line(time: max(.zero, line.time), text: text))
        }
        self.init(kept, language, isSynced: true)
    }

    /// Lyrics without times; `nil` when there is no text.
    package init?(plain text: String, language: String? = nil) {
        var lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            .prefix(Self.lineLimit).map { Line(time: nil, text: Self.oneLine($0)) }[...]
        while lines.first?.text.isEmpty == true { lines.removeFirst() }
        while lines.last?.text.isEmpty == true { lines.removeLast() }
        self.init(Array(lines), language, isSynced: false)
    }

    private init?(_ lines: [Line], _ language: String?, isSynced: Bool) {
        guard lines.contains(where: { !$0.text.isEmpty }) else { return nil }
        self.lines = lines
        self.isSynced = isSynced
        self.language = language.flatMap(Self.knownLanguage)
    }

    /// The line without control characters, line ends included.
    private static func oneLine(_ text: Substring) -> String {
        CueLines.trimmed(Substring(text.unicodeScalars.prefix(characterLimit)))
    }

    /// `nil` for what names no language: `XXX` and `und`, zeros, and what is too long for a name.
    private static func knownLanguage(_ name: String) -> String? {
        let name = name.lowercased()
        let isName = (2...35).contains(name.utf8.count) && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }
        return isName && name != "xxx" && name != "und" ? name : nil
    }

    /// The lyrics of a part of a medium, such as a CUE sheet's track, in the part's own time.
    ///
    /// Lyrics without times are not cut. `nil` when nothing is sung in the part.
    package func part(from start: MediaTime, to end: MediaTime?) -> Lyrics? {
        guard isSynced else { return self }
        var part = self
        part.lines = lines.compactMap { line in
            guard let time = line.time, time >= start, end.map({ time < $0 }) != false else { return nil }
            return Line(time: time - start, text: line.text)
        }
        return part.lines.contains { !$0.text.isEmpty } ? part : nil
    }

    /// The lines as cues, each shown until the next one's time.
    package var track: TextTrack {
        var ends = lines.dropFirst().map(\.time)
        ends.append(MediaTime(seconds: MediaTime.limit))
        return TextTrack(
            zip(lines, ends).compactMap { line, end in
                guard let start = line.time, let end else { return nil }
                return Cue(start: start, end: end, text: line.text)
            }
        )
    }
}
