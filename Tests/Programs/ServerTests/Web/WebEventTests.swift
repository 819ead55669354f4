import Foundation
import TestSupport
import TestThreads
import Testing
import TextEncodings

/// Values that change, as server-sent events.
@Suite(.blocking, .enabled("the fixtures' tools are missing") { Music.missing.isEmpty })
struct WebEventTests {
    /// Reads the events of a response whose head has been read.
    private struct Reader {
        let client: WebClient
        private var text = ""

        init(_ client: WebClient) { self.client = client }

        /// The next event: its name, its id, and its data.
        mutating func next() throws -> (name: String, id: Int, data: JSON) {
            while !text.contains("\n\n") {
                let size = client.lines.line().trimmingCharacters(in: .whitespacesAndNewlines)
                guard let count = Int(size, radix: 16), count > 0 else {
                    throw ClientError(description: "no event: \(size)")
                }
                text += String(decoding: client.lines.bytes(count), as: UTF8.self)
                _ = client.lines.line()
            }
            let parts = text.split(separator: "\n\n", maxSplits: 1, omittingEmptySubsequences: false)
            text = String(parts[1])
            let lines = parts[0].split(separator: "\n").map(String.init)
            guard lines.count == 3, lines[0].hasPrefix("event: "), lines[1].hasPrefix("id: "),
                lines[2].hasPrefix("data: ")
            else { throw ClientError(description: "no event: \(lines)") }
            let data = try JSON(parsing: Array(lines[2].dropFirst(6).utf8))
            return (String(lines[0].dropFirst(7)), Int(lines[1].dropFirst(4)) ?? 0, data)
        }
    }

    private func open(_ target: String, _ stage: WebStage, _ fields: [String: String] = [:]) throws -> Reader {
        let client = try stage.connect()
        client.send("GET", target, fields)
        guard client.lines.line() == "HTTP/1.1 200 OK\r" else { throw ClientError(description: "no events") }
        while client.lines.line() != "\r" {}
        return Reader(client)
    }

    @Test("a snapshot, then each value that changes")
    func changes() async throws {
        let stage = try await WebStage()
        var reader = try open("/api/events?topics=mixer,options&zones=all", stage)
        let first = try reader.next()
        #expect(first.name == "snapshot" && first.data["version"] == .integer(first.id))
        #expect(first.data["values"]?.elements.count == 4)
        let lines = try stage.server.connect()
        try lines.order("setvol 31")
        let volume = try reader.next()
        #expect(volume.name == "changed" && volume.id > first.id)
        #expect(volume.data["topic"] == .string("mixer") && volume.data["value"]?["volume"] == .integer(31))
        try lines.order("partition kitchen")
        try lines.order("repeat 1")
        let options = try reader.next()
        #expect(options.data["zone"] == .string("kitchen") && options.data["version"] == .integer(options.id))
        // A connection that was lost begins with all there is now.
        var again = try open("/api/events?topics=mixer&zones=default", stage, ["Last-Event-ID": "\(first.id)"])
        #expect(try again.next().data["values"]?.elements.first?["value"]?["volume"] == .integer(31))
    }

    @Test("the zone of the address, and topics and zones that there are not")
    func zones() async throws {
        let stage = try await WebStage()
        var reader = try open("/api/events?topics=mixer&zone=kitchen", stage)
        #expect(try reader.next().data["values"]?.elements.map { $0["zone"] } == [.string("kitchen")])
        let client = try stage.connect()
        let wrong = client.ask("GET", "/api/events?topics=weather")
        #expect(wrong.status == 400 && wrong.body.contains("there is no topic 'weather'"))
        #expect(client.hasEnded)
        #expect(try stage.connect().ask("GET", "/api/events?zones=attic").status == 400)
        #expect(try stage.connect().ask("POST", "/api/events", body: "{}").status == 405)
        #expect(try stage.connect().ask("GET", "/api/events", ["Origin": "http://evil.test"]).status == 403)
    }

    @Test("rights that go are told, and nothing is written by readers")
    func rights() async throws {
        let stage = try await WebStage("", "anonymous-permissions = \"read\"")
        let secret = try stage.makeClient("display", "permissions read")
        var reader = try open("/api/events?topics=mixer", stage, ["Authorization": secret])
        #expect(try reader.next().data["values"]?.elements.first?["value"] != .null)
        try stage.server.connect().order("clients forget display")
        let gone = try reader.next()
        #expect(gone.data["topic"] == .string("mixer") && gone.data["value"] == .null)
    }

    @Test(
        "curl follows events until the server ends",
        .enabled("curl is missing") { ChildProcess.missing("curl").isEmpty }
    )
    func curl() async throws {
        let stage = try await WebStage()
        let address = "http://127.0.0.1:\(stage.port)/api/events?topics=mixer"
        let curl = try ChildProcess("curl", ["-sSN", address])
        try await curl.waitForOutput("event: snapshot")
        try stage.server.connect().order("setvol 12")
        try await curl.waitForOutput("\"volume\":12")
        try await stage.server.stop()
        _ = try await curl.wait()
    }

    @Test("readers who leave are forgotten")
    func leaving() async throws {
        let stage = try await WebStage()
        var readers = try (0..<10).map { _ in try open("/api/events?topics=mixer", stage) }
        for index in readers.indices { _ = try readers[index].next() }
        let before = stage.server.process.openDescriptors
        readers = []
        try wait(for: "sockets to be closed") { stage.server.process.openDescriptors <= before - 10 }
        #expect(try stage.connect().call("ping") == .null)
    }
}
