import Foundation
import TestSupport
import TestThreads
import Testing
import TextEncodings

/// What the owner has picked for a client, by HTTP.
@Suite(.blocking, .enabled("the fixtures' tools are missing") { Music.missing.isEmpty })
struct WebPickedTests {
    /// A server with a picture, a film and a song of several megabytes, and a client that may ask and nothing else.
    private struct Stage {
        let web: WebStage
        let owner: LineClient
        let client: WebClient
        let secret: String
        let file: (String) -> String

        init() async throws {
            let folder = try TemporaryFolder()
            let root = try folder.makeFolder("music")
            file = { "\(root)/\($0)" }
            try await MediaFixtures.ffmpeg([
                "-f", "lavfi", "-i", "testsrc2=size=640x480", "-frames:v", "1", file("1.jpg"),
            ])
            let film = [
                "-f", "lavfi", "-i", "testsrc2=size=640x480:d=4,noise=alls=40:allf=t", "-c:v", "mpeg4", "-q:v", "3",
            ]
            try await MediaFixtures.ffmpeg(film + [file("film.mp4")])
            let song = ["-f", "lavfi", "-i", "anoisesrc=d=120:r=44100", "-ac", "2", "-metadata", "title=Noise"]
            try await MediaFixtures.ffmpeg(song + [file("song.wav")])
            web = try await WebStage("", "limits.connection-timeout = 3600", in: folder, music: root)
            owner = try web.server.connect()
            try LimitedServer.waitForScan(owner)
            secret = try #require(try owner.values("clients password frame permissions pick")["password"])
            client = try web.connect()
        }

        var fields: [String: String] { ["Authorization": WebClient.bearer(secret)] }

        /// Asks by a message, and lets the owner pick; returns the items.
        func pick(_ params: String, _ uris: String...) throws -> [JSON] {
            let request = try client.call("picker.open", params, fields)["request"]?.string ?? ""
            for line in ["take \(request)", "select \(request) \(uris.joined(separator: " "))", "finish \(request)"] {
                try owner.order("picking \(line)")
            }
            return try client.call("picker.items", #"{"request":"\#(request)"}"#, fields).elements
        }

        func get(_ path: String, _ more: [String: String] = [:], _ method: String = "GET") -> WebClient.Response {
            client.ask(method, path, fields.merging(more) { $1 })
        }

        /// The same as clients of the line protocol load it.
        func load(_ handle: String) throws -> [UInt8] {
            let lines = try web.server.connect()
            try lines.order("password \(secret)")
            try lines.order("binarylimit 1048576")
            var bytes: [UInt8] = []
            while true {
                let size = try lines.values("picker load \(handle) \(bytes.count)")["size"].flatMap { Int($0) }
                bytes += lines.chunk
                if bytes.count >= size ?? 0 { return bytes }
            }
        }
    }

