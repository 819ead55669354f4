import Foundation
import TestSupport
import TestThreads
import Testing

/// Runs the examples of segue-api(7), copied from the page.
@Suite(
    .blocking,
    .enabled("the fixtures' tools are missing") { Music.missing.isEmpty },
    .enabled("jq, socat, netcat-openbsd or nodejs is not installed") {
        ChildProcess.missing("curl", "jq", "nc", "node", "socat").isEmpty
    }
)
struct ManualExampleTests {
    /// A part of the output of each example, in the page's order.
    private static let shell: [String] = [
        #""state":"stopped""#, #""state":"stopped""#, "Blue/01 So What.flac", #""alarm":1"#, "null",
        #"["default",null]"#,
        "setvol: volume", "stopped", #""topic":"mixer""#,
    ]
    private static let python = ["playing", "default has the volume 31", "The volume is 40", "default playing"]
    private static let javaScript = ["stopped 40", "default has the volume 31"]

    @Test("of a shell", arguments: shell.indices)
    func shellCommands(index: Int) async throws {
        let commands = try Self.blocks(of: "Shell").flatMap(ManualPage.commands)
        #expect(commands.count == Self.shell.count)
        try await expect(Self.shell[index], of: "bash", ["-c", "set -o pipefail\n" + commands[index]])
    }

    @Test(
        "in Python",
        .enabled("python3-websockets is not installed") { Tools.hasPythonWebSockets },
        arguments: python.indices
    )
    func pythonPrograms(index: Int) async throws {
        let blocks = try Self.blocks(of: "Python")
        #expect(blocks.count == Self.python.count)
        // The second one is a method for the class in the first.
        let type = index == 1 ? blocks[0].split(separator: "\nsegue = ", maxSplits: 1)[0] + "\n" : ""
        try await expect(Self.python[index], of: Tools.python, ["-c", type + blocks[index]])
    }

    @Test("in JavaScript", .enabled("Node knows no WebSocket") { hasWebSocket }, arguments: javaScript.indices)
    func javaScriptPrograms(index: Int) async throws {
        let blocks = try Self.blocks(of: "JavaScript")
        #expect(blocks.count == Self.javaScript.count)
        try await expect(Self.javaScript[index], of: "node", Self.webSocketOption + ["-e", blocks[index]])
    }

    /// Node 20 has them behind an option.
    private static let webSocketOption: [String] =
        (try? ChildProcess.run("node", ["-e", "WebSocket.name"])) != nil ? [] : ["--experimental-websocket"]
    private static let hasWebSocket =
        (try? ChildProcess.run("node", webSocketOption + ["-e", "WebSocket.name"])) != nil

    private static func blocks(of part: String) throws -> [String] {
        try ManualPage.examples(in: part, of: "segue-api.7")
    }

    // MARK: Running

    /// Runs an example against a server, and waits for a text in its output.
    ///
    /// One that watches sees the volume change and a song begin, and is ended then; all others have to end well.
    private func expect(_ text: String, of program: String, _ words: [String]) async throws {
        let stage = try await WebStage()
        let runtime = try stage.folder.makeFolder("run/segue")
        try FileManager.default.createSymbolicLink(
            atPath: runtime + "/socket",
            withDestinationPath: stage.folder.file("socket")
        )
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let programs = URL(filePath: try Segued.path()).deletingLastPathComponent().path
        let environment = [
            "PATH": "\(programs):\(path)", "HOME": stage.folder.path, "LANG": "C.UTF-8", "PYTHONUNBUFFERED": "1",
            "XDG_RUNTIME_DIR": stage.folder.file("run"),
        ]
        let words = words.map {
            $0.replacing("localhost:6680", with: "localhost:\(stage.port)").replacing("Blue/01.flac", with: "one.flac")
        }
        let example = try ChildProcess(
            program,
            words,
            environment: environment,
            folder: stage.folder.path
        )
        let watches = words.contains { $0.contains("watch") || $0.contains("api/events") }
        if watches {
            try await example.waitForOutput("default")
            let lines = try stage.server.connect()
            try lines.order("setvol 31")
            try lines.order("add one.flac")
            try lines.order("play")
        }
        do {
            try await example.waitForOutput { $0.contains(text) }
        } catch {
            Issue.record("\(words.last ?? "")\n\(error)\n\(example.outputText)\(example.errorText)")
        }
        guard !watches else { return example.end() }
        #expect(try await example.wait().status == .code(0), "\(example.errorText)")
    }
}
