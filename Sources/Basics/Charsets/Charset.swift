/// A character set, in MPD's word for it: how text is read whose encoding nothing declares.
///
/// Files name none in CUE sheets, ID3v1, and frames that claim to be Latin-1; stations name none in their titles.
package struct Charset: Sendable, Hashable, CustomStringConvertible {
    /// Its name in lower case, as the C library's `iconv` knows it.
    package let name: String

    /// The usual one, in which every byte has a meaning.
    package static let windows1252 = Charset(known: "windows-1252")
    /// Text that must be UTF-8; what is not is replaced.
    package static let utf8 = Charset(known: "utf-8")

    /// The longest name that is looked up, in bytes.
    private static let nameLimit = 40

    /// - Parameter name: Such as `windows-1251`, `KOI8-R`, `cp932`; `nil` when the system cannot convert from it.
    package init?(named name: String) {
        // A slash would add options of iconv, and a name of another file.
        let isName = name.utf8.allSatisfy { byte in
            byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z") || 0x30...0x39 ~= byte
                || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ":")
                || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "+")
        }
        guard isName, (1...Self.nameLimit).contains(name.utf8.count) else { return nil }
        let name = name.lowercased()
        // HZ begins Chinese with `~{`, so its bytes are ASCII and are never judged or converted.
        if name.hasPrefix("hz") { return nil }
        switch name {
        case "cp1252", "latin1", "latin-1", "iso-8859-1", "iso8859-1", "iso_8859-1", "us-ascii", "ascii":
            // As browsers do: it has all of Latin-1's letters, and where that has controls, what was meant.
            self = .windows1252
        case "utf8": self = .utf8
        case Self.windows1252.name, Self.utf8.name: self.init(known: name)
        default:
            // Text without single bytes for ASCII's letters is recognised by its zeros, and never by a name.
            guard let converter = Converter(from: name, to: "UTF-8"), converter.readsASCII() else { return nil }
            self.init(known: name)
        }
    }

    init(known name: String) { self.name = name }

    package var description: String { name }

    /// The text in UTF-8; bytes that have no meaning become U+FFFD.
    package func utf8(_ bytes: some Collection<UInt8>) -> [UInt8] { CharsetReader(self).utf8(bytes) }

    /// The text; bytes that have no meaning become U+FFFD.
    package func text(_ bytes: some Collection<UInt8>) -> String { String(decoding: utf8(bytes), as: UTF8.self) }

    /// Encodes a text; `nil` when it has characters outside of the character set.
    package func bytes(of text: String) -> [UInt8]? {
        if self == .windows1252 { return Windows1252.bytes(of: text) }
        if self == .utf8 { return Array(text.utf8) }
        let converted = Converter(from: "UTF-8", to: name)?.convert(Array(text.utf8), replacement: nil)
        return converted.flatMap { $0.isWhole ? $0.bytes : nil }
    }
}
