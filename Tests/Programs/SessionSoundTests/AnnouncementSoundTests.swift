import Glibc
import TestSupport
import TestTiming
import Testing

extension SessionSoundTests {
    /// The figures of an announcement over music, at both sound servers.
    @Test(arguments: Stage.Server.installed)
    func musicIsLowerUnderAVoiceAndLosesNothing(_ server: Stage.Server) async throws {
        let stage = try await Stage.start(server)
        let client = try stage.connect()
        let capture = try await MonitorCapture(of: stage.sound)
        try client.play("music.wav")
        try await capture.waitForMusic()
        let id = try client.announce("voice.wav")
        let end = try client.end(of: id)
        #expect(end.state == "done")
        try await capture.hear(0.7)
        let recording = capture.stop()
        let hearing = Hearing(recording)

        let voices = Songs.voice.stretches(in: hearing.right)
        let voice = try #require(voices.first)
        try capture.expectInTime(
            voices.count == 1 && voice.place == 0 && voice.placeEnd == Songs.voice.count,
            "\(voices)"
        )
        let told = end.time - recording.time(of: voice.heard.upperBound)
        #expect(told + server.delay > .zero, "it was told \(told) after the last sample")

        let stretches = Songs.music.stretches(in: hearing.left)
        try capture.require(stretches, pieces: 1)
        let curve = hearing.curve(Songs.music, stretches[0].heard)
        let dips = curve.dips()
        try #require(dips.count == 1, "\(dips)")
        #expect(abs(dips[0].depth - 14) <= 1)
        #expect((0.08...0.2).contains(dips[0].fall) && (0.08...0.2).contains(dips[0].rise), "\(dips)")
        let back = stretches[0].heard.lowerBound + dips[0].range.upperBound - voice.heard.upperBound
        #expect(Double(back) <= (0.25 + server.grace) * Double(Stage.sampleRate), "back after \(back) frames")
        // 14 dB in no less than 80 ms.
        #expect(curve.largestStep < 0.0006)
    }

    /// A low tone, whose samples differ by little.
    @Test func noStepIsLargerThanTheMusicsOwn() async throws {
        let stage = try await Stage.start()
        let client = try stage.connect()
        let capture = try await MonitorCapture(of: stage.sound)
        try client.play("tone.wav")
        try await capture.waitForMusic()
        let from = capture.frames
        try client.end(of: client.announce("voice.wav"))
        try await capture.hear(0.5)
        let hearing = Hearing(capture.stop(), from: from)
        let own = 2 * Double.pi * 110 / Double(Stage.sampleRate) * 0.95 * 32_768
        let steps = zip(hearing.left, hearing.left.dropFirst()).map { abs($0 - $1) }
        #expect(Double(try #require(steps.max())) <= own + 2)
        #expect(hearing.right.contains { $0 != 0 }, "there was no voice")
    }

    /// Music and voice at full scale on both sides: the sum of them is exact, so nothing was cut off.
    @Test func nothingIsClipped() async throws {
        let stage = try await Stage.start()
        let client = try stage.connect()
        let start = ContinuousClock.now
        // The way down is judged where a voice begins on it: within 120 ms, which a busy machine does not let each do.
        for _ in 0..<3 {
            let sums = try await sumsUnderAVoice(stage, client)
            #expect(sums.count > 100)
            #expect(sums.allSatisfy { $0.music + $0.voice <= 1.001 }, "the sum was cut off")
            let middle = sums[sums.count / 2]
            #expect(abs(middle.music - 0.1995) < 0.002 && middle.voice > 0.79, "\(middle)")
            // It is even in dB, 14 dB in 120 ms; a sum that is cut off would bend it.
            let falling = sums.prefix { $0.music > 0.21 }.map { 20 * log10($0.music) }
            guard falling.count > 20 else { continue }
            let slope = 14 / 0.12 / Double(Stage.sampleRate) * Double(LevelPair.window)
            let bends = falling.enumerated().map { $1 - falling[0] + slope * Double($0) }
            #expect(bends.allSatisfy { abs($0) < 0.1 }, "\(bends)")
            return
        }
        try expect(
            false,
            unlessStalledFor: .milliseconds(20),
            since: start,
            "no voice of three began on the music's way down"
        )
    }

