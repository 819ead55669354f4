import Foundation
import ProtocolClient
import TestSupport
import TestThreads
import Testing

/// What shells offer, with the names that a real server knows.
@Suite(.blocking)
struct CompletionTests {
    private let place: Place
    private let daemon: Segued

    init() throws {
        place = try Place()
        daemon = try Segued.start(in: place)
        let remote = try daemon.connect()
        try remote.run("newpartition", "kitchen")
        try remote.run("save", "my list")
        try TestSupport.wait(for: "the library") { try remote.run("lsinfo").values("file").count == 3 }
    }

    /// Lines, and what is offered for their last words.
    private static let lines: [(String, String)] = [
        ("segue --host SOCKET playl", "playlist"), ("segue --host SOCKET playlist load ", "my list"),
        ("segue --host SOCKET load ", "my list"), ("segue --zone k", "kitchen"), ("segue enable nu", "null"),
        ("segue --quiet add on", "one.wav"),
    ]

    private var environment: [String: String] {
        get throws {
            let programs = URL(filePath: try Programs.path("segue")).deletingLastPathComponent().path
            let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
            // Nothing of the place where the test runs is offered.
            return Programs.environment([
                "PATH": "\(programs):\(path)", "MPD_HOST": place.socket, "HOME": place.folder.path, "TERM": "xterm",
            ])
        }
    }

    private func script(_ shell: String) async throws -> String {
        let result = try await place.segue("--generate-completion-script", shell)
        return try place.folder.write("_segue", result.outputText)
    }

    private func line(_ line: String) -> String { line.replacing("SOCKET", with: place.socket) }

    @Test func bashOffersThem() async throws {
        let file = try await script("bash")
        let program = """
            source '\(file)'
            for line in "$@"; do
                read -ra COMP_WORDS <<<"$line"
                case "$line" in *' ') COMP_WORDS+=('');; esac
                COMP_LINE=$line COMP_POINT=${#line} COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMPREPLY=()
                _segue_in_order segue "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
                (IFS='|'; echo "${COMPREPLY[*]}")
            done
            """
        let words = ["--norc", "-c", "cd '\(place.folder.path)'; " + program, "bash"] + Self.lines.map { line($0.0) }
        let result = try await ChildProcess("/bin/bash", words, environment: environment).wait()
        let offered = result.outputText.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(
            String.init
        )
        #expect(offered == Self.lines.map(\.1), "\(result.errorText)")
    }

    private static let hasFish = FileManager.default.isExecutableFile(atPath: "/usr/bin/fish")
    private static let hasZsh = FileManager.default.isExecutableFile(atPath: "/usr/bin/zsh")

    @Test(.enabled("fish is not installed") { hasFish }) func fishOffersThem() async throws {
        let file = try await script("fish")
        let program = "cd \(place.folder.path); source \(file); for line in $argv; complete -C $line; echo .; end"
        let words = ["--no-config", "-c", program] + Self.lines.map { line($0.0) }
        let result = try await ChildProcess("/usr/bin/fish", words, environment: environment).wait()
        let offered = result.outputText.split(separator: ".\n").map { text in
            text.split(separator: "\n").first.map { String($0.prefix { $0 != "\t" }) } ?? ""
        }
        #expect(offered == Self.lines.map(\.1), "\(result.errorText)")
    }

    @Test(.enabled("zsh is not installed") { hasZsh }) func zshOffersThem() async throws {
        _ = try await script("zsh")
        var environment = try environment
        environment["PS1"] = "> "
        let shell = try TerminalProcess("/usr/bin/zsh", ["-f", "-i"], environment: environment)
        let folder = place.folder.path
        shell.type(
            "cd \(folder); fpath=(\(folder) $fpath); autoload -Uz compinit; compinit -u -D; clear; echo rea''dy\n"
        )
        try await shell.waitForText("ready")
        shell.type("segue --zone kitchen load \t")
        try await shell.waitForText(#"load my\ list"#)
    }
}
