import Foundation
import TestSupport
import TestThreads
import TestTiming
import Testing
import TextEncodings

/// Pictures by HTTP.
@Suite(.blocking, .enabled("the fixtures' tools are missing") { Music.missing.isEmpty })
struct WebPictureTests {
    /// Starts a server with a song in each of these folders: `fine`, whose picture is large, `red`, `blue`, and `bare` without
    /// one.
    private func start(_ web: String = "", _ settings: String = "") async throws -> WebStage {
        let folder = try TemporaryFolder()
        let root = try folder.makeFolder("music")
        for (name, source) in [
            ("fine", "testsrc2=size=1600x1200,noise=alls=40"), ("red", "color=red:size=300x300"),
            ("blue", "color=blue:size=300x200"), ("bare", ""),
        ] {
            _ = try folder.makeFolder("music/\(name)")
            try FileManager.default.copyItem(
                atPath: "\(try await Music.folder())/one.flac",
                toPath: "\(root)/\(name)/a song.flac"
            )
            guard !source.isEmpty else { continue }
            let cover = "\(root)/\(name)/cover.png"
            try await MediaFixtures.ffmpeg(["-f", "lavfi", "-i", source, "-frames:v", "1", cover])
        }
        return try await WebStage(web, settings, in: folder, music: root)
    }

    private func address(_ folder: String, size: Int, more: String = "") -> String {
        "/art/song?uri=\(folder)/a+song.flac&size=\(size)\(more)"
    }

    /// The whole of a picture, as clients of the line protocol get it.
    private func picture(_ client: LineClient, _ command: String) throws -> (bytes: [UInt8], version: String) {
        var (bytes, version): ([UInt8], String) = ([], "")
        while true {
            let values = try client.values("\(command) \(bytes.count)")
            // Each piece tells of which picture it is.
            #expect(version.isEmpty || version == values["version"])
            version = values["version"] ?? ""
            bytes += client.chunk
            if bytes.count >= values["size"].flatMap({ Int($0) }) ?? 0 { return (bytes, version) }
        }
    }

