import Foundation
import Glibc
import TestSupport
import TestThreads
import Testing

/// What `segue update --wait` shows on a terminal.
@Suite(.blocking, .enabled("the fixtures' tools are missing") { Music.missing.isEmpty })
struct UpdateScreenTests {
    private func segue(_ server: Segued, _ words: [String], columns: Int = 80) throws -> TerminalProcess {
        let program = try Segued.path().replacing(/segued$/, with: "segue")
        let environment = ["MPD_HOST": server.socket, "LANG": "C.UTF-8", "NO_COLOR": "1", "PATH": "/usr/bin:/bin"]
        return try TerminalProcess(program, words, environment: environment, columns: columns)
    }

    /// A server whose scan is held.
    private func held() async throws -> (server: Segued, client: LineClient, music: TaggedMusic) {
        let music = try await TaggedMusic(songs: 240, coverSize: 16)
        let server = try await Segued.start(music: music.path)
        let client = try server.connect()
        try client.order("library pause")
        return (server, client, music)
    }

    @Test func barGoesToTheEnd() async throws {
        let (server, client, music) = try await held()
        let terminal = try segue(server, ["update", "--wait"])
        try await terminal.waitForText("%")
        #expect(terminal.contents.lines[0].firstMatch(of: /^[█░]{20} +\d+%  \d+ files  paused/) != nil)
        try client.order("library resume")
        #expect(try await terminal.process.wait().status == .code(0))
        #expect(terminal.contents.text == "The library is up to date.")
        #expect(terminal.isInLineMode)
        withExtendedLifetime(music) {}
    }

    @Test(arguments: [200, 60, 40, 30, 17, 8]) func barFits(columns: Int) async throws {
        let (server, _, music) = try await held()
        let terminal = try segue(server, ["rescan", "--wait"], columns: columns)
        try await terminal.waitForText("%")
        #expect(terminal.contents.lines[0].count < columns)
        #expect(terminal.contents.text.contains("\n") == false)
        // A window of another size is filled again.
        terminal.resize(columns: 70, rows: 24)
        try await terminal.waitForText("files  paused")
        terminal.type("\u{3}")
        #expect(try await terminal.process.wait().status == .signal(SIGINT))
        #expect(terminal.contents.text.replacing("^C", with: "") == "")
        #expect(terminal.isInLineMode)
        withExtendedLifetime(music) {}
    }

    @Test func failureIsTold() async throws {
        let folder = try TemporaryFolder()
        let music = try folder.makeFolder("tagged")
        _ = try await TaggedMusic(songs: 12, coverSize: 16, at: music)
        let server = try await Segued.start(music: music)
        try FileManager.default.removeItem(atPath: music + "/Artist 0")
        let terminal = try segue(server, ["update", "--wait"])
        #expect(try await terminal.process.wait().status == .code(1))
        #expect(terminal.contents.text.hasPrefix("segue: cannot scan '\(music)': it is empty"))
        let songs = try server.connect().values("stats")["songs"]
        #expect(songs == "12")
        let status = try segue(server, ["library", "status"])
        _ = try await status.process.wait()
        #expect(status.contents.text.contains("it is empty"))
    }
}
