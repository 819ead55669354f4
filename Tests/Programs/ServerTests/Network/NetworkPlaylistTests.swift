import TestSupport
import TestThreads
import Testing

/// Playlists that clients name by URLs.
@Suite(.blocking, .enabled("nginx or ffmpeg is not installed") { (WebServer.missing + Music.missing).isEmpty })
struct NetworkPlaylistTests {
    private func uris(_ client: LineClient) throws -> [String] {
        try client.order("playlist").compactMap { line in
            line.firstRange(of: "file: ").map { String(line[$0.upperBound...]) }
        }
    }

    @Test func loadPutsWhatAListNamesIntoTheQueue() async throws {
        let web = try await WebServer.start(.redirect("moved", to: "/real/list.m3u"))
        try web.publish(text: "#EXTM3U\n#EXTINF:5,A - One\n1.mp3\n#EXTINF:6,Two\n/2.mp3\n", as: "real/list.m3u")
        let server = try await Segued.start()
        let client = try server.connect()
        try client.order("load \(web.url("moved")) 0:1")
        #expect(try uris(client) == [web.url("real/1.mp3")])
        let song = try client.values("playlistinfo 0")
        #expect([song["Title"], song["Artist"], song["duration"]] == ["One", "A", "5.000"])
        try client.order("load \(web.url("real/list.m3u")) 0: 0")
        #expect(try uris(client) == [web.url("real/1.mp3"), web.url("2.mp3"), web.url("real/1.mp3")])
        #expect(
            try client.order("listplaylist \(web.url("real/list.m3u"))")
                == ["file: \(web.url("real/1.mp3"))", "file: \(web.url("2.mp3"))"]
        )
        #expect(try client.order("listplaylistinfo \(web.url("real/list.m3u"))").contains("Title: Two"))
    }

    @Test func aStationsAddressesAreOneSongAlsoAfterARestart() async throws {
        let web = try await WebServer.start()
        let dead = try HostileServer { $0.reset() }
        let sound = try await MediaFixtures.audio("network-one", .mp3) {
            Signal.tone(440, seconds: 30, sampleRate: 44_100)
        }
        try web.publish(sound, as: "live")
        try web.publish(
            text:
                "[playlist]\nFile1=\(dead.url("live"))\nTitle1=(#1) Radio\nFile2=\(web.url("live"))\nTitle2=(#2) Radio\n",
            as: "radio.pls"
        )
        var server: Segued? = try await Segued.start()
        let folder = try #require(server?.folder)
        do {
            let client = try #require(try server?.connect())
            try client.order("add \(web.url("radio.pls"))")
            #expect(try uris(client) == [dead.url("live")])
            #expect(try client.values("playlistinfo 0")["Name"] == "Radio")
            #expect(try client.values("playlistinfo 0")["Title"] == nil)
        }
        try await server?.stop()
        server = try await Segued.start(in: folder)
        let client = try #require(try server?.connect())
        #expect(try uris(client) == [dead.url("live")])
        try client.order("play")
        try await web.waitForRequests { $0.contains { $0.path == "/live" } }
        #expect(try client.values("currentsong")["Name"] == "Radio")
    }

    @Test(arguments: [
        ("load %none.m3u", "ACK [52@0] {load} %none.m3u: the server says 404 Not Found"),
        ("load %page.m3u", "ACK [50@0] {load} No such playlist: %page.m3u: not a playlist"),
        ("add %none.pls", "ACK [52@0] {add} %none.pls: the server says 404 Not Found"),
        ("listplaylist %none.m3u", "ACK [52@0] {listplaylist} %none.m3u: the server says 404 Not Found"),
        ("listplaylist %secret.txt", "ACK [50@0] {listplaylist} No such playlist: %secret.txt: not a playlist"),
        (
            "listplaylistinfo %secret.txt?a.m3u",
            "ACK [50@0] {listplaylistinfo} No such playlist: %secret.txt?a.m3u: not a playlist"
        ),
        ("load file:///etc/passwd", "ACK [50@0] {load} No such playlist"),
    ]) func whatCannotBeHadIsRefused(line: String, answer: String) async throws {
        let web = try await WebServer.start()
        try web.publish(text: "<html>Not here</html>", as: "page.m3u")
        try web.publish(text: "the secret\nof this machine\n", as: "secret.txt")
        let server = try await Segued.start()
        let client = try server.connect()
        #expect(client.ask(line.replacing("%", with: web.url(""))) == [answer.replacing("%", with: web.url(""))])
        #expect(try uris(client).isEmpty)
    }

    @Test func nobodyWaitsForAServerThatSaysNothingButWhoAskedIt() async throws {
        let silent = try HostileServer.silent()
        let server = try await Segued.start()
        let waiting = (0..<4).compactMap { _ in try? server.connect() }
        for client in waiting { client.send("load \(silent.url("list.m3u"))\n") }
        let isAsked = await silent.state.wait(within: .patience) { $0.requests.count >= 4 }
        #expect(isAsked)
        let client = try server.connect()
        // Reading a folder takes a thread, too.
        #expect(try client.order("lsinfo other").isEmpty == false)
        try client.order("add one.flac")
        // With its client a fetch would end.
        withExtendedLifetime(waiting) {}
    }
}
