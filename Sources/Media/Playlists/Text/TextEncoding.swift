private import AudioTypes

/// The detected encoding of a playlist's text.
package enum TextEncoding: String, Sendable, Hashable {
    case utf8
    /// With a byte order mark, either order.
    case utf16
    /// At least one line was not UTF-8. Windows-1252 includes the printable part of ISO 8859-1, and every byte is
    /// valid, so this never fails; whether it is the intended encoding cannot be known.
    case windows1252
}

/// The text of a playlist or another document as valid UTF-8 without a byte order mark.
///
/// A Swift `String` cannot hold bytes that are not UTF-8. A path in another encoding is therefore converted here; to
/// open it, the original bytes may be tried again through `Windows1252.bytes(of:)`.
package struct SourceText {
    package let bytes: [UInt8]
    let encoding: TextEncoding

    package init(decoding source: [UInt8]) {
        if source.starts(with: [0xff, 0xfe]) {
            self.init(utf16: source.dropFirst(2), lowByteFirst: true)
        } else if source.starts(with: [0xfe, 0xff]) {
            self.init(utf16: source.dropFirst(2), lowByteFirst: false)
        } else {
            let content = source.starts(with: [0xef, 0xbb, 0xbf]) ? Array(source.dropFirst(3)) : source
            if isUTF8(content[...]) {
                self.init(bytes: content, encoding: .utf8)
            } else {
                self.init(bytes: convertLinesThatAreNotUTF8(content), encoding: .windows1252)
            }
        }
    }

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

private func isUTF8(_ bytes: ArraySlice<UInt8>) -> Bool {
    String(validating: bytes, as: UTF8.self) != nil
}

/// Decodes every line that is not UTF-8 as Windows-1252.
///
/// This is decided for each line, because lists edited by several programs mix encodings.
private func convertLinesThatAreNotUTF8(_ bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count + bytes.count / 8)
    var start = bytes.startIndex
    while start < bytes.endIndex {
        let lineEnd = bytes[start...].firstIndex { $0 == .lineFeed || $0 == .carriageReturn } ?? bytes.endIndex
        let line = bytes[start..<lineEnd]
        if isUTF8(line) {
            result.append(contentsOf: line)
        } else {
            result.append(contentsOf: Windows1252.text(line).utf8)
        }
        if lineEnd < bytes.endIndex { result.append(bytes[lineEnd]) }
        start = lineEnd + 1
    }
    return result
}
