/// The usual encoding of network text that is not UTF-8; includes the printable part of ISO 8859-1.
package enum Windows1252 {
    /// Decodes bytes; every byte is valid.
    package static func text(_ bytes: some Sequence<UInt8>) -> String {
        var text = String.UnicodeScalarView()
        for byte in bytes { text.append((0x80...0x9f).contains(byte) ? own[Int(byte) - 0x80] : Unicode.Scalar(byte)) }
        return String(text)
    }

    /// Encodes a text; `nil` when it has characters outside of the encoding.
    package static func bytes(of text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        for scalar in text.unicodeScalars {
            if let place = own.firstIndex(of: scalar) {
                bytes.append(UInt8(0x80 + place))
            } else if scalar.value < 0x80 || (0xa0...0xff).contains(scalar.value) {
                bytes.append(UInt8(scalar.value))
            } else {
                return nil
            }
        }
        return bytes
    }

    /// The characters of 0x80 to 0x9f; the five unassigned ones stay control characters, as in the WHATWG's encoding
    /// standard.
    private static let own: [Unicode.Scalar] = [
        "\u{20ac}", "\u{81}", "\u{201a}", "\u{192}", "\u{201e}", "\u{2026}", "\u{2020}", "\u{2021}",
        "\u{2c6}", "\u{2030}", "\u{160}", "\u{2039}", "\u{152}", "\u{8d}", "\u{17d}", "\u{8f}",
        "\u{90}", "\u{2018}", "\u{2019}", "\u{201c}", "\u{201d}", "\u{2022}", "\u{2013}", "\u{2014}",
        "\u{2dc}", "\u{2122}", "\u{161}", "\u{203a}", "\u{153}", "\u{9d}", "\u{17e}", "\u{178}",
    ]
}
