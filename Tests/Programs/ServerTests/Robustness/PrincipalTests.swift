import Foundation
import Glibc
import TestSupport
import TestThreads
import Testing

/// Who a client is taken for, and how soon that changes.
@Suite(.blocking, .enabled("the fixtures' tools are missing") { Music.missing.isEmpty })
struct PrincipalTests {
    private func configuration(_ folder: TemporaryFolder, _ port: UInt16, _ more: String) -> String {
        """
        listen = ["tcp::\(port)", "unix:\(folder.file("socket"))"]
        \(more)
        [[output]]
        name = "here"
        type = "null"
        mixer = "software"
        """
    }

    private func start(_ more: String) async throws -> (server: Segued, port: UInt16) {
        let (folder, port) = (try TemporaryFolder(), try steadyPort())
        return (try await Segued.start(.toml(configuration(folder, port, more)), in: folder), port)
    }

    /// Clients of this machine keep what unmodified clients use, and cannot end the server or change rights.
    @Test func anonymousLoopback() async throws {
        let (server, port) = try await start("")
        for address in [SocketAddress.ipv4(port), .ipv6(port)] {
            let client = try LineClient(address)
            for command in ["kill", "config", "session permission grant x call"] {
                #expect(client.ask(command).last?.hasPrefix("ACK [4@0]") == true, "\(command)")
            }
            for command in [
                "disableoutput 0", "enableoutput 0", "newpartition x", "delpartition x", "update", "save list",
                "rm list",
            ] { try client.order(command) }
            let (may, mayNot) = (client.ask("commands"), client.ask("notcommands"))
            #expect(
                mayNot == [
                    "command: audit", "command: ceiling", "command: clients", "command: config", "command: kill",
                    "command: mount",
                    "command: pairing", "command: picking", "command: unmount", "OK",
                ]
            )
            #expect(!may.contains("command: kill") && may.contains("command: moveoutput"))
        }
        let owner = try server.connect()
        #expect(owner.ask("notcommands") == ["OK"])
        try owner.order("config")
        try owner.order("session permission grant x call")
    }

    /// A peer that is gone before it was accepted has no address, and is not one of the Unix socket for that.
    @Test func resetBeforeAccept() async throws {
        let (server, port) = try await start(
            "allow-anonymous = \"loopback\"\n[[host]]\naddress = \"127.0.0.1\"\npermissions = \"none\""
        )
        let owner = try server.connect()
        try owner.order("setvol 50")
        server.process.kill(SIGSTOP)
        for _ in 0..<20 {
            let descriptor = try SocketAddress.ipv4(port).connect()
            var reset = linger(l_onoff: 1, l_linger: 0)
            unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &reset, socklen_t(MemoryLayout<linger>.size))
            let bytes = Array("setvol 7\n".utf8)
            unsafe send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
            close(descriptor)
        }
        server.process.kill(SIGCONT)
        #expect(try LineClient(.ipv4(port)).ask("status").last?.hasPrefix("ACK [4@0]") == true)
        #expect(try owner.values("status")["volume"] == "50")
    }

    /// What is taken away by a new configuration is gone at once, for those who are connected, too.
    @Test func reloadRevokes() async throws {
        let password = "[[password]]\npassword = \"secret\"\npermissions = \"read\""
        let stranger = "anonymous-permissions = \"none\"\n"
        let (server, port) = try await start(stranger + password)
        let (client, waiting) = (try LineClient(.ipv4(port)), try LineClient(.ipv4(port)))
        for client in [client, waiting] {
            try client.order("password secret")
            try client.order("status")
        }
        try client.order("picker open")
        waiting.send("idle\n")
        // The server reads what came first first, so it has read `idle` when it answers this.
        try client.order("ping")
        try server.folder.write("segued.toml", configuration(server.folder, port, stranger))
        server.process.kill(SIGHUP)
        try wait(for: "the new rules") { client.ask("status").last != "OK" }
        #expect(client.ask("status") == ["ACK [4@0] {status} you don't have permission for \"status\""])
        #expect(waiting.line() == "<closed>")
        let owner = try server.connect()
        #expect(owner.ask("status").last == "OK")
        #expect(try owner.order("picking list") == [])
    }

    /// A guesser waits longer and longer, is disconnected and named; others notice nothing.
    @Test func wrongPasswords() async throws {
        let (server, port) = try await start("[[password]]\npassword = \"secret\"")
        let guesser = try LineClient(.ipv4(port))
        let start = ContinuousClock.now
        for _ in 0..<3 { #expect(guesser.ask("password guess") == ["ACK [3@0] {password} incorrect password"]) }
        #expect(ContinuousClock.now - start >= .milliseconds(1_500))
        #expect(guesser.line() == "<closed>")
        let next = try LineClient(.ipv4(port))
        next.send("password secret\n")
        // From elsewhere no connection waits.
        #expect(try server.connect().ask("password secret") == ["OK"])
        #expect(next.line() == "OK")
        #expect(server.process.errorText.contains("a wrong password from 127.0.0.1"))
        #expect(server.process.errorText.components(separatedBy: "from 127.0.0.1").count == 2)
    }

    /// A right password that is not looked at, because too many wait, is not called wrong: a program would forget it.
    @Test func passwordsThatAreNotLookedAt() async throws {
        let (server, port) = try await start("[[password]]\npassword = \"secret\"")
        // Those of one address wait for each other, and the eighth would wait for longer than any has to.
        let guessers = try (0..<12).map { _ in try LineClient(.ipv4(port)) }
        let client = try LineClient(.ipv4(port))
        for guesser in guessers { guesser.send("password guess\n") }
        #expect(client.ask("password secret").last?.hasPrefix("ACK [52@0] {password} too many") == true)
        try await server.stop()
    }

    /// Who may not call is not let do so by other words.
    @Test func deniedClasses() async throws {
        let (server, port) = try await start("[[host]]\naddress = \"127.0.0.1\"\npermissions = [\"read\", \"player\"]")
        let player = try LineClient(.ipv4(port))
        for command in ["session open x class alarm", "announce one.flac class alarm"] {
            #expect(player.ask(command).last?.contains("class alarm is denied to 127.0.0.1") == true, "\(command)")
        }
        let owner = try server.connect()
        try owner.order("session permission deny \"uid \(geteuid())\" call")
        #expect(owner.ask("session interrupt begin call").last?.contains("class call is denied to uid") == true)
        try owner.order("session permission grant \"uid \(geteuid())\" call")
        try owner.order("session interrupt begin call")
    }
}
