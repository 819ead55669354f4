import AudioTypes
import Charsets
import Playlists
import Testing

struct M3UTests {
    @Test func `reads everything that a list says`() throws {
        let playlist = try Playlist(sample("album.m3u8"), named: "album.m3u8")
        let album = ["album": "Köln Concerts", "album_artist": "Various"]
        let station = ["artist": "Station", "title": "Song: a, b", "group-title": "Radio, live", "tvg-id": "x1"]
        let expected = Playlist(
            format: .m3u,
            title: "Evening",
            entries: [
                entry("music/01 Jóga.flac", album.merging(["artist": "Björk", "title": "Jóga"]) { $1 }, seconds: 215),
                entry("https://example.org/stream.mp3", album.merging(station) { $1 }, seconds: 180.5),
                entry("music/02.flac", album.merging(["title": "No dash"]) { $1 }, start: 12.5, end: 30),
            ],
            lines: [7, 9, 14]
        )
        #expect(playlist == expected)
    }

    @Test(arguments: [
        ("a.mp3\nb.mp3", ["a.mp3", "b.mp3"]),
        ("a.mp3\rb.mp3\r", ["a.mp3", "b.mp3"]),
        ("a.mp3\r\n\r\nb.mp3\r\n", ["a.mp3", "b.mp3"]),
        ("\u{feff}a.mp3", ["a.mp3"]),
        ("  a b.mp3\t", ["a b.mp3"]),
        ("#a\n#EXTM3U\n#EXT-X-APP x\n#\n", []),
        ("", []),
        ("C:\\Music\\a.mp3", ["C:\\Music\\a.mp3"]),
        ("#EXTIMG:front\ncover.jpg\na.mp3", ["a.mp3"]),
    ]) func `finds the locations`(text: String, locations: [String]) throws {
        let playlist = try Playlist(Array(text.utf8), as: .m3u)
        #expect(playlist.entries.map(\.location) == locations)
        #expect(playlist.problems.isEmpty)
    }

    @Test func `counts lines by every kind of end`() throws {
        let playlist = try Playlist(Array("a\r\nb\rc\n\nd\r\n\r\ne".utf8), as: .m3u)
        #expect(playlist.lines == [1, 2, 3, 5, 7])
    }

    @Test(arguments: [
        ("215,Artist - Title", entry("x", ["artist": "Artist", "title": "Title"], seconds: 215)),
        ("215 , Artist - Title - Live ", entry("x", ["artist": "Artist", "title": "Title - Live"], seconds: 215)),
        ("-1,Title", entry("x", ["title": "Title"])),
        ("0,Title", entry("x", ["title": "Title"])),
        (",Title", entry("x", ["title": "Title"])),
        ("12", entry("x", seconds: 12)),
        ("12.5,", entry("x", seconds: 12.5)),
        ("1,12\" Mix, long", entry("x", ["title": "12\" Mix, long"], seconds: 1)),
        ("1 a=\"b,c\" D=\"e\",T", entry("x", ["a": "b,c", "d": "e", "title": "T"], seconds: 1)),
        ("1 a=\"b,T", entry("x", ["title": "T"], seconds: 1)),
        ("1, - Title", entry("x", ["title": "- Title"], seconds: 1)),
    ]) func `reads EXTINF`(information: String, expected: MediaEntry) throws {
        let playlist = try Playlist(Array("#EXTM3U\n#extinf:\(information)\nx".utf8), as: .m3u)
        #expect(playlist.entries == [expected])
        #expect(playlist.problems.isEmpty)
    }

    @Test(arguments: [
        ("-1,Radio - Top 40", "http://a/b", ["title": "Radio - Top 40"]),
        ("0,Radio - Top 40", "HTTPS://a/b", ["title": "Radio - Top 40"]),
        ("-1 tvg-id=\"x\",Radio - Top 40", "http://a/b", ["tvg-id": "x", "title": "Radio - Top 40"]),
        ("200,Anna - Song", "http://a/b.mp3", ["artist": "Anna", "title": "Song"]),
        ("-1,Anna - Song", "b.mp3", ["artist": "Anna", "title": "Song"]),
    ]) func `a station has one name`(information: String, location: String, tags: [String: String]) throws {
        let playlist = try Playlist(Array("#EXTINF:\(information)\n\(location)".utf8), as: .m3u)
        let expected = tags.reduce(into: Tags()) { $0.set($1.key, to: $1.value) }
        #expect(playlist.entries.map(\.tags) == [expected])
    }

    @Test(arguments: [
        ("#EXTINF:inf,T\nx", [problem(1, .invalidDuration("inf"))]),
        ("#EXTINF:1e5,T\nx", [problem(1, .invalidDuration("1e5"))]),
        ("x\n#EXTINF:1,T\n", [problem(2, .missingLocation)]),
        ("#EXTINF:1,T\n#EXTINF:2,U\nx", [problem(1, .missingLocation)]),
        ("#EXTENC:Klingon\nx", [problem(1, .unknownEncoding("Klingon"))]),
        ("#EXTVLCOPT:start-time=-3\nx", [problem(1, .invalidTime("start-time=-3"))]),
        ("#EXTVLCOPT:start-time=9\n#EXTVLCOPT:stop-time=4\nx", [problem(3, .invalidTime("stop-time=4.0"))]),
        ("a\0b\nx", [problem(1, .invalidLocation)]),
    ]) func `reports what it cannot use and keeps the entry`(text: String, problems: [PlaylistProblem]) throws {
        let playlist = try Playlist(Array(text.utf8), as: .m3u)
        #expect(playlist.problems == problems)
        #expect(playlist.entries.map(\.location) == ["x"])
    }