    /// How loud music and voice are side by side, from where both are heard.
    private func sumsUnderAVoice(_ stage: Stage, _ client: LineClient) async throws -> [LevelPair] {
        let capture = try await MonitorCapture(of: stage.sound)
        try client.play("loud.wav")
        try await capture.waitForMusic()
        let from = capture.frames
        try client.end(of: client.announce("loud-voice.wav"))
        try await capture.hear(0.5)
        let heard = Hearing(capture.stop(), from: from).left
        // Before the voice and where it is the louder of both, the signs are one's or the other's.
        let music = try #require(Songs.loudMusic.stretches(in: heard).max { $0.heard.count < $1.heard.count })
        let voice = try #require(Songs.loudVoice.stretches(in: heard).max { $0.heard.count < $1.heard.count })
        return LevelPair.pairs(
            in: heard,
            (Songs.loudMusic, music.place - music.heard.lowerBound),
            (Songs.loudVoice, voice.place - voice.heard.lowerBound)
        )
    }

    /// Those that wait are heard by their urgency, and the music is lowered once for all.
    @Test(arguments: Stage.Server.installed)
    func theAlarmIsFirstOfThoseThatWait(_ server: Stage.Server) async throws {
        let stage = try await Stage.start(server)
        let (client, other) = (try stage.connect(), try stage.connect())
        let capture = try await MonitorCapture(of: stage.sound)
        try client.play("music.wav")
        try await capture.waitForMusic()
        let ids = [
            try client.announce("voice.wav"), try other.announce("other.wav"),
            try client.announce("alarm.wav class alarm"),
        ]
        for id in ids { #expect(try other.end(of: id).state == "done") }
        try await capture.hear(0.3 + server.grace)
        let hearing = Hearing(capture.stop())
        let heard = [Songs.voice, Songs.alarm, Songs.otherVoice].map { $0.stretches(in: hearing.right) }
        for stretches in heard { try capture.require(stretches, pieces: 1) }
        let ranges = heard.map { $0[0].heard }
        let lengths = [Songs.voice.count, Songs.alarm.count, Songs.otherVoice.count]
        try capture.expectInTime(
            zip(ranges, lengths).allSatisfy { (0...server.tail).contains($1 - $0.count) },
            "\(ranges) \(lengths)"
        )
        for (first, second) in zip(ranges, ranges.dropFirst()) {
            #expect(first.upperBound <= second.lowerBound)
            #expect(Double(second.lowerBound - first.upperBound) < (0.5 + server.grace) * Double(Stage.sampleRate))
        }
        let music = Songs.music.stretches(in: hearing.left)
        try capture.require(music, pieces: 1)
        #expect(hearing.curve(Songs.music, music[0].heard).dips().count == 1)
    }

    /// Where no music plays, a voice changes nothing, and the music goes on later where it was.
    @Test(arguments: ["idle", "paused", "stopped"])
    func aZoneThatDoesNotPlayStaysAsItIs(_ state: String) async throws {
        let stage = try await Stage.start()
        let client = try stage.connect()
        // What is found later changes the queue's songs, and so its version.
        try client.wait {
            try client.values("library status")["complete"] == "1" && client.values("status")["updating_db"] == nil
        }
        let capture = try await MonitorCapture(of: stage.sound)
        if state != "idle" {
            try client.play("music.wav")
            try await capture.waitForMusic()
            try client.order(state == "paused" ? "pause 1" : "stop")
            try await capture.waitForSilence()
        }
        let from = capture.frames
        let before = try client.values("status")
        let end = try client.end(of: client.announce("voice.wav"))
        #expect(end.state == "done")
        try await capture.waitForSilence(after: from)
        let after = try client.values("status")
        let changed = Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }
        #expect(changed.isEmpty, "\(before) became \(after)")
        let voices = Songs.voice.stretches(in: Hearing(capture.current, from: from).right)
        try capture.expectInTime(voices.count == 1 && voices[0].heard.count == Songs.voice.count, "\(voices)")
        #expect(end.time - capture.current.time(of: from + (voices.last?.heard.upperBound ?? 0)) > .milliseconds(-20))
        guard state == "paused" else {
            #expect(Hearing(capture.current, from: from).left.allSatisfy { $0 == 0 })
            return
        }
        let later = capture.frames
        try client.order("pause 0")
        try await capture.waitForMusic(after: later)
        let music = Songs.music.stretches(in: Hearing(capture.stop()).left)
        try capture.require(music, pieces: 2)
        try capture.expectInTime(music[1].place == music[0].placeEnd, "\(music)")
    }

