import AudioTypes
import CivilTime
import Foundation
import MusicDirectories
import Songs
import TestSupport
import Testing

/// Directories as a real MPD lists them.
@Suite(.enabled("mpd, ffmpeg or lame is not installed") { MediaFixtures.missing.isEmpty && !ReferenceMPD.isMissing })
struct ListingTests {
    private let music: MusicFixture
    private let mpd: ReferenceMPD

    init() async throws {
        music = try MusicFixture()
        let song = try await MusicFixture.song(.flac)
        let names = [
            "b.flac", "a.flac", "Ä.flac", "z z.flac", "sub/one.flac", "sub/two.flac", "sub/deep/x.foo.flac",
            "sub/ignored/x.flac", "Über/x.flac", "uz/x.flac", ".dots/x.flac", "Zed/x.flac", "_u/x.flac", "1/x.flac",
            "cue/disc.flac", "cue/other.flac", "a-b/x.flac", "a b/x.flac", "ab/x.flac",
        ]
        for name in names { try music.copy(song, to: name) }
        try music.write("note.txt")
        try music.write("list.m3u", "#EXTM3U\n#EXTINF:2,Foo\na.flac\nsub/one.flac\nmissing.flac\n/etc/passwd\n")
        try music.write("sub/list.pls", "[playlist]\nFile1=one.flac\nFile2=http://host/x\nNumberOfEntries=2\n")
        try music.write("sub/.mpdignore", "# all\nignored\n*.foo.flac \n")
        try music.write(
            "cue/disc.cue",
            """
            PERFORMER "Band"
            FILE "disc.flac" WAVE
              TRACK 01 AUDIO
                TITLE "One"
                PERFORMER "Perf"
                INDEX 01 00:00:00
              TRACK 02 AUDIO
                TITLE "Two"
                INDEX 00 00:00:40
                INDEX 01 00:01:00

            """
        )
        try music.link("link", to: "sub")
        try music.link("sub/loop", to: "..")
        try music.link("linked.flac", to: "a.flac")
        try music.link("broken.flac", to: "nothing")
        mpd = try ReferenceMPD(music: music.path)
    }

    /// Lines as `lsinfo` prints them.
    private func lines(_ listings: [Listing]) -> [String] {
        listings.flatMap { listing -> [String] in
            switch listing {
            case .directory(let uri, let modified): ["directory: \(uri)", "Last-Modified: \(timestamp(modified))"]
            case .playlist(let uri, let modified): ["playlist: \(uri)", "Last-Modified: \(timestamp(modified))"]
            case .song(let song):
                {
                    var bytes: [UInt8] = []
                    song.append(to: &bytes, tags: .all)
                    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
                }()
            }
        }
    }

    /// The lines with the tags of each song sorted: their order is the file's, which MPD's decoders do not all keep.
    private func normalised(_ lines: [String]) -> [[String]] {
        var blocks: [[String]] = []
        for line in lines {
            let isStart = ["file: ", "directory: ", "playlist: "].contains { line.hasPrefix($0) }
            if isStart { blocks.append([line]) } else { blocks[blocks.count - 1].append(line) }
        }
        return blocks.map { [$0[0]] + $0.dropFirst().sorted() }
    }

    @Test(arguments: [
        "", "/", "sub", "Über", "link", "cue", "cue/disc.cue", "cue/disc.cue/track0002", "a.flac", "sub/deep",
    ])
    func lsinfo(_ uri: String) throws {
        let expected = normalised(mpd.command("lsinfo \"\(uri)\""))
        let found = normalised(lines(try music.directory.list(uri, song: music.directory.examining(SongCache()))))
        #expect(found == expected)
    }

    @Test(arguments: ["", "sub", "cue", "cue/disc.cue", "a.flac", ".dots"])
    func listall(_ uri: String) throws {
        var found: [String] = []
        try music.directory.walk(uri) { listing in
            switch listing {
            case .directory(let uri, lastModified: _): found.append("directory: \(uri)")
            case .playlist(let uri, lastModified: _): found.append("playlist: \(uri)")
            case .song(let song): found.append("file: \(song.uri)")
            }
        }
        let expected = mpd.command("listall \"\(uri)\"")
        #expect(found == expected)
    }

    @Test(arguments: ["", "sub", "cue"])
    func listfiles(_ uri: String) throws {
        let found = try music.directory.listFiles(uri).map { file in
            let size = file.size.map { ["size: \($0)"] } ?? []
            return
                ([file.size == nil ? "directory: \(file.name)" : "file: \(file.name)"] + size
                + ["Last-Modified: \(timestamp(file.lastModified))"]).sorted()
        }
        // MPD has no order there.
        let expected = normalised(mpd.command("listfiles \"\(uri)\"")).map { $0.sorted() }
        #expect(Set(found) == Set(expected))
    }

    @Test(arguments: ["list.m3u", "cue/disc.cue"])
    func playlists(_ uri: String) throws {
        let source = music.directory.examining(SongCache())
        let songs = try music.directory.playlist(uri, keepsMissing: true, song: source)
        let found = normalised(lines(songs.map { .song($0) }))
        let expected = normalised(mpd.command("listplaylistinfo \"\(uri)\""))
        #expect(found == expected)
    }

    @Test func playlistsKeepURLs() throws {
        #expect(try music.directory.playlist("list.m3u").map(\.uri) == ["a.flac", "sub/one.flac"])
        #expect(try music.directory.playlist("sub/list.pls").map(\.uri) == ["sub/one.flac", "http://host/x"])
        #expect(throws: MusicDirectoryError.notPlayable("a.flac")) { try music.directory.playlist("a.flac") }
        #expect(throws: MusicDirectoryError.doesNotExist("x.m3u")) { try music.directory.playlist("x.m3u") }
    }

    /// The server asks on its event loop, where nothing may wait for a disk.
    @Test func whatToOpenIsSaidWithoutALookAtTheDisk() throws {
        let gone = Song(uri: "not/there.flac")
        let open = music.openDirectory
        #expect(try open.mediaEntry(for: gone).location == open.root + "/not/there.flac")
        #expect(throws: MusicDirectoryError.malformed("../x.flac")) { try open.mediaEntry(for: Song(uri: "../x.flac")) }
        // Where a link leads is to be known before it is opened.
        #expect(throws: MusicDirectoryError.doesNotExist("not/there.flac")) {
            try music.directory.resolve(music.directory.mediaEntry(for: gone))
        }
    }

    @Test func cueTracksPlayTheirPartOfTheFile() throws {
        let song = try music.directory.song("cue/disc.cue/track0002")
        let entry = try music.directory.resolve(music.directory.mediaEntry(for: song))
        #expect(entry.location.hasSuffix("/music/cue/disc.flac"))
        #expect(entry.start?.seconds == 1)
        #expect(entry.end == nil)
        #expect(throws: MusicDirectoryError.doesNotExist("cue/disc.cue/track0003")) {
            try music.directory.song("cue/disc.cue/track0003")
        }
        #expect(throws: MusicDirectoryError.doesNotExist("cue/disc.cue/track2")) {
            try music.directory.unexamined("cue/disc.cue/track2")
        }
    }
}
