import Foundation
import ProtocolClient
import TestSupport
import TestThreads
import Testing

/// The built program against a real MPD.
@Suite(.blocking, .serialized, .enabled("mpd or ffmpeg is not installed") { MPDServer.missing.isEmpty })
struct VerbTests {
    private static let paths = MPDServer.songs.map(\.path)
    private static let format = "%state% %songpos%/%length%"

    /// Runs verbs and looks at the status after each.
    private func script(
        _ server: MPDServer,
        _ format: String,
        _ steps: [(words: [String], status: String)]
    ) async throws {
        for step in steps {
            let output = try await server.output(step.words)
            #expect(output == "", "\(step.words)")
            #expect(try await server.output("status", format) == step.status + "\n", "\(step.words)")
        }
    }

    @Test func transport() async throws {
        let server = try await MPDServer.start()
        _ = try await server.output("add", "Blue", "other")
        try await script(
            server,
            Self.format,
            [
                (["play"], "playing 1/4"), (["pause"], "paused 1/4"), (["toggle"], "playing 1/4"),
                (["toggle"], "paused 1/4"), (["play"], "playing 1/4"), (["play", "2"], "playing 2/4"),
                (["jump", "1"], "playing 1/4"), (["next"], "playing 2/4"), (["prev"], "playing 1/4"),
                (["previous"], "playing 1/4"), (["pause-if-playing"], "paused 1/4"), (["stop"], "stopped 1/4"),
                (["toggle"], "playing 1/4"), (["pause"], "paused 1/4"), (["jump", "2"], "playing 2/4"),
                (["cdprev"], "playing 1/4"),
            ]
        )
    }

    @Test func seeking() async throws {
        let server = try await MPDServer.start()
        _ = try await server.output("add", "--play", "Blue")
        _ = try await server.output("pause")
        try await script(
            server,
            "%currenttime%",
            [
                (["seek", "10"], "0:10"), (["seek", "+5"], "0:15"), (["seek", "-0:03"], "0:12"),
                (["seek", "50%"], "0:15"),
                (["seek", "+10%"], "0:18"), (["seek", "-10%"], "0:15"), (["cdprev"], "0:00"),
                (["seek", "0:07"], "0:07"),
                (["jump", "0"], "0:00"),
            ]
        )
    }

    @Test func settings() async throws {
        let server = try await MPDServer.start()
        try await script(
            server,
            "%repeat% %random% %single% %consume% %volume%",
            [
                (["repeat"], "on off off off 100%"), (["repeat", "off"], "off off off off 100%"),
                (["random", "on"], "off on off off 100%"), (["random"], "off off off off 100%"),
                (["single", "once"], "off off once off 100%"), (["single"], "off off off off 100%"),
                (["consume", "yes"], "off off off on 100%"), (["consume", "0"], "off off off off 100%"),
                (["volume", "50"], "off off off off  50%"), (["volume", "+5"], "off off off off  55%"),
                (["vol", "-10%"], "off off off off  45%"), (["volume", "+100"], "off off off off 100%"),
                (["volume", "-100"], "off off off off   0%"), (["clearerror"], "off off off off   0%"),
            ]
        )
        for (words, name, shown) in [
            (["crossfade", "4"], "crossfade", "crossfade: 4"),
            (["mixrampdb", "-17.5"], "mixrampdb", "mixrampdb: -17.5"),
            (["mixrampdelay", "2"], "mixrampdelay", "mixrampdelay: 2"),
            (["mixrampdelay", "off"], "mixrampdelay", "mixrampdelay: off"),
            (["replaygain", "auto"], "replaygain", "replay_gain_mode: auto"),
        ] {
            #expect(try await server.output(words) == "")
            #expect(try await server.output(name) == shown + "\n")
        }
    }

    /// The queue after each step, as numbers of the songs.
    @Test func queue() async throws {
        let server = try await MPDServer.start()
        let numbers = Dictionary(uniqueKeysWithValues: Self.paths.enumerated().map { ($1, "\($0 + 1)") })
        let steps: [(words: [String], queue: String)] = [
            (["add", "/"], "1234"), (["clear"], ""), (["add", "Blue/", Self.paths[3]], "124"),
            (["insert", Self.paths[2]], "1243"), (["jump", "2"], "1243"),
            (["insert", Self.paths[2], Self.paths[0]], "123143"),
            (["move", "1", "6"], "231431"), (["move", "1-2", "3"], "142331"), (["mv", "0", "1"], "214331"),
            (["del", "2", "5-6"], "243"), (["prio", "5", "1-2"], "243"), (["crop"], "2"), (["del", "0"], ""),
            (["add", "Blue", "Blue"], "1212"), (["del", "3-"], "12"), (["del", "2", "1", "1-2"], ""),
            (["findadd", "artist", "Miles Davis"], "12"), (["searchadd", "freddie"], "122"),
            (["searchplay", "title", "freddie"], "122"),
        ]
        for step in steps {
            #expect(try await server.output(step.words) == "")
            let lines = try await server.output("queue", "--format", "%file%").split(separator: "\n").map(String.init)
            #expect(lines.compactMap { numbers[$0] }.joined() == step.queue, "\(step.words)")
        }
        #expect(try await server.output("status", Self.format) == "playing 2/3\n")
        _ = try await server.output("shuffle")
        #expect(try await server.output("status", "%length%") == "3\n")
    }

