import Foundation
import Glibc
import TestSupport
import TestThreads
import Testing

/// Many clients, slow ones and silent ones.
@Suite(.blocking, .serialized, .enabled("the fixtures' tools are missing") { Music.missing.isEmpty })
struct CrowdTests {
    /// Connections that this process may open at once.
    private func raiseLimit(to count: UInt) -> Bool {
        var limit = rlimit()
        unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        guard limit.rlim_cur < count else { return true }
        limit.rlim_cur = min(count, limit.rlim_max)
        return unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 && limit.rlim_cur >= count
    }

    private static let manyClients = """
        [limits]
        max-connections = 3000
        max-local-connections = 3000
        connection-timeout = "60s"
        """

    private func start(_ settings: String) async throws -> Segued {
        let folder = try TemporaryFolder()
        return try await Segued.start(.toml("listen = [\"unix:\(folder.file("socket"))\"]\n" + settings), in: folder)
    }

    @Test func thousandsOfConnections() async throws {
        try #require(raiseLimit(to: 4_000), "too few descriptors are permitted")
        let server = try await start(Self.manyClients)
        let before = try server.process.residentBytes()
        var clients: [LineClient] = []
        for _ in 0..<2_500 { clients.append(try server.connect()) }
        #expect(clients.allSatisfy { $0.greeting == "OK MPD 0.24.0" })
        for client in clients { client.send("idle options\n") }
        #expect(clients[0].ask("noidle").last == "OK")
        clients[0].ask("repeat 1")
        for client in clients.dropFirst() { #expect(client.reply() == ["changed: options", "OK"]) }
        #expect((try server.process.residentBytes() - before) / 2_500 < 32_768)
    }

    /// Beyond the limit no client is let in, and those who are in notice nothing.
    @Test func limitOfConnections() async throws {
        let server = try await start("[limits]\nmax-connections = 5\nowner-connections = 0\n")
        var clients: [LineClient] = []
        while clients.count < 5 {
            let client = try server.connect()
            if client.greeting.hasPrefix("OK") { clients.append(client) }
        }
        #expect(try server.connect().greeting == "<closed>")
        for client in clients { #expect(client.ask("ping") == ["OK"]) }
        clients.removeLast()
        try wait(for: "room for another client") { try server.connect().greeting.hasPrefix("OK") }
    }

    /// Without descriptors the server goes on serving those it has, at rest, and lets others in later.
    @Test func outOfDescriptors() async throws {
        let server = try await Segued.start(.options([]), descriptors: 64)
        let client = try server.connect()
        var waiting: [Int32] = []
        for _ in 0..<100 { waiting.append(try SocketAddress.unix(server.socket).connect()) }
        #expect(client.ask("ping") == ["OK"])
        let start = server.process.cpuSeconds
        try await Task.sleep(for: .seconds(1))
        #expect(server.process.cpuSeconds - start < 0.3)
        #expect(client.ask("lsinfo").last?.isEmpty == false)
        // Said once, not for each attempt.
        #expect(server.process.errorText.components(separatedBy: "Too many open files; allow more").count == 2)
        for descriptor in waiting { close(descriptor) }
        #expect(try server.connect().ask("ping") == ["OK"])
    }

    /// One who asks for a hundred thousand songs and does not read costs little memory, and delays no other client.
    @Test(.timeLimit(.minutes(5))) func slowReader() async throws {
        let server = try await Segued.start()
        let client = try server.connect()
        let list = ["command_list_begin"] + Array(repeating: "add one.flac", count: 50_000) + ["command_list_end"]
        for _ in 0..<2 { #expect(client.ask(list.joined(separator: "\n")) == ["OK"]) }
        #expect(try client.values("status")["playlistlength"] == "100000")
        // Its songs are looked into by now.
        #expect(client.ask("playlistinfo 99999").contains("Title: One"))
        let before = try server.process.residentBytes()
        let slow = try server.connect()
        slow.send(String(repeating: "playlistinfo\n", count: 5))
        var worst = Duration.zero
        for _ in 0..<200 {
            let start = ContinuousClock.now
            #expect(client.ask("ping") == ["OK"])
            worst = max(worst, .now - start)
        }
        #expect(worst < .seconds(3))
        #expect(try server.process.residentBytes() - before < 16 * 1_048_576)
        // Nothing is lost when it does read.
        var lines = 0
        while true {
            let line = slow.line()
            if line == "OK" { break }
            try #require(line != "<closed>" && line != "<silence>")
            lines += line.hasPrefix("file: ") ? 1 : 0
        }
        #expect(lines == 100_000)
    }

    /// Silent clients are disconnected; those in `idle`, and those who ask now and then, are not.
    @Test func silence() async throws {
        let server = try await start("[limits]\nconnection-timeout = \"1s\"\n")
        let (silent, idle, busy, halting) =
            (try server.connect(), try server.connect(), try server.connect(), try server.connect())
        idle.send("idle\n")
        halting.send("command_list_begin\n")
        let start = ContinuousClock.now
        var end: ContinuousClock.Instant?
        while ContinuousClock.now - start < .seconds(3) {
            #expect(busy.ask("ping") == ["OK"])
            usleep(100_000)
            if end == nil, silent.isAtEnd { end = .now }
        }
        let lasted = try #require(end) - start
        #expect(lasted > .milliseconds(800))
        #expect(lasted < .seconds(2.9))
        #expect(halting.isAtEnd)
        #expect(!idle.isAtEnd)
        #expect(idle.ask("noidle") == ["OK"])
        // Out of idle it is expected again.
        #expect(idle.line() == "<closed>")
    }
}

extension LineClient {
    /// Whether the server has ended the connection, without waiting.
    var isAtEnd: Bool {
        var byte: UInt8 = 0
        return unsafe recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) == 0
    }
}
