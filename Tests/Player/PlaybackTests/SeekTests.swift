import AudioTypes
import Playback
import TestSupport
import Testing

/// Going to other places of an item.
@Suite(.enabled("ffmpeg or lame is not installed") { MediaFixtures.missing.isEmpty })
struct SeekTests {
    /// A paused player at the start of an item that is ready.
    private func ready(_ paths: String..., limit: Int = .max) async throws -> Stage {
        let stage = await Stage(limit: limit)
        await stage.player.append(paths.map { MediaEntry($0) })
        await stage.player.jump(to: 0)
        try await stage.log.waitForJump()
        return stage
    }

    @Test(arguments: [0, 0.5, 1.23456, 3.999, 4])
    func goesOnFromTheVerySample(_ second: Double) async throws {
        let stage = try await ready(noiseFile(4))
        #expect(await stage.player.seek(to: MediaTime(seconds: second)))
        #expect(abs(stage.player.currentTime().seconds - second) < 1e-4)
        await stage.player.play()
        try await stage.log.waitForEnd()
        await stage.player.close()
        let start = Int((second * 44_100).rounded())
        #expect(difference(stage.recorder.samples(), noise(4).dropFirst(start)) == nil)
    }

    /// What a codec gives after a seek is what it gives there when played from the start.
    @Test(arguments: MediaFixtures.Codec.allCases.filter { $0 != .adts })
    func isExactForEveryCodec(_ codec: MediaFixtures.Codec) async throws {
        let rate = codec == .opus ? 48_000 : 44_100
        let format = AudioFormat(sampleFormat: .s16, sampleRate: rate, channels: .stereo)
        let path = try await MediaFixtures.audio("seek", codec, sampleRate: rate) {
            Signal.softNoise(frames: 4 * rate, sampleRate: rate)
        }
        let whole = try await Stage.heard([MediaEntry(path)], format: format).signal()
        let stage = await Stage(format: format)
        await stage.player.append([MediaEntry(path)])
        await stage.player.jump(to: 0, at: 2.35)
        await stage.player.play()
        try await stage.log.waitForEnd()
        await stage.player.close()
        let expected = whole.dropFirst(rate * 235 / 100)
        #expect(stage.recorder.frames == expected.count)
        #expect(Analysis.signalToNoise(expected, stage.recorder.signal()) > 50)
    }

    @Test func tolerantSeekLandsInItsWindow() async throws {
        let stage = try await ready(noiseFile(8))
        for target in [1.0, 5.5, 3.21] {
            let tolerance = SeekTolerance.within(before: 0.2, after: 0.2)
            #expect(await stage.player.seek(to: MediaTime(seconds: target), tolerance: tolerance))
            #expect(abs(stage.player.currentTime().seconds - target) <= 0.2)
        }
        // What is then heard is what is there.
        let landing = stage.player.currentTime()
        await stage.player.play()
        try await stage.log.waitForEnd()
        #expect(difference(stage.recorder.samples(), noise(8).dropFirst(landing.sample(at: 44_100))) == nil)
        await stage.player.close()
    }

    @Test func aNewerSeekTakesTheOldersPlace() async throws {
        let stage = try await ready(noiseFile(8))
        let answers = Watched<[String]>([])
        await stage.player.seekThrice { name, isFinished in answers.withLock { $0.append("\(name) \(isFinished)") } }
        #expect(await answers.wait(within: deadline) { $0.count == 3 })
        #expect(answers.current == ["1 false", "2 false", "3 true"])
        #expect(stage.player.currentTime() == 3)
        await stage.player.close()
    }

    @Test func outsideTheItemNothingChanges() async throws {
        let stage = try await ready(noiseFile(4))
        #expect(await stage.player.seek(to: 1))
        #expect(await stage.player.seek(to: 4.01) == false)
        #expect(await stage.player.seek(to: -0.01) == false)
        #expect(stage.player.currentTime() == 1)
        let empty = await Stage()
        #expect(await empty.player.seek(to: 0) == false)
        await empty.player.close()
        await stage.player.close()
    }

    @Test func pausedStaysPausedAndShowsTheNewPlace() async throws {
        let stage = try await ready(noiseFile(4))
        #expect(await stage.player.seek(to: 2.5))
        #expect(stage.player.currentTime() == 2.5)
        #expect(stage.player.status.timeControlStatus == .paused)
        #expect(stage.recorder.frames == 0)
        await stage.player.close()
    }

    @Test func relativeSeeksStayInTheItem() async throws {
        let stage = try await ready(noiseFile(4))
        #expect(await stage.player.seek(by: 1.5))
        #expect(await stage.player.seek(by: 1))
        #expect(stage.player.currentTime() == 2.5)
        #expect(await stage.player.seek(by: -0.5))
        #expect(stage.player.currentTime() == 2)
        #expect(await stage.player.seek(by: -10))
        #expect(stage.player.currentTime() == 0)
        await stage.player.close()
    }

    /// The decoder is far ahead in the next item, and comes back.
    @Test func comesBackFromTheNextItem() async throws {
        let stage = try await ready(noiseFile(2), noiseFile(2, seed: 2), limit: 20_000)
        await stage.player.play()
        try await stage.recorder.waitUntilHeld()
        #expect(await stage.player.seek(to: 1))
        stage.recorder.release()
        try await stage.log.waitForEnd()
        let heard = stage.recorder.samples()
        let rest = Array(noise(2).dropFirst(44_100)) + noise(2, seed: 2)
        // A sink that had taken a piece still writes it.
        #expect(difference(heard.suffix(rest.count), rest) == nil)
        #expect(difference(heard.prefix(20_000), noise(2).prefix(20_000)) == nil)
        #expect(heard.count - rest.count < 20_000 + 8_192)
        #expect(stage.log.words.suffix(5) == ["ended 1", "current 2", "ended 2", "current 0", "queue ended"])
        await stage.player.close()
    }

    @Test func seekingTellsOfTheJump() async throws {
        let stage = try await ready(noiseFile(4))
        let before = stage.log.count
        #expect(await stage.player.seek(to: 3))
        try await stage.log.wait("the jump", after: before) { $0 == .timeJumped(3) }
        await stage.player.close()
    }

    /// A pipe cannot be sought in, and says so.
    @Test func whatCannotBeSoughtInRefuses() async throws {
        let folder = try TemporaryFolder()
        let file = try await noiseFile(4, .wav)
        let pipe = folder.file("pipe")
        try ChildProcess.run("mkfifo", [pipe])
        let writer = try ChildProcess("dd", ["if=\(file)", "of=\(pipe)", "bs=64k"])
        let stage = await Stage(limit: 10_000)
        await stage.player.append([MediaEntry(pipe)])
        await stage.player.play()
        try await stage.recorder.waitUntilHeld()
        #expect(stage.player.status.currentItem?.info?.isSeekable == false)
        #expect(await stage.player.seek(to: 1) == false)
        try await stage.player.setRate(2)
        try await stage.player.setRate(1)
        stage.recorder.release()
        try await stage.log.waitForEnd()
        #expect(difference(stage.recorder.samples().prefix(10_000), noise(4).prefix(10_000)) == nil)
        await stage.player.close()
        writer.end()
    }
}

extension Player {
    /// Seeks to 1, 2 and 3 without letting anything come between.
    fileprivate func seekThrice(_ answer: @escaping @Sendable (Int, Bool) -> Void) {
        for number in 1...3 {
            // Each starts on the actor, in this order, and waits there.
            Task.immediate { answer(number, await self.seek(to: MediaTime(seconds: Double(number)))) }
        }
    }
}
