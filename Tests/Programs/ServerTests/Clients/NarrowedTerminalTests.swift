import Foundation
import TestSupport
import TestThreads
import Testing

/// The progress line in a terminal that becomes narrower, and breaks the longer line into several.
@Suite(.blocking, .enabled("tmux or the fixtures' tools are missing") { Tools.missingForTmux.isEmpty })
struct NarrowedTerminalTests {
    @Test(arguments: ["watch", "play --output null"])
    func nothingOfTheLongerLineIsLeft(verb: String) async throws {
        let server = try await Segued.start()
        let client = try server.connect()
        for command in ["add Blue", "play 1", "pause 1"] { try client.order(command) }
        let segue = try Segued.path().replacing(/segued$/, with: "segue")
        let song = verb == "watch" ? "" : " '\(try await Music.folder())/Blue/02 Freddie Freeloader.flac'"
        // As in a terminal that does not say that it breaks lines. At its top they would be broken into its history.
        let command = "seq 8; env -u TMUX TERM=xterm-256color MPD_HOST=\(server.socket) \(segue) \(verb)\(song)"
        let screen = try await TmuxScreen(server.folder, command)
        try await screen.wait(for: "0:20  Miles Davis - Freddie Freeloader")
        if verb != "watch" { try await screen.type("p") }
        for columns in [50, 24] {
            try await screen.resize(columns: columns)
            try await screen.wait(for: "one line that fits") { text in
                let lines = text.split(separator: "\n")
                return lines.count { $0.hasPrefix("‖") } == 1 && lines.last?.hasPrefix("‖") == true
                    && lines.allSatisfy { $0.count <= columns }
            }
        }
        try await screen.type("q")
        try await screen.waitForEnd()
    }
}
