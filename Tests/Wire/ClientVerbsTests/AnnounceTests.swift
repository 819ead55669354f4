import Foundation
import Glibc
import ProtocolClient
import TestSupport
import TestThreads
import Testing

/// `segue announce` and `segue announcement` against a server that speaks the extensions.
@Suite(.blocking, .serialized) struct AnnounceTests {
    private static func info(_ state: String, _ more: String...) -> FakeSegued.Answer {
        .lines(
            ["announcement: 7", "zone: kitchen", "file: x.wav", "class: normal", "priority: 0", "state: \(state)"]
                + more
        )
    }

    private static func server(_ state: String = "done") throws -> FakeSegued {
        try FakeSegued(["announce": .lines(["announcement: 7"]), "announcement info 7": info(state)])
    }

    @Test(
        arguments: [
            (["x.ogg"], "announce x.ogg"), (["--say", "The bell"], "announce say The bell"),
            (["--say", "a \"b\" \\", "--voice", "en"], "announce say a \"b\" \\ voice en"),
            (
                [
                    "--zone", "kitchen", "http://h/x", "--volume", "60%", "--duck", "20", "--class", "alarm",
                    "--priority=-3",
                ], "announce http://h/x volume 60 duck 20 class alarm priority -3 zone kitchen"
            ), (["x", "--chime", "http://h/c", "--expires", "1m30s"], "announce x chime http://h/c expires 90"),
            (["x", "--zone", "all"], "announce x zone all"),
        ]
    )
    func request(words: [String], line: String) async throws {
        let server = try Self.server()
        let result = try await server.start(["announce"] + words).wait()
        #expect(result.status == .code(0), "\(result.errorText)")
        #expect(result.outputText == "")
        #expect(server.state.current.requests == [line, "announcement info 7"])
    }

