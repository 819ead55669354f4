import CivilTime
import Songs
import Testing

@Suite struct SongTests {
    private func block(_ song: Song, _ tags: TagMask = .all) -> String {
        var bytes: [UInt8] = []
        song.append(to: &bytes, tags: tags)
        return String(decoding: bytes, as: UTF8.self)
    }

    private let song = Song(
        uri: "a/b.flac",
        range: Song.Range(start: 1.5, end: 61.5),
        lastModified: 1_600_000_000,
        added: 0,
        format: "44100:16:2",
        tags: [(.artist, "One"), (.title, "A title"), (.artist, "Two"), (.musicBrainzTrack, "x-y")],
        duration: 60,
        isExamined: true
    )

    @Test func theBlockIsInMPDsOrder() {
        #expect(
            block(song) == """
                file: a/b.flac
                Range: 1.500-61.500
                Last-Modified: 2020-09-13T12:26:40Z
                Added: 1970-01-01T00:00:00Z
                Format: 44100:16:2
                Artist: One
                Title: A title
                Artist: Two
                MUSICBRAINZ_TRACKID: x-y
                Time: 60
                duration: 60.000

                """
        )
    }

    @Test func whatIsUnknownIsLeftOut() {
        #expect(block(Song(uri: "a")) == "file: a\n")
    }

    @Test func aMaskLeavesTagsOut() {
        let masked = block(song, TagMask([.title]))
        #expect(masked.contains("Title: A title\n"))
        #expect(!masked.contains("Artist"))
        #expect(masked.contains("Format: 44100:16:2\n"))
        #expect(masked.hasSuffix("Time: 60\nduration: 60.000\n"))
        #expect(block(song, []).split(separator: "\n").count == 7)
        #expect(block(song, TagMask.all.subtracting(TagMask([.genre]))) == block(song))
    }

    @Test func tagsComeBack() {
        #expect(song.tags.map(\.0) == [.artist, .title, .artist, .musicBrainzTrack])
        #expect(song.values(of: .artist) == ["One", "Two"])
        #expect(song.values(of: .genre) == [])
        let changed = song.with(tags: [(.genre, "Jazz")])
        #expect(changed.tags.map(\.1) == ["Jazz"])
        #expect(changed.uri == song.uri && changed.duration == 60 && changed.added == 0 && changed.isExamined)
    }

    @Test func valuesAreSearched() {
        func search(_ tag: TagType?, _ value: String) -> Song.ValueSearch {
            song.search(tag) { $0.text == value }
        }
        #expect(search(.artist, "Two") == .matched)
        #expect(search(.artist, "A title") == .mismatched)
        #expect(search(nil, "A title") == .matched)
        #expect(search(.genre, "Two") == .absent)
    }

    /// Songs share what their albums have in common, and albums come and go.
    @Test func manyAlbumsAreKeptApart() {
        func song(_ number: Int) -> Song {
            let album = number / 3
            return Song(
                uri: "Artist \(album % 7)/Album \(album)/\(number % 3).flac",
                lastModified: number,
                format: "44100:16:2",
                tags: [(.artist, "Artist \(album % 7)"), (.title, "Song \(number)"), (.album, "Album \(album)")],
                duration: Double(number),
                isExamined: true
            )
        }
        func expected(_ number: Int) -> String {
            let album = number / 3
            return """
                file: Artist \(album % 7)/Album \(album)/\(number % 3).flac
                Last-Modified: \(timestamp(number))
                Format: 44100:16:2
                Artist: Artist \(album % 7)
                Title: Song \(number)
                Album: Album \(album)
                Time: \(number)
                duration: \(number).000

                """
        }
        var kept: [Song] = []
        // Half of them are dropped again, so that there is something to be cleared away.
        for number in 0..<12_000 {
            let made = song(number)
            if number / 3 % 2 == 0 { kept.append(made) }
        }
        for (index, song) in kept.enumerated() {
            let number = index / 3 * 6 + index % 3
            #expect(block(song) == expected(number))
        }
        #expect(block(song(1)) == expected(1))
    }

    // MARK: Numbers

    @Test(arguments: [
        (0, "Time: 0\nduration: 0.000\n"), (0.4996, "Time: 0\nduration: 0.500\n"),
        (1.5, "Time: 2\nduration: 1.500\n"), (59.9996, "Time: 60\nduration: 60.000\n"),
        (1e300, "Time: 1000000000000\nduration: 1000000000000.000\n"),
    ])
    func durations(_ seconds: Double, _ expected: String) {
        #expect(block(Song(uri: "a", duration: seconds)) == "file: a\n" + expected)
    }

    /// Live streams and broken files say such things.
    @Test(arguments: [Double.infinity, -.infinity, .nan, -1])
    func aDurationThatIsNoneIsUnknown(_ seconds: Double) {
        let song = Song(uri: "a", duration: seconds)
        #expect(song.duration == nil)
        #expect(block(song) == "file: a\n")
    }

    @Test(arguments: [
        (Song.Range(start: 0.0004, end: nil), "0.000-"), (Song.Range(start: 5), "5.000-"),
        (Song.Range(start: 0, end: 0.9996), "0.000-1.000"),
        (Song.Range(start: -.infinity, end: .infinity), "0.000-1000000000000.000"),
        (Song.Range(start: .nan, end: .nan), "0.000-0.000"),
    ])
    func ranges(_ range: Song.Range, _ expected: String) {
        #expect(block(Song(uri: "a", range: range)) == "file: a\nRange: \(expected)\n")
    }

    @Test func theDurationFollowsTheRange() {
        let medium = Song(uri: "a", duration: 100)
        #expect(medium.with(range: Song.Range(start: 10), mediumDuration: 100).duration == 90)
        #expect(medium.with(range: Song.Range(start: 10, end: 30), mediumDuration: 100).duration == 20)
        #expect(medium.with(range: Song.Range(start: 10), mediumDuration: nil).duration == nil)
        #expect(medium.with(range: nil, mediumDuration: 100).duration == 100)
        #expect(medium.with(range: Song.Range(start: 30, end: 10), mediumDuration: 100).duration == 0)
    }

    // MARK: Text

    @Test func aLineFeedEndsNoLine() {
        let song = Song(uri: "a\nb", tags: [(.title, "one\r\ntwo")])
        #expect(block(song) == "file: a b\nTitle: one  two\n")
        #expect(song.values(of: .title) == ["one  two"])
    }

    @Test(arguments: ["x", "é", "日", "𝄞"], [0, 1, 2, 3])
    func longTagsEndAtACharacter(_ character: String, _ offset: Int) throws {
        let width = character.utf8.count
        let value = String(repeating: "-", count: offset) + String(repeating: character, count: 5_000 / width)
        let kept = try #require(Song(uri: "a", tags: [(.title, value)]).values(of: .title).first)
        #expect(kept.utf8.count <= 4_000 && kept.utf8.count > 4_000 - width)
        #expect(value.hasPrefix(kept))
    }

    @Test(arguments: [
        ("http://user:secret@host/a.mp3", "http://host/a.mp3"), ("http://user@host", "http://host"),
        ("https://a:b@c@host:80/p?q=@#@", "https://host:80/p?q=@#@"), ("http://host/a@b", "http://host/a@b"),
        ("http://host?x=a@b", "http://host?x=a@b"), ("a@b/c.flac", "a@b/c.flac"), ("a/http://u:p@h", "a/http://u:p@h"),
        ("smb://u:p@h/é", "smb://h/é"), ("http://@host", "http://host"), ("://u@h", "://u@h"),
    ])
    func credentialsAreNotShown(_ uri: String, _ shown: String) {
        #expect(withoutCredentials(uri) == shown)
        let song = Song(uri: uri)
        #expect(song.uri == uri)
        #expect(block(song) == "file: \(shown)\n")
    }
}
