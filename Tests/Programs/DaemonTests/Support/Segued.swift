import Foundation
import Glibc
import ProtocolClient
import TestSupport
import Testing

/// A daemon of the test's own, in a folder with music, that plays to nowhere.
final class Segued {
    let place: Place
    let process: ChildProcess
    /// What it tells its service manager.
    let notices: ListeningSocket

    /// Starts one; `waitUntilReady` waits for it.
    ///
    /// - Parameters:
    ///   - script: For bash, which is to become the daemon by `exec "$@"`.
    ///   - web: Whether it listens for HTTP as configured. The default addresses are one daemon's at a time.
    init(
        in place: Place,
        _ arguments: [String],
        environment: [String: String] = [:],
        script: String? = nil,
        unprivileged: Bool = false,
        web: Bool = false
    ) throws {
        self.place = place
        let path = place.folder.file("notify-\(UInt32.random(in: 0...(.max)))")
        notices = try .unix(path, datagrams: true)
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: path)
        var environment = environment
        environment["NOTIFY_SOCKET"] = path
        let words = [try Programs.path("segued")] + arguments + (web ? [] : ["--web-listen", "none"])
        process = try ChildProcess(
            script == nil ? words[0] : "bash",
            script.map { ["-c", $0, "bash"] + words } ?? Array(words.dropFirst()),
            environment: Programs.environment(environment),
            unprivileged: unprivileged,
            inherits: script != nil
        )
    }

    /// The usual one: at `place.socket`, with its state in the folder.
    static func start(in place: Place, _ more: [String] = []) throws -> Segued {
        let daemon = try Segued(in: place, place.arguments + more)
        try daemon.waitUntilReady()
        return daemon
    }

    deinit { if let crash = process.endNotingCrash() { Issue.record("\(crash)") } }

    func waitUntilReady() throws {
        let notice = try notices.next()
        guard notice == "READY=1" else { throw ChildProcessError.deadline("segued", output: notice) }
    }

    func connect() throws -> RemoteConnection { try place.connect() }

    func terminate() async throws -> ChildProcess.Result {
        process.kill(SIGTERM)
        return try await process.wait(within: .patience)
    }
}

/// A folder with music, and where a daemon keeps its things in it.
final class Place: Sendable {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.file("music"), withIntermediateDirectories: true)
        for name in ["one", "two ü", "gone"] {
            let tone = Signal.tone(440, seconds: 20, sampleRate: 8_000)
            try WaveFile.write(tone, channels: 1, sampleRate: 8_000, to: folder.file("music/\(name).wav"))
        }
    }

    var socket: String { folder.file("socket") }

    var arguments: [String] {
        [
            "--music-dir", folder.file("music"), "--state-dir", folder.file("state"), "--listen", "unix:\(socket)",
            "--output", "null",
        ]
    }

    func connect() throws -> RemoteConnection { try connect(.socket(path: socket)) }

    func connect(_ address: ServerAddress) throws -> RemoteConnection {
        try RemoteConnection.open(ServerChoice(addresses: [address], origin: .option))
    }

    /// Runs `segue` with the daemon as its server.
    func segue(_ words: String...) async throws -> ChildProcess.Result {
        let environment = Programs.environment(["MPD_HOST": socket])
        return try await ChildProcess(try Programs.path("segue"), words, environment: environment).wait()
    }
}

/// The package's own programs, which are beside the tests.
enum Programs {
    static func path(_ name: String) throws -> String {
        let path = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            .appending(path: name).path
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw ChildProcessError.cannotStart("\(path) (build the product '\(name)' first)", ENOENT)
        }
        return path
    }

    /// Nothing of the test's own environment that could choose a server or a configuration.
    static func environment(_ more: [String: String] = [:]) -> [String: String] {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        return ["PATH": path, "HOME": "/proc/nonexistent", "LANG": "C.UTF-8"].merging(more) { $1 }
    }

    static func run(_ name: String, _ words: [String]) async throws -> ChildProcess.Result {
        try await ChildProcess(try path(name), words, environment: environment()).wait()
    }
}

extension RemoteConnection {
    /// Asks for the status until it is as wanted; that time goes by is no change to wait for.
    func wait(until condition: (ServerStatus) -> Bool) throws -> ServerStatus {
        let end = ContinuousClock.now + .patience
        while true {
            let status = ServerStatus(try run("status"))
            if condition(status) { return status }
            guard ContinuousClock.now < end else {
                throw ChildProcessError.deadline("status", output: "\(status)")
            }
            usleep(2_000)
        }
    }
}
