internal import Charsets

/// A SHOUTcast server's metadata of the current programme.
package struct ICYMetadata: Sendable, Hashable {
    /// Usually "artist - title".
    package var title: String?
    package var url: String?

    package init(title: String? = nil, url: String? = nil) {
        self.title = title
        self.url = url
    }

    /// Parses a block such as `StreamTitle='…';StreamUrl='…';`, padded with zeros.
    ///
    /// Titles are not escaped, so a quote ends one only before the end or a semicolon followed by another name. `nil`
    /// without any known field.
    ///
    /// - Parameter texts: The station's, which are judged together, since no encoding is declared.
    init?(block: [UInt8], _ texts: inout UndeclaredText) {
        let text = block.prefix { $0 != 0 }
        title = Self.value("streamtitle='", in: text).map { texts.next($0).trimmed }
        url = Self.value("streamurl='", in: text).map { texts.text($0).trimmed }
        if title == nil && url == nil { return nil }
    }

    /// Parses a single block.
    package init?(block: [UInt8]) {
        var texts = UndeclaredText()
        self.init(block: block, &texts)
    }

    /// - Parameter name: Including everything before the value, in lower case.
    private static func value(_ name: String, in text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let name = Array(name.utf8)
        var start = text.startIndex
        while start + name.count <= text.endIndex {
            if text[start..<start + name.count].elementsEqual(name, by: { lowercase($0) == $1 }) {
                let value = text[(start + name.count)...]
                return value[..<end(of: value)]
            }
            start += 1
        }
        return nil
    }

    /// The end of the value at the start of `text`.
    private static func end(of text: ArraySlice<UInt8>) -> Int {
        for index in text.indices where text[index] == UInt8(ascii: "'") && endsValue(text[(index + 1)...]) {
            return index
        }
        // The block was truncated, or its quotes are not closed.
        return text.lastIndex(of: UInt8(ascii: "'")) ?? text.endIndex
    }

    /// Whether a quote before `rest` ends a value.
    private static func endsValue(_ rest: ArraySlice<UInt8>) -> Bool {
        let isSpace: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") }
        guard let first = rest.first else { return true }
        guard first == UInt8(ascii: ";") else { return rest.allSatisfy(isSpace) }
        let next = rest.dropFirst().drop(while: isSpace)
        let name = next.prefix { isNameByte($0) }
        return next.isEmpty || !name.isEmpty && next[name.endIndex...].starts(with: "='".utf8)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(lowercase(byte))
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "_")
    }

    private static func lowercase(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
