import TestSupport
import TestThreads
import Testing

/// `segue watch --cover`.
@Suite(.blocking, .enabled("the fixtures' tools are missing") { Music.missing.isEmpty })
struct WatchCoverTests {
    /// The cover above the line would be taken for that of the next song, which has none.
    @Test func aSongWithoutACoverIsToldOfBelowTheCoverBefore() async throws {
        let server = try await Segued.start()
        let client = try server.connect()
        for command in ["add two.flac", "add one.flac", "play 0", "pause 1"] { try client.order(command) }
        let terminal = try TerminalProcess(
            try Segued.path().replacing(/segued$/, with: "segue"),
            ["watch", "--cover", "--graphics", "symbols"],
            environment: ["MPD_HOST": server.socket, "LANG": "C.UTF-8", "NO_COLOR": "1", "PATH": "/usr/bin:/bin"],
            rows: 40
        )
        try await terminal.wait { screen in
            screen.lines.contains { $0.hasSuffix("  Two") }
                && screen.lines.contains { $0.contains("Someone - Two  1/2") }
        }
        try client.order("next")
        try await terminal.wait { screen in
            screen.lines.contains("One") && screen.lines.contains { $0.contains("One  2/2") }
        }
        terminal.type("q")
        #expect(try await terminal.process.wait().status == .code(0))
    }
}
