import Foundation
import Glibc
import TestSupport
import TestThreads
import Testing

/// What `segue lyrics` prints and shows of songs that play.
@Suite(.blocking, .enabled("the fixtures' tools are missing") { Music.missing.isEmpty })
struct LyricsScreenTests {
    private static let lyrics = "[00:00]first\n[00:01]second\n[00:02]third\n[00:30]fourth\n"

    private func start() async throws -> Segued {
        let folder = try TemporaryFolder()
        let source = try await Music.folder()
        let root = try folder.makeFolder("songs")
        for name in ["one.flac", "two.flac"] {
            try FileManager.default.copyItem(atPath: "\(source)/one.flac", toPath: "\(root)/\(name)")
        }
        try folder.write("songs/one.lrc", Self.lyrics)
        return try await Segued.start(in: folder, music: root)
    }

    private func environment(_ server: Segued) -> [String: String] {
        ["MPD_HOST": server.socket, "LANG": "C.UTF-8", "NO_COLOR": "1", "PATH": "/usr/bin:/bin"]
    }

    private func segue() throws -> String { try Segued.path().replacing(/segued$/, with: "segue") }

    private func run(_ server: Segued, _ words: String...) async throws -> ChildProcess.Result {
        try await ChildProcess(try segue(), words, environment: environment(server)).wait()
    }

    @Test func wordsArePrinted() async throws {
        let server = try await start()
        let plain = try await run(server, "lyrics", "one.flac")
        #expect(plain.outputText == "first\nsecond\nthird\nfourth\n")
        let json = try await run(server, "lyrics", "--json", "one.flac")
        #expect(
            json.outputText == #"{"uri":"one.flac","source":"file","synced":true,"lines":[{"time":0,"line":"first"},"#
                + #"{"time":1,"line":"second"},{"time":2,"line":"third"},{"time":30,"line":"fourth"}]}"# + "\n"
        )
        #expect(try await run(server, "lyrics").errorText == "segue: there is no current song\n")
        let none = try await run(server, "lyrics", "two.flac")
        #expect(none.status == .code(1) && none.errorText.contains("two.flac: there are no lyrics"))
    }

    @Test func linesArePrintedWhenTheyAreSung() async throws {
        let server = try await start()
        let client = try server.connect()
        let follower = try ChildProcess(try segue(), ["lyrics", "--follow"], environment: environment(server))
        for command in ["add one.flac", "play"] { try client.order(command) }
        try await follower.waitForOutput("first\nsecond\nthird\n")
        // A pause waits for nothing, a seek is seen at once.
        try client.order("pause 1")
        try client.order("seekcur 31")
        try await follower.waitForOutput("third\nfourth\n")
        try client.order("seekcur 1")
        try await follower.waitForOutput("fourth\nsecond\n")
        follower.kill(SIGTERM)
        #expect(try await follower.wait().status == .signal(SIGTERM))
    }

    @Test func theScreenFollowsTheSong() async throws {
        let server = try await start()
        let client = try server.connect()
        for command in ["add one.flac", "add two.flac", "play", "pause 1", "seekcur 1.5"] { try client.order(command) }
        let terminal = try TerminalProcess(
            try segue(),
            ["lyrics", "--follow", "--format", "%title%"],
            environment: environment(server),
            columns: 30,
            rows: 5
        )
        try await terminal.wait { $0.lines.prefix(5) == ["One", "", "  first", "> second", "  third"] }
        terminal.resize(columns: 8, rows: 3)
        try await terminal.wait { $0.lines.prefix(3) == ["One", "", "> secon"] }
        terminal.resize(columns: 30, rows: 5)
        try client.order("next")
        try await terminal.waitForText("One: there are no lyrics")
        try client.order("stop")
        try await terminal.waitForText("nothing is playing")
        #expect(!terminal.contents.isCursorVisible)
        terminal.type("\u{3}")
        #expect(try await terminal.process.wait().status == .signal(SIGINT))
        #expect(terminal.contents.isCursorVisible && terminal.isInLineMode)
        #expect(String(decoding: terminal.contents.received, as: UTF8.self).contains("\u{1b}[?1049l"))
    }
}
