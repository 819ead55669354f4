import Foundation
import Glibc
import TestSupport
import TestThreads
import Testing

/// Clients that speak nonsense, or too much, disturb no client but themselves.
@Suite(.blocking, .enabled("the fixtures' tools are missing") { Music.missing.isEmpty })
struct HostileClientTests {
    /// What is left of the connection once everything was sent and taken.
    private func rest(_ client: LineClient) -> [String] {
        var lines: [String] = []
        while true {
            lines.append(client.line())
            if ["<closed>", "<silence>"].contains(lines.last) { return lines }
        }
    }

    @Test func nonsense() async throws {
        let server = try await Segued.start()
        var generator = SystemRandomNumberGenerator()
        for count in [1, 100, 10_000] {
            let client = try server.connect()
            client.send((0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) } + [0x0a])
            client.endOutput()
            #expect(rest(client).last == "<closed>")
        }
        #expect(try server.connect().ask("ping") == ["OK"])
    }

    /// Each of these may end its connection, and gives no more than its one answer.
    @Test(arguments: [
        ("ping \0x", ["ACK [5@0] {} Invalid unquoted character", "<closed>"]),
        ("pi-ng", ["ACK [5@0] {} Invalid word character", "<closed>"]), ("GET / HTTP/1.1", ["<closed>"]),
        ("", ["<closed>"]), (" ping", ["<closed>"]), ("command_list_begin\n\n", ["<closed>"]),
    ])
    func malformedLines(_ line: String, _ reply: [String]) async throws {
        let server = try await Segued.start()
        let client = try server.connect()
        client.send(line + "\n")
        client.endOutput()
        #expect(rest(client).first == reply.first)
        #expect(try server.connect().ask("ping") == ["OK"])
    }

    @Test(arguments: [true, false])
    func longLine(hasEnd: Bool) async throws {
        let server = try await Segued.start()
        let client = try server.connect()
        client.send(Array("ping ".utf8) + [UInt8](repeating: 0x78, count: 1_000_000) + (hasEnd ? [0x0a] : []))
        #expect(client.line() == "ACK [2@0] {} Line too long: more than limits.max-line-size = 65536")
        try wait(for: "the limit in the log") { server.process.errorText.contains("for limits.max-line-size") }
        #expect(try server.connect().ask("ping") == ["OK"])
    }

    /// Half a line waits for its other half, however the line comes.
    @Test func piecemeal() async throws {
        let server = try await Segued.start()
        let (client, other) = (try server.connect(), try server.connect())
        for piece in ["p", "ing\npin", "g\nping", "\n"] {
            client.send(piece)
            // A server that has answered two others one after the other has read the piece.
            for _ in 0..<2 { #expect(other.ask("ping") == ["OK"]) }
        }
        for _ in 0..<3 { #expect(client.line() == "OK") }
    }

    /// What was asked before the client closed its side is answered, then the connection ends.
    @Test(arguments: ["ping", "status", "lsinfo", "listallinfo", "albumart \"Blue/01 So What.flac\" 0"])
    func halfClosed(_ command: String) async throws {
        let server = try await Segued.start()
        let client = try server.connect()
        client.send("\(command)\n\(command)\nping\n")
        client.endOutput()
        for _ in 0..<3 { #expect(client.reply().last == "OK") }
        #expect(client.line() == "<closed>")
    }

    @Test(arguments: ["idle\n", "command_list_begin\nping\n", "pin"])
    func halfClosedInBetween(_ text: String) async throws {
        let client = try await Segued.start().connect()
        client.send(text)
        client.endOutput()
        #expect(client.line() == "<closed>")
    }

    @Test(arguments: ["ping", "status", "idle\nnoidle"])
    func pipelined(_ command: String) async throws {
        let client = try await Segued.start().connect()
        let bytes = Array(String(repeating: command + "\n", count: 10_000).utf8)
        // What is not read in the meantime must not stop the writer for ever.
        let descriptor = dup(client.descriptor)
        Thread { LineClient(descriptor: descriptor).send(bytes) }.start()
        var count = 0
        while count < 10_000, client.reply().last == "OK" { count += 1 }
        #expect(count == 10_000)
    }

    @Test func largeCommandLists() async throws {
        let server = try await Segued.start()
        let client = try server.connect()
        client.send("command_list_begin\n" + String(repeating: "ping\n", count: 100_000))
        // A long one that is permitted keeps no other client waiting.
        client.send("command_list_end\n")
        #expect(client.reply() == ["OK"])
        let line = "ping " + String(repeating: "x", count: 1_000) + "\n"
        let isTaken = client.send(Array(("command_list_begin\n" + String(repeating: line, count: 4_000)).utf8))
        #expect(!isTaken || client.line() == "<closed>")
        #expect(try server.connect().ask("ping") == ["OK"])
    }

    /// A list may add one song very often, and looks for it once.
    @Test(.timeLimit(.minutes(5))) func addsOneSongOften() async throws {
        let client = try await Segued.start().connect()
        let list = ["command_list_begin"] + Array(repeating: "add one.flac", count: 5_000) + ["command_list_end"]
        #expect(client.ask(list.joined(separator: "\n")) == ["OK"])
        #expect(try client.values("status")["playlistlength"] == "5000")
    }
}
