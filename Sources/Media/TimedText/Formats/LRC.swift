private import AudioTypes
package import Charsets
internal import Playlists

extension Lyrics {
    /// Reads LRC, or a text without times; `nil` when there is no text.
    ///
    /// A line may have several times (`[00:12.00][00:45.00]La la`). `[offset:+500]` has everything sung half a second
    /// earlier, `[la:eng]` names the language, and other metadata is left out, as are the times of single words
    /// (`<00:12.50>`). In a text with times, lines without one are no lyrics.
    ///
    /// - Parameters:
    ///   - language: If the text itself names none.
    ///   - charset: Of lines that are not UTF-8; `nil` to judge by them.
    package init?(lrc bytes: some Sequence<UInt8>, language: String? = nil, charset: Charset? = nil) {
        var reader = LRCReader()
        let source = SourceText(decoding: Array(bytes.prefix(Self.byteLimit)), charset: charset)
        for line in source.lines { reader.read(line.bytes) }
        if reader.hasTimes {
            self.init(synced: reader.shiftedLines, language: reader.language ?? language)
        } else {
            self.init(plain: reader.plain.joined(separator: "\n"), language: reader.language ?? language)
        }
    }
}

private struct LRCReader {
    private var lines: [(time: MediaTime, text: String)] = []
    /// In milliseconds; positive: earlier.
    private var offset = 0
    private(set) var language: String?
    /// Lines without times.
    private(set) var plain: [String] = []

    var hasTimes: Bool { !lines.isEmpty }

    var shiftedLines: [(time: MediaTime, text: String)] {
        let shift = MediaTime(seconds: Double(offset) / 1000)
        return lines.map { ($0.time - shift, $0.text) }
    }

    mutating func read(_ line: ArraySlice<UInt8>) {
        var scanner = TimeScanner(line)
        var times: [MediaTime] = []
        scanner.skipBlanks()
        while let time = scanner.stamp("[", "]") {
            times.append(time)
            scanner.skipBlanks()
        }
        if times.isEmpty {
            readUntimed(line)
        } else {
            let text = withoutWordTimes(scanner)
            for time in times where lines.count < Lyrics.lineLimit { lines.append((time, text)) }
        }
    }

    private mutating func readUntimed(_ line: ArraySlice<UInt8>) {
        let text = CueLines.trimmed(Substring(decoding: line.prefix(4 * Lyrics.characterLimit), as: UTF8.self))
        if let (name, value) = metadata(text) {
            switch name {
            case "offset": offset = Int(value)?.clamped(to: -3_600_000...3_600_000) ?? offset
            case "la", "lang", "language": language = value
            default: break
            }
        } else if plain.count < Lyrics.lineLimit {
            plain.append(text)
        }
    }

    /// The name and value of `[name:value]` with one of the known names, so that `[Chorus: twice]` stays in a plain text.
    private func metadata(_ text: String) -> (name: String, value: String)? {
        guard text.first == "[", text.last == "]", let colon = text.firstIndex(of: ":") else { return nil }
        let name = text[text.index(after: text.startIndex)..<colon].lowercased()
        guard LRCReader.names.contains(name) || name.hasPrefix("#") else { return nil }
        let value = text[text.index(after: colon)...].dropLast()
        return (name, String(CueLines.trimmed(value)))
    }

    private static let names: Set = [
        "ti", "ar", "al", "au", "lr", "by", "re", "ve", "length", "offset", "tool", "la", "lang", "language", "id",
        "tr", "t_time", "kana",
    ]

    /// The rest of a line without times such as `<00:12.50>`.
    private func withoutWordTimes(_ scanner: TimeScanner) -> String {
        var scanner = scanner
        var text: [UInt8] = []
        while text.count < 4 * Lyrics.characterLimit {
            if scanner.stamp("<", ">") != nil { continue }
            guard let byte = scanner.take() else { break }
            text.append(byte)
        }
        return String(decoding: text, as: UTF8.self)
    }
}

extension TimeScanner {
    /// Takes a time between two signs.
    fileprivate mutating func stamp(_ open: StaticString, _ close: StaticString) -> MediaTime? {
        var attempt = self
        guard attempt.take(open), let time = attempt.time(), attempt.take(close) else { return nil }
        self = attempt
        return time
    }
}
