/// The tags of MPD's protocol (version 0.24), under its names for them.
///
/// The order is MPD's own, in which `tagtypes` lists them.
package enum TagType: UInt8, Sendable, Hashable, CaseIterable {
    case artist, artistSort, album, albumSort, albumArtist, albumArtistSort, title, titleSort, track, name, genre, mood
    case date, originalDate, composer, composerSort, performer, conductor, work, movement, movementNumber, showMovement
    case ensemble, location, grouping, comment, disc, label
    case musicBrainzArtist, musicBrainzAlbum, musicBrainzAlbumArtist, musicBrainzTrack, musicBrainzReleaseTrack
    case musicBrainzWork, musicBrainzReleaseGroup

    /// The name in the protocol.
    package var name: String { Self.names[Int(rawValue)] }

    /// A tag by its name in the protocol, in upper or lower case.
    package init?(name: some StringProtocol) {
        guard let found = Self.byName[name.lowercased()] else { return nil }
        self = found
    }

    /// A tag by FFmpeg's name for it, in lower case, such as `album_artist`; `nil` for one that MPD does not know.
    package init?(mediaTag name: String) {
        guard let found = Self.mediaNames[name] ?? Self.byName[name] else { return nil }
        self = found
    }

    /// Whether a name counts only if the tag's own is absent: a mere year besides a date.
    package static func isSubstitute(mediaTag name: String) -> Bool { substitutes.contains(name) }

    private static let substitutes: Set = ["year", "originalyear", "tory", "wm/year"]

    private static let names = [
        "Artist", "ArtistSort", "Album", "AlbumSort", "AlbumArtist", "AlbumArtistSort", "Title", "TitleSort", "Track",
        "Name", "Genre", "Mood", "Date", "OriginalDate", "Composer", "ComposerSort", "Performer", "Conductor", "Work",
        "Movement", "MovementNumber", "ShowMovement", "Ensemble", "Location", "Grouping", "Comment", "Disc", "Label",
        "MUSICBRAINZ_ARTISTID", "MUSICBRAINZ_ALBUMID", "MUSICBRAINZ_ALBUMARTISTID", "MUSICBRAINZ_TRACKID",
        "MUSICBRAINZ_RELEASETRACKID", "MUSICBRAINZ_WORKID", "MUSICBRAINZ_RELEASEGROUPID",
    ]

    private static let byName = Dictionary(uniqueKeysWithValues: allCases.map { ($0.name.lowercased(), $0) })

    /// Names that containers use besides the protocol's own (FFmpeg's `metadata_conv` tables, Picard's tag mapping).
    private static let mediaNames: [String: TagType] = [
        "album_artist": .albumArtist, "album artist": .albumArtist, "sort_artist": .artistSort,
        "artist-sort": .artistSort, "sort_album": .albumSort, "album-sort": .albumSort, "title-sort": .titleSort,
        "sort_name": .titleSort, "sort_album_artist": .albumArtistSort, "tracknumber": .track, "discnumber": .disc,
        "tit1": .grouping, "organization": .label, "publisher": .label, "description": .comment,
        "original_date": .originalDate, "originalyear": .originalDate, "tdor": .originalDate, "tory": .originalDate,
        "sort_composer": .composerSort, "year": .date, "tmoo": .mood, "mvnm": .movement, "mvin": .movementNumber,
        "wm/year": .date, "wm/originalreleaseyear": .originalDate, "wm/mood": .mood, "wm/conductor": .conductor,
        "wm/artistsortorder": .artistSort, "wm/albumsortorder": .albumSort, "wm/titlesortorder": .titleSort,
        "wm/contentgroupdescription": .grouping,
        "movementname": .movement, "icy-name": .name, "streamtitle": .title,
        "musicbrainz artist id": .musicBrainzArtist, "musicbrainz album id": .musicBrainzAlbum,
        "musicbrainz album artist id": .musicBrainzAlbumArtist, "musicbrainz track id": .musicBrainzTrack,
        "musicbrainz release track id": .musicBrainzReleaseTrack, "musicbrainz work id": .musicBrainzWork,
        "musicbrainz release group id": .musicBrainzReleaseGroup,
    ]
}

extension [(TagType, String)] {
    /// Appends the values of missing tags.
    package mutating func fillIn(_ substitutes: [(TagType, String)]) {
        if substitutes.isEmpty { return }
        let known = TagMask(map(\.0))
        self += substitutes.filter { !known.contains($0.0) }
    }
}

/// A set of tags; `tagtypes` keeps one for each connection.
package struct TagMask: OptionSet, Sendable, Hashable {
    package var rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }

    package init(_ tags: some Sequence<TagType>) { rawValue = tags.reduce(0) { $0 | 1 << UInt64($1.rawValue) } }

    package static let all = TagMask(TagType.allCases)

    package func contains(_ tag: TagType) -> Bool { rawValue & 1 << UInt64(tag.rawValue) != 0 }
}
