import Foundation
import TestSupport
import TestThreads
import Testing
import TextEncodings

/// Streams of outputs by HTTP, at the server's own address.
@Suite(.blocking, .enabled("the fixtures' tools are missing") { Music.missing.isEmpty })
struct WebStreamTests {
    /// Starts a server that plays a tone of 1 kHz to `radio`, a stream in MP3, and in the zone `living room` nothing to one in
    /// Opus.
    private func start(_ settings: String = "", listeners: Int = 10) async throws -> (stage: WebStage, port: UInt16) {
        let folder = try TemporaryFolder()
        let root = try folder.makeFolder("music")
        let tone = Signal.tone(1_000, seconds: 60, sampleRate: 44_100)
        try WaveFile.write(tone, sampleRate: 44_100, to: root + "/tone.wav")
        let port = try steadyPort()
        let tables = """
            [[output]]
            type = "httpd"
            name = "radio"
            port = \(port)
            encoder = "mp3"
            genre = "Noise"
            max-clients = \(listeners)
            [[zone]]
            name = "living room"
            [[zone.output]]
            type = "httpd"
            name = "opus"
            port = \(try steadyPort())
            encoder = "opus"
            """
        let stage = try await WebStage("metrics = true", settings, tables: tables, in: folder, music: root)
        for command in ["add tone.wav", "repeat 1", "play"] { try stage.server.connect().order(command) }
        return (stage, port)
    }

    /// Waits until an output has so many listeners.
    private func wait(_ stage: WebStage, listeners: Int, of output: String = "radio") throws {
        let client = try stage.server.connect()
        if output == "opus" { try client.order("partition \"living room\"") }
        try TestSupport.wait(for: "\(listeners) listeners") {
            let lines = try client.order("outputs")
            let start = try #require(lines.firstIndex(of: "outputname: \(output)"))
            return lines[start...].first { $0.hasPrefix("attribute: listeners=") }
                == "attribute: listeners=\(listeners)"
        }
    }

    /// Those who listen at an output's own port have an address only, which the owner can know.
    @Test("an address that may see nothing does not listen at an output's own port")
    func ownPort() async throws {
        let (stage, port) = try await start()
        let owner = try stage.server.connect()
        func listen(_ port: UInt16) throws -> (client: LineClient, status: String) {
            let client = try LineClient(descriptor: SocketAddress.ipv4(port).connect(), of: stage)
            client.send("GET / HTTP/1.1\r\nHost: radio\r\n\r\n")
            return (client, String(client.line().split(separator: " ").dropFirst().first ?? ""))
        }
        let first = try listen(port)
        #expect(first.status == "200")
        try wait(stage, listeners: 1)
        // Grants that leave the permission read do not keep an address from listening.
        for grants in ["songs 5", "permissions read", "zone default"] {
            try owner.order("clients set 127.0.0.1 \(grants)")
        }
        #expect(try listen(port).status == "200")
        try owner.order("clients set 127.0.0.1 zone all zone \"living room\"")
        while first.client.line() != "<closed>" {}
        #expect(try listen(port).status == "403")
        try wait(stage, listeners: 0)
        try owner.order("clients revoke 127.0.0.1")
        #expect(try listen(port).status == "403")
        // One that comes back is refused as well, from the beginning.
        try owner.order("disableoutput 0")
        try owner.order("enableoutput 0")
        try TestSupport.wait(for: "the refusal") { (try? listen(port).status) == "403" }
        try owner.order("clients forget 127.0.0.1")
        #expect(try listen(port).status == "200")
        try owner.order("clients set 127.0.0.1 permissions add")
        #expect(try listen(port).status == "403")
    }

    @Test("it is that of the output's own address, and sounds so")
    func sound() async throws {
        let (stage, port) = try await start()
        let client = try stage.connect()
        client.send("GET", "/stream/default.mp3", ["Icy-MetaData": "1"])
        let head = client.head()
        #expect(head.status == 200 && head.fields["content-type"] == "audio/mpeg", "\(head)")
        #expect(head.fields["transfer-encoding"] == "chunked" && head.fields["connection"] == "close")
        #expect(head.fields["cache-control"] == "no-store" && head.fields["date"]?.hasSuffix(" GMT") == true)
        let direct = try LineClient(descriptor: SocketAddress.ipv4(port).connect(), of: stage)
        direct.send("HEAD / HTTP/1.1\r\nHost: radio\r\nIcy-MetaData: 1\r\n\r\n")
        var own = ""
        while let line = Optional(direct.line()), line != "\r", line != "<closed>" { own += line + "\n" }
        for name in ["icy-name", "icy-genre", "icy-br", "icy-metaint", "icy-pub"] {
            let value = try #require(head.fields[name], "\(name)")
            #expect(own.contains("\(name): \(value)\r"))
        }
        try wait(stage, listeners: 1)
        // Without titles, in HTTP/1.0, it is the bytes of a file.
        let old = try stage.connect()
        old.send("GET", "/stream/default.mp3", version: "1.0")
        let plain = old.head()
        #expect(plain.fields["transfer-encoding"] == nil && plain.fields["icy-metaint"] == nil)
        let path = stage.folder.file("heard.mp3")
        try FileBytes.write(old.lines.bytes(100_000), to: path)
        let heard = try MediaSound.of(path)
        let end = heard.channel(0).suffix(44_100)
        #expect(end.count == 44_100)
        #expect(abs(Analysis.frequency(end, sampleRate: 44_100) - 1_000) < 20)
    }

