import AudioTypes
import Glibc
import MediaExpansion
import Playlists
import Testing

struct NestedPlaylistTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func expand(_ name: String, _ limits: MediaList.Limits = MediaList.Limits()) -> MediaList {
        MediaList(arguments: [directory(name)], limits: limits)
    }

    @Test func `playlists in playlists are expanded in place`() throws {
        try directory.write("a.m3u", "1.mp3\nsub/b.pls\nhttp://h/5.mp3\n")
        try directory.write("sub/b.pls", "[playlist]\nFile1=2.mp3\nFile2=../c.xspf\n")
        try directory.write(
            "c.xspf",
            "<playlist><trackList><track><location>3%20x.mp3</location></track>"
                + "<track><location>album</location></track></trackList></playlist>"
        )
        try directory.write("album/4.mp3")
        let list = expand("a.m3u")
        #expect(
            directory.names(list) == ["1.mp3", "sub/2.mp3", "sub/../3 x.mp3", "sub/../album/4.mp3", "http://h/5.mp3"]
        )
        #expect(list.problems.isEmpty)
    }

    @Test func `what a playlist says of its entries is kept`() throws {
        try directory.write("a.m3u", "#EXTM3U\n#EXTINF:5,A - B\n#EXTVLCOPT:start-time=1\nx.mp3\n")
        var expected = MediaEntry(location: directory("x.mp3"), start: MediaTime(seconds: 1))
        expected.duration = MediaTime(seconds: 5)
        expected.tags.set("artist", to: "A")
        expected.tags.set("title", to: "B")
        #expect(expand("a.m3u").entries == [expected])
    }

    @Test func `names in another form or case are found`() throws {
        // Decomposed, as a Mac writes names, and a folder of them.
        for file in ["Bjo\u{308}rk/Jo\u{301}ga.flac", "cafe\u{301}.mp3", "Song.MP3", "one.mp3", "ONE.mp3"] {
            try directory.write(file)
        }
        try directory.write(
            "a.m3u8",
            "Björk/Jóga.flac\nBJÖRK/jóga.FLAC\nCafé.mp3\nsong.mp3\nOne.mp3\none.mp3\nother.mp3\n"
        )
        let list = expand("a.m3u8")
        let joga = "Bjo\u{308}rk/Jo\u{301}ga.flac"
        let names = directory.names(list).map { Array($0.utf8) }
        // Two files are alike but for their case; what is not there is told when it is played.
        let expected = [joga, joga, "cafe\u{301}.mp3", "Song.MP3", "One.mp3", "one.mp3", "other.mp3"]
        #expect(names == expected.map { Array($0.utf8) })
    }

    @Test func `of long lists only names with other letters are looked for`() throws {
        try directory.write("cafe\u{301}.mp3")
        try directory.write("Song.mp3")
        try directory.write("a.m3u8", "café.mp3\n" + String(repeating: "song.mp3\n", count: 1_000))
        let names = directory.names(expand("a.m3u8")).map { Array($0.utf8) }
        #expect(names.first == Array("cafe\u{301}.mp3".utf8))
        #expect(names.last == Array("song.mp3".utf8))
    }

    @Test func `problems name the list, the line and what is there`() throws {
        try directory.write("a.m3u", "#EXTINF:x,T\nok.mp3\n\nsub/none.m3u\n\nC:\\Music\\gone.mp3\n")
        let list = expand("a.m3u")
        #expect(directory.names(list) == ["ok.mp3"])
        #expect(
            directory.problems(list) == [
                "a.m3u: line 1: 'x' is not a duration in seconds",
                "a.m3u: line 4: sub/none.m3u: No such file or directory",
                "a.m3u: line 6: C:\\Music\\gone.mp3: a path on a Windows drive",
            ]
        )
    }

    @Test func `circles are named`() throws {
        try directory.write("a.m3u", "1.mp3\nb.m3u\n2.mp3\n")
        try directory.write("b.m3u", "3.mp3\nd/../c.m3u\n")
        try directory.write("c.m3u", "4.mp3\na.m3u\n")
        try directory.write("self.m3u", "5.mp3\nlink.m3u\n")
        directory.link("link.m3u", to: "self.m3u")
        directory.makeDirectory("d")
        let list = MediaList(arguments: [directory("a.m3u"), directory("self.m3u")])
        #expect(directory.names(list) == ["1.mp3", "3.mp3", "d/../4.mp3", "2.mp3", "5.mp3"])
        #expect(
            directory.problems(list) == [
                "a.m3u: playlist refers to itself through b.m3u, d/../c.m3u",
                "self.m3u: playlist refers to itself",
            ]
        )
    }

    @Test func `the same playlist twice is no circle`() throws {
        try directory.write("a.m3u", "b.m3u\nb.m3u\n")
        try directory.write("b.m3u", "1.mp3\n")
        #expect(directory.names(expand("a.m3u")) == ["1.mp3", "1.mp3"])
        #expect(expand("a.m3u").problems.isEmpty)
    }

    @Test func `keeps to its limits`() throws {
        for level in 0..<20 { try directory.write("\(level).m3u", "\(level + 1).m3u\n\(level).mp3\n") }
        try directory.write("20.m3u", "20.mp3\n")
        let deep = expand("0.m3u", MediaList.Limits(nesting: 3))
        #expect(directory.names(deep) == ["2.mp3", "1.mp3", "0.mp3"])
        #expect(directory.problems(deep) == ["2.m3u: line 1: 3.m3u: playlists are nested more than 3 deep"])

        for level in 0..<16 { try directory.write("w\(level).m3u", "w\(level + 1).m3u\nw\(level + 1).m3u\n") }
        try directory.write("w16.m3u", "# nothing\n")
        let wide = expand("w0.m3u", MediaList.Limits(playlists: 50, problems: 5))
        #expect(wide.entries.isEmpty)
        #expect(wide.problems.count == 6)
        #expect(wide.problems.last?.reason == .moreProblems)

        try directory.write("many.m3u", "1.mp3\n2.mp3\n3.mp3\n4.mp3\n")
        let many = expand("many.m3u", MediaList.Limits(entries: 2))
        #expect(directory.names(many) == ["1.mp3", "2.mp3"])
        #expect(directory.problems(many) == ["many.m3u: line 3: 3.mp3: more than 2 entries; the rest is left out"])
    }

    /// What a list says, what is on disk, and which of it is meant.
    @Test(arguments: [
        ("Music\\a.mp3", "Music/a.mp3"),
        ("Music\\a.mp3", "Music\\a.mp3"),
        ("a%20b.mp3", "a b.mp3"),
        ("a%20b.mp3", "a%20b.mp3"),
        ("D:\\x\\a.mp3", "a.mp3"),
        ("file:///C:/x/a.mp3", "a.mp3"),
    ]) func `the disk decides between readings`(written: String, onDisk: String) throws {
        try directory.write(onDisk)
        try directory.write("l.m3u", written + "\n")
        let list = expand("l.m3u")
        #expect(directory.names(list) == [onDisk])
        #expect(list.problems.isEmpty)
    }

    @Test func `a path that is not UTF-8 is found by its bytes`() throws {
        let name: [UInt8] = [0x63, 0xe9, 0x2e, 0x6d, 0x70, 0x33]
        let path = Array(directory("").utf8) + name
        let descriptor = unsafe open((path + [0]).map { CChar(bitPattern: $0) }, O_CREAT | O_WRONLY, 0o600)
        try #require(descriptor >= 0)
        close(descriptor)
        try directory.write("l.m3u", bytes: name + [0x0a])
        let raw = expand("l.m3u")
        #expect(raw.entries.map(\.location) == ["file://" + directory("c%E9.mp3")])
        #expect(fileSystemPath(of: raw.entries[0].location) == path)
        // The same name in a directory's listing.
        #expect(MediaList(arguments: [directory.path]).entries == raw.entries)
        // And given back as an argument.
        #expect(MediaList(arguments: raw.entries.map(\.location)).entries == raw.entries)

        try directory.write("cé.mp3")
        #expect(directory.names(expand("l.m3u")) == ["cé.mp3"])
    }

    @Test func `a playlist reads no standard input`() throws {
        try directory.write("a.m3u", "-\n")
        let list = expand("a.m3u")
        #expect(list.entries.isEmpty)
        #expect(directory.problems(list) == ["a.m3u: line 1: -: No such file or directory"])
    }
}
