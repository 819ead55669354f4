package import Charsets

/// The detected encoding of a playlist's text.
package enum TextEncoding: Sendable, Hashable {
    case utf8
    /// In either order, with or without a byte order mark.
    case utf16
    /// At least one line was not UTF-8, and was read in this character set.
    case undeclared(Charset)
}

/// The text of a playlist or another document as valid UTF-8 without a byte order mark.
///
/// A Swift `String` cannot hold bytes that are not UTF-8. A path in another encoding is therefore converted here; to
/// open it, the original bytes may be tried again through `Charset.bytes(of:)`.
package struct SourceText {
    package let bytes: [UInt8]
    let encoding: TextEncoding

    /// - Parameter charset: Of lines that are not UTF-8; `nil` to judge by them.
    package init(decoding source: [UInt8], charset: Charset? = nil) {
        if source.starts(with: [0xff, 0xfe]) {
            self.init(utf16: source.dropFirst(2), lowByteFirst: true)
        } else if source.starts(with: [0xfe, 0xff]) {
            self.init(utf16: source.dropFirst(2), lowByteFirst: false)
        } else if let lowByteFirst = isUTF16(source.prefix(Self.head)) {
            self.init(utf16: source[...], lowByteFirst: lowByteFirst)
        } else {
            let content = source.starts(with: [0xef, 0xbb, 0xbf]) ? Array(source.dropFirst(3)) : source
            let (text, charset) = UndeclaredText.document(content, in: charset)
            self.init(bytes: text, encoding: charset.map(TextEncoding.undeclared) ?? .utf8)
        }
    }

    /// Bytes by which UTF-16 is recognised.
    private static let head = 512

    private init(utf16 source: ArraySlice<UInt8>, lowByteFirst: Bool) {
        var units: [UInt16] = []
        units.reserveCapacity(source.count / 2)
        var index = source.startIndex
        while index + 1 < source.endIndex {
            let (first, second) = (UInt16(source[index]), UInt16(source[index + 1]))
            units.append(lowByteFirst ? second << 8 | first : first << 8 | second)
            index += 2
        }
        self.init(bytes: Array(String(decoding: units, as: UTF16.self).utf8), encoding: .utf16)
    }

    private init(bytes: [UInt8], encoding: TextEncoding) {
        self.bytes = bytes
        self.encoding = encoding
    }

    /// The text's lines, without their ends.
    package var lines: TextLines { TextLines(bytes: bytes) }
}

/// The byte order of UTF-16 without a mark: digits and spaces have a zero beside them, almost always on the same side.
///
/// - Returns: Whether the low byte comes first; `nil` for text in bytes, which has no zeros, and for media, which have more.
private func isUTF16(_ head: ArraySlice<UInt8>) -> Bool? {
    let pairs = head.count / 2
    guard pairs >= 4 else { return nil }
    var (low, high, other) = (0, 0, 0)
    for place in stride(from: head.startIndex, to: head.startIndex + 2 * pairs, by: 2) {
        switch (head[place], head[place + 1]) {
        case (0, 0): return nil
        case (let byte, 0) where isPlain(byte): low += 1
        case (0, let byte) where isPlain(byte): high += 1
        case (_, 0), (0, _): other += 1
        default: break
        }
    }
    // Cues and lists have digits, line ends and spaces in any language; a few of its own letters have zeros, too.
    let most = max(low, high)
    guard most * 5 >= pairs, most >= 8 * (low + high + other - most) else { return nil }
    return low > high
}

private func isPlain(_ byte: UInt8) -> Bool { 0x20...0x7e ~= byte || byte == 0x0a || byte == 0x0d || byte == 0x09 }
