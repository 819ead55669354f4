/// Rules for which songs are speech, which announcements pause instead of ducking.
package struct SpokenContent: Sendable, Hashable {
    /// Compared without regard to case.
    package var genres = ["Audiobook", "Podcast", "Speech"]
    /// Beginnings of URLs, or paths of folders and files in the music directory.
    package var prefixes: [String] = []

    package init() {}

    /// Whether a song is speech.
    ///
    /// - Parameters:
    ///   - uri: A URL, or a path in the music directory.
    ///   - songGenres: The genres in its tags.
    package func covers(_ uri: String, genres songGenres: [String]) -> Bool {
        if uri.lowercased().hasSuffix(".m4b") || prefixes.contains(where: { Self.begins(uri, with: $0) }) {
            return true
        }
        let known = Set(genres.map { $0.lowercased() })
        return songGenres.contains { known.contains($0.trimmed.lowercased()) }
    }

    /// Compares whole path components: `Talk` does not match `Talking Heads`.
    private static func begins(_ uri: String, with prefix: String) -> Bool {
        guard !prefix.isEmpty, uri.utf8.starts(with: prefix.utf8) else { return false }
        let isWhole = prefix.contains("://") || prefix.hasSuffix("/") || uri.utf8.count == prefix.utf8.count
        return isWhole || uri.utf8.dropFirst(prefix.utf8.count).first == UInt8(ascii: "/")
    }
}
