import LibraryIndex
import MediaHeaders
import SongFilters
import Songs
import Testing

/// What a reader of a part of the library answers: as if there were nothing else.
@Suite struct VisibleSongsTests {
    /// The files of whole albums, up to a number of songs.
    private func files(_ count: Int) -> [ScannedFile] { PlausibleLibrary(songs: count, seed: 3).flatMap { $0 } }

    private static let parts: [(name: String, fraction: Int)] = [("few", 200), ("many", 2), ("none", 0)]

    @Test("A limited reader answers as a library that has only these songs", arguments: parts.indices)
    func asAnotherLibrary(index: Int) throws {
        let all = files(6_000)
        let fraction = Self.parts[index].fraction
        // Whole folders, so that what is at and below them can be named.
        let folders = Set(all.map { parent($0.uri) }).sorted().enumerated()
            .filter { fraction > 0 && $0.offset.isMultiple(of: fraction) }.map(\.element)
        let kept = Set(folders)
        let whole = try TemporaryLibrary()
        let part = try TemporaryLibrary()
        try whole.add(all)
        let some = all.filter { kept.contains(parent($0.uri)) }
        if !some.isEmpty { try part.add(some) }
        var limited = whole.reader
        let visible = try whole.reader.visibleSongs(of: folders.map { .folder($0) })
        #expect(visible.count == some.count && (fraction != 2 || visible.count > 2_000))
        limited.visible = visible
        let (one, other) = (limited, part.reader)
        func uris(_ reader: LibraryReader, _ words: [String], _ mode: SongFilter.Mode) throws -> [String] {
            try reader.songs(reader.find(SongQuery(words, mode))).map(\.uri)
        }
        for words in [
            ["any", "ka"], ["title", "the"], ["(title =~ '.')"], ["genre", "Rock"], ["any", "sun", "window", "0:5"],
            ["any", "e", "window", "3:2000"], ["(genre == 'Jazz')", "sort", "title"],
            ["(genre != 'Jazz')", "sort", "date", "window", "5:25"], ["any", "a", "sort", "Last-Modified"],
            ["(artist contains 'an')", "sort", "track"], ["(!(title contains 'e'))"], ["file", "a"],
        ] {
            for mode in [SongFilter.Mode.exact, .folded(.all)] {
                #expect(try uris(one, words, mode) == uris(other, words, mode), "\(words) \(mode)")
            }
        }
        let jazz = try SongFilter(["genre", "Jazz"], .exact)
        for filter in [nil, jazz] {
            #expect(try one.count(filter) == other.count(filter))
            #expect(try one.listURIs(filter) == other.listURIs(filter))
            for tag in [TagType.artist, .album, .title, .genre] {
                #expect(try one.count(filter, group: tag) == other.count(filter, group: tag))
                #expect(try one.list(tag, filter) == other.list(tag, filter), "\(tag)")
                #expect(try one.list(tag, filter, groups: [.date]) == other.list(tag, filter, groups: [.date]))
            }
        }
        var stats = try (one.stats(), other.stats())
        (stats.0.updated, stats.1.updated) = (nil, nil)
        #expect(stats.0 == stats.1)
        for form in [LibraryCursor.Form.uris, .lines(.all)] {
            #expect(try listing(one, form) == listing(other, form))
        }
        for file in all.prefix(300) {
            let isKept = kept.contains(parent(file.uri))
            #expect(visible.contains(file.uri) == isKept)
            #expect(visible.containsDirectory(parent(file.uri)) == isKept)
            #expect(try (one.song(file.uri) != nil) == isKept)
            #expect(try (one.list(parent(file.uri)) != nil) == isKept)
            #expect(try (one.songs(below: parent(file.uri)) != nil) == isKept)
            #expect(try one.hasSongs([file.uri]) == [isKept])
        }
        let hidden = parent(try #require(all.first { !kept.contains(parent($0.uri)) }).uri)
        let base = try SongFilter(["base", hidden], .exact)
        #expect(throws: LibraryError.nothingThere(hidden)) { try one.find(base) }
        #expect(throws: LibraryError.nothingThere(hidden)) { try one.count(base) }
        #expect(try one.problems().isEmpty && one.duplicates().isEmpty)
    }

    /// The lines of `listall`; but not when songs were added.
    private func listing(_ reader: LibraryReader, _ form: LibraryCursor.Form) throws -> [Substring] {
        guard var cursor = try LibraryCursor(reader, "") else { return [] }
        var bytes: [UInt8] = []
        while try cursor.appendPage(form, limit: 100, to: &bytes) {}
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("Added: ") }
    }

    @Test("Parts are joined: folders, songs, filters and items, as far as they are there")
    func joinedParts() throws {
        let library = try TemporaryLibrary()
        let all = files(200)
        try library.add(all)
        let first = all[0]
        let filter = try SongFilter(["title", all[10].tags.first { $0.0 == .title }?.1 ?? ""], .exact)
        let visible = try library.reader.visibleSongs(of: [
            .folder(first.uri), .folder("nowhere"), .filter(filter), .songs([all[20].uri, "nothing.flac"]),
            .filter(try SongFilter(["base", "nowhere"], .exact)), .item("0123456789abcdef0123456789abcdef"),
        ])
        for index in [0, 10, 20] { #expect(visible.contains(all[index].uri), "\(index)") }
        #expect(!visible.contains(all[30].uri) && !visible.contains("nothing.flac") && visible.containsDirectory(""))
        #expect(visible.byteCount < 1_000)
    }
}
