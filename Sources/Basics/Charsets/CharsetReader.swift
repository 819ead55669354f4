/// Reads texts in one character set, and holds what that takes.
struct CharsetReader: ~Copyable {
    let charset: Charset
    private let converter: Converter?
    private let page: CodePage?

    init(_ charset: Charset) {
        self.charset = charset
        let isOwn = charset == .windows1252 || charset == .utf8
        converter = isOwn ? nil : Converter(from: charset.name, to: "UTF-8")
        page = isOwn ? nil : CodePage(of: charset)
    }

    /// The text in UTF-8; bytes that have no meaning become U+FFFD.
    borrowing func utf8(_ bytes: some Collection<UInt8>) -> [UInt8] {
        switch converter {
        case .some(let converter): converter.convert(Array(bytes), replacement: Array("\u{fffd}".utf8)).bytes
        case nil:
            charset == .windows1252
                ? Array(Windows1252.text(bytes).utf8) : Array(String(decoding: bytes, as: UTF8.self).utf8)
        }
    }

    /// The text, if every byte has a meaning.
    borrowing func wholeText(_ bytes: some Collection<UInt8>) -> String? {
        switch converter {
        case .some(let converter):
            let converted = converter.convert(Array(bytes), replacement: nil)
            return converted.isWhole ? String(decoding: converted.bytes, as: UTF8.self) : nil
        case nil: return charset == .windows1252 ? Windows1252.text(bytes) : String(validating: bytes, as: UTF8.self)
        }
    }

    /// The text in UTF-8, if it may be in this character set, once that is known for others beside it.
    borrowing func suitable(_ bytes: some Collection<UInt8>) -> [UInt8]? {
        guard let text = wholeText(bytes) else { return nil }
        if let page, page.suitableLetters(text) == nil { return nil }
        return Array(text.utf8)
    }
}
