import Foundation
import TestSupport
import TestThreads
import Testing

/// Pictures of streams that play.
@Suite(.blocking, .enabled("the fixtures' tools are missing") { Music.missing.isEmpty })
struct StationPictureTests {
    /// A station whose programme has a picture after the first seconds, at an address that is a picture's, and a page's.
    private func station(logo: [UInt8], programme: [UInt8], other: String) async throws -> HostileServer {
        let sound = try FileBytes.read(await MediaFixtures.position(.mp3, seconds: 60))
        return try HostileServer { exchange in
            switch exchange.path {
            case "/logo": return exchange.answer("200 OK", "image/png", logo)
            case "/now.png": return exchange.answer("200 OK", "image/png", programme)
            case "/page": return exchange.answer("200 OK", "text/html", Array("<html>".utf8))
            default: break
            }
            let host = exchange.head.split(separator: "\r\n").first { $0.hasPrefix("Host: ") }?.dropFirst(6) ?? ""
            let logo = exchange.path == "/elsewhere" ? other : "http://\(host)/logo"
            exchange.send(
                "HTTP/1.1 200 OK\r\nContent-Type: audio/mpeg\r\nicy-name: R\r\nicy-logo: \(logo)\r\nicy-metaint: 16000\r\n\r\n"
            )
            for (number, start) in stride(from: 0, to: sound.count - 16_000, by: 16_000).enumerated() {
                let url = number < 3 ? "http://\(host)/page" : "http://\(host)/now.png"
                let text = Array("StreamTitle='x';StreamUrl='\(url)';".utf8)
                let block = text + [UInt8](repeating: 0, count: 128 - text.count)
                guard exchange.send(Array(sound[start..<start + 16_000])), exchange.send([8] + block) else { return }
                if number > 1, !exchange.pause(0.3) { return }
            }
            exchange.waitForEnd()
        }
    }

    private func picture(_ colour: String, in folder: TemporaryFolder) async throws -> [UInt8] {
        let path = folder.file("\(colour).png")
        try await MediaFixtures.ffmpeg(["-f", "lavfi", "-i", "color=\(colour):size=60x40", "-frames:v", "1", path])
        return try FileBytes.read(path)
    }

    @Test func stationsAndProgrammesHavePictures() async throws {
        let folder = try TemporaryFolder()
        let (red, blue) = (try await picture("red", in: folder), try await picture("blue", in: folder))
        let elsewhere = try HostileServer { $0.answer("200 OK", "image/png", red) }
        let radio = try await station(logo: red, programme: blue, other: elsewhere.url("logo"))
        let server = try await Segued.start(in: folder)
        let (client, listener) = (try server.connect(), try server.connect())
        let url = radio.url("radio")
        try client.order("add \(url)")
        try client.order("play 0")
        try client.wait("state", "play")
        // Nothing is fetched before artwork is asked for.
        #expect(!radio.state.current.requests.contains { $0.contains("/logo") })
        listener.send("idle artwork\n")
        _ = client.ask("artwork song \(url) 30 0 png")
        #expect(listener.reply() == ["changed: artwork", "OK"])
        listener.send("idle artwork\n")
        let first = try client.values("artwork song \(url) 30 0 png")
        #expect(first["type"] == "image/png")
        let logo = client.chunk
        // What is on the air has its own; a page is not looked at.
        #expect(listener.reply() == ["changed: artwork", "OK"])
        _ = try client.order("artwork song \(url) 30 0 png")
        #expect(client.chunk != logo && client.chunk.starts(with: [0x89, 0x50]))
        #expect(!radio.state.current.requests.contains { $0.contains("/page") })
        // Streams that do not play have none.
        #expect(client.ask("artwork song \(radio.url("other")) 30 0").last?.contains("there is no picture") == true)
    }

