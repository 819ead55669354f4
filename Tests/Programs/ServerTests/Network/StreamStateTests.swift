import Foundation
import TestSupport
import TestThreads
import Testing

/// What a server tells of the streams that it plays.
@Suite(.blocking, .enabled("nginx or ffmpeg is not installed") { (WebServer.missing + Music.missing).isEmpty })
struct StreamStateTests {
    private func start(_ settings: String = "") async throws -> Segued {
        let folder = try TemporaryFolder()
        let text = """
            listen = ["unix:\(folder.file("socket"))"]
            \(settings)
            [[output]]
            name = "nowhere"
            type = "null"
            """
        return try await Segued.start(.toml(text), in: folder)
    }

    /// 128 kbit/s, come at twice that speed, so that no system's buffer holds all of it.
    private func publish(on web: WebServer) async throws -> String {
        let sound = try await MediaFixtures.audio("network-long", .mp3) {
            Signal.tone(440, seconds: 60, sampleRate: 44_100)
        }
        try web.publish(sound, as: "long.mp3")
        return web.url("slow/long.mp3")
    }

    private func causes(_ client: LineClient) throws -> [String] {
        try client.order("why").filter { $0.hasPrefix("cause: ") }.map { String($0.dropFirst(7)) }
    }

    /// Asks until something holds.
    private func values(
        _ client: LineClient,
        _ command: String,
        within limit: Duration = .patience,
        until condition: ([String: String]) -> Bool
    ) async throws -> [String: String] {
        let end = ContinuousClock.now + limit
        while true {
            let values = try client.values(command)
            if condition(values) { return values }
            guard ContinuousClock.now < end else { throw ClientError(description: "\(command): \(values)") }
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    /// A sticker is found by the URL that everybody sees, and says no other one.
    @Test func passwordsAreNotTold() async throws {
        let client = try await start().connect()
        let shown = "http://127.0.0.1:9/a"
        let url = shown.replacing("//", with: "//me:secret@")
        try client.order("add \(url)")
        try client.order("sticker set song \(url) rating 5")
        #expect(try client.order("sticker find song \"\" rating") == ["file: \(shown)", "sticker: rating=5"])
        for uri in [shown, url] { #expect(try client.order("sticker get song \(uri) rating") == ["sticker: rating=5"]) }
        #expect(try client.order("playlistsearch file secret").isEmpty)
        #expect(try client.order("playlistfind \"(file contains 'secret')\"").isEmpty)
        #expect(try client.order("playlistfind file \(shown)").first == "file: \(shown)")
    }

    @Test func anOutageIsTold() async throws {
        let web = try await WebServer.start(.slow("slow/", rate: 40_000, after: 60_000))
        let url = try await publish(on: web).replacing("http://", with: "http://me:secret@")
        let shown = web.url("slow/long.mp3")
        let server = try await start("stream.buffer = 2")
        let client = try server.connect()
        try client.order("add \(url)")
        try client.order("play")
        let playing = try await values(client, "buffer") { $0["state"] == "playing" && $0["connection"] != nil }
        #expect(playing["connection"] == "connected")
        #expect(playing["live"] == "0")
        #expect(Double(playing["buffered"] ?? "").map { $0 < 10 } == true)
        #expect(playing["seekablestart"] == "0.000")
        #expect(Double(playing["seekableend"] ?? "").map { abs($0 - 60) < 1 } == true)
        let bitRate = try client.values("status")["bitrate"].flatMap { Int($0) } ?? 0
        #expect((64...256).contains(bitRate), "\(bitRate)")
        let watcher = try server.connect()
        try watcher.order("status")

        web.stop()
        let lost = try await values(client, "buffer") { $0["connection"] == "reconnecting" }
        #expect(lost["connectionerror"]?.isEmpty == false)
        #expect(Int(lost["attempt"] ?? "").map { $0 >= 1 } == true)
        #expect(lost["nextattempt"] != nil && lost["lostfor"] != nil)
        try watcher.order("idle player")
        let stalled = try await values(client, "buffer") { $0["state"] == "waitingToPlayAtSpecifiedRate" }
        #expect(stalled["reason"] == "toMinimizeStalls")
        #expect(stalled["playbacklikelytokeepup"] == "0")
        let status = try client.values("status")
        #expect(status["state"] == "play")
        #expect(status["error"] == "\(shown): connection refused; trying again")
        let program = URL(filePath: try Segued.path()).deletingLastPathComponent().appending(path: "segue").path
        let shownStatus = try await ChildProcess(
            program,
            ["status"],
            environment: ["LANG": "C.UTF-8", "MPD_HOST": server.socket]
        ).wait()
        #expect(shownStatus.outputText.contains("\nstream: reconnecting: connection refused, "), "\(shownStatus)")
        // Time stands while it waits.
        #expect(try client.values("status")["elapsed"] == status["elapsed"])
        let causes = try causes(client)
        #expect(causes.first?.hasPrefix("waiting for \(shown): connection refused, ") == true, "\(causes)")

        try await web.start()
        _ = try await values(client, "buffer") { $0["state"] == "playing" && $0["connection"] != "reconnecting" }
        #expect(try client.values("status")["error"] == nil)
        let session = try #require(try client.order("session list").first { $0.hasPrefix("session: ") }?.dropFirst(9))
        let events = try client.events(of: String(session))
        let kinds = events.compactMap { $0.split(separator: " ").first.map(String.init) }
        #expect(kinds.first { $0 == "streamLost" } != nil, "\(events)")
        #expect(Array(kinds.suffix(2)) == ["playbackStalled", "streamRestored"], "\(events)")
        #expect(events.filter { $0.hasPrefix("stream") }.allSatisfy { $0.contains("uri=\(shown)") }, "\(events)")
        #expect(!events.joined().contains("secret"))
        try client.order("stop")
        #expect(try client.values("buffer")["connection"] == nil)
    }

    /// After the time that is given a song fails, and the next one plays.
    @Test func aStreamThatStaysAwayFails() async throws {
        let web = try await WebServer.start(.slow("slow/", rate: 40_000, after: 60_000))
        let url = try await publish(on: web)
        let server = try await start("stream = { buffer = 2, reconnect-for = \"300ms\" }")
        let client = try server.connect()
        try client.order("add \(url)")
        try client.order("add one.flac")
        try client.order("play")
        _ = try await values(client, "buffer") { $0["state"] == "playing" && $0["connection"] == "connected" }
        web.stop()
        let status = try await values(client, "status") { $0["song"] == "1" }
        #expect(status["state"] == "play")
        #expect(status["error"]?.hasPrefix("\(url): ") == true, "\(status)")
    }

    @Test func whatIsAskedForIsSent() async throws {
        let web = try await WebServer.start(.header("closed/", "X-Ticket", "17"))
        _ = try await publish(on: web)
        let server = try await start("stream = { headers = [\"X-Ticket: 17\"], user-agent = \"Kitchen\" }")
        let client = try server.connect()
        try client.order("add \(web.url("closed/long.mp3"))")
        try client.order("play")
        _ = try await values(client, "buffer") { $0["state"] == "playing" }
        try client.order("stop")
        let requests = try await web.waitForRequests { !$0.isEmpty }
        #expect(requests.allSatisfy { $0.status < 300 && $0.userAgent == "Kitchen" })
    }

    @Test(.enabled("icecast2 is not installed") { IcecastServer.missing.isEmpty })
    func whatIsOnTheAirIsShown() async throws {
        let icecast = try await IcecastServer.start()
        let source = try await IcecastSource(NetworkMaterial.radio(.mp3), to: icecast)
        try icecast.setTitle("Miles - So What", of: source.mount)
        let server = try await start()
        let client = try server.connect()
        try client.order("add \(source.url)")
        try client.order("play")
        let first = try await values(client, "currentsong") { $0["Title"] != nil }
        #expect([first["Title"], first["Name"]] == ["Miles - So What", "Test Radio"])
        #expect(first["duration"] == nil)
        #expect(try client.values("buffer")["live"] == "1")
        let watcher = try server.connect()
        watcher.send("idle playlist\n")
        try icecast.setTitle("Miles - Blue in Green", of: source.mount)
        let second = try await values(client, "playlistinfo 0") { $0["Title"] != "Miles - So What" }
        #expect([second["Title"], second["Name"]] == ["Miles - Blue in Green", "Test Radio"])
        #expect(watcher.reply() == ["changed: playlist", "OK"])
    }
}