    /// In random order what is inserted comes next by its priority.
    @Test func insertingInRandomOrder() async throws {
        let server = try await MPDServer.start()
        for words in [["add", "Blue"], ["random", "on"], ["play", "1"], ["insert", "other"]] {
            _ = try await server.output(words)
        }
        #expect(try await server.output("queue", "-f", "%prio%") == "0\n0\n255\n255\n")
    }

    @Test func waitingForAnotherSong() async throws {
        let server = try await MPDServer.start()
        for words in [["add", "Blue"], ["play", "1"], ["pause"]] { _ = try await server.output(words) }
        let environment = Segue.environment(["MPD_HOST": server.socket])
        let waiting = try ChildProcess(try Segue.path(), ["current", "--wait"], environment: environment)
        let connection = try server.connect()
        // When it begins to wait cannot be seen, so songs are changed until it noticed.
        while waiting.isRunning {
            for place in ["1", "0"] { try connection.run("play", place) }
            await Task.yield()
        }
        let text = try await waiting.wait().outputText
        #expect(["Miles Davis - So What\n", "Miles Davis - Freddie Freeloader\n"].contains(text))
    }

    @Test func addingWhatStandardInputNames() async throws {
        let server = try await MPDServer.start()
        let list = Self.paths.joined(separator: "\n") + "\n\n"
        for words in [["add"], ["add", "-"]] {
            let result = try await server.segue(words, input: .bytes(Array(list.utf8)))
            #expect(result.status == .code(0))
        }
        #expect(try await server.output("status", "%length%") == "8\n")
        let numbers = try await server.segue(["del"], input: .bytes(Array("1\n3-4\n".utf8)))
        #expect(numbers.status == .code(0))
        #expect(
            try await server.output("queue", "-f", "%file%").split(separator: "\n").first.map(String.init)
                == Self.paths[1]
        )
    }

    /// A file's own path is found in the library; a list of thousands is sent in parts.
    @Test func addingPathsAndMany() async throws {
        let server = try await MPDServer.start("max_playlist_length \"100000\"")
        _ = try await server.output(
            "add",
            "\(server.folder.path)/music/\(Self.paths[0])",
            "\(server.folder.path)/music/other"
        )
        #expect(try await server.output("status", "%length%") == "3\n")
        let list = String(repeating: Self.paths[0] + "\n", count: 7_001)
        #expect(try await server.segue(["add"], input: .bytes(Array(list.utf8))).status == .code(0))
        #expect(try await server.output("status", "%length%") == "7004\n")
        #expect(try await server.output("queue").split(separator: "\n").count == 7_004)
        let failure = try await server.segue("add", Self.paths[0], "nope", Self.paths[1])
        #expect(failure.status == .code(1))
        #expect(failure.errorText.contains("nope: the server's library has no such song or folder"))
    }

    @Test func storedPlaylists() async throws {
        let server = try await MPDServer.start()
        _ = try await server.output("add", "Blue")
        _ = try await server.output("playlist", "save", "mix")
        let again = try await server.segue("save", "mix")
        #expect(again.status == .code(1))
        #expect(again.errorText.contains("use --replace or --append"))
        _ = try await server.output("playlist", "add", "mix", Self.paths[2], Self.paths[3])
        func show() async throws -> [String] {
            try await server.output("playlist", "show", "-f", "%file%", "mix").split(separator: "\n").map(String.init)
        }
        #expect(try await show() == Self.paths)
        _ = try await server.output("playlist", "move", "mix", "4", "1")
        _ = try await server.output("playlist", "del", "mix", "2-3")
        #expect(try await show() == [Self.paths[3], Self.paths[2]])
        _ = try await server.output("playlist", "load", "--play", "mix")
        #expect(try await server.output("status", Self.format) == "playing 3/4\n")
        _ = try await server.output("load", "--range", "1:2", "mix")
        #expect(try await server.output("status", "%length%") == "5\n")
        _ = try await server.output("playlist", "save", "--replace", "mix")
        #expect(try await show().count == 5)
        _ = try await server.output("playlist", "rename", "mix", "new name")
        #expect(try await server.output("playlist", "ls") == "new name\n")
        _ = try await server.output("playlist", "clear", "new name")
        #expect(try await server.output("playlist", "new name") == "")
        _ = try await server.output("playlist", "rm", "new name")
        #expect(try await server.output("lsplaylists") == "")
    }

    @Test func outputsAndZones() async throws {
        let server = try await MPDServer.start()
        let (on, off) = ("is enabled\n", "is disabled\n")
        func shown(_ first: String, _ second: String) -> String {
            "Output 1 (first out) \(first)Output 2 (second) \(second)"
        }
        #expect(try await server.output("outputs") == shown(on, off))
        #expect(try await server.output("enable", "second") == shown(on, on))
        #expect(try await server.output("disable", "only", "first out") == shown(off, on))
        #expect(try await server.output("toggleoutput", "1", "2") == shown(on, off))
        #expect(try await server.output("enable", "only", "2") == shown(off, on))

        #expect(try await server.output("zone", "new", "kitchen") == "")
        #expect(try await server.output("zone", "ls") == "default\nkitchen\n")
        #expect(
            try await server.output("--zone", "kitchen", "moveoutput", "second") == "Output 1 (second) is enabled\n"
        )
        _ = try await server.output("add", "--zone", "kitchen", "--play", "Blue")
        #expect(try await server.output("status", "--partition", "kitchen", "%state% %length%") == "playing 2\n")
        #expect(try await server.output("status", "%state% %length%") == "stopped 0\n")
        _ = try await server.output("zone", "rm", "kitchen")
        #expect(try await server.output("zone") == "default\n")
        let missing = try await server.segue("--zone", "kitchen", "status")
        #expect(missing.status == .code(1))
        #expect(missing.errorText == "segue: there is no zone 'kitchen'; 'segue zone ls' lists them\n")
    }

    @Test func library() async throws {
        let server = try await MPDServer.start()
        #expect(try await server.output("count", "artist", "Miles Davis") == "songs: 2\nplaytime: 50\n")
        #expect(try await server.output("search", "freeloader") == Self.paths[1] + "\n")
        #expect(try await server.output("stats").contains("Songs:        4\n"))
        let new = "\(server.folder.path)/music/new.wav"
        try FileManager.default.copyItem(atPath: "\(server.folder.path)/music/\(Self.paths[2])", toPath: new)
        #expect(try await server.output("update", "--wait") == "")
        #expect(try await server.output("ls").contains("new.wav\n"))
        try FileManager.default.removeItem(atPath: new)
        #expect(try await server.output("rescan", "-w", "new.wav") == "")
        #expect(try await server.output("lsall") == Self.paths.joined(separator: "\n") + "\n")
        try Data([1, 2, 3, 10, 0]).write(to: URL(filePath: "\(server.folder.path)/music/Blue/cover.png"))
        #expect(try await server.segue("albumart", Self.paths[0]).output == [1, 2, 3, 10, 0])
        let none = try await server.segue("readpicture", Self.paths[0])
        #expect(none.status == .code(1))
    }

    @Test func waitingForChanges() async throws {
        let server = try await MPDServer.start()
        let environment = Segue.environment(["MPD_HOST": server.socket])
        let idle = try ChildProcess(try Segue.path(), ["idle", "options", "mixer"], environment: environment)
        let loop = try ChildProcess(try Segue.path(), ["idleloop", "--json", "options"], environment: environment)
        let listener = try ChildProcess(try Segue.path(), ["subscribe", "news"], environment: environment)
        let waiting = try ChildProcess(try Segue.path(), ["waitmessage", "news"], environment: environment)
        let connection = try server.connect()
        // Nothing shows that a client has connected, so changes are made until they are noticed.
        while idle.isRunning || !loop.outputText.contains(#"{"changed":"options"}"#) {
            try connection.run("repeat", "1")
            try connection.run("repeat", "0")
            await Task.yield()
        }
        let result = try await idle.wait()
        #expect(result.outputText == "options\n")
        while waiting.isRunning {
            if try connection.run("channels")["channel"] != nil {
                #expect(try await server.segue("sendmessage", "news", "it works").status == .code(0))
            }
            await Task.yield()
        }
        #expect(try await waiting.wait().outputText.hasPrefix("it works\n"))
        try await listener.waitForOutput("it works\n")
        #expect(try await server.output("channels") == "news\n")
    }

    @Test func watchingInAPipe() async throws {
        let server = try await MPDServer.start()
        let environment = Segue.environment(["MPD_HOST": server.socket])
        let watch = try ChildProcess(try Segue.path(), ["watch"], environment: environment)
        try await watch.waitForOutput("[stopped]\n")
        _ = try await server.output("add", "--play", "Blue")
        try await watch.waitForOutput("[playing] Miles Davis - So What\n")
        _ = try await server.output("pause")
        try await watch.waitForOutput("[paused] Miles Davis - So What\n")
        watch.kill(SIGTERM)
        #expect(try await watch.wait().status == .signal(SIGTERM))
    }

    /// MPD has none of these; the failure says so.
    @Test(arguments: [["speed", "2"], ["zone", "handover", "x"], ["raw", "nonsense"]])
    func whatOnlySeguedHas(words: [String]) async throws {
        let server = try await MPDServer.start()
        let result = try await server.segue(words)
        #expect(result.status == .code(1))
        #expect(result.errorText.contains("the server has no command '"))
    }

    @Test func anyCommand() async throws {
        let server = try await MPDServer.start()
        #expect(try await server.output("raw", "count", "title", "So What") == "songs: 1\nplaytime: 30\n")
    }
}
