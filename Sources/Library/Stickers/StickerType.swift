/// A kind of object that stickers can be attached to.
package struct StickerType: Sendable, Hashable {
    /// The name in the protocol, such as `song` or `AlbumArtist`.
    package let name: String

    package static let song = StickerType(unchecked: "song")
    package static let playlist = StickerType(unchecked: "playlist")
    /// A filter expression, as in a smart playlist.
    package static let filter = StickerType(unchecked: "filter")

    /// All types, in the order of `stickertypes`: files and lists, then tags.
    package static let all: [StickerType] =
        [.filter, .playlist, .song]
        + [
            "Album", "AlbumArtist", "Artist", "Composer", "Conductor", "Ensemble", "Genre", "Label", "Location",
            "Performer", "Title", "Work",
        ].map(StickerType.init(unchecked:))

    private init(unchecked name: String) { self.name = name }

    /// A type by its name; case is ignored for tags, as everywhere.
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
