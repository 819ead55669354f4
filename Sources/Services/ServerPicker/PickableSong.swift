package import Songs

/// A song, as far as the owner has to know it to choose, and the client to use it.
package struct PickableSong: Sendable, Hashable {
    package let uri: String
    /// The values of its tags, separated by commas; `nil` without one.
    package let title, artist, album: String?
    /// In seconds; `nil` when unknown.
    package let duration: Double?

    package init(_ song: Song) {
        func text(_ tag: TagType) -> String? {
            let values = song.values(of: tag)
            return values.isEmpty ? nil : values.joined(separator: ", ")
        }
        uri = song.uri
        (title, artist, album) = (text(.title), text(.artist), text(.album))
        duration = song.duration
    }
}
