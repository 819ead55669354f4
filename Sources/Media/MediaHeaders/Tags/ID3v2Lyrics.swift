internal import AudioTypes
private import Charsets
internal import TimedText

extension ID3v2Frame {
    /// The lyrics in a frame `USLT`, `SYLT` (ID3v2.4, sections 4.8 and 4.9) or `TXXX`; `nil` for other frames.
    ///
    /// - Parameter audio: The sound whose frames SYLT's times may be counted in.
    func lyrics(_ audio: MPEGAudioHeader?, _ window: inout ByteWindow) -> Lyrics? {
        switch id {
        case fourCC("USLT"), fourCC("ULT"): plainLyrics(&window)
        case fourCC("SYLT"), fourCC("SLT"): syncedLyrics(audio, &window)
        case fourCC("TXXX"), fourCC("TXX"): namedLyrics(&window)
        default: nil
        }
    }

    private func plainLyrics(_ window: inout ByteWindow) -> Lyrics? {
        guard let bytes = bytes(atMost: Lyrics.byteLimit, &window), var texts = ID3Texts(bytes, in: window.text.given),
            let language = texts.language(), texts.next() != nil
        else { return nil }
        return Lyrics(lrc: texts.last().utf8, language: language)
    }

    private func syncedLyrics(_ audio: MPEGAudioHeader?, _ window: inout ByteWindow) -> Lyrics? {
        guard let bytes = bytes(atMost: Lyrics.byteLimit, &window), var texts = ID3Texts(bytes, in: window.text.given),
            let language = texts.language(), let unit = texts.number(ofBytes: 1), let kind = texts.number(ofBytes: 1),
            // Other texts, lyrics and a transcription; not events, chords, trivia or addresses.
            kind <= 2, let secondsPerUnit = secondsPerUnit(unit, audio), texts.next() != nil
        else { return nil }
        var parts: [(time: MediaTime, text: String)] = []
        while let text = texts.next(), let count = texts.number(ofBytes: 4) {
            parts.append((MediaTime(seconds: Double(count) * secondsPerUnit), text))
        }
        return Lyrics(synced: lines(of: parts), language: language)
    }

    private func secondsPerUnit(_ unit: Int, _ audio: MPEGAudioHeader?) -> Double? {
        switch unit {
        case 1: audio.map { Double($0.sampleCount) / Double($0.sampleRate) }
        case 2: 0.001
        default: nil
        }
    }

    private func namedLyrics(_ window: inout ByteWindow) -> Lyrics? {
        guard let (bytes, values) = namedValues(atMost: Lyrics.byteLimit, &window), let name = LyricsName(bytes) else {
            return nil
        }
        return values.first.flatMap(name.lyrics)
    }
}

/// Joins syllables to lines: a line feed begins a line or ends one.
///
/// Where there is none, each part is a line.
private func lines(of parts: [(time: MediaTime, text: String)]) -> [(time: MediaTime, text: String)] {
    guard
        parts.dropFirst().contains(where: { $0.text.first?.isNewline == true })
            || parts.dropLast().contains(where: { $0.text.last?.isNewline == true })
    else { return parts }
    var lines: [(time: MediaTime, text: String)] = []
    var isOpen = false
    for part in parts {
        if isOpen, part.text.first?.isNewline != true, let last = lines.indices.last {
            lines[last].text += part.text
        } else {
            lines.append(part)
        }
        isOpen = part.text.last?.isNewline != true || part.text.count == 1
    }
    return lines
}

/// The texts of a frame in one encoding, each ended by a zero, and what stands between them.
private struct ID3Texts {
    private var rest: ArraySlice<UInt8>
    private let encoding: UInt8
    /// UTF-16's byte order mark, which not every text repeats.
    private var mark: [UInt8] = []
    private var undeclared: UndeclaredText

    /// - Parameter charset: Of texts that claim to be Latin-1; `nil` to judge by them.
    init?(_ frame: ArraySlice<UInt8>, in charset: Charset?) {
        guard let encoding = frame.first, encoding <= 3 else { return nil }
        self.encoding = encoding
        rest = frame.dropFirst()
        undeclared = UndeclaredText(in: charset)
        guard encoding == 0 else { return }
        for line in rest.split(whereSeparator: { $0 == 0 || $0 == 0x0a || $0 == 0x0d }) { undeclared.add(line) }
        _ = undeclared.judge()
    }

    mutating func language() -> String? {
        guard rest.count >= 3 else { return nil }
        defer { rest = rest.dropFirst(3) }
        return String(decoding: rest.prefix(3), as: UTF8.self)
    }

    /// A big-endian number.
    mutating func number(ofBytes count: Int) -> Int? {
        guard rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
    }

    /// The text up to the next zero; `nil` when there is none.
    mutating func next() -> String? {
        guard let end = textEnd(rest, encoding) else { return nil }
        defer { rest = rest[end...] }
        return decoded(rest[..<end].dropLast(encoding == 1 || encoding == 2 ? 2 : 1))
    }

    /// The rest as a text, whose end needs no zero.
    mutating func last() -> String { next() ?? decoded(rest) }

    private mutating func decoded(_ bytes: ArraySlice<UInt8>) -> String {
        if encoding == 1 {
            if bytes.starts(with: [0xff, 0xfe]) || bytes.starts(with: [0xfe, 0xff]) {
                mark = Array(bytes.prefix(2))
            } else {
                return text(mark[...] + bytes)
            }
        }
        return text(bytes)
    }

    /// One text by the encoding that the frame declares.
    private mutating func text(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: ID3Text.values([encoding] + bytes, &undeclared).first ?? [], as: UTF8.self)
    }
}