    @Test("they are those of artwork, also large ones, and the connection goes on")
    func bytes() async throws {
        let stage = try await start()
        let (client, lines) = (try stage.connect(), try stage.server.connect())
        for (size, folder) in [(100, "fine"), (1_600, "fine"), (64, "red")] {
            let expected = try picture(lines, "artwork song \"\(folder)/a song.flac\" \(size)")
            let answer = client.ask("GET", address(folder, size: size))
            #expect(answer.status == 200 && answer.fields["content-type"] == "image/jpeg", "\(answer)")
            #expect(
                answer.digest == WebClient.digest(expected.bytes)
                    && answer.fields["content-length"] == "\(expected.bytes.count)"
            )
            #expect(answer.fields["etag"]?.hasPrefix("\"\(expected.version)-") == true && expected.version.count == 24)
            #expect(answer.fields["cross-origin-resource-policy"] == "same-origin")
            #expect(answer.fields["x-content-type-options"] == "nosniff")
            let head = client.ask("HEAD", address(folder, size: size))
            var fields = (answer.fields, head.fields)
            for date in [fields.0.removeValue(forKey: "date"), fields.1.removeValue(forKey: "date")] {
                #expect(date?.hasSuffix(" GMT") == true)
            }
            #expect(fields.0 == fields.1 && head.status == 200 && head.bytes.isEmpty)
            #expect(try client.call("ping") == .null)
        }
        // Several pieces of the socket's buffer.
        #expect(client.ask("GET", address("fine", size: 1_600)).bytes.count > 200_000)
        let directory = client.ask("GET", "/art/directory?uri=blue&size=50&format=png")
        #expect(directory.fields["content-type"] == "image/png" && directory.bytes.starts(with: [0x89, 0x50]))
        let filter = client.ask("GET", "/art/filter?uri=(file+contains+%27red%27)&size=64")
        #expect(try filter.digest == WebClient.digest(picture(lines, "artwork song \"red/a song.flac\" 64").bytes))
        let old = client.ask("GET", address("red", size: 64), version: "1.0")
        #expect(old.digest == filter.digest && old.fields["connection"] == "close" && client.hasEnded)
    }

    @Test("requests that come at once are answered one after another")
    func pipelining() async throws {
        let client = try await start().connect()
        let targets = ["fine", "red", "bare", "blue"].map { address($0, size: 400) }
        let expected = targets.map { client.ask("GET", $0).digest }
        #expect(Set(expected).count == 4)
        for _ in 0..<10 { for target in targets { client.send("GET", target) } }
        client.send("POST", "/api", body: WebClient.request("ping", id: 5))
        for _ in 0..<10 { for digest in expected { #expect(client.response().digest == digest) } }
        #expect(client.response().json["id"] == .integer(5))
    }

    @Test("what a client has is not sent again, and a part where it asks for one")
    func conditions() async throws {
        let client = try await start().connect()
        let target = address("fine", size: 800)
        let whole = client.ask("GET", target)
        let tag = whole.fields["etag"] ?? ""
        #expect(whole.fields["cache-control"] == "private, no-cache" && whole.fields["accept-ranges"] == "bytes")
        let known = client.ask("GET", target, ["If-None-Match": "\"x\", \(tag)"])
        #expect(known.status == 304 && known.fields["etag"] == tag && known.fields["content-length"] == nil)
        #expect(client.ask("GET", target, ["If-None-Match": "\"x\""]).digest == whole.digest)
        let size = whole.bytes.count
        for (range, part) in [
            ("0-99", 0..<100), ("70000-", 70_000..<size), ("-1", size - 1..<size), ("65535-131072", 65_535..<131_073),
        ] {
            let answer = client.ask("GET", target, ["Range": "bytes=\(range)", "If-Range": tag])
            #expect(answer.status == 206 && answer.digest == WebClient.digest(Array(whole.bytes[part])), "\(range)")
            let told = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(size)"
            #expect(answer.fields["content-range"] == told && answer.fields["content-type"] == "image/jpeg")
        }
        let behind = client.ask("GET", target, ["Range": "bytes=\(size)-"])
        #expect(behind.status == 416 && behind.fields["content-range"] == "bytes */\(size)" && behind.bytes.isEmpty)
        #expect(client.ask("GET", target, ["Range": "bytes=0-1", "If-Range": "\"x\""]).digest == whole.digest)
        // Another form of the picture is another representation.
        #expect(client.ask("GET", address("fine", size: 801), ["If-None-Match": tag]).status == 200)
        #expect(client.ask("GET", target + "&format=webp", ["If-None-Match": tag]).status == 200)
    }

    @Test("an address that names its picture need not be asked for again, until the picture is another one")
    func versions() async throws {
        let stage = try await start()
        let client = try stage.connect()
        let first = client.ask("GET", address("red", size: 64))
        let version = String((first.fields["etag"] ?? "").dropFirst().prefix(24))
        let named = address("red", size: 64, more: "&version=\(version)")
        let kept = client.ask("GET", named)
        #expect(kept.fields["cache-control"] == "private, max-age=31536000, immutable" && kept.digest == first.digest)
        // The same picture in another size has the same name.
        let larger = client.ask("GET", address("red", size: 128, more: "&version=\(version)"))
        #expect(larger.fields["cache-control"]?.contains("immutable") == true && larger.digest != first.digest)
        #expect(larger.fields["etag"] != kept.fields["etag"])
        let path = stage.folder.file("music/red/cover.png")
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.copyItem(atPath: stage.folder.file("music/blue/cover.png"), toPath: path)
        try stage.server.connect().order("update")
        try await stage.server.waitForUpdates()
        let other = client.ask("GET", named)
        #expect(other.status == 200 && other.fields["cache-control"] == "private, no-cache")
        #expect(other.digest == client.ask("GET", address("blue", size: 64)).digest)
    }

    @Test("the song that plays has an address of its own, and what is watched tells its version")
    func current() async throws {
        let stage = try await start()
        let (client, lines) = (try stage.connect(), try stage.server.connect())
        #expect(client.ask("GET", "/art/current").status == 404)
        let watcher = try stage.server.connectJSON().watch(#"{"topics":"artwork","zones":"default"}"#)
        let folder = stage.folder.file("music/blue")
        try FileManager.default.copyItem(atPath: folder + "/a song.flac", toPath: folder + "/another.flac")
        try lines.order("update")
        try await stage.server.waitForUpdates()
        for song in ["red/a song", "blue/a song", "blue/another", "bare/a song"] {
            try lines.order("add \"\(song).flac\"")
        }
        for (place, folder) in ["red", "blue"].enumerated() {
            try lines.order("play \(place)")
            let expected = client.ask("GET", address(folder, size: 64))
            let answer = client.ask("GET", "/art/current?size=64")
            #expect(answer.digest == expected.digest && answer.fields["cache-control"] == "private, no-cache")
            let version = (expected.fields["etag"] ?? "").dropFirst().prefix(24)
            try watcher.wait(for: "the version of \(folder)") {
                watcher.values["artwork default"]?["version"] == .string(String(version))
            }
        }
        // The next song has the same picture, and it is looked for again.
        let before = watcher.values["artwork default"]
        try lines.order("play 2")
        try watcher.wait(for: "the version of the next song") {
            let now = watcher.values["artwork default"]
            return now?["id"] != before?["id"] && now?["version"] == before?["version"]
        }
        try lines.order("play 3")
        try watcher.wait(for: "no version") {
            let now = watcher.values["artwork default"]
            return now?["id"] != before?["id"] && now?["version"] == nil
        }
        #expect(client.ask("GET", "/art/current?zone=kitchen").status == 404)
        #expect(client.ask("GET", "/art/current?zone=cellar").body == "There is no zone \"cellar\".\n")
        try lines.order("partition kitchen")
        try lines.order("add \"red/a song.flac\"")
        try lines.order("play")
        #expect(
            client.ask("GET", "/art/current?zone=kitchen&size=64").digest
                == client.ask("GET", address("red", size: 64)).digest
        )
    }

    /// Addresses that are refused, the status of the response, and its text where that matters.
    private static let refusals: [(target: String, status: Int, text: String?)] = [
        ("song?uri=none.flac", 404, "No such song"), ("song?uri=bare/a+song.flac", 404, "there is no picture"),
        ("song?uri=../secret.flac", 404, "No such song"), ("song?uri=/etc/passwd", 404, "No such song"),
        ("song?uri=a%0Astatus", 404, "No such song"), ("song?uri=%00", 404, "No such song"),
        ("directory?uri=none", 404, "there is no picture"), ("playlist?uri=none", 404, "No such playlist"),
        ("playlist?uri=http://127.0.0.1:1/x.m3u", 404, "No such playlist"), ("playlist?uri=a/b", 404, nil),
        ("filter?uri=(file+==+%27x%27)", 404, "there is no picture"), ("filter?uri=(file", 400, nil),
        ("song?uri=red/a+song.flac&size=0", 400, "Number too large: 0 (it is from 1 to 4096 pixels)"),
        ("song?uri=red/a+song.flac&size=99999999999999999999", 400, nil),
        ("song?uri=red/a+song.flac&size=1e3", 400, nil), ("song?uri=red/a+song.flac&size=", 400, nil),
        ("song?uri=red/a+song.flac&format=gif%0D%0AX:1", 400, nil),
        ("song", 400, "The address has no uri: /art/song?uri=…"),
    ]

    @Test func whatCannotBeIsRefused() async throws {
        let client = try await start().connect()
        for (target, status, text) in Self.refusals {
            for method in ["GET", "HEAD"] {
                let answer = client.ask(method, "/art/\(target)")
                #expect(answer.status == status, "\(target): \(answer)")
                #expect(answer.fields["etag"] == nil && answer.fields["cache-control"] == "no-store")
                #expect(answer.fields["x"] == nil, "\(target): \(answer)")
                guard method == "GET" else { continue }
                #expect(answer.body.split(separator: "\n").count == 1 && text.map { answer.body == $0 + "\n" } != false)
            }
        }
    }

    @Test("a picture is for those who may read, and see its song")
    func rights() async throws {
        let stage = try await start("", "anonymous-permissions = \"none\"")
        let target = address("red", size: 64)
        let client = try stage.connect()
        let stranger = client.ask("GET", target)
        #expect(stranger.status == 401 && stranger.fields["www-authenticate"] == "Bearer")
        // Nor what plays, or that nothing does.
        #expect(client.ask("GET", "/art/current").status == 401)
        let reader = try stage.makeClient("reader", "permissions read")
        #expect(client.ask("GET", target, ["Authorization": reader]).status == 200)
        #expect(client.ask("GET", target).status == 401)
        let player = try stage.makeClient("player", "permissions player")
        let refused = client.ask("GET", target, ["Authorization": player])
        #expect(refused.status == 403 && refused.body == "you don't have permission for \"artwork\"\n", "\(refused)")
        let guest = try stage.makeClient("guest", "permissions read library none folder blue")
        #expect(client.ask("GET", target, ["Authorization": guest]).status == 404)
        #expect(client.ask("GET", address("blue", size: 64), ["Authorization": guest]).status == 200)
        let owner = try stage.server.connect()
        try owner.order("add \"red/a song.flac\"")
        try owner.order("play")
        #expect(client.ask("GET", "/art/current?size=64", ["Authorization": reader]).status == 200)
        #expect(client.ask("GET", "/art/current?size=64", ["Authorization": guest]).status == 404)
    }

    @Test("a client that leaves before its picture has come harms nobody, and one that does not read waits alone")
    func impatience() async throws {
        let stage = try await start()
        let target = address("fine", size: 1_600)
        let silent = try stage.connect()
        for _ in 0..<200 { silent.send("GET", target) }
        for _ in 0..<20 { try stage.connect().send("GET", target) }
        let client = try stage.connect()
        let expected = client.ask("GET", target)
        #expect(expected.bytes.count > 200_000)
        for number in 0..<200 { #expect(silent.response().digest == expected.digest, "\(number)") }
    }

    @Test("pictures that nobody waits for any more are not made", .timed, arguments: [false, true])
    func vanished(inWebSockets: Bool) async throws {
        let stage = try await start()
        let cover = "\(stage.folder.file("music"))/bare/cover.png"
        try await MediaFixtures.ffmpeg(["-f", "lavfi", "-i", "testsrc2=size=5000x4000", "-frames:v", "1", cover])
        let count = 60
        // By a connection of its own, which the server takes up behind those before it.
        func time(_ size: Int) throws -> Duration {
            let start = ContinuousClock.now
            #expect(try stage.connect().ask("GET", address("bare", size: size)).status == 200)
            return ContinuousClock.now - start
        }
        // Each is larger than all before, so that it is made of the file, and not of one of those.
        _ = try time(998)
        let alone = try time(999)
        for number in 0..<count {
            // By TCP, where a client that is gone looks like one that has only ended its side.
            let other = try stage.connect()
            if inWebSockets {
                try other.openSocket()
                let arguments = #"["song","bare/a song.flac",\#(1_000 + number),0]"#
                other.sendMessage(WebClient.request("artwork", arguments))
            } else {
                other.send("GET", address("bare", size: 1_000 + number))
            }
        }
        // All of them are gone. If their pictures were made, this one would come behind them.
        let start = ContinuousClock.now
        try expect(try time(1_000 + count), atMost: alone * 12 + .milliseconds(200), since: start)
    }
}
