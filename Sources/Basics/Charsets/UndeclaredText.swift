/// Reads the texts of one file, folder or station that declare no encoding, and judges them together.
///
/// Every byte is a letter of some language in any of the usual character sets, so a single title tells little. Texts are
/// kept until there is enough to judge; ASCII and UTF-8 are recognised at once, and cost nothing else.
package struct UndeclaredText: Sendable {
    /// The character set that texts are read in now.
    package private(set) var charset: Charset
    /// As the user said; `nil` when the texts are judged.
    package let given: Charset?
    /// Whether the texts of others beside have been judged, which are more.
    private let isKnown: Bool
    /// The texts that are neither ASCII nor UTF-8, each ended by a line feed.
    package private(set) var sample: [UInt8] = []

    /// Bytes that are kept to judge by.
    package static let sampleLimit = 16_384
    /// Bytes that are kept of one text.
    private static let textLimit = 1_024

    /// - Parameter charset: As the user said; `nil` to judge by the texts.
    package init(in charset: Charset? = nil) {
        self.charset = charset ?? .windows1252
        given = charset
        isKnown = false
    }

    /// - Parameter charset: In which texts of the same folder are; each one that cannot be is read as Windows-1252.
    package init(beside charset: Charset) {
        self.charset = charset
        given = nil
        isKnown = true
    }

    /// Reads a text as UTF-8 if it is that, else in the character set that is known by now.
    package mutating func utf8(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        if isUTF8(bytes) { return bytes }
        add(bytes)
        return decoded(bytes, CharsetReader(charset))[...]
    }

    /// Reads a text that is judged with those before it, as those of a station are.
    package mutating func next(_ bytes: ArraySlice<UInt8>) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        if add(bytes) { _ = judge() }
        return String(decoding: decoded(bytes, CharsetReader(charset)), as: UTF8.self)
    }

    /// Reads a text without keeping it.
    package func text(_ bytes: ArraySlice<UInt8>) -> String {
        String(validating: bytes, as: UTF8.self)
            ?? String(decoding: decoded(bytes, CharsetReader(charset)), as: UTF8.self)
    }

    private func decoded(_ bytes: ArraySlice<UInt8>, _ reader: borrowing CharsetReader) -> [UInt8] {
        if given != nil { return reader.utf8(bytes) }
        return reader.suitable(bytes) ?? Array(Windows1252.text(bytes).utf8)
    }

    /// Keeps a text that is neither ASCII nor UTF-8, to be judged with the others.
    ///
    /// - Returns: Whether it is kept: one that is there already says nothing more.
    @discardableResult
    package mutating func add(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard given == nil, !isKnown else { return false }
        let kept = bytes.prefix(Self.textLimit)
        guard sample.count + kept.count < Self.sampleLimit,
            !sample.split(separator: 0x0a).contains(where: kept.elementsEqual)
        else { return false }
        sample += kept
        sample.append(0x0a)
        return true
    }

    /// Judges the texts so far.
    ///
    /// - Returns: Whether they are to be read again, in another character set than before.
    package mutating func judge() -> Bool {
        guard !sample.isEmpty else { return false }
        let found = Charset(judging: sample)
        defer { charset = found }
        return found != charset
    }

    /// The text of a whole document, of which each line may be in UTF-8 or not, because lists edited by several programs
    /// mix encodings.
    ///
    /// - Returns: The text in UTF-8, and the character set of the lines that are not; `nil` where all are.
    package static func document(
        _ bytes: [UInt8],
        in charset: Charset? = nil
    ) -> (text: [UInt8], charset: Charset?) {
        guard !isUTF8(bytes[...]) else { return (bytes, nil) }
        var reader = UndeclaredText(in: charset)
        for line in Lines(bytes) where !isUTF8(line.content) { reader.add(line.content) }
        _ = reader.judge()
        let conversion = CharsetReader(reader.charset)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count + bytes.count / 8)
        for line in Lines(bytes) {
            result += isUTF8(line.content) ? Array(line.content) : reader.decoded(line.content, conversion)
            result += line.end
        }
        return (result, reader.charset)
    }
}

/// Lines with their ends.
private struct Lines: Sequence, IteratorProtocol {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    mutating func next() -> (content: ArraySlice<UInt8>, end: ArraySlice<UInt8>)? {
        guard !rest.isEmpty else { return nil }
        let end = rest.firstIndex { $0 == 0x0a || $0 == 0x0d } ?? rest.endIndex
        let next = end < rest.endIndex ? end + 1 : end
        defer { rest = rest[next...] }
        return (rest[..<end], rest[end..<next])
    }
}

private func isUTF8(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.allSatisfy { $0 < 0x80 } || String(validating: bytes, as: UTF8.self) != nil
}
