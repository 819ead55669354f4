import TestSupport
import Testing

extension SessionSoundTests {
    /// What is going on when the sound server dies.
    enum Moment: String, CaseIterable, Sendable { case announcement, call, clientsDuck }

    /// Clients are told, and everything comes back by itself: nothing stays lower or silent.
    @Test(arguments: Moment.allCases)
    func theSoundServerDies(_ moment: Moment) async throws {
        let stage = try await Stage.start()
        let (client, other) = (try stage.connect(), try stage.connect())
        let first = try await MonitorCapture(of: stage.sound)
        try client.play("music.wav")
        try await first.waitForMusic()
        let session: String
        switch moment {
        case .announcement: session = try other.announce("long.wav")
        case .call: session = try other.begin("call")
        case .clientsDuck: session = try other.openSession("ducker", "playback options duckOthers")
        }
        try await first.hear(0.3)
        stage.sound.kill()
        try wait(for: "mediaServicesLost", other)
        try await stage.sound.restart()
        let capture = try await MonitorCapture(of: stage.sound)
        try wait(for: "mediaServicesReset", other)
        switch moment {
        case .announcement: #expect(["done", "failed"].contains(try other.end(of: session).state))
        case .call: try other.order("session interrupt end \(session)")
        // Apple's sessions are gone with the server, and so is what they did.
        case .clientsDuck: _ = other.ask("session deactivate \(session)")
        }
        try await capture.waitForMusic()
        try await capture.hear(0.7)
        let hearing = Hearing(capture.stop())
        #expect(try client.values("status")["state"] == "play")
        #expect(try client.zoneSession()["gain"] == "0" && client.zoneSession()["state"] == "active")
        let last = hearing.left.suffix(4_410)
        #expect(Songs.music.gains(of: last).allSatisfy { $0 == 1 }, "it is not as loud as it was")
    }

    /// A zone that is paused does not tell of a sound server that is back, and the loss is one event.
    @Test func theSoundServerComesBackToAPausedZone() async throws {
        let sinks = [NullSink("one"), NullSink("two")]
        let stage = try await Stage.start(sinks: sinks, zones: [("kitchen", "two")])
        let (client, other) = (try stage.connect(), try stage.connect("kitchen"))
        for client in [client, other] {
            try client.play("music.wav")
            try client.order("pause 1")
        }
        stage.sound.kill()
        for client in [client, other] {
            try client.wait { try client.values("status")["error"]?.contains("no sound server answers") == true }
            #expect(try client.values("why")["sound"] == nil)
        }
        try await stage.sound.restart()
        for client in [client, other] {
            try client.wait { try client.values("status")["error"] == nil }
            #expect(try client.values("status")["state"] == "pause")
            #expect(try client.values("why")["cause"]?.hasPrefix("paused by ") == true)
        }
        try wait(for: "mediaServicesReset", client)
        let types = try client.events().compactMap { $0["type"] }.filter { $0.hasPrefix("mediaServices") }
        #expect(types == ["mediaServicesLost", "mediaServicesReset"])
    }

    private func wait(for event: String, _ client: LineClient) throws {
        try client.wait { try client.order("session events").contains("type: \(event)") }
    }
}
