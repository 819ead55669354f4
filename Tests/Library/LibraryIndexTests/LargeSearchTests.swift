import LibraryIndex
import SongFilters
import Songs
import Testing

/// Searches that find much, which are answered from what is kept of all songs.
@Suite struct LargeSearchTests {
    private let library: TemporaryLibrary
    private var reader: LibraryReader {
        var reader = library.reader
        // Whatever is found is much.
        reader.sortLimit = 0
        return reader
    }

    init() throws {
        library = try TemporaryLibrary()
        try library.add([
            file("b/2.flac", [(.title, "Échos one"), (.artist, "Common"), (.composer, "Someone")]),
            file("b/10.flac", [(.title, "Échos one"), (.artist, "Common"), (.musicBrainzTrack, "abc-12")]),
            file("a/1.flac", [(.title, "Other"), (.artist, "Rare"), (.musicBrainzTrack, "no one")]),
        ])
    }

    private func uris(_ words: [String], _ mode: SongFilter.Mode = .folded(.all)) throws -> [String] {
        try reader.songs(reader.find(SongQuery(words, mode))).map(\.uri)
    }

    @Test(arguments: [
        (["any", "one"], ["a/1.flac", "b/2.flac", "b/10.flac"]), (["title", "ONE"], ["b/2.flac", "b/10.flac"]),
        (["title", "echos"], ["b/2.flac", "b/10.flac"]), (["any", "common"], ["b/2.flac", "b/10.flac"]),
        (["any", "o"], ["a/1.flac", "b/2.flac", "b/10.flac"]), (["composer", "one"], ["b/2.flac"]),
        (["any", "bc-1"], ["b/10.flac"]), (["musicbrainz_trackid", "no"], ["a/1.flac"]), (["title", "rare"], []),
        (["(title contains 'one')", "window", "1:2"], ["b/10.flac"]), (["any", "ne\u{0}"], []),
        (["(any contains_cs 'Other')"], ["a/1.flac"]), (["(any contains_cs 'other')"], []),
        (["any", "one", "any", "common"], ["b/2.flac", "b/10.flac"]),
        (["any", "one", "composer", "some", "any", "2"], []), (["any", "one", "(any contains 'abc')"], ["b/10.flac"]),
        (["((any contains 'common') AND (composer contains 'one'))", "any", "one"], ["b/2.flac"]),
        (["any", "one", "(!(any contains 'common'))"], ["a/1.flac"]),
        (["any", "one", "any", "common", "sort", "-title"], ["b/2.flac", "b/10.flac"]),
        (Self.many(["any", "o"]) + ["any", "rare"], ["a/1.flac"]),
        (Self.many(["any", "o"]) + ["any", "rare", "sort", "title"], ["a/1.flac"]),
        (Self.many(["artist", "o"]), ["b/2.flac", "b/10.flac"]),
        (Self.many(["artist", "o"]) + ["base", "b"], ["b/2.flac", "b/10.flac"]),
        (Self.many(["(!(any contains 'rare'))"]) + ["title", "one"], ["b/2.flac", "b/10.flac"]),
        (Self.many(["(title =~ 'one')"]), ["b/2.flac", "b/10.flac"]),
        (Self.many(["(title =~ 'one')"]) + ["sort", "-Last-Modified"], ["b/2.flac", "b/10.flac"]),
    ]) func theSameIsFound(_ words: [String], _ uris: [String]) throws {
        #expect(try self.uris(words) == uris)
    }

    /// More conditions than the index keeps the values of.
    private static func many(_ words: [String]) -> [String] { Array(repeating: words, count: 100).flatMap(\.self) }

    @Test func tagsAreListedForManyConditions() throws {
        for (word, lines) in [("common", "Artist: Common\n"), ("any", "")] {
            let filter = try SongFilter(Self.many(["artist", word]), .folded(.all))
            #expect(try String(decoding: reader.list(.artist, filter, groups: []), as: UTF8.self) == lines)
            #expect(try reader.count(filter).songs == (lines.isEmpty ? 0 : 2))
        }
    }

    @Test(arguments: [
        (["any", "one"], 3), (["any", "one", "any", "common"], 2), (["any", "rare", "any", "common"], 0),
    ])
    func theSameIsCounted(_ words: [String], _ songs: Int) throws {
        let filter = try SongFilter(words, .folded(.all))
        let count = try reader.count(filter)
        #expect(try count == library.reader.count(filter))
        #expect(count.songs == songs)
    }

    @Test func whatHasChangedIsSeen() throws {
        #expect(try uris(["any", "one"]) == ["a/1.flac", "b/2.flac", "b/10.flac"])
        try library.add([file("a/0.flac", [(.title, "One more")]), file("b/2.flac", [(.title, "Two")])])
        #expect(try uris(["any", "one"]) == ["a/0.flac", "a/1.flac", "b/10.flac"])
        try library.apply([.removal(uri: "a")])
        #expect(try uris(["any", "one"]) == ["b/10.flac"])
        #expect(try uris(["any", "two"]) == ["b/2.flac"])
    }
}
