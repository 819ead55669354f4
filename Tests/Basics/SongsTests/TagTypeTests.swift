import Songs
import Testing

@Suite struct TagTypeTests {
    /// As `tagtypes` of MPD 0.24 lists them, and in that order.
    private let names = """
        Artist ArtistSort Album AlbumSort AlbumArtist AlbumArtistSort Title TitleSort Track Name Genre Mood Date \
        OriginalDate Composer ComposerSort Performer Conductor Work Movement MovementNumber ShowMovement Ensemble \
        Location Grouping Comment Disc Label MUSICBRAINZ_ARTISTID MUSICBRAINZ_ALBUMID MUSICBRAINZ_ALBUMARTISTID \
        MUSICBRAINZ_TRACKID MUSICBRAINZ_RELEASETRACKID MUSICBRAINZ_WORKID MUSICBRAINZ_RELEASEGROUPID
        """.split(separator: " ").map(String.init)

    @Test func namesAreMPDs() {
        #expect(TagType.allCases.map(\.name) == names)
        #expect(names.count == 35)
    }

    @Test(arguments: TagType.allCases)
    func namesGoBothWays(_ tag: TagType) {
        #expect(TagType(name: tag.name) == tag)
        #expect(TagType(name: tag.name.lowercased()) == tag)
        #expect(TagType(name: tag.name.uppercased()) == tag)
        // FFmpeg's names are in lower case; most are MPD's.
        #expect(TagType(mediaTag: tag.name.lowercased()) == tag)
    }

    @Test func yearsOfWindowsMediaAreDates() {
        #expect(TagType(mediaTag: "wm/year") == .date)
        #expect(TagType.isSubstitute(mediaTag: "wm/year"))
    }

    @Test(arguments: ["", "any", "file", "Artist ", "ＡＲＴＩＳＴ", "base", "filename"])
    func othersAreNone(_ name: String) {
        #expect(TagType(name: name) == nil)
    }

    @Test(arguments: [
        ("album_artist", TagType.albumArtist), ("tracknumber", .track), ("year", .date), ("publisher", .label),
        ("icy-name", .name), ("musicbrainz album id", .musicBrainzAlbum), ("description", .comment),
    ])
    func mediaNames(_ name: String, _ tag: TagType) {
        #expect(TagType(mediaTag: name) == tag)
    }

    @Test func masks() {
        #expect(TagMask([]).isEmpty)
        for tag in TagType.allCases {
            #expect(TagMask.all.contains(tag))
            let mask = TagMask([tag])
            #expect(TagType.allCases.filter(mask.contains) == [tag])
            #expect(TagType.allCases.filter(TagMask.all.subtracting(mask).contains).count == 34)
        }
        #expect(TagMask([.title, .title, .album]) == TagMask([.album]).union(TagMask([.title])))
    }
}
