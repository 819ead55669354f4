import Foundation
import TestSupport
import TestThreads
import Testing

/// CUE sheets in songs' tags, as a real MPD shows them: the song is a playlist as well.
@Suite(.blocking, .enabled("mpd, ffmpeg, lame or flac is not installed") { RealMPD.missing.isEmpty })
struct EmbeddedSheetTests {
    private static let sheet = """
        PERFORMER "Somebody"
        TITLE "A Disc"
        REM DATE 1999
        FILE "ripped.wav" WAVE
          TRACK 01 AUDIO
            TITLE "First"
            PERFORMER "A Guest"
            INDEX 01 00:00:00
          TRACK 02 AUDIO
            TITLE "Second"
            INDEX 00 00:09:00
            INDEX 01 00:10:00
          TRACK 03 AUDIO
            TITLE "Third"
            INDEX 01 00:20:37

        """

    /// One song with a sheet beside songs without, and another in a folder.
    private static func music(in folder: TemporaryFolder) async throws -> String {
        let source = try await Music.folder()
        let root = try folder.makeFolder("sheets")
        for name in ["sub", "other"] { _ = try folder.makeFolder("sheets/" + name) }
        let text = try folder.write("sheet.cue", sheet)
        for name in ["disc.flac", "sub/b.flac"] {
            try FileManager.default.copyItem(atPath: source + "/one.flac", toPath: "\(root)/\(name)")
            let tags = ["--set-tag=artist=The File", "--set-tag-from-file=CUESHEET=" + text]
            try ChildProcess.run("metaflac", tags + ["\(root)/\(name)"])
        }
        for name in ["plain.flac", "sub/a.flac", "sub/c.flac", "other/x.flac"] {
            try FileManager.default.copyItem(atPath: source + "/two.flac", toPath: "\(root)/\(name)")
        }
        return root
    }

    private static let commands = [
        "lsinfo", "lsinfo sub", "lsinfo disc.flac", "lsinfo plain.flac", "lsinfo disc.flac/track0001", "listall",
        "listall sub", "listall disc.flac", "listallinfo", "listallinfo sub", "listallinfo disc.flac", "listfiles",
        "find file disc.flac", "find title One", "find title First", "search title o", "list title", "count title One",
        "find base sub", "tagtypes disable title", "lsinfo disc.flac", "listplaylistinfo disc.flac", "tagtypes all",
        "listplaylist disc.flac", "listplaylistinfo disc.flac", "listplaylistinfo sub/b.flac",
        "listplaylist plain.flac",
        "listplaylistinfo none.flac", "load disc.flac", "playlistinfo", "load sub/b.flac 1:2", "playlistinfo",
        "load plain.flac", "clear", "add disc.flac", "addid disc.flac", "add sub", "playlistinfo", "clear",
        "add disc.flac/track0001", "findadd title One", "playlistinfo", "clear", "readcomments disc.flac",
        "albumart disc.flac 0",
        "readpicture disc.flac 0",
    ]

    @Test func areAsMPDShowsThem() async throws {
        let folder = try TemporaryFolder()
        let music = try await Self.music(in: folder)
        let session = Session("embedded sheets", Self.commands.joined(separator: "\n"))
        let theirs = try SessionRun.exchanges(of: session, with: await RealMPD.start(music: music))
        let ours = try SessionRun.exchanges(of: session, with: await Segued.start(.mpdConf(""), music: music))
        for (their, our) in zip(theirs, ours) {
            // MPD gives a sheet's tags in an order of its own.
            let (found, expected) = (Difference.levelled(our).sorted(), Difference.levelled(their).sorted())
            #expect(found == expected, "\(their.line)")
        }
    }

    @Test func tracksArePlayedFromTheirPlaces() async throws {
        let folder = try TemporaryFolder()
        let music = try await Self.music(in: folder)
        let server = try await Segued.start(music: music)
        let client = try server.connect()
        try client.order("load disc.flac")
        try client.order("play 1")
        var status = try client.wait("state", "play")
        #expect(status["song"] == "1" && status["duration"] == "10.493")
        try client.order("pause 1")
        try client.order("seek 1 10")
        status = try client.wait("elapsed", "10.000")
        try client.order("pause 0")
        // Behind its end the next track follows, not the rest of the file.
        status = try client.wait("song", "2")
        #expect(status["duration"] == "19.507")
        #expect(try client.values("currentsong")["Title"] == "Third")
    }

    /// A song that moved, or lost its sheet, is shown as what it is now.
    @Test func followTheirFiles() async throws {
        let folder = try TemporaryFolder()
        let music = try await Self.music(in: folder)
        let server = try await Segued.start(music: music)
        let client = try server.connect()
        func lists() throws -> [String] { try client.order("listall").filter { $0.hasPrefix("playlist: ") } }
        func update() throws {
            try client.order("update")
            while try client.values("status")["updating_db"] != nil { try client.order("idle update") }
        }
        #expect(try lists() == ["playlist: disc.flac", "playlist: sub/b.flac"])
        try FileManager.default.moveItem(atPath: music + "/disc.flac", toPath: music + "/other/moved.flac")
        try update()
        #expect(try lists() == ["playlist: other/moved.flac", "playlist: sub/b.flac"])
        let listed = try client.order("listallinfo other").filter { $0.hasPrefix("playlist: ") }
        #expect(listed == ["playlist: other/moved.flac"])
        try ChildProcess.run("metaflac", ["--remove-tag=CUESHEET", music + "/sub/b.flac"])
        try update()
        #expect(try lists() == ["playlist: other/moved.flac"])
        #expect(client.ask("load sub/b.flac") == ["ACK [50@0] {load} No such playlist"])
    }

    /// FLAC's own form of a sheet, which MPD 0.23 does not list and gives wrongly when it is asked for it.
    @Test func ofFLACsOwnForm() async throws {
        let folder = try TemporaryFolder()
        let music = try await Self.music(in: folder)
        let long = music + "/long.flac"
        try FileManager.default.copyItem(atPath: music + "/disc.flac", toPath: long)
        try ChildProcess.run("metaflac", ["--remove-tag=CUESHEET", long])
        try ChildProcess.run("metaflac", ["--import-cuesheet-from=" + folder.file("sheet.cue"), long])
        let server = try await Segued.start(music: music)
        let client = try server.connect()
        #expect(try client.order("lsinfo long.flac").last == "playlist: long.flac")
        let tracks = try client.order("listplaylistinfo long.flac")
        let ranges = tracks.filter { $0.hasPrefix("Range: ") }
        #expect(ranges == ["Range: 0.000-10.000", "Range: 10.000-20.493", "Range: 20.493-"])
        #expect(tracks.filter { $0.hasPrefix("Track: ") } == ["Track: 01", "Track: 02", "Track: 03"])
        #expect(tracks.filter { $0 == "Artist: The File" }.count == 3)
    }
}