    /// A station cannot have the server look at this machine or its network.
    @Test func aStrangersAddressIsNotAskedWhereThatIsPrivate() async throws {
        let folder = try TemporaryFolder()
        let red = try await picture("red", in: folder)
        let elsewhere = try HostileServer { $0.answer("200 OK", "image/png", red) }
        let inside = elsewhere.url("logo").replacingOccurrences(of: "127.0.0.1", with: "localhost")
        let radio = try await station(logo: red, programme: red, other: inside)
        let server = try await Segued.start(in: folder)
        let client = try server.connect()
        _ = client.ask("artwork song \(radio.url("elsewhere")) 30 0")
        try client.order("add \(radio.url("elsewhere"))")
        try client.order("play 0")
        // The programme's, of the same host, comes after the station's was refused.
        _ = await radio.state.wait(within: .patience) { $0.requests.contains { $0.contains("/now.png") } }
        #expect(radio.state.current.requests.contains { $0.contains("/now.png") })
        #expect(elsewhere.state.current.requests.isEmpty)
    }

    /// A stream in segments whose tags have pictures, which change while it plays.
    @Test func segmentsHavePicturesOfWhatIsHeard() async throws {
        let folder = try TemporaryFolder()
        let (red, blue) = (try await picture("red", in: folder), try await picture("blue", in: folder))
        let web = try await WebServer.start()
        let sound = folder.file("%d.aac")
        try await MediaFixtures.ffmpeg([
            "-f", "lavfi", "-i", "sine=d=60", "-c:a", "aac", "-f", "segment", "-segment_format", "adts",
            "-segment_time", "2", sound,
        ])
        var list = "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-PLAYLIST-TYPE:VOD\n"
        for number in 0..<29 {
            let apic = [0] + Array("image/png\0".utf8) + [3, 0] + (number < 2 ? red : blue)
            let title = MadeMedia.text(number < 2 ? "Red" : "Blue")
            let tag = MadeMedia.id3(version: 4, MadeMedia.frame("TIT2", title) + MadeMedia.frame("APIC", apic))
            let path = try folder.write("\(number).tagged", tag + FileBytes.read(folder.file("\(number).aac")))
            try web.publish(path, as: "radio/\(number).aac")
            list += "#EXTINF:2,\n\(number).aac\n"
        }
        let url = try web.publish(text: list + "#EXT-X-ENDLIST\n", as: "radio/index.m3u8")
        let server = try await Segued.start(in: folder)
        let client = try server.connect()
        func artwork() -> [UInt8]? { client.ask("artwork song \(url) 30 0 png").last == "OK" ? client.chunk : nil }
        try client.order("add \(url)")
        try client.order("play 0")
        try wait(for: "the first picture") { artwork() != nil }
        let first = artwork()
        #expect(try client.values("currentsong")["Title"] == "Red")
        try wait(for: "the second picture") { artwork().map { $0 != first } ?? false }
        #expect(try client.values("currentsong")["Title"] == "Blue")
    }

    /// An episode's cover is in its file.
    @Test func filesOfTheNetworkHaveTheirCovers() async throws {
        let folder = try TemporaryFolder()
        let green = try await picture("green", in: folder)
        let sound = try await MediaFixtures.position(.flac, seconds: 20)
        try FileManager.default.copyItem(atPath: sound, toPath: folder.file("episode.flac"))
        try ChildProcess.run(
            "metaflac",
            ["--import-picture-from=\(folder.file("green.png"))", folder.file("episode.flac")]
        )
        #expect(!green.isEmpty)
        let web = try await WebServer.start()
        let url = try web.publish(folder.file("episode.flac"), as: "episode.flac")
        let server = try await Segued.start(in: folder)
        let (client, listener) = (try server.connect(), try server.connect())
        listener.send("idle artwork\n")
        _ = client.ask("artwork song \(url) 30 0")
        try client.order("add \(url)")
        try client.order("play 0")
        #expect(listener.reply() == ["changed: artwork", "OK"])
        #expect(try client.values("artwork song \(url) 30 0 png")["type"] == "image/png")
        #expect(client.chunk.starts(with: [0x89, 0x50]))
    }
}