    @Test func `a manifest is no list`() {
        #expect(throws: ParseError.mediaManifest) { try Playlist(sample("manifest.m3u8"), named: "manifest.m3u8") }
        #expect(throws: ParseError.mediaManifest) {
            try Playlist(Array("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nlow.m3u8".utf8), as: .m3u)
        }
    }

    @Test func `reads Windows-1252 line by line`() throws {
        let playlist = try Playlist(sample("latin1.m3u"), named: "latin1.m3u")
        #expect(playlist.encoding == .undeclared(.windows1252))
        #expect(playlist.entries == [entry("Musik\\Käse – Brot.mp3", ["title": "Café"], seconds: 10)])

        let mixed = try Playlist(Array("ö.mp3\n".utf8) + [0xf6, 0x2e, 0x6d, 0x70, 0x33], as: .m3u)
        #expect(mixed.entries.map(\.location) == ["ö.mp3", "ö.mp3"])
    }

    @Test func `every Windows-1252 byte survives there and back`() throws {
        let bytes = (UInt8(0x80)...0xff).map { $0 } + [0xff]
        let playlist = try Playlist(bytes, as: .m3u)
        #expect(Charset.windows1252.bytes(of: playlist.entries[0].location) == bytes)
    }

    @Test func `reads the encoding that is declared`() throws {
        let bytes = Array("#EXTM3U\n#EXTENC:Shift_JIS\n#EXTINF:10,".utf8) + [0x83, 0x8a] + Array("\na.mp3\n".utf8)
        let playlist = try Playlist(bytes, as: .m3u, charset: Charset(named: "koi8-r"))
        #expect(playlist.entries == [entry("a.mp3", ["title": "リ"], seconds: 10)])
        #expect(playlist.problems.isEmpty)
    }

    @Test func `reads a line in Windows-1252 of a list that claims to be UTF-8`() throws {
        let playlist = try Playlist(
            Array("#EXTM3U\n#EXTENC:UTF-8\nö.mp3\n".utf8) + [0xf6, 0x2e, 0x6d, 0x70, 0x33],
            as: .m3u
        )
        #expect(playlist.entries.map(\.location) == ["ö.mp3", "ö.mp3"])
    }

    /// The lines are judged together: no single one has eight letters.
    @Test func `reads Cyrillic without a declaration`() throws {
        let charset = try #require(Charset(named: "windows-1251"))
        let text = ["#EXTM3U", "#EXTINF:1,Кино - Ода", "Ода.mp3", "#EXTINF:2,Кино - Дом", "Дом.mp3", ""].joined(
            separator: "\n"
        )
        let bytes = try #require(charset.bytes(of: text))
        for given in [nil, charset] {
            let playlist = try Playlist(bytes, as: .m3u, charset: given)
            #expect(playlist.entries.map(\.location) == ["Ода.mp3", "Дом.mp3"])
            #expect(playlist.entries.map { $0.tags["artist"] } == ["Кино", "Кино"])
            #expect(playlist.encoding == .undeclared(charset))
        }
    }

    @Test(arguments: [true, false]) func `reads UTF-16 without a mark`(lowByteFirst: Bool) throws {
        let text = "#EXTM3U\n#EXTINF:10,日本\nmusic/日本.mp3\n"
        let bytes = text.utf16.flatMap { unit in
            let pair = [UInt8(truncatingIfNeeded: unit), UInt8(truncatingIfNeeded: unit >> 8)]
            return lowByteFirst ? pair : pair.reversed()
        }
        let playlist = try Playlist(bytes, as: .m3u)
        #expect(playlist.encoding == .utf16)
        #expect(playlist.entries == [entry("music/日本.mp3", ["title": "日本"], seconds: 10)])
    }

    @Test(arguments: [true, false]) func `reads UTF-16 in both orders`(lowByteFirst: Bool) throws {
        var bytes = try sample("utf16.m3u")
        if !lowByteFirst { for index in stride(from: 0, to: bytes.count, by: 2) { bytes.swapAt(index, index + 1) } }
        let playlist = try Playlist(bytes, named: "utf16.m3u")
        #expect(playlist.encoding == .utf16)
        #expect(playlist.entries == [entry("music/日本.mp3", ["title": "日本"], seconds: 10)])
    }

    @Test func `keeps to its limits`() throws {
        let limits = ParseLimits(entries: 2, lineLength: 5, nesting: 4, problems: 2)
        let text = "123456\na\n123456\n123456\n123456\nb\nc\nd"
        let playlist = try Playlist(Array(text.utf8), as: .m3u, limits: limits)
        #expect(playlist.entries.map(\.location) == ["a", "b"])
        #expect(
            playlist.problems == [
                problem(1, .lineTooLong(limit: 5)), problem(3, .lineTooLong(limit: 5)), problem(4, .moreProblems),
            ]
        )
        let short = try Playlist(Array("a\nb\nc\nd".utf8), as: .m3u, limits: limits)
        #expect(short.problems == [problem(3, .tooManyEntries(limit: 2))])
    }

    @Test func `survives being cut anywhere`() throws {
        let bytes = try sample("album.m3u8")
        var counts: [Int] = []
        for count in 0...bytes.count {
            let playlist = try Playlist(Array(bytes.prefix(count)), as: .m3u)
            #expect(playlist.lines.count == playlist.entries.count)
            counts.append(playlist.entries.count)
        }
        #expect(counts == counts.sorted())
        #expect(counts.last == 3)
    }
}
