internal import AudioTypes
internal import Playlists

/// Advanced SubStation Alpha and its predecessor SSA: of their events only the text and the times.
package enum ASS {
    static func cues(_ lines: TextLines) -> [Cue] {
        var cues: [Cue] = []
        var isInEvents = false
        var format = EventFormat.usual
        for line in lines where cues.count < TextTrack.cueLimit {
            var scanner = TimeScanner(line.bytes)
            scanner.skipBlanks()
            if scanner.take("[") {
                isInEvents = scanner.text.lowercased().hasPrefix("events]")
            } else if isInEvents, scanner.take("Format:") {
                format = EventFormat(scanner.text) ?? format
            } else if isInEvents, scanner.take("Dialogue:"), let cue = format.cue(scanner.rest) {
                cues.append(cue)
            }
        }
        return cues
    }

    /// The text of one event as FFmpeg's demuxers and decoders hand it over: eight fields (read order, layer, style,
    /// name, three margins, effect), and the text.
    package static func text(event: ArraySlice<UInt8>) -> String? {
        let fields = event.split(separator: UInt8(ascii: ","), maxSplits: 8, omittingEmptySubsequences: false)
        return fields.count == 9 ? fields.last.map { plain(String(decoding: $0, as: UTF8.self)) } : nil
    }

    /// The text without override codes and drawings, and with line ends in place of `\N`.
    static func plain(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        var rest = text.unicodeScalars[...]
        var isDrawing = false
        // Codes that are not closed are text, and are not looked for again.
        var isClosed = true
        while let character = rest.popFirst() {
            if character == "{", isClosed, let end = rest.firstIndex(of: "}") {
                isDrawing = drawing(rest[..<end]) ?? isDrawing
                rest = rest[rest.index(after: end)...]
            } else if isDrawing {
                continue
            } else if character == "{" {
                isClosed = false
                result.append(character)
            } else if character == "\\", let replacement = rest.first.flatMap(escaped) {
                result.append(replacement)
                rest.removeFirst()
            } else {
                result.append(character)
            }
        }
        return String(result)
    }

    /// The character that a letter behind a backslash stands for; `\n` breaks lines only where wrapping is off.
    private static func escaped(_ letter: Unicode.Scalar) -> Unicode.Scalar? {
        switch letter {
        case "N": "\n"
        case "n": " "
        case "h": "\u{a0}"
        default: nil
        }
    }

    /// Whether what follows the codes is a drawing (`\p1`); `nil` when they do not say.
    private static func drawing(_ codes: Substring.UnicodeScalarView) -> Bool? {
        var answer: Bool?
        for code in codes.split(separator: "\\") where code.first == "p" {
            guard let digit = code.dropFirst().first, ("0"..."9").contains(digit) else { continue }
            answer = digit != "0"
        }
        return answer
    }
}

/// Where the fields of events are.
private struct EventFormat {
    private let start: Int
    private let end: Int
    private let count: Int

    /// That of version 4 and 4+: the times are second and third, the text is last.
    static let usual = EventFormat(start: 1, end: 2, count: 10)

    private init(start: Int, end: Int, count: Int) { (self.start, self.end, self.count) = (start, end, count) }

    /// Such as `Layer, Start, End, Style, Text`; `nil` when a time is missing or the text is not last.
    init?(_ line: String) {
        let names = line.split(separator: ",").prefix(64).map { $0.filter { !$0.isWhitespace }.lowercased() }
        guard let start = names.firstIndex(of: "start"), let end = names.firstIndex(of: "end"), names.last == "text"
        else { return nil }
        self.init(start: start, end: end, count: names.count)
    }

    func cue(_ line: ArraySlice<UInt8>) -> Cue? {
        let fields = line.split(separator: UInt8(ascii: ","), maxSplits: count - 1, omittingEmptySubsequences: false)
        guard fields.count == count, let start = time(fields[start]), let end = time(fields[end]),
            let text = fields.last
        else { return nil }
        return Cue(start: start, end: end, text: ASS.plain(String(decoding: text, as: UTF8.self)))
    }

    private func time(_ field: ArraySlice<UInt8>) -> MediaTime? {
        var scanner = TimeScanner(field)
        scanner.skipBlanks()
        return scanner.time()
    }
}
