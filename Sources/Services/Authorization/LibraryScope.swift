/// The part of the library that a principal sees: what is in one of its parts.
///
/// Without parts it sees no song.
package struct LibraryScope: Sendable, Hashable {
    package enum Part: Sendable, Hashable {
        /// The songs at and below a URI.
        case folder(String)
        /// The songs of a stored playlist, and that playlist.
        case playlist(String)
        /// The songs that match an expression in parentheses, as `find` has it.
        case filter(String)
        /// The songs with a portable identifier.
        case item(String)
    }

    package private(set) var parts: [Part] = []

    package init() {}

    package static let mostParts = 200
    /// Of a part's text, in bytes.
    package static let longestText = 1_024

    /// - Returns: Whether there was room.
    package mutating func insert(_ part: Part) -> Bool {
        guard (1...Self.longestText).contains(part.text.utf8.count), !part.text.utf8.contains(where: { $0 < 0x20 })
        else { return false }
        if parts.contains(part) { return true }
        guard parts.count < Self.mostParts else { return false }
        parts.append(part)
        return true
    }

    /// The stored playlists that are visible.
    package var playlists: [String] {
        parts.compactMap { part in if case .playlist(let name) = part { name } else { nil } }
    }
}

extension LibraryScope.Part {
    /// The key of a grant, and the text behind it.
    package var words: (key: String, text: String) {
        switch self {
        case .folder(let uri): ("folder", uri)
        case .playlist(let name): ("playlist", name)
        case .filter(let expression): ("filter", expression)
        case .item(let identifier): ("item", identifier)
        }
    }

    package var text: String { words.text }

    init?(key: String, _ text: String) {
        switch key {
        case "folder":
            var text = text
            while text.hasSuffix("/") { text.removeLast() }
            self = .folder(text)
        case "playlist": self = .playlist(text)
        case "filter":
            guard text.hasPrefix("(") else { return nil }
            self = .filter(text)
        case "item": self = .item(text)
        default: return nil
        }
    }
}
