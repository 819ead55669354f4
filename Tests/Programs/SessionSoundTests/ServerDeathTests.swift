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
        // Who does not play does not look for a server either.
        if moment != .call { try wait(for: "mediaServicesReset", other) }
        switch moment {
        case .announcement: #expect(["done", "failed"].contains(try other.end(of: session).state))
        case .call: try other.order("session interrupt end \(session)")
        // Apple's sessions are gone with the server, and so is what they did.
        case .clientsDuck: _ = other.ask("session deactivate \(session)")
        }
        try wait(for: "mediaServicesReset", other)
        try await capture.waitForMusic()
        try await capture.hear(0.7)
        let hearing = Hearing(capture.stop())
        #expect(try client.values("status")["state"] == "play")
        #expect(try client.zoneSession()["gain"] == "0" && client.zoneSession()["state"] == "active")
        let last = hearing.left.suffix(4_410)
        #expect(Songs.music.gains(of: last).allSatisfy { $0 == 1 }, "it is not as loud as it was")
    }

    private func wait(for event: String, _ client: LineClient) throws {
        try client.wait { try client.order("session events").contains("type: \(event)") }
    }
}
