import TestSupport
import Testing

extension SessionSoundTests {
    private static let sinks = [NullSink("kitchen"), NullSink("garden")]

    /// What happens at one sink is not heard at the other.
    @Test(arguments: Stage.Server.installed)
    func zonesOnDifferentSinksNeverDisturbEachOther(_ server: Stage.Server) async throws {
        let stage = try await Stage.start(server, sinks: Self.sinks, zones: [("garden", "garden")])
        let (kitchen, garden) = (try stage.connect(), try stage.connect("garden"))
        let disturbed = try await MonitorCapture(of: stage.sound, sink: Self.sinks[0])
        let capture = try await MonitorCapture(of: stage.sound, sink: Self.sinks[1])
        try garden.play("second.wav")
        try kitchen.play("music.wav")
        try await capture.waitForMusic()
        try await disturbed.waitForMusic()
        try kitchen.end(of: kitchen.announce("alarm.wav class alarm"))
        let call = try kitchen.begin("call")
        try kitchen.order("session interrupt end \(call)")
        let owner = try kitchen.openSession("other", "playback")
        try kitchen.order("session close \(owner)")
        for command in ["play", "pause 1", "stop", "setvol 30"] { try kitchen.order(command) }
        try await capture.hear(0.3 + server.grace)
        let hearing = Hearing(capture.stop())
        let music = Songs.second.stretches(in: hearing.left)
        try capture.require(music, pieces: 1)
        #expect(hearing.curve(Songs.second, music[0].heard).gains.allSatisfy { $0 == 1 })
        #expect(hearing.right.allSatisfy { $0 == 0 })
        #expect(Songs.alarm.stretches(in: Hearing(disturbed.stop()).right).count == 1)
        #expect(try garden.values("status")["state"] == "play")
        #expect(try garden.zoneSession("garden")["gain"] == "0")
    }

    /// Zones at one sink give way to each other, and an announcement in one is heard over the other.
    @Test func zonesOnOneSinkShareIt() async throws {
        let stage = try await Stage.start(zones: [("kitchen", "bench")])
        let (first, second) = (try stage.connect(), try stage.connect("kitchen"))
        let capture = try await MonitorCapture(of: stage.sound)
        try first.play("music.wav")
        try await capture.waitForMusic()
        try second.end(of: second.announce("voice.wav"))
        try await capture.hear(0.4)
        try second.play("second.wav")
        try await capture.hear(0.8)
        #expect(try first.values("status")["state"] == "pause")
        let hearing = Hearing(capture.stop())
        let music = Songs.music.stretches(in: hearing.left)
        let other = Songs.second.stretches(in: hearing.left)
        try capture.require(music, pieces: 1)
        try capture.require(other, pieces: 1)
        #expect(music[0].heard.upperBound <= other[0].heard.lowerBound)
        // In a sum only the louder one would be recognised, and the music would seem to end before its fade does.
        let ending = hearing.curve(Songs.music, music[0].heard).gains.suffix(10)
        #expect((ending.max() ?? 1) < 0.0001, "they are heard together")
        let voices = Songs.voice.stretches(in: hearing.right)
        try capture.expectInTime(voices.map(\.heard.count) == [Songs.voice.count], "\(voices)")
        // The end is its way to silence.
        let dips = hearing.curve(Songs.music, music[0].heard.dropLast(4_500)).dips()
        #expect(dips.count == 1 && abs(dips[0].depth - 14) <= 1, "\(dips)")
    }

    /// An announcement to all zones is heard once at each sink.
    @Test func anAnnouncementToAllIsHeardOnceAtEachSink() async throws {
        let stage = try await Stage.start(
            sinks: Self.sinks,
            zones: [("larder", "kitchen"), ("garden", "garden")]
        )
        let client = try stage.connect()
        let captures = [
            try await MonitorCapture(of: stage.sound, sink: Self.sinks[0]),
            try await MonitorCapture(of: stage.sound, sink: Self.sinks[1]),
        ]
        try client.play("music.wav")
        try await captures[0].waitForMusic()
        let end = try client.end(of: client.announce("voice.wav zone all"))
        #expect(end.state == "done")
        for capture in captures {
            try await capture.hear(0.3)
            // Twice at once would be twice as loud, or limited.
            let right = Hearing(capture.current).right
            let voices = Songs.voice.stretches(in: right)
            try #require(voices.map(\.heard.count) == [Songs.voice.count], "\(voices)")
            #expect(end.time - capture.current.time(of: voices[0].heard.upperBound) > .milliseconds(-20))
            let loudest = Songs.voice.gains(of: right).max() ?? 0
            #expect(loudest <= 1.001)
        }
        #expect(try client.zoneSession()["gain"] == "0")
    }
}

extension Range<Int> {
    fileprivate func dropLast(_ count: Int) -> Self { lowerBound..<Swift.max(lowerBound, upperBound - count) }
}
