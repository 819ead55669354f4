import Foundation
import TestSupport

/// A terminal whose contents can be seen, with a program in it.
struct TmuxScreen {
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

    /// Changes the window's width, which breaks lines that do not fit any more into several.
    func resize(columns: Int) async throws { try await tmux("resize-window", "-x", "\(columns)") }

    func wait(for text: String) async throws {
        try await wait(for: "'\(text)' on the screen") { $0.contains(text) }
    }

    func wait(for what: String, until condition: (String) -> Bool) async throws {
        let deadline = ContinuousClock.now + .patience
        while true {
            let contents = try await tmux("capture-pane", "-p")
            if condition(contents) { return }
            guard ContinuousClock.now < deadline else {
                throw ClientError(description: "there is no \(what):\n\(contents)")
            }
        }
    }
}
