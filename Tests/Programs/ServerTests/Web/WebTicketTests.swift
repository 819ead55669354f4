import Foundation
import TestSupport
import TestThreads
import Testing
import TextEncodings

/// Addresses of pictures and streams that carry a ticket: they are asked for as the connection would that has it.
@Suite(.blocking, .enabled("the fixtures' tools are missing") { Music.missing.isEmpty })
struct WebTicketTests {
    private static let strict = "anonymous-permissions = \"none\""
    private static let picture = "/art/song?uri=Blue/01+So+What.flac&size=64"

    private func start() async throws -> WebStage {
        let music = try await OwnMusic()
        _ = try music.folder.makeFolder("music/Blue")
        let cover = "\(music.path)/Blue/cover.png"
        try await MediaFixtures.ffmpeg(["-f", "lavfi", "-i", "color=red:size=300x300", "-frames:v", "1", cover])
        return try await WebStage("", Self.strict, in: music.folder, music: music.path)
    }

    /// A WebSocket of a new client, and a ticket of it.
    private func openSocket(_ stage: WebStage) throws -> (WebClient, ticket: String) {
        let secret = try stage.makeClient("phone", "permissions read")
        let socket = try stage.connect()
        try socket.openSocket(["Authorization": secret])
        return (socket, try ticket(of: socket))
    }

    private func ticket(of socket: WebClient) throws -> String {
        let reply = try socket.socketCall("ticket")
        #expect(reply["expires"] == .integer(60))
        return try #require(reply["ticket"]?.string)
    }

    @Test("a ticket stands for its connection, in addresses of pictures only, and not behind it")
    func pictures() async throws {
        let stage = try await start()
        let (socket, ticket) = try openSocket(stage)
        let client = try stage.connect()
        #expect(client.ask("GET", Self.picture).status == 401)
        for _ in 0..<2 {
            let answer = client.ask("GET", "\(Self.picture)&ticket=\(ticket)")
            #expect(answer.status == 200 && answer.fields["content-type"] == "image/jpeg")
            #expect(client.ask("GET", Self.picture).status == 401)
        }
        let wrong = String(ticket.reversed())
        let refused = client.ask("GET", "\(Self.picture)&ticket=\(wrong)")
        #expect(refused.status == 401 && refused.body.contains("ticket") && !refused.body.contains(wrong))
        #expect(client.ask("GET", "\(Self.picture)&ticket=\(ticket)&ticket=\(ticket)").status == 400)
        // Whoever sees an address, as in the log of a proxy, can change nothing.
        let call = client.post(WebClient.request("status"), to: "/api?ticket=\(ticket)")
        #expect(call.json["error"]?["data"]?["ack"] == .integer(4))
        #expect(client.ask("GET", "/metrics?ticket=\(ticket)").status == 404)
        #expect(try socket.socketCall("ping") == .null)
    }

    @Test("the rights are those that the connection has now")
    func rights() async throws {
        let stage = try await start()
        let (socket, ticket) = try openSocket(stage)
        let (client, owner) = (try stage.connect(), try stage.server.connect())
        let address = "\(Self.picture)&ticket=\(ticket)"
        #expect(client.ask("GET", address).status == 200)
        try owner.order("clients set phone permissions none")
        #expect(client.ask("GET", address).status == 403)
        try owner.order("clients set phone permissions read")
        #expect(client.ask("GET", address).status == 200)
        // After a new password, the connection that had signed in with the old one has no rights, and neither has its ticket.
        _ = try stage.makeClient("phone", "")
        #expect(throws: ClientError.self) { _ = try socket.socketCall("status") }
        #expect(client.ask("GET", address).status == 403)
        // It signs in as another client, and its ticket is that one's.
        let other = try #require(try owner.values("clients password tablet permissions read")["password"])
        _ = try socket.socketCall("password", "[\"\(other)\"]")
        #expect(client.ask("GET", address).status == 200)
    }

    @Test("it ends with its connection, and with the second one after it")
    func ends() async throws {
        let stage = try await start()
        let (socket, first) = try openSocket(stage)
        let client = try stage.connect()
        let status = { (ticket: String) in client.ask("GET", "\(Self.picture)&ticket=\(ticket)").status }
        let second = try ticket(of: socket)
        #expect(status(first) == 200 && status(second) == 200)
        let third = try ticket(of: socket)
        #expect(status(first) == 401 && status(second) == 200 && status(third) == 200)
        socket.sendFrame(8, [])
        try wait(for: "the end of the ticket") { status(third) == 401 }
        // A request that has been answered has none.
        let secret = try stage.makeClient("tablet", "permissions read")
        let gone = try #require(try client.call("ticket", "[]", ["Authorization": secret])["ticket"]?.string)
        #expect(status(gone) == 401)
    }

    @Test("clients of the line protocol have them as well")
    func lines() async throws {
        let stage = try await start()
        let owner = try stage.server.connect()
        let ticket = try #require(try owner.values("ticket")["ticket"])
        #expect(try stage.connect().ask("GET", "\(Self.picture)&ticket=\(ticket)").status == 200)
        #expect(owner.ask("schedule add 22:00 ticket").last?.hasPrefix("ACK") == true)
    }
}
