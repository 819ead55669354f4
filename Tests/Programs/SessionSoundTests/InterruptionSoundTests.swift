import TestSupport
import Testing

extension SessionSoundTests {
    /// Silence before the call may ring, and the music back by itself from the very sample.
    @Test(arguments: Stage.Server.installed)
    func aCallFindsSilenceAndTheMusicComesBack(_ server: Stage.Server) async throws {
        let stage = try await Stage.start(server)
        let (client, caller) = (try stage.connect(), try stage.connect())
        let capture = try await MonitorCapture(of: stage.sound)
        try client.play("music.wav")
        try await capture.waitForMusic()
        let call = try caller.begin("call")
        let answered = ContinuousClock.now
        try await capture.hear(0.6)
        #expect(try client.values("status")["state"] == "pause")
        try caller.order("session interrupt end \(call)")
        let released = capture.frames
        try await capture.waitForMusic(after: released)
        let recording = capture.stop()
        let music = Songs.music.stretches(in: Hearing(recording).left)
        try capture.require(music, pieces: 2)
        let silent = recording.time(of: music[0].heard.upperBound)
        #expect(answered - silent + server.delay > .zero, "it answered \(silent - answered) before there was silence")
        try capture.expectInTime(abs(music[1].place - music[0].placeEnd) <= 1, "\(music)")
        #expect(try client.values("status")["state"] == "play")
        let curves = music.map { GainCurve(Songs.music, Hearing(recording).left[$0.heard]) }
        // 90 dB within 100 ms, and no step but that of the smallest samples.
        #expect(curves.allSatisfy { $0.largestStep < 0.004 }, "\(curves.map(\.largestStep))")
    }

    /// What is spoken waits for a prompt.
    @Test(arguments: Stage.Server.installed)
    func spokenContentWaitsForAPrompt(_ server: Stage.Server) async throws {
        let stage = try await Stage.start(server)
        let client = try stage.connect()
        let capture = try await MonitorCapture(of: stage.sound)
        try client.order("sticker set song music.wav mode spokenAudio")
        try client.play("music.wav")
        try await capture.waitForMusic()
        let end = try client.end(of: client.announce("voice.wav"))
        #expect(end.state == "done")
        try await capture.hear(0.5 + 2 * server.grace)
        let hearing = Hearing(capture.stop())
        let story = Songs.music.stretches(in: hearing.left)
        let prompt = Songs.voice.stretches(in: hearing.right)
        try capture.require(story, pieces: 2)
        try capture.require(prompt, pieces: 1)
        try capture.expectInTime(
            (0...server.tail).contains(Songs.voice.count - prompt[0].heard.count),
            "\(prompt) \(story)"
        )
        #expect(story[0].heard.upperBound <= prompt[0].heard.lowerBound, "they are heard together")
        #expect(story[1].heard.lowerBound >= prompt[0].heard.upperBound)
        try capture.expectInTime(abs(story[1].place - story[0].placeEnd) <= 1, "\(story)")
    }

    /// The volume is the user's, whatever happens meanwhile.
    @Test(arguments: [true, false])
    func aVolumeThatIsSetMeanwhileStays(isCall: Bool) async throws {
        let stage = try await Stage.start()
        let client = try stage.connect()
        let capture = try await MonitorCapture(of: stage.sound)
        try client.play("music.wav")
        try client.order("setvol 80")
        try await capture.waitForMusic()
        // The server sets a volume within its own time.
        try await capture.hear(0.5)
        let loud = Hearing(capture.current, from: capture.frames - 441).left
        if isCall {
            let call = try client.begin("call")
            try client.order("setvol 60")
            try client.order("session interrupt end \(call)")
        } else {
            let id = try client.announce("voice.wav")
            try await capture.hear(0.3)
            try client.order("setvol 60")
            #expect(try client.end(of: id).state == "done")
        }
        #expect(try client.values("status")["volume"] == "60")
        try await capture.hear(1)
        let quiet = Hearing(capture.stop(), from: capture.frames - 441).left
        let gains = [loud, quiet].map { Songs.music.gains(of: $0).reduce(0, +) / 441 }
        // Volumes are cubic, as PulseAudio's are.
        #expect(abs(gains[0] - 0.512) < 0.005 && abs(gains[1] - 0.216) < 0.005, "\(gains)")
    }

    /// Who pauses or stops meanwhile means it.
    @Test(arguments: ["pause 1", "stop"])
    func whatIsPausedMeanwhileStaysSilent(_ command: String) async throws {
        let stage = try await Stage.start()
        let client = try stage.connect()
        let capture = try await MonitorCapture(of: stage.sound)
        try client.play("music.wav")
        try await capture.waitForMusic()
        let call = try client.begin("call")
        try client.order(command)
        let from = capture.frames
        try client.order("session interrupt end \(call)")
        try await capture.hear(0.7)
        #expect(capture.current.firstSound(after: from + 441) == nil)
        let state = command == "stop" ? "stop" : "pause"
        #expect(try client.values("status")["state"] == state)
        guard state == "pause" else { return }
        let later = capture.frames
        try client.order("pause 0")
        try await capture.waitForMusic(after: later)
        let music = Songs.music.stretches(in: Hearing(capture.stop()).left)
        try capture.require(music, pieces: 2)
        try capture.expectInTime(abs(music[1].place - music[0].placeEnd) <= 1, "\(music)")
    }

    /// A program that ducks and is killed leaves nothing behind.
    @Test func theDuckOfAKilledOwnerEndsAtOnce() async throws {
        let stage = try await Stage.start()
        let client = try stage.connect()
        let capture = try await MonitorCapture(of: stage.sound)
        try client.play("music.wav")
        try await capture.waitForMusic()
        let owner = try SessionOwner(of: stage, "playback options duckOthers")
        try await owner.waitUntilHeard()
        #expect(try client.zoneSession()["gain"] == "-14")
        try await capture.hear(0.4)
        let killed = ContinuousClock.now
        owner.process.end()
        try await capture.hear(0.6)
        let recording = capture.stop()
        let hearing = Hearing(recording)
        let music = Songs.music.stretches(in: hearing.left)
        try capture.require(music, pieces: 1)
        let dips = hearing.curve(Songs.music, music[0].heard).dips()
        try #require(dips.count == 1 && abs(dips[0].depth - 14) <= 1, "\(dips)")
        let back = recording.time(of: music[0].heard.lowerBound + dips[0].range.upperBound)
        #expect(back - killed < .seconds(1), "it took \(back - killed)")
        #expect(try client.zoneSession()["gain"] == "0")
        #expect(try client.order("session list").count { $0.hasPrefix("session: ") } == 1)
    }
}
