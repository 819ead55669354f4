import Foundation
import TestSupport
import TestThreads
import Testing

/// The built `segue` against a segued that knows the music.
@Suite(.blocking, .enabled("the fixtures' tools are missing") { Music.missing.isEmpty })
struct SegueTests {
    private func run(_ server: Segued, _ words: [String]) async throws -> ChildProcess.Result {
        let program = try Segued.path().replacing(/segued$/, with: "segue")
        let environment = ["MPD_HOST": server.socket, "LANG": "C.UTF-8", "PATH": "/usr/bin:/bin"]
        return try await ChildProcess(program, words, environment: environment).wait()
    }

    @Test(arguments: [
        (["search", "miles", "what"], "So What", ""),
        (["search", "miles", "nothing-of-the-kind"], "", ""),
        (["search", "artist", "miles", "title", "so"], "So What", ""),
        (["find", "So", "What"], "So What", ""),
        (["find", "miles", "what"], "", "'segue search miles what' finds it in parts of tags"),
        (["search", "artist", "Miles", "Davis"], "", "needs quotes, such as: artist 'Miles Davis'"),
        (["count", "So", "What"], "songs: 1", ""),
        (["crossfade", "-1"], "", "an overlap is a number of seconds from 0 to 60: '-1'"),
        (["crossfade", "61"], "", "an overlap is a number of seconds from 0 to 60: '61'"),
        (["single", "maybe"], "", "it is on, once or off"),
        (["consume", "maybe"], "", "it is on, once or off"),
        (["repeat", "once"], "", "it is on or off"),
        (["zone", "new", "my zone"], "", "a zone's name has 1 to 64 letters (a to z), digits, - and _: 'my zone'"),
    ])
    func saysWhatHelps(words: [String], output: String, error: String) async throws {
        let server = try await Segued.start()
        let result = try await run(server, words)
        #expect(output.isEmpty ? result.outputText.isEmpty : result.outputText.contains(output), "\(words)")
        #expect(error.isEmpty ? result.errorText.isEmpty : result.errorText.contains(error), "\(words)")
    }

    @Test(arguments: [
        (["find", "first", "light"], "no tag is 'first light'; 'segue search first light' finds it in parts of tags"),
        (["findadd", "first", "light"], "'segue searchadd first light' finds it in parts of tags"),
        (["findadd", "title", "none"], "no song has exactly these tags: title none"),
        (["searchadd", "first", "light"], "no song has 'first light' in its tags"),
        (["findadd", "--quiet", "title", "none"], ""),
    ])
    func failsWhereNothingIsFound(words: [String], error: String) async throws {
        let server = try await Segued.start()
        let result = try await run(server, words)
        #expect(result.status == .code(1))
        #expect(error.isEmpty ? result.errorText.isEmpty : result.errorText.contains(error), "\(result.errorText)")
        #expect(try await run(server, ["findadd", "title", "One"]).status == .code(0))
    }

    @Test func aBusyZoneIsRemovedByForce() async throws {
        let server = try await Segued.start()
        let client = try server.connect()
        try client.order("newpartition kitchen")
        try client.order("partition kitchen")
        let refused = try await run(server, ["zone", "rm", "kitchen"])
        let advice = "to remove it nevertheless: segue zone rm --force kitchen"
        #expect(refused.errorText == "segue: kitchen: partition still has clients; \(advice)\n")
        #expect(try await run(server, ["zone", "rm", "--force", "kitchen"]).status == .code(0))
    }

    /// Files, folders and playlists outside of the music directory, by the server's own user.
    @Test func addsWhatIsLocal() async throws {
        let server = try await Segued.start()
        let (files, place) = (FileManager.default, try TemporaryFolder())
        let song = try await Music.folder() + "/one.flac"
        for name in ["folder/a.flac", "folder/deep/b.flac", "single.flac"] {
            let path = place.file(name)
            try files.createDirectory(
                atPath: (path as NSString).deletingLastPathComponent,
                withIntermediateDirectories: true
            )
            try files.copyItem(atPath: song, toPath: path)
        }
        _ = try place.write("list.m3u", "#EXTM3U\nsingle.flac\nhttp://127.0.0.1:9/a.mp3\n")
        let sheet = "FILE \"single.flac\" WAVE\n  TRACK 01 AUDIO\n    TITLE \"First\"\n    INDEX 01 00:00:00\n"
        _ = try place.write("album.cue", sheet + "  TRACK 02 AUDIO\n    TITLE \"Second\"\n    INDEX 01 00:01:00\n")
        _ = try place.write("text.txt", "nothing to hear\n")
        _ = try place.write("text.flac", "nothing to hear\n")
        _ = try place.makeFolder("empty")
        let client = try server.connect()
        let path = place.path
        let added: [(String, [String])] = [
            ("folder", ["\(path)/folder/a.flac", "\(path)/folder/deep/b.flac"]),
            ("single.flac", ["\(path)/single.flac"]),
            ("list.m3u", ["\(path)/single.flac", "http://127.0.0.1:9/a.mp3"]),
            ("album.cue", ["\(path)/single.flac", "\(path)/single.flac"]),
        ]
        for (name, uris) in added {
            try client.order("clear")
            let result = try await run(server, ["add", place.file(name)])
            #expect(result.status == .code(0), "\(result.errorText)")
            let lines = client.ask("playlistinfo")
            #expect(lines.filter { $0.hasPrefix("file: ") }.map { String($0.dropFirst(6)) } == uris, "\(name)")
            #expect(name != "album.cue" || lines.contains("Title: Second"))
        }
        try client.order("clear")
        let refused = [
            ("text.txt", "text.txt: not a media file that can be played"),
            ("text.flac", "text.flac: not a media file that can be played"),
            ("empty", "empty: there is nothing in it that can be played"),
        ]
        for (name, reason) in refused {
            let result = try await run(server, ["add", place.file(name)])
            #expect(result.status == .code(1))
            #expect(result.errorText.contains(reason), "\(result.errorText)")
        }
        #expect(try client.values("status")["playlistlength"] == "0")
    }
}
