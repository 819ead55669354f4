import Foundation
import Glibc
import ProtocolClient
import TestSupport
import TestThreads
import Testing

/// What is said when there is no server, or another one than expected.
@Suite(.blocking, .serialized) struct ConnectionTests {
    @Test func noServerInTheUsualPlaces() async throws {
        let folder = try TemporaryFolder()
        // A port without a listener instead of 6600, where a server might listen.
        let places = ServerChoice.usualPlaces(runtimeFolder: folder.path).dropLast()
        let choice = ServerChoice(
            addresses: places.filter { $0.description.hasPrefix(folder.path) } + [.network(host: "127.0.0.1", port: 1)],
            origin: .usualPlaces
        )
        let error = #expect(throws: RemoteError.self) { try RemoteConnection.open(choice) }
        #expect(
            error?.description
                == "no server answers at \(folder.path)/segue/socket, nor at \(folder.path)/mpd/socket, 127.0.0.1:1. "
                + "Start it with: systemctl --user start segued (or name another with --host)"
        )
    }

    @Test(
        arguments: [
            (
                [], ["MPD_HOST": "/nonexistent/socket"],
                "no server answers at /nonexistent/socket: No such file or directory"
            ),
            (["--host", "@segue-nobody"], [:], "no server answers at @segue-nobody: Connection refused"),
            (["--host", "127.0.0.1:1"], [:], "no server answers at 127.0.0.1:1: Connection refused"),
            (["--port", "1"], ["MPD_HOST": "[::1]"], "no server answers at [::1]:1"),
        ] as [([String], [String: String], String)]
    )
    func noServer(options: [String], environment: [String: String], text: String) async throws {
        for verb in ["status", "watch", "idle"] {
            let result = try await Segue.run([verb] + options, environment: environment)
            #expect(result.status == .code(3))
            #expect(result.errorText.hasPrefix("segue: \(text)"), "\(result.errorText)")
            #expect(result.errorText.split(separator: "\n").count == 1)
            #expect(result.output.isEmpty)
        }
        let doctor = try await Segue.run(["doctor"] + options, environment: environment)
        #expect(doctor.status == .code(3))
        #expect(doctor.outputText.hasPrefix("problem: server: "))
    }

    @Test(
        arguments: [
            (["seek"], [:], "time>"), (["volume", "x"], [:], "it is a number from 0 to 100"),
            (["repeat", "once"], [:], "it is on or off"), (["del", "3-1"], [:], "3-1"), (["jump"], [:], "n>"),
            (["status", "--host", "a:b"], [:], "--host is not a server's address: a port is a number"),
            (["status"], ["SEGUE_HOST": "a:b"], "SEGUE_HOST is not a server's address"),
            (["add"], [:], ""), (["idle", "x"], [:], "'x' is not one of database"), (["crossfade", "-1"], [:], "-1"),
            (["sticker", "a", "eat"], [:], "the actions are get"),
            (["play", "a.flac", "--host", "b"], [:], "segue add --play 'a.flac'"),
            (["replaygain", "loud"], [:], "modes are off, track, album and auto"), (["frobnicate"], [:], "frobnicate"),
        ] as [([String], [String: String], String)]
    )
    func usage(words: [String], environment: [String: String], text: String) async throws {
        // Nothing on standard input is an empty list to `add`, and so is no error.
        guard words != ["add"] else { return }
        let result = try await Segue.run(words, environment: environment)
        #expect(result.status == .code(64), "\(result.errorText)")
        #expect(result.errorText.contains(text), "\(result.errorText)")
    }

    /// A server that sends one line to each client, or nothing.
    @Test(
        arguments: [
            (
                "SSH-2.0-OpenSSH_9\r\n",
                "there is no MPD server at PATH: the greeting is 'SSH-2.0-OpenSSH_9\r'. Is the port right?"
            ),
            ("", "the server at PATH closed the connection"),
            ("OK MPD 0.24.0\n", "the server at PATH closed the connection"),
            ("OK MPD 0.24.0\nhello\n", "the server at PATH sent an invalid line: 'hello'"),
            (
                "OK MPD 0.24.0\nACK [4@0] {status} you don't have permission for \"status\"\n",
                "the server refuses 'status': you don't have permission for \"status\". "
                    + "Give a password with --password, or as password@host in SEGUE_HOST; "
                    + "or the server's owner can allow it: see segue-clients(7)"
            ),
        ]
    )
    func strangers(says: String, description: String) throws {
        let stranger = try Stranger(says: says, closes: true)
        let error = #expect(throws: RemoteError.self) { try stranger.open().run("status") }
        #expect(error?.description == description.replacing("PATH", with: stranger.path))
    }

    @Test(arguments: ["", "OK MPD 0.24.0\n", "OK MPD 0.24.0\nvolume: 5"])
    func aSilentServerIsNotWaitedForForEver(says: String) throws {
        let stranger = try Stranger(says: says, closes: false)
        let error = #expect(throws: RemoteError.self) { try stranger.open(0.05).run("status") }
        #expect(error == .silent(.socket(path: stranger.path), seconds: 0.05))
    }

    @Test(.enabled("mpd or ffmpeg is not installed") { MPDServer.missing.isEmpty })
    func passwords() async throws {
        let server = try await MPDServer.start(
            """
            password "pw@read,add,player,control,admin"
            password "little@read"
            default_permissions "read"
            local_permissions "read,control"
            """
        )
        let refused = try await server.segue("enable", "1")
        #expect(refused.status == .code(1))
        #expect(refused.errorText.contains("Give a password with --password"))
        #expect(try await server.segue("--password", "pw", "enable", "1").status == .code(0))
        #expect(
            try await Segue.run(["enable", "1"], environment: ["SEGUE_HOST": "pw@\(server.socket)"]).status == .code(0)
        )
        let little = try await server.segue("--password", "little", "enable", "1")
        #expect(little.status == .code(1))
        #expect(little.errorText.contains("not with this password; the server's owner can allow it"))
        let wrong = try await server.segue("-P", "no", "status")
        #expect(wrong.status == .code(1))
        #expect(wrong.errorText == "segue: the server does not accept the password\n")
        let doctor = try await server.segue("doctor")
        #expect(doctor.outputText.contains("permissions: not allowed: "))
    }

    /// Lists stop at the first command that is refused, and say which.
    @Test(.enabled("mpd or ffmpeg is not installed") { MPDServer.missing.isEmpty })
    func lists() async throws {
        let server = try await MPDServer.start()
        defer { server.process.end() }
        let connection = try server.connect()
        let replies = try connection.run([Request("status"), Request("stats"), Request("ping")])
        #expect(replies.count == 3)
        #expect(replies[1]["songs"] == "4")
        #expect(replies[2].pairs.isEmpty)
        let many = (0..<5_000).map { Request($0 == 4_321 ? "nonsense" : "ping") }
        let error = #expect(throws: RemoteError.self) { try connection.runAll(many) }
        #expect(error?.refusal?.index == 4_321)
        // And the connection is still good.
        #expect(try connection.run("stats")["songs"] == "4")
        #expect(try connection.runAll((0..<5_000).map { _ in Request("ping") }).count == 5_000)
    }
}

