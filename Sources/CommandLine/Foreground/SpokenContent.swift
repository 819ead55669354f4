package import AudioTypes
package import Playback

/// Recognises speech: it is paused for a prompt, rather than ducked, so that no word is lost.
package enum SpokenContent {
    private static let genres: Set<String> = [
        "audiobook", "audiobooks", "podcast", "podcasts", "speech", "spoken word",
    ]

    /// By the genre in its tags, or by its name.
    package static func contains(_ item: PlayerItem) -> Bool {
        let genre = item.tag("genre")?.lowercased() ?? ""
        let parts = genre.split { ";,/".contains($0) }.map { $0.drop { $0 == " " } }
        return contains(item.entry) || parts.contains { genres.contains(String($0)) }
    }

    /// By the properties known before it is opened.
    package static func contains(_ entry: MediaEntry) -> Bool {
        let path = entry.location.prefix { $0 != "?" && $0 != "#" }.lowercased()
        return path.hasSuffix(".m4b") || genres.contains(entry.tags["genre"]?.lowercased() ?? "")
    }
}
