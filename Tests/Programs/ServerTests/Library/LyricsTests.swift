import Foundation
import TestSupport
import TestThreads
import Testing

/// The words of songs, as clients get them.
@Suite(.blocking, .enabled("the fixtures' tools are missing") { Music.missing.isEmpty })
struct LyricsTests {
    /// Starts a server with a song that has lyrics in its tags, and whatever else is written into the folder.
    private func start(_ files: [String: String] = [:], tag: String? = nil) async throws -> (Segued, String) {
        let folder = try TemporaryFolder()
        let source = try await Music.folder()
        let root = try folder.makeFolder("songs")
        for name in ["song.flac", "other.flac"] {
            try FileManager.default.copyItem(atPath: "\(source)/two.flac", toPath: "\(root)/\(name)")
        }
        if let tag { try ChildProcess.run("metaflac", ["--set-tag=\(tag)", root + "/song.flac"]) }
        for (name, text) in files { try folder.write("songs/\(name)", text) }
        return (try await Segued.start(in: folder, music: root), root)
    }

    @Test func comeFromTheFileBesideTheSong() async throws {
        let (server, _) = try await start(
            ["Song.LRC": "[la:eng]\n[00:02.50]two\n[00:01]one\n[00:02]\n"],
            tag: "LYRICS=x"
        )
        let client = try server.connect()
        #expect(
            client.ask("lyrics song.flac") == [
                "source: file", "synced: 1", "language: eng", "time: 1.000", "line: one", "time: 2.000", "line: ",
                "time: 2.500", "line: two", "OK",
            ]
        )
    }

    @Test func preferTheFileOfTheSameLetterCase() async throws {
        let (server, _) = try await start(["SONG.lrc": "wrong", "song.Lrc": "right", "song.txt": "no"])
        #expect(try server.connect().ask("lyrics song.flac").contains("line: right"))
    }

    @Test func comeFromTheTagsElse() async throws {
        let (server, _) = try await start(tag: "UNSYNCEDLYRICS=one\n\ntwo: OK")
        let client = try server.connect()
        #expect(
            client.ask("lyrics song.flac")
                == ["source: embedded", "synced: 0", "line: one", "line: ", "line: two: OK", "OK"]
        )
        #expect(client.ask("lyrics other.flac") == ["ACK [50@0] {lyrics} No lyrics exist"])
        #expect(client.ask("lyrics none.flac") == ["ACK [50@0] {lyrics} No such song"])
        #expect(client.ask("lyrics http://127.0.0.1:9/a.mp3") == ["ACK [50@0] {lyrics} No lyrics exist"])
    }

    @Test func areCutToAPartOfTheSong() async throws {
        let sheet =
            "FILE \"song.flac\" WAVE\nTRACK 01 AUDIO\nINDEX 01 00:00:00\nTRACK 02 AUDIO\nINDEX 01 00:05:00\n"
            + "TRACK 03 AUDIO\nINDEX 01 00:10:00\n"
        let (server, _) = try await start(["disc.cue": sheet, "song.lrc": "[00:01]a\n[00:05.5]b\n[00:09]c\n"])
        let client = try server.connect()
        let second = ["time: 0.500", "line: b", "time: 4.000", "line: c", "OK"]
        #expect(client.ask("lyrics disc.cue/track0002").suffix(5) == second[...])
        #expect(client.ask("lyrics song.flac 5:10").suffix(5) == second[...])
        #expect(client.ask("lyrics disc.cue/track0003") == ["ACK [50@0] {lyrics} No lyrics exist"])
        #expect(client.ask("lyrics song.flac 1:nan") == ["ACK [2@0] {lyrics} Bad range"])
    }

    @Test func ofFilesOutsideAreForTheOwner() async throws {
        let (server, root) = try await start()
        let folder = try TemporaryFolder()
        let path = folder.file("away.flac")
        try FileManager.default.copyItem(atPath: root + "/song.flac", toPath: path)
        try folder.write("away.lrc", "[00:01]far\n")
        #expect(try server.connect().ask("lyrics \(path)").contains("line: far"))
    }

    @Test func thatAreNoFilesAreLeft() async throws {
        let (server, root) = try await start(tag: "LYRICS=in tags")
        let isMade = unsafe mkfifo(root + "/song.lrc", 0o644) == 0
        try #require(isMade)
        #expect(try server.connect().ask("lyrics song.flac").contains("line: in tags"))
    }
}
