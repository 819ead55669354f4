/// The texts with which a stream describes itself.
package struct StreamTexts: Sendable, Hashable {
    package var name: String
    package var genre: String
    package var website: String
    package var description: String

    package init(name: String, genre: String = "", website: String = "", description: String = "") {
        self.name = name
        self.genre = genre
        self.website = website
        self.description = description
    }

    /// Header fields in the form of ICY, or of Icecast's sources.
    func fields(prefix: String) -> [(name: String, value: String)] {
        let texts = [("name", name), ("genre", genre), ("url", website), ("description", description)]
        return texts.filter { !$0.1.isEmpty }.map { ("\(prefix)-\($0.0)", $0.1.onOneLine) }
    }
}

extension [(name: String, value: String)] {
    /// Header fields, each on a line.
    var lines: String { map { "\($0.name): \($0.value)\r\n" }.joined() }
}

extension String {
    /// The text without control characters, which could end a field.
    var onOneLine: String {
        String(String.UnicodeScalarView(unicodeScalars.filter { $0.value >= 0x20 && $0 != "\u{7f}" }))
    }
}
