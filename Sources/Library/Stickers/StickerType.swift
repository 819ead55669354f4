/// What a sticker can be attached to.
package struct StickerType: Sendable, Hashable {
    /// The name on the wire, such as `song` or `AlbumArtist`.
    package let name: String

    package static let song = StickerType(unchecked: "song")
    package static let playlist = StickerType(unchecked: "playlist")
    /// A filter expression, as a smart playlist has one.
    package static let filter = StickerType(unchecked: "filter")

    /// All there are, in the order in which `stickertypes` lists them: files and lists, then the kinds of tags.
    package static let all: [StickerType] =
        [.filter, .playlist, .song]
        + [
            "Album", "AlbumArtist", "Artist", "Composer", "Conductor", "Ensemble", "Genre", "Label", "Location",
            "Performer", "Title", "Work",
        ].map(StickerType.init(unchecked:))

    private init(unchecked name: String) { self.name = name }

    /// A type by its name; those of tags in upper or lower case, as tags are everywhere.
    package init?(_ name: String) {
        let lowered = name.lowercased()
        guard let found = Self.all.first(where: { $0.name == name || $0.isTag && $0.name.lowercased() == lowered })
        else {
            return nil
        }
        self = found
    }

    /// Whether the URI of such a sticker is a tag's value.
    package var isTag: Bool { name.utf8.first.map { $0 < UInt8(ascii: "a") } ?? false }
}
