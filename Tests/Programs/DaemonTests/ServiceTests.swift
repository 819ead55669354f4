import Foundation
import Glibc
import ProtocolClient
import TestSupport
import TestThreads
import Testing

/// The daemon as a service: what it tells its manager, takes from it, and leaves behind.
@Suite(.blocking, .timeLimit(.minutes(5))) struct ServiceTests {
    @Test func theEndIsAFadeAndNothingIsLost() async throws {
        let place = try Place()
        let daemon = try Segued.start(in: place)
        let client = try daemon.connect()
        try client.run([
            Request("add", "one.wav"), Request("add", "two ü.wav"), Request("crossfade", "4"), Request("setvol", "70"),
            Request("seek", "1", "7"),
        ])
        _ = try client.wait { $0.state == .playing && ($0.elapsed ?? 0) > 7 }
        let start = ContinuousClock.now
        daemon.process.kill(SIGTERM)
        #expect(try daemon.notices.next() == "STOPPING=1")
        let result = try await daemon.process.wait(within: .patience)
        #expect(result.status == .code(0))
        #expect(ContinuousClock.now - start > .milliseconds(200), "it did not fade out")
        #expect(!exists(place.socket), "the socket's file is still there")

        let again = try Segued.start(in: place)
        let status = ServerStatus(try again.connect().run("status"))
        #expect(status.queueLength == 2 && status.position == 1 && status.state == .playing)
        #expect(status.volume == 70 && status.crossfade == 4)
        #expect((7.0...12).contains(status.elapsed ?? 0))
        #expect(try await again.terminate().status == .code(0))
    }

    /// nohup(1) and the shell of a script start programs with signals ignored that are orders to a service.
    @Test func signalsIgnoredAtTheStartAreReceived() async throws {
        let place = try Place()
        let daemon = try Segued(in: place, place.arguments, script: "trap '' HUP INT; exec \"$@\"")
        try daemon.waitUntilReady()
        daemon.process.kill(SIGHUP)
        #expect(try daemon.notices.next().hasPrefix("RELOADING=1"))
        try daemon.waitUntilReady()
        daemon.process.kill(SIGINT)
        #expect(try await daemon.process.wait(within: .patience).status == .code(0))
    }

    /// A reader of standard output that has enough ends the player as any filter of a pipe ends.
    @Test(arguments: ["--quiet", "--speed=1"])
    func aReaderThatHasEnoughEndsThePlayerQuietly(option: String) async throws {
        let place = try Place()
        let play = "\"$0\" play \(option) --output pipe:- \"$1\" 2> >(grep ^segue: >&2)"
        let script = "\(play) | head -c 100 | wc -c; echo ${PIPESTATUS[0]}"
        let words = ["-c", script, try Programs.path("segue"), place.folder.file("music/one.wav")]
        let result = try await ChildProcess("bash", words, environment: Programs.environment()).wait()
        #expect(result.outputText == "100\n141\n" && result.errorText.isEmpty, "\(result.errorText)")
    }

    @Test func aSecondDaemonIsRefused() async throws {
        let place = try Place()
        let first = try Segued.start(in: place)
        let second = try Segued(in: place, place.arguments)
        let result = try await second.process.wait()
        #expect(result.status == .code(1))
        #expect(result.errorText.contains("\(place.folder.file("state")) is in use by process \(first.process.pid)"))
        try first.connect().run("ping")
    }

    @Test func socketsOfTheManagerAreServed() async throws {
        let place = try Place()
        let (unix, tcp) = (try ListeningSocket.unix(place.socket), try ListeningSocket.tcp())
        let script = """
            exec 3<&\(unix.descriptor) 4<&\(tcp.descriptor)
            export LISTEN_PID=$$ LISTEN_FDS=2; exec "$@"
            """
        let port = ["--listen", "tcp:127.0.0.1:\(tcp.port)"]
        let daemon = try Segued(in: place, place.arguments + port, script: script)
        try daemon.waitUntilReady()
        for address in [ServerAddress.socket(path: place.socket), .network(host: "127.0.0.1", port: tcp.port)] {
            try place.connect(address).run("ping")
        }
        #expect(try await daemon.terminate().status == .code(0))
        #expect(exists(place.socket), "the manager's socket was removed")
    }

    @Test func anotherServersSocketIsLeftAlone() async throws {
        let place = try Place()
        let other = place.folder.file("other")
        let listener = try ListeningSocket.unix(other)
        // Programs that other tests start would have it, too.
        _ = fcntl(listener.descriptor, F_SETFD, FD_CLOEXEC)
        let daemon = try Segued.start(in: place, ["--listen", "unix:\(other)"])
        let result = try await daemon.terminate()
        #expect(result.errorText.contains("cannot listen at unix:\(other): "))
        #expect(result.errorText.contains("(process \(getpid())) has it"))
        #expect(result.status == .code(0))
        #expect(exists(other), "another server's socket was removed")
        withExtendedLifetime(listener) {}
    }

    /// Another program may have the port for HTTP that nobody has asked for, but not one that the owner has set.
    @Test func aTakenPortForHTTP() async throws {
        let place = try Place()
        // It is taken, by this test or by another program on this machine.
        let taken = try? ListeningSocket.tcp(port: 6_680)
        let common = """
            listen = ["unix:\(place.socket)"]
            music-directory = "\(place.folder.file("music"))"
            state-directory = "\(place.folder.file("state"))"
            [[output]]
            name = "Nowhere"
            type = "null"

            """
        let daemon = try Segued(in: place, ["--config", try place.folder.write("segued.toml", common)], web: true)
        try daemon.waitUntilReady()
        let warning = "warning: cannot listen at tcp:127.0.0.1:6680 for HTTP: "
        try await daemon.process.waitForOutput(warning)
        let doctor = try await place.segue("doctor").outputText
        #expect(doctor.contains("warning: closed door: tcp:127.0.0.1:6680: "), "\(doctor)")
        #expect(try await daemon.terminate().status == .code(0))

        let own = try ListeningSocket.tcp()
        let text = common + "[web]\nlisten = [\"tcp:127.0.0.1:\(own.port)\"]\n"
        let refused = try Segued(in: place, ["--config", try place.folder.write("segued.toml", text)], web: true)
        let result = try await refused.process.wait()
        #expect(result.status == .code(1))
        #expect(result.errorText.contains("critical: cannot listen at tcp:127.0.0.1:\(own.port) for HTTP: "))
        withExtendedLifetime((taken, own)) {}
    }

    @Test func aChangedConfigurationIsReadAgain() async throws {
        let place = try Place()
        let common = """
            music-directory = "\(place.folder.file("music"))"
            state-directory = "\(place.folder.file("state"))"
            [[output]]
            name = "Nowhere"
            type = "null"

            """
        let listen = "listen = [\"unix:\(place.socket)\"]\n"
        let file = try place.folder.write("segued.toml", listen + common)
        let daemon = try Segued(in: place, ["--config", file])
        try daemon.waitUntilReady()
        let client = try daemon.connect()
        #expect(throws: RemoteError.self) { try client.run("password", "secret") }

        func reload(_ text: String) throws {
            try place.folder.write("segued.toml", text)
            daemon.process.kill(SIGHUP)
            #expect(try daemon.notices.next() == "RELOADING=1")
            #expect(try daemon.notices.next() == "READY=1")
        }
        let more = "[[password]]\npassword = \"secret\"\npermissions = [\"read\"]\n"
        try reload("listen = [\"unix:\(place.socket)2\"]\ncrossfade = 3\nlog-level = \"debug\"\n" + common + more)
        try await daemon.process.waitForOutput("notice: listen: takes effect after a restart")
        try client.run("password", "secret")
        #expect(ServerStatus(try client.run("status")).crossfade == 3)

        // What waits for the restart already is reported once.
        try reload("listen = [\"unix:\(place.socket)2\"]\ntags = [\"title\"]\n" + common + more)
        try await daemon.process.waitForOutput("notice: tags: takes effect after a restart")
        #expect(daemon.process.errorText.split(separator: "notice: listen: takes effect").count == 2)

        try reload("crossfade = \"\"\n")
        try await daemon.process.waitForOutput("the configuration stays as it was")
        try client.run("password", "secret")
        #expect(try await daemon.terminate().status == .code(0))
    }

    @Test func aFolderThatCannotBeWrittenIsNotTheEnd() async throws {
        let place = try Place()
        let listen = "@segue-test-\(getpid())-\(UInt32.random(in: 0...(.max)))"
        let daemon = try Segued(
            in: place,
            [
                "--music-dir", place.folder.file("music"), "--state-dir", "/nonexistent/state", "--listen", listen,
                "--output", "null",
            ],
            environment: ["HOME": "/proc/nonexistent"],
            unprivileged: true
        )
        try daemon.waitUntilReady()
        #expect(daemon.process.errorText.contains("error: cannot write to /"))
        try place.connect(.abstract(name: String(listen.dropFirst()))).run("add", "one.wav")
        #expect(try await daemon.terminate().status == .code(0))
    }

    private func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }
}