    /// It ends when the announcement was heard, not before.
    @Test(
        arguments: [
            ("done", [], 0, ""), ("failed", ["error: no voice 'xx'"], 1, " failed: no voice 'xx'"),
            ("cancelled", [], 1, " was cancelled"), ("expired", [], 1, " was not heard in time: it expired"),
        ] as [(String, [String], Int32, String)]
    )
    func waiting(end: String, more: [String], status: Int32, text: String) async throws {
        let server = try Self.server("queued")
        let child = try server.start(["announce", "x"])
        for state in ["playing", "playing"] {
            try await server.wait("idle") { $0.idleCount == 1 }
            server.answer("announcement info 7", Self.info(state))
            server.change("session")
            server.change("announcement")
        }
        try await server.wait("idle") { $0.idleCount == 1 }
        #expect(child.isRunning)
        server.answer(
            "announcement info 7",
            .lines(["announcement: 7", "zone: kitchen", "state: \(end)"] + more)
        )
        server.change("announcement")
        let result = try await child.wait()
        #expect(result.status == .code(status))
        #expect(result.errorText == (text.isEmpty ? "" : "segue: the announcement in zone 'kitchen'\(text)\n"))
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func aSignalCancels(number: Int32) async throws {
        let server = try Self.server("playing")
        server.answer("announcement cancel", .lines([]))
        let child = try server.start(["announce", "--say", "x"])
        try await server.wait("idle") { $0.idleCount == 1 }
        child.kill(number)
        #expect(try await child.wait().status == .signal(number))
        #expect(server.state.current.requests.suffix(2) == ["noidle", "announcement cancel 7"])
    }

    /// The server knows which of them are heard at the same sink.
    @Test func severalZonesAreOneAnnouncement() async throws {
        let server = try FakeSegued([
            "announce x zone a,b": .lines(["announcement: 1"]),
            "announce x zone a,c": .refusal(code: 50, "no such zone: c"),
            "announcement info 1": .lines(["announcement: 1", "state: done"]),
        ])
        #expect(try await server.segue("announce", "x", "--zone", "a,b").status == .code(0))
        let result = try await server.segue("announce", "x", "--zone", "a,c")
        #expect(result.status == .code(1))
        #expect(result.errorText == "segue: the server refuses 'announce': no such zone: c\n")
    }

    @Test func withoutWaiting() async throws {
        let server = try Self.server("queued")
        #expect(try await server.segue("announce", "x", "--no-wait").outputText == "7\n")
        #expect(try await server.segue("announce", "x", "--no-wait", "--json").outputText == "{\"announcement\":7}\n")
        #expect(server.state.current.requests == ["announce x", "announce x"])
    }

    /// A file of this machine is told by its path on a Unix socket; elsewhere it is refused with what to do.
    @Test func filesOfThisMachine() async throws {
        let server = try Self.server()
        let file = try server.folder.write("bell ü.wav", "x")
        let real = try #require(unsafe realpath(file, nil).map { unsafe String(cString: $0) })
        #expect(try await server.segue("announce", file, "--chime", file).status == .code(0))
        #expect(server.state.current.requests[0] == "announce \(real) chime \(real)")
        let missing = try await server.segue("announce", "./gone.wav")
        #expect(missing.errorText == "segue: ./gone.wav: No such file or directory\n")

        // Not answered by anyone, for it is refused here before the server is asked.
        let port = try TCPForwarder(to: server.path)
        let far = try await server.segue("announce", file, "--host", "127.0.0.1", "--port", "\(port.number)")
        #expect(far.status == .code(1))
        #expect(
            far.errorText
                == "segue: \(file): the server at 127.0.0.1:\(port.number) cannot read files of this machine. Put it into "
                + "the server's music directory, give a URL, or let the server speak with --say\n"
        )
        // What may be in its library is left to the server.
        #expect(
            try await server.segue("announce", "a.wav", "--host", "127.0.0.1", "--port", "\(port.number)").status
                == .code(0)
        )
    }

    @Test(.enabled("mpd or ffmpeg is not installed") { MPDServer.missing.isEmpty })
    func aPlainMPD() async throws {
        let server = try await MPDServer.start()
        for words in [
            ["announce", "x"], ["announcement", "list"], ["session", "list"], ["silence", "on"], ["why"],
            ["nowplaying"],
            ["exec", "--category", "playback", "--", "false"], ["interrupt", "call", "--", "false"],
        ] {
            let result = try await server.segue(words)
            #expect(result.status == .code(1), "\(words)")
            #expect(
                result.errorText
                    == "segue: the server at \(server.socket) is not a segued, and only segued can do this\n"
            )
        }
    }

    @Test func listing() async throws {
        let server = try FakeSegued([
            "announcement list": .lines([
                "announcement: 3", "zone: hall", "text: Dinner", "class: alarm", "priority: 2", "state: playing",
                "announcement: 4", "zone: hall", "file: a.wav", "class: normal", "priority: 0", "state: failed",
                "error: gone",
            ]), "announcement cancel": .lines([]),
        ])
        #expect(
            try await server.segue("announcement").outputText
                == "3\tplaying\thall\talarm\t“Dinner”\n4\tfailed\thall\tnormal\ta.wav: gone\n"
        )
        #expect(
            try await server.segue("announcement", "--json", "list").outputText.split(separator: "\n").first
                == #"{"announcement":3,"state":"playing","zone":"hall","text":"Dinner","class":"alarm","priority":2}"#
        )
        #expect(try await server.segue("announcement", "cancel", "3", "all").status == .code(0))
        #expect(server.state.current.requests.suffix(2) == ["announcement cancel 3", "announcement cancel all"])
    }

    @Test(
        arguments: [
            (["announce"], "name a file or URL, or give --say a text"), (["announce", "a", "--say", "b"], "either"),
            (["announce", "a", "--voice", "b"], "--voice goes with --say only"),
            (["announce", "a", "--zone", "a,"], "--zone needs a name"),
            (["announce", "a", "--class", "call"], "call"),
            (["announce", "a", "--expires", "0"], "--expires must be more than 0"),
            (["announcement", "cancel", "x"], "'x' is not an announcement's number"),
        ]
    )
    func usage(words: [String], text: String) async throws {
        let result = try await Segue.run(words)
        #expect(result.status == .code(64), "\(result.errorText)")
        #expect(result.errorText.contains(text), "\(result.errorText)")
    }
}

/// A port that leads to a Unix socket.
private final class TCPForwarder {
    let number: Int
    private let child: Int32

    init(to path: String) throws {
        child = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = child
        let code = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe bind(listener, pointer, length) == 0 && listen(listener, 4) == 0
                    && getsockname(listener, pointer, &length) == 0
            }
        }
        try #require(code)
        number = Int(UInt16(bigEndian: address.sin_port))
        Thread.detachNewThread {
            while true {
                let near = accept(listener, nil, nil)
                guard near >= 0 else { return }
                let far = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
                var address = sockaddr_un()
                address.sun_family = sa_family_t(AF_UNIX)
                let name = Array(path.utf8)
                unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: name) }
                _ = unsafe withUnsafeBytes(of: &address) { bytes in
                    unsafe connect(
                        far,
                        bytes.assumingMemoryBound(to: sockaddr.self).baseAddress,
                        socklen_t(bytes.count)
                    )
                }
                Thread.detachNewThread { Self.copy(from: near, to: far) }
                Thread.detachNewThread { Self.copy(from: far, to: near) }
            }
        }
    }

    deinit {
        shutdown(child, Int32(SHUT_RDWR))
        close(child)
    }

    private static func copy(from: Int32, to: Int32) {
        var buffer = [UInt8](repeating: 0, count: 1 << 14)
        while true {
            let count = unsafe recv(from, &buffer, buffer.count, 0)
            guard count > 0, unsafe send(to, buffer, count, Int32(MSG_NOSIGNAL)) == count else { break }
        }
        shutdown(to, Int32(SHUT_WR))
    }
}