    @Test("a zone's name may have blanks, and its stream is there while nothing plays")
    func names() async throws {
        let (stage, _) = try await start()
        let client = try stage.connect()
        client.send("GET", "/stream/living%20room.OPUS")
        #expect(client.head().fields["content-type"] == "audio/ogg")
        let size = Int(client.lines.line().filter(\.isHexDigit), radix: 16) ?? 0
        #expect(size > 0 && client.lines.bytes(4) == Array("OggS".utf8))
        try wait(stage, listeners: 1, of: "opus")
        let other = try stage.connect()
        for (target, text) in [
            ("default.opus", "The zone has no stream of that kind; there is .mp3."),
            ("kitchen.mp3", "The zone has no stream of that kind; an output of type \"httpd\" makes them."),
            ("cellar.mp3", "There is no zone \"cellar\"."), ("default", nil), ("", nil), ("%ff.mp3", nil),
            ("default.mp3/x", nil),
        ] as [(String, String?)] {
            let answer = other.ask("GET", "/stream/\(target)")
            #expect(answer.status == 404 && text.map { answer.body == $0 + "\n" } != false, "\(target): \(answer)")
        }
        #expect(other.ask("POST", "/stream/default.mp3").status == 405)
        let head = other.ask("HEAD", "/stream/default.mp3")
        #expect(head.status == 200 && head.fields["content-type"] == "audio/mpeg" && other.hasEnded)
    }

    @Test("who leaves makes room for others")
    func limit() async throws {
        let (stage, port) = try await start(listeners: 2)
        var clients = try (0..<3).map { _ in try stage.connect() }
        // The first one leaves without a word.
        clients[0].lines.resetsWhenClosed()
        for client in clients.prefix(2) {
            client.send("GET", "/stream/default.mp3")
            #expect(client.head().status == 200)
        }
        let full = clients[2].ask("GET", "/stream/default.mp3")
        #expect(full.status == 503 && full.fields["retry-after"] == "30" && clients[2].hasEnded)
        let direct = try LineClient(descriptor: SocketAddress.ipv4(port).connect(), of: stage)
        direct.send("GET / HTTP/1.1\r\nHost: radio\r\n\r\n")
        #expect(direct.line().hasPrefix("HTTP/1.1 503"))
        clients.removeFirst()
        try wait(stage, listeners: 1)
        let next = try stage.connect()
        next.send("GET", "/stream/default.mp3")
        #expect(next.head().status == 200)
        #expect(clients[0].lines.bytes(50_000).count == 50_000)
    }

    @Test("each who comes and goes is told to those who watch outputs")
    func news() async throws {
        let (stage, _) = try await start()
        let watcher = try stage.server.connect()
        var clients: [WebClient] = []
        for count in 1...3 {
            // Until the number is there, other news may have come.
            clients.append(try stage.connect())
            clients[count - 1].send("GET", "/stream/default.mp3")
            #expect(clients[count - 1].head().status == 200)
            try awaitNews(watcher, listeners: count)
        }
        clients[0].lines.resetsWhenClosed()
        clients.removeFirst()
        try awaitNews(watcher, listeners: 2)
    }

    /// Waits for a number of listeners by `idle` alone.
    private func awaitNews(_ watcher: LineClient, listeners: Int) throws {
        while !watcher.ask("outputs").contains("attribute: listeners=\(listeners)") {
            try watcher.order("idle output")
        }
    }