    @Test("it has an address, with its type, its length and its parts, as often as it is asked for")
    func itemsAreSent() async throws {
        let stage = try await Stage()
        let media = try stage.pick(#"{"kind":"media","limit":2,"lasting":true}"#, "1.jpg", "film.mp4")
        let songs = try stage.pick(#"{"kind":"songs","lasting":true}"#, "song.wav")
        #expect((media + songs).map { $0["type"]?.string } == ["image/jpeg", "video/mp4", "audio/wav"])
        for item in media + songs {
            let (handle, name) = (try #require(item["handle"]?.string), item["name"]?.string ?? "")
            let (path, expected) = ("/picked/\(handle)", try stage.load(handle))
            let whole = stage.get("\(path)/\(name)")
            #expect(whole.status == 200 && whole.digest == WebClient.digest(expected), "\(name)")
            #expect(whole.fields["content-type"] == item["type"]?.string && whole.fields["cache-control"] == "no-store")
            #expect(whole.fields["content-length"] == "\(expected.count)" && whole.fields["accept-ranges"] == "bytes")
            let tag = try #require(whole.fields["etag"])
            let head = stage.get(path, [:], "HEAD")
            #expect(head.status == 200 && head.bytes.isEmpty && head.fields["content-length"] == "\(expected.count)")
            #expect(stage.get(path, ["If-None-Match": tag]).status == 304)
            let size = expected.count
            for (range, part) in [
                ("0-99", 0..<100), ("0-", 0..<size), ("\(size / 2)-", size / 2..<size), ("-1", size - 1..<size),
                ("10-\(size - 11)", 10..<(size - 10)),
            ] {
                let answer = stage.get(path, ["Range": "bytes=\(range)", "If-Range": tag])
                #expect(
                    answer.status == 206 && answer.digest == WebClient.digest(Array(expected[part])),
                    "\(name): \(range)"
                )
                #expect(
                    answer.fields["content-range"] == "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(size)"
                )
            }
            let behind = stage.get(path, ["Range": "bytes=\(size)-"])
            #expect(behind.status == 416 && behind.fields["content-range"] == "bytes */\(size)" && behind.bytes.isEmpty)
        }
        // The connection is that of whoever asks next.
        #expect(try stage.client.call("ping") == .null)
    }

    @Test("it is for the client that has asked, and no longer than its request")
    func whoseItIs() async throws {
        let stage = try await Stage()
        let item = try #require(try stage.pick(#"{"lasting":true}"#, "1.jpg").first)
        let path = "/picked/\(try #require(item["handle"]?.string))"
        #expect(stage.get(path).status == 200)
        // Any name behind it is the same; the last letter of the handle is not.
        #expect(stage.get("\(path)/a/b").status == 200 && stage.get("\(path)0").status == 404)
        for target in ["/picked/", "/picked/..%2f", "/picked/\(String(repeating: "0", count: 32))"] {
            #expect(stage.get(target).status == 404, "\(target)")
        }
        // This machine's user may do everything, and has not asked.
        let other = try stage.web.connectAsOwner().ask("GET", path)
        #expect(other.status == 404 && other.body == "there is no such handle\n")
        // A page's pictures and films come with a ticket.
        let socket = try stage.web.connect()
        try socket.openSocket(stage.fields)
        let ticket = try #require(try socket.socketCall("ticket")["ticket"]?.string)
        #expect(try stage.web.connect().ask("GET", "\(path)?ticket=\(ticket)").status == 200)
        try await MediaFixtures.ffmpeg([
            "-f", "lavfi", "-i", "color=red:size=64x64", "-frames:v", "1", stage.file("1.jpg"),
        ])
        #expect(stage.get(path).body == "invalidResource: the file was changed after it was picked\n")
        try stage.owner.order("clients forget frame")
        #expect(stage.get(path).status == 401)
        #expect(try stage.owner.order("picking list") == [])
    }

    @Test("a client that closes its side is answered, and waits for nothing")
    func halfClosed() async throws {
        let stage = try await Stage()
        let item = try #require(try stage.pick(#"{"kind":"songs","lasting":true}"#, "song.wav").first)
        let size = try FileBytes.read(stage.file("song.wav")).count
        let loading = try stage.web.connect()
        loading.send("GET", "/picked/\(try #require(item["handle"]?.string))", stage.fields)
        loading.lines.endOutput()
        #expect(loading.response().bytes.count == size && loading.hasEnded)
        let request = try stage.client.call("picker.open", #"{"lasting":true}"#, stage.fields)["request"]?.string ?? ""
        let waiting = try stage.web.connect()
        let message = WebClient.request("picker.wait", #"{"request":"\#(request)"}"#)
        waiting.send("POST", "/api", stage.fields, body: message)
        waiting.lines.endOutput()
        #expect(waiting.response().json["result"]?["state"] == .string("waiting") && waiting.hasEnded)
    }

    @Test("what is replaced while it is sent is cut short")
    func aFileIsReplaced() async throws {
        let stage = try await Stage()
        let item = try #require(try stage.pick(#"{"kind":"songs","lasting":true}"#, "song.wav").first)
        let size = try #require(item["size"].flatMap { if case .integer(let size) = $0 { size } else { nil } })
        #expect(size > 20_000_000)
        stage.client.send("GET", "/picked/\(try #require(item["handle"]?.string))", stage.fields)
        while !stage.client.lines.line().isEmpty {}
        #expect(stage.client.lines.bytes(100_000).count == 100_000)
        let file = try FileHandle(forUpdating: URL(filePath: stage.file("song.wav")))
        try file.truncate(atOffset: 1_000)
        try file.close()
        let rest = stage.client.lines.bytes(size)
        #expect(rest.count < size - 100_000 && stage.client.hasEnded)
    }
}
