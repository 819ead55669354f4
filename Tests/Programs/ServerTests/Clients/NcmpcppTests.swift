import Foundation
import TestSupport
import TestThreads
import Testing

/// ncmpcpp starts, shows the queue and plays on Enter.
@Suite(.blocking, .enabled("ncmpcpp or tmux is not installed") { Tools.missingForNcmpcpp.isEmpty })
struct NcmpcppTests {
    @Test func playsOnEnter() async throws {
        let server = try await Segued.start()
        let client = try server.connect()
        for uri in ["Blue", "one.flac"] { try client.order("add \(uri)") }
        let home = try server.folder.makeFolder("home")
        let settings = try server.folder.write(
            "home/config",
            "mpd_host = \(server.socket)\nncmpcpp_directory = \(home)\nmessage_delay_time = 1\n"
        )
        let screen = try await Screen(server.folder, "ncmpcpp -c \(settings)")
        try await screen.wait(for: "Freddie Freeloader")
        try await screen.wait(for: "3 items")
        try await screen.type("Enter")
        try client.wait("state", "play")
        #expect(try client.values("status")["song"] == "0")
        try await screen.wait(for: "Playing")
        // To the browser.
        try await screen.type("2")
        try await screen.wait(for: "[Blue]")
        try await screen.type("p")
        try client.wait("state", "pause")
        // What others change, it is told.
        try client.order("volume -10")
        try await screen.wait(for: "Volume: 90%")
        try await screen.type("q")
        try await screen.waitForEnd()
    }
}

/// A terminal whose contents can be seen, with a program in it.
private struct Screen {
    let terminal: ChildProcess
    private let socket: String

    init(_ folder: TemporaryFolder, _ command: String) async throws {
        socket = folder.file("tmux")
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let environment = ["PATH": path, "HOME": folder.path, "LANG": "C.UTF-8", "SHELL": "/bin/sh"]
        terminal = try ChildProcess("tmux", ["-D", "-S", socket, "-f", "/dev/null"], environment: environment)
        try await waitForSocket(socket, of: terminal)
        try await tmux("new-session", "-d", "-x", "100", "-y", "24", command)
        // In the foreground it would stay for ever.
        try await tmux("set-option", "-s", "exit-empty", "on")
    }

    @discardableResult
    private func tmux(_ words: String...) async throws -> String {
        let result = try await ChildProcess("tmux", ["-S", socket] + words).wait()
        guard result.status == .code(0) else { throw ClientError(description: "tmux: \(result.errorText)") }
        return result.outputText
    }

    /// Until the program has ended, and its session with it.
    func waitForEnd() async throws {
        let deadline = ContinuousClock.now + .patience
        while let sessions = try? await tmux("list-sessions"), !sessions.isEmpty {
            guard ContinuousClock.now < deadline else { throw ClientError(description: "the program does not end") }
        }
    }

    func type(_ key: String) async throws { try await tmux("send-keys", key) }

    func wait(for text: String) async throws {
        let deadline = ContinuousClock.now + .patience
        while true {
            let contents = try await tmux("capture-pane", "-p")
            if contents.contains(text) { return }
            guard ContinuousClock.now < deadline else {
                throw ClientError(description: "there is no '\(text)' on the screen:\n\(contents)")
            }
        }
    }
}
