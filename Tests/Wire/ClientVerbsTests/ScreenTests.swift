import Foundation
import ProtocolClient
import TestSupport
import TestThreads
import Testing

/// What people see on a terminal.
@Suite(.blocking, .serialized, .enabled("mpd or ffmpeg is not installed") { MPDServer.missing.isEmpty })
struct ScreenTests {
    /// Runs a verb in a window to its end.
    private func screen(
        _ server: MPDServer,
        _ words: [String],
        columns: Int = 80,
        colour: Bool = false
    ) async throws -> TerminalScreen {
        var environment = Segue.environment(["MPD_HOST": server.socket])
        if !colour { environment["NO_COLOR"] = "1" }
        let terminal = try TerminalProcess(try Segue.path(), words, environment: environment, columns: columns)
        _ = try await terminal.process.wait()
        return terminal.contents
    }

    @Test func tables() async throws {
        let server = try await MPDServer.start()
        _ = try await server.output("add", "/")
        _ = try await server.output("jump", "2")
        _ = try await server.output("pause")
        _ = try await server.output("seek", "5")
        let queue = try await screen(server, ["queue"], columns: 70).lines
        #expect(
            queue.prefix(4) == [
                "   1  Miles Davis  So What             Kind of Blue  0:30",
                "‖  2  Miles Davis  Freddie Freeloader  Kind of Blue  0:20",
                "   3               other/untagged.wav                0:05",
                "   4               東京ナイト          世界          0:10",
            ]
        )
        let status = try await screen(server, ["status"]).text
        #expect(status.hasPrefix("‖ Miles Davis - Freddie Freeloader\n  Kind of Blue, 44.1 kHz 16 bit stereo"))
        #expect(status.contains("\n  0:05 / 0:20  ━━━━━━━━━━──"))
        #expect(status.contains("  2 of 4\n  volume 100%  repeat off  random off  single off  consume off"))
        // What mpc prints after every change is for people only.
        #expect(try await screen(server, ["single", "on"]).text.contains("single on"))
        #expect(try await screen(server, ["single", "off", "-q"]).text == "")
        #expect(try await screen(server, ["outputs"]).text == "1  on   first out  null\n2  off  second     null")
        #expect(try await screen(server, ["doctor"]).text.contains("! outputs       first out: plays silently\n"))
    }

    @Test(arguments: [20, 40, 60, 80, 200])
    func nothingIsWiderThanTheWindow(columns: Int) async throws {
        let server = try await MPDServer.start()
        _ = try await server.output("add", "--play", "/")
        for words in [["queue"], ["ls", "Blue"], ["outputs"], ["zone", "ls"]] {
            let screen = try await screen(server, words, columns: columns)
            let printed = screen.received.filter { $0 == 0x0a }.count
            let rows = screen.lines.lastIndex { !$0.isEmpty }.map { $0 + 1 } ?? 0
            if columns >= 60 { #expect(printed == rows, "\(words) wraps") }
        }
    }

    @Test func colour() async throws {
        let server = try await MPDServer.start()
        _ = try await server.output("add", "--play", "/")
        #expect(try await screen(server, ["queue"], colour: true).received.contains(0x1b))
        #expect(try await !screen(server, ["queue"], colour: false).received.contains(0x1b))
    }

    @Test func watching() async throws {
        let server = try await MPDServer.start()
        let environment = Segue.environment(["MPD_HOST": server.socket, "NO_COLOR": "1"])
        let terminal = try TerminalProcess(try Segue.path(), ["watch"], environment: environment, columns: 70)
        try await terminal.waitForText("■ stopped; the queue is empty")
        _ = try await server.output("add", "--play", "Blue")
        try await terminal.waitForText("▶ 0:00 / 0:30  Miles Davis - So What  1/2")
        // Counted here: the server says nothing while it plays.
        try await terminal.waitForText("▶ 0:02 / 0:30")
        _ = try await server.output("pause")
        try await terminal.waitForText("‖ 0:0")
        _ = try await server.output("seek", "10")
        _ = try await server.output("volume", "40")
        try await terminal.waitForText("‖ 0:10 / 0:30  Miles Davis - So What  1/2  volume 40%")
        terminal.resize(columns: 30, rows: 24)
        try await terminal.waitForText("‖ 0:10 / 0:30  So What")
        terminal.type("\u{3}")
        #expect(try await terminal.process.wait().status == .signal(SIGINT))
        #expect(terminal.contents.text == "")
        #expect(terminal.isInLineMode)
    }

    @Test func keysWhileWatching() async throws {
        let server = try await MPDServer.start()
        _ = try await server.output("add", "--play", "Blue")
        _ = try await server.output("pause")
        let environment = Segue.environment(["MPD_HOST": server.socket, "NO_COLOR": "1"])
        let terminal = try TerminalProcess(try Segue.path(), ["watch"], environment: environment, columns: 70)
        try await terminal.waitForText("‖ 0:0")
        terminal.type("\u{1b}[C\u{1b}[C")
        try await terminal.waitForText("‖ 0:10 / 0:30")
        terminal.type(">p")
        try await terminal.waitForText("Freddie Freeloader  2/2")
        try await terminal.waitForText("‖ 0:0")
        terminal.type("?")
        try await terminal.waitForText("seconds forward")
        terminal.type("q")
        #expect(try await terminal.process.wait().status == .code(0))
        #expect(terminal.isInLineMode)
    }

    /// A server that goes away is waited for.
    @Test func watchingThroughARestart() async throws {
        let server = try await MPDServer.start()
        let environment = Segue.environment(["MPD_HOST": server.socket])
        let watch = try ChildProcess(try Segue.path(), ["watch", "--json"], environment: environment)
        try await watch.waitForOutput(#""state":"stopped""#)
        _ = try await server.output("add", "Blue")
        try await watch.waitForOutput(#""changed":["playlist"]"#)
        server.process.end()
        try await watch.waitForOutput(#"{"state":"unreachable","message":"the server at"#)
        let before = watch.outputText.count
        let again = try ChildProcess("mpd", ["--no-daemon", server.folder.file("mpd.conf")])
        defer { again.end() }
        try await waitForSocket(server.socket, of: again)
        let connection = try server.connect()
        while watch.outputText.count == before, watch.isRunning {
            try connection.run("repeat", "1")
            await Task.yield()
        }
        #expect(watch.outputText.split(separator: "\n").last?.contains(#""state":"stopped""#) == true)
    }
}
