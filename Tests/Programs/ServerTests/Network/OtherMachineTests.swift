import Foundation
import TestSupport
import TestThreads
import Testing

/// What a client on another machine can have segued fetch: its own network's media, and nothing of this machine's loopback.
@Suite(
    .blocking,
    .enabled("nginx or ffmpeg is not installed") { (WebServer.missing + Music.missing).isEmpty },
    .enabled("the system lets no test have networks of its own") { NetworkNamespace.isAllowed }
)
struct OtherMachineTests {
    private static let (here, there) = ("10.77.0.1", "10.77.0.2")
    private static let port: UInt16 = 6611

    /// segued with a web server on its loopback, and another machine with a web server and the client.
    private struct Stage {
        let server: Segued
        let loopback: WebServer
        let lan: WebServer
        let client: LineClient
    }

    private func stage() async throws -> Stage {
        let (machine, other) = try NetworkNamespace.pair(Self.here, Self.there)
        let loopback = try await WebServer.start(network: machine)
        let place = "127.0.0.1:\(loopback.port)"
        let lan = try await WebServer.start(
            .redirect("moved/", to: "http://\(place)/$1"),
            host: Self.there,
            network: other
        )
        let folder = try TemporaryFolder()
        let configuration = """
            listen = ["tcp:\(Self.here):\(Self.port)", "unix:\(folder.file("socket"))"]
            allow-anonymous = "lan"
            [[output]]
            name = "here"
            type = "null"
            """
        let server = try await Segued.start(.toml(configuration), in: folder, network: machine)
        let client = LineClient(descriptor: try other.connect(Self.here, Self.port), of: server)
        #expect(client.line().hasPrefix("OK MPD"))
        let sound = try await MediaFixtures.audio("other-machine", .mp3) {
            Signal.tone(440, seconds: 3, sampleRate: 44_100)
        }
        try publish(sound, on: loopback, and: lan)
        return Stage(server: server, loopback: loopback, lan: lan, client: client)
    }

    private func publish(_ sound: String, on loopback: WebServer, and lan: WebServer) throws {
        for web in [loopback, lan] { try web.publish(sound, as: "song.mp3") }
        try loopback.publish(text: "#EXTM3U\nsong.mp3\n", as: "list.m3u")
        let secret = loopback.url("song.mp3")
        try lan.publish(text: "#EXTM3U\n\(secret)\n", as: "entry.m3u")
        let head = "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:10\n"
        try lan.publish(text: head + "#EXTINF:10,\n\(secret)\n#EXT-X-ENDLIST\n", as: "segment.m3u8")
        let key = "#EXT-X-KEY:METHOD=AES-128,URI=\"\(secret)\"\n"
        try lan.publish(text: head + key + "#EXTINF:10,\nsong.mp3\n#EXT-X-ENDLIST\n", as: "key.m3u8")
        try lan.publish(text: "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n\(secret)\n", as: "variant.m3u8")
    }

    /// Adds a URL, plays it and waits until it has failed or is over.
    private func play(_ url: String, with client: LineClient) throws {
        try client.order("clear")
        guard client.ask("add \"\(url)\"") == ["OK"], client.ask("play") == ["OK"] else { return }
        try client.wait("state", "stop")
    }

    @Test func loopbackIsNotFetchedFrom() async throws {
        let stage = try await stage()
        let (client, lan, port) = (stage.client, stage.lan, stage.loopback.port)
        let hosts = ["127.0.0.1", "localhost", "[::1]", "127.1", "[::ffff:127.0.0.1]", "0.0.0.0"]
        let named = hosts.map { "http://\($0):\(port)/" } + [lan.url("moved/")]
        for place in named {
            for command in ["listplaylist", "listplaylistinfo", "load"] {
                let answer = client.ask("\(command) \(place)list.m3u")
                #expect(answer.last?.hasPrefix("ACK ") == true && answer.count == 1, "\(command) \(place): \(answer)")
            }
            #expect(client.ask("albumart \(place)song.mp3 0").last?.hasPrefix("ACK ") == true)
            try play(place + "song.mp3", with: client)
            let answer = client.ask("announce \(place)song.mp3")
            if let id = answer.first, id.hasPrefix("announcement: ") {
                #expect(try end(of: String(id.dropFirst(14)), with: client) != "done", "\(place)")
            }
        }
        for name in ["segment.m3u8", "key.m3u8", "variant.m3u8"] { try play(lan.url(name), with: client) }
        try client.order("clear")
        if client.ask("load \(lan.url("entry.m3u"))") == ["OK"], client.ask("play") == ["OK"] {
            try client.wait("state", "stop")
        }
        #expect(stage.loopback.requests == [])
        for path in ["entry.m3u", "segment.m3u8", "key.m3u8", "variant.m3u8", "moved/list.m3u", "moved/song.mp3"] {
            #expect(!lan.requests(of: path).isEmpty, "\(path) was not asked for")
        }

        // The same from this machine gets there, so the silence above means something.
        let owner = try stage.server.connect()
        #expect(try owner.order("listplaylist \(stage.loopback.url("list.m3u"))").count == 1)
        try await stage.loopback.waitForRequests { $0.map(\.path) == ["/list.m3u"] }
    }

    /// Home Assistant's case: the other machine has segued play and announce what it serves itself.
    @Test func ownNetworkIsFetchedFrom() async throws {
        let stage = try await stage()
        let (client, song) = (stage.client, stage.lan.url("song.mp3"))
        try client.order("add \(song)")
        try client.order("play")
        try wait(for: "the song to play") {
            try client.values("status")["elapsed"].flatMap(Double.init) ?? 0 >= 0.5
        }
        let id = try client.values("announce \(song)")["announcement"] ?? ""
        #expect(try end(of: id, with: client) == "done")
        try client.wait("state", "stop")
        #expect(try client.values("status")["error"] == nil)
        #expect(stage.lan.requests(of: "song.mp3").count >= 2)
        #expect(stage.loopback.requests == [])
    }

    /// The state that an announcement ends in.
    private func end(of id: String, with client: LineClient) throws -> String {
        var state = ""
        try wait(for: "the announcement to end") {
            state = try client.values("announcement info \(id)")["state"] ?? ""
            return !["queued", "playing"].contains(state)
        }
        return state
    }
}