/// Something that listens on a socket and is no server.
private final class Stranger {
    let folder: TemporaryFolder
    var path: String { folder.file("socket") }
    private let listener: Int32
    private var accepted: [Int32] = []

    init(says text: String, closes: Bool) throws {
        folder = try TemporaryFolder()
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        self.listener = listener
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) {
            unsafe $0.copyBytes(from: Array(folder.file("socket").utf8))
        }
        let code = unsafe withUnsafeBytes(of: &address) { bytes in
            unsafe bind(listener, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, socklen_t(bytes.count))
        }
        try #require(code == 0 && listen(listener, 4) == 0)
        Thread.detachNewThread {
            let connection = accept(listener, nil, nil)
            let bytes = Array(text.utf8)
            _ = unsafe send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
            guard closes else { return }
            // Only what was read before the end is no reset.
            shutdown(connection, Int32(SHUT_WR))
            var buffer = [UInt8](repeating: 0, count: 4096)
            while unsafe recv(connection, &buffer, buffer.count, 0) > 0 {}
            close(connection)
        }
    }

    deinit { close(listener) }

    func open(_ seconds: Double = 10) throws -> RemoteConnection {
        try RemoteConnection.open(
            ServerChoice(addresses: [.socket(path: path)], origin: .option),
            limits: PatienceLimits(connecting: seconds, answering: seconds)
        )
    }
}