    @Test("a listener who sees a part of the library is not told what it hears")
    func limitedLibrary() async throws {
        let (stage, _) = try await start("anonymous-permissions = \"none\"")
        let reader = try stage.makeClient("reader", "permissions read")
        let guest = try stage.makeClient("guest", "permissions read folder elsewhere")
        for (secret, isTold) in [(reader, true), (guest, false)] {
            let fields = ["Authorization": secret, "Icy-MetaData": "1"]
            let head = try stage.connect().ask("HEAD", "/stream/default.mp3", fields)
            #expect(head.status == 200 && (head.fields["icy-metaint"] != nil) == isTold, "\(head)")
            let listener = try stage.connect()
            listener.send("GET", "/stream/default.mp3", fields, version: "1.0")
            #expect(listener.head().status == 200)
            let bytes = listener.lines.bytes(60_000)
            #expect((bytes.firstRange(of: Array("StreamTitle='tone".utf8)) != nil) == isTold)
        }
    }

    @Test("a listener who is told titles, and whose library is limited then, hears nothing more")
    func laterLimits() async throws {
        let (stage, _) = try await start("anonymous-permissions = \"none\"")
        let reader = try stage.makeClient("reader", "permissions read")
        let (told, other) = (try stage.connect(), try stage.connect())
        told.send("GET", "/stream/default.mp3", ["Authorization": reader, "Icy-MetaData": "1"])
        other.send("GET", "/stream/default.mp3", ["Authorization": reader])
        #expect(told.head().status == 200 && other.head().status == 200)
        try wait(stage, listeners: 2)
        try stage.server.connect().order("clients set reader permissions read folder elsewhere")
        try wait(stage, listeners: 1)
        _ = try Self.rest(told)
    }

    @Test("a listener needs the right to read, as long as it listens")
    func rights() async throws {
        let (stage, _) = try await start("anonymous-permissions = \"none\"")
        let client = try stage.connect()
        let stranger = client.ask("GET", "/stream/default.mp3")
        #expect(stranger.status == 401 && stranger.fields["www-authenticate"] == "Bearer")
        let player = try stage.makeClient("player", "permissions player")
        #expect(client.ask("GET", "/stream/default.mp3", ["Authorization": player]).status == 403)
        let cook = try stage.makeClient("cook", "permissions read zone kitchen")
        #expect(client.ask("GET", "/stream/default.mp3", ["Authorization": cook]).status == 403)
        let owner = try stage.server.connect()
        for (quiet, status) in [("none", 401), ("00:00-12:00,12:00-24:00", 403)] {
            try owner.order("clients set 127.0.0.1 permissions player quiet-hours \(quiet)")
            #expect(client.ask("GET", "/stream/default.mp3").status == status)
        }
        let reader = try stage.makeClient("reader", "permissions read")
        client.send("GET", "/stream/default.mp3", ["Authorization": reader])
        #expect(client.head().status == 200)
        try wait(stage, listeners: 1)
        try stage.server.connect().order("clients forget reader")
        try wait(stage, listeners: 0)
        _ = try Self.rest(client)
    }

    /// All that comes until the connection ends.
    private static func rest(_ client: WebClient) throws -> [UInt8] {
        let bytes = client.lines.bytes(2_000_000)
        try #require(bytes.count < 2_000_000 && client.hasEnded)
        return bytes
    }

    @Test("it ends with its output, and where that goes to another zone")
    func ends() async throws {
        let (stage, _) = try await start()
        let owner = try stage.server.connect()
        for (target, command) in [
            ("default.mp3", "disableoutput \"radio\""), ("living%20room.opus", "zone remove \"living room\""),
        ] {
            let client = try stage.connect()
            client.send("GET", "/stream/\(target)")
            #expect(client.head().status == 200)
            try wait(stage, listeners: 1, of: target.hasPrefix("d") ? "radio" : "opus")
            let outputs = try owner.order("outputs")
            let place = outputs.firstIndex(of: "outputname: radio").map { outputs[$0 - 1].dropFirst(10) } ?? ""
            try owner.order(command.replacing("\"radio\"", with: place))
            let rest = try Self.rest(client)
            #expect(rest.suffix(5) == Array("0\r\n\r\n".utf8), "the response is whole")
        }
    }

    @Test("those who read nothing hold up nobody")
    func slowness() async throws {
        let (stage, _) = try await start(listeners: 30)
        let slow = try (0..<20).map { _ in try stage.connect() }
        for client in slow { client.send("GET", "/stream/default.mp3") }
        try wait(stage, listeners: 20)
        let clients = try (0..<3).map { _ in try stage.connect() }
        for client in clients {
            client.send("GET", "/stream/default.mp3")
            #expect(client.head().status == 200)
        }
        for client in clients { #expect(client.lines.bytes(150_000).count == 150_000) }
        #expect(try stage.connect().call("ping") == .null)
    }
}