    /// The music is its user's under a voice too: it begins quiet, and is paused without the voice.
    @Test func playingAndPausingUnderAVoice() async throws {
        let stage = try await Stage.start()
        let client = try stage.connect()
        let capture = try await MonitorCapture(of: stage.sound)
        let id = try client.announce("long.wav")
        try await capture.waitForSound()
        try client.play("music.wav")
        try await capture.hear(0.8)
        try client.order("pause 1")
        try await capture.hear(0.3)
        try client.order("pause 0")
        #expect(try client.end(of: id).state == "done")
        try await capture.hear(0.5)
        try client.order("pause 1")
        try await capture.hear(0.3)
        let hearing = Hearing(capture.stop())
        let voices = Songs.longVoice.stretches(in: hearing.right)
        try capture.expectInTime(voices.map(\.heard.count) == [Songs.longVoice.count], "\(voices)")
        let music = Songs.music.stretches(in: hearing.left)
        try capture.require(music, pieces: 2)
        try capture.expectInTime(abs(music[1].place - music[0].placeEnd) <= 1, "\(music)")
        let early = hearing.curve(Songs.music, music[0].heard).gains
        #expect((early.max() ?? 1) < 0.2, "it began as loud as without the voice")
        let later = hearing.curve(Songs.music, music[1].heard).gains
        #expect(later.prefix(1_000).allSatisfy { $0 < 0.2 } && later.suffix(5_000).allSatisfy { $0 == 1 })
    }

    /// Without any sound server an announcement takes as long as it would be heard.
    @Test func aNullOutputTakesTheTimeOfTheVoice() async throws {
        let sound = try await PulseServer.start()
        let stage = try await Stage(on: sound, "[[output]]\nname = \"nowhere\"\ntype = \"null\"")
        let client = try stage.connect()
        for state in ["play", "stop"] {
            try client.play("music.wav")
            try client.order(state)
            let start = ContinuousClock.now
            let end = try client.end(of: client.announce("voice.wav"))
            #expect(end.state == "done")
            #expect((0.8...1.3).contains((end.time - start) / .seconds(1)), "\(end.time - start)")
            #expect(try client.values("status")["state"] == state)
            #expect(try client.zoneSession()["gain"] == "0")
        }
    }

    /// A file has what would have been heard.
    @Test func aFileHasMusicAndVoice() async throws {
        let sound = try await PulseServer.start()
        let folder = try TemporaryFolder()
        let stage = try await Stage(
            on: sound,
            """
            [[output]]
            name = "file"
            type = "file:\(folder.file("out.wav"))"
            format = "44100:16:2"
            [[output]]
            name = "nowhere"
            type = "null"
            """
        )
        let client = try stage.connect()
        try client.play("music.wav")
        let id = try client.announce("voice.wav")
        #expect(try client.end(of: id).state == "done")
        // A file is written some time after what it has would have been heard.
        let heard = try client.elapsed() + 2
        try client.wait(until: { try client.elapsed() > heard })
        try await stage.end()
        let file = try MediaSound.of(folder.file("out.wav"))
        let (left, right) = (file.integers(0).map { Int32($0) }, file.integers(1).map { Int32($0) })
        let voices = Songs.voice.stretches(in: right)
        // A voice that begins at the very frame where the music begins to be ducked has no room for its first sample.
        #expect(voices.count == 1 && (0...1).contains(Songs.voice.count - voices[0].heard.count), "\(voices)")
        let music = Songs.music.stretches(in: left)
        try #require(music.count == 1 && music[0].place == 0, "\(music)")
        let dips = GainCurve(Songs.music, left[music[0].heard]).dips()
        #expect(dips.count >= 1 && abs(dips[0].depth - 14) <= 1, "\(dips)")
    }
}
