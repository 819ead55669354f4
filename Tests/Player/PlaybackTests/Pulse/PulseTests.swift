import AudioTypes
import Outputs
import Playback
import TestSupport
import TestTiming
import Testing

/// What a listener hears from a real sound server.
@Suite(
    .serialized,
    .enabled("ffmpeg or lame is not installed") { MediaFixtures.missing.isEmpty },
    .enabled("pulseaudio is not installed") { PulseServer.missing.isEmpty }
)
struct PulseTests {
    @Test func lossless16BitIsBitIdentical() async throws {
        let stage = try await PulseStage()
        await stage.play(try await noiseFile(3))
        try await stage.log.waitForEnd()
        let heard = try await stage.heard()
        #expect(loss(heard, noise(3).droppingSilence) == nil)
    }

    @Test func albumIsGapless() async throws {
        let album = try await MediaFixtures.album(.flac)
        let stage = try await PulseStage()
        await stage.player.append(album.tracks.map { MediaEntry($0) })
        await stage.player.play()
        try await stage.log.waitForEnd()
        let expected = Signal.integers(album.reference(at: 44_100))
        let heard = try await stage.heard()
        let changes = Analysis.changes(
            at: album.joints(at: 44_100),
            of: expected.map { Float($0) / 32_768 },
            in: heard.map { Float($0) / 32_768 }
        )
        #expect(changes == Array(repeating: 0, count: 7))
        #expect(loss(heard, expected.droppingSilence) == nil)
    }

    /// The last item is heard to its very end, however short it is.
    @Test(arguments: [0.05, 0.7, 2, 2.3])
    func theLastSampleIsHeard(_ seconds: Double) async throws {
        let stage = try await PulseStage()
        await stage.play(try await noiseFile(seconds))
        try await stage.log.waitForEnd()
        let heard = try await stage.heard()
        #expect(loss(heard, noise(seconds).droppingSilence) == nil)
    }

    @Test func theEndIsHeardAfterAPauseInTheLastSecond() async throws {
        let stage = try await PulseStage()
        await stage.play(try await noiseFile(2))
        try await stage.capture.waitForSound()
        let start = try await stage.capture.waitForSound()
        try await stage.capture.waitForFrames(60_000, after: start)
        await stage.player.pause()
        let silence = try await stage.capture.waitForSilence(after: start)
        #expect(silence - start < 80_000)
        await stage.player.play()
        try await stage.log.waitForEnd()
        await stage.player.close()
        try await stage.capture.waitForSilence(of: .milliseconds(50), after: stage.capture.frames)
        let heard = stage.capture.stop().joined(from: start)
        let expected = noise(2).droppingSilence
        // The last tenth of a second, to its last sample.
        #expect(heard.suffix(4_410).elementsEqual(expected.suffix(4_410)))
        #expect(heard.count == expected.count)
    }

    @Test func pausingLosesNothing() async throws {
        let stage = try await PulseStage()
        await stage.play(try await noiseFile(8))
        let start = try await stage.capture.waitForSound()
        var frame = start
        var joints: [Int] = []
        for length in [20_000, 61_000, 30_000] {
            try await stage.capture.waitForFrames(length, after: frame)
            let now = stage.capture.frames
            await stage.player.pause()
            let silence = try await stage.capture.waitForSilence(after: now)
            #expect(silence - now < 4_410)
            joints.append((joints.last ?? 0) + silence - frame)
            await stage.player.play()
            frame = try await stage.capture.waitForSound(after: silence + 1)
        }
        try await stage.capture.waitForFrames(40_000, after: frame)
        await stage.player.close()
        let heard = stage.capture.stop().joined(from: start)
        let changes = Analysis.changes(
            at: joints,
            of: noise(8).droppingSilence.map { Float($0) / 32_768 },
            in: heard.map { Float($0) / 32_768 }
        )
        #expect(changes.allSatisfy { $0 == 0 }, "\(changes)")
    }

    @Test func afterASeekNothingOldIsHeard() async throws {
        let stage = try await PulseStage()
        await stage.play(try await MediaFixtures.position(.flac, seconds: 60))
        var frame = try await stage.capture.waitForSound()
        for second in [30, 5, 50] {
            try await stage.capture.waitForFrames(30_000, after: frame)
            #expect(await stage.player.seek(to: MediaTime(seconds: Double(second) + 0.2)))
            let now = stage.capture.frames
            try await stage.capture.waitForFrames(20_000, after: now)
            let samples = stage.capture.current.samples(in: now..<now + 20_000)
            // A tenth of a second for what was on its way.
            #expect(Analysis.position(samples.dropFirst(4_410), sampleRate: 44_100) == second)
            frame = now
        }
        await stage.player.close()
    }

    /// What follows was already sent to the server; then it is something else.
    @Test func whatFollowsIsWrittenOver() async throws {
        let stage = try await PulseStage()
        await stage.play(try await noiseFile(2), try await noiseFile(2, seed: 2))
        let start = try await stage.capture.waitForSound()
        try await stage.capture.waitForFrames(22_050, after: start)
        await stage.player.setLoopMode(.item)
        try await stage.log.waitForStatus("a loop") { $0.loopCount == 1 }
        await stage.player.setLoopMode(.off)
        try await stage.log.waitForEnd()
        let expected = noise(2) + noise(2) + noise(2, seed: 2)
        let heard = try await stage.heard()
        #expect(loss(heard, expected.droppingSilence) == nil)
    }

    @Test(.timed) func positionIsWhatIsHeard() async throws {
        let stage = try await PulseStage()
        await stage.play(try await noiseFile(12))
        try await stage.capture.waitForSound()
        let signal = noise(12).map { Float($0) / 32_768 }
        var generator = SplitMix(state: 3)
        for round in 0..<8 {
            switch round % 4 {
            case 1: #expect(await stage.player.seek(to: MediaTime(seconds: .random(in: 0...8, using: &generator))))
            case 2:
                await stage.player.pause()
                await stage.player.play()
            case 3: await stage.player.advanceToNextItemAndBack()
            default: break
            }
            let begin = ContinuousClock.now
            let frame = stage.capture.frames
            try await stage.capture.waitForFrames(Int.random(in: 8_000...30_000, using: &generator), after: frame)
            let lead = try await stage.capture.lead(of: stage.player.timeNow(), in: signal)
            try expect(lead, atMost: .milliseconds(100), since: begin, "round \(round)")
        }
        await stage.player.close()
    }
}

extension Player {
    fileprivate func advanceToNextItemAndBack() async {
        jump(to: 0, at: 2)
        _ = await seek(to: 3)
    }
}

extension Recording {
    /// The sound from a frame on, without the silence within it.
    func joined(from start: Int) -> [Int16] {
        Signal.integers(samples(in: start..<soundEnd)).droppingSilence(longerThan: 200)
    }
}

extension [Int16] {
    /// Without zeros before the first and behind the last sample that is heard as sound (above −60 dB).
    var droppingSilence: [Int16] {
        guard let first = firstIndex(where: { abs(Int($0)) > 32 }), let last = lastIndex(where: { abs(Int($0)) > 32 })
        else { return [] }
        return Array(self[first...last])
    }

    func droppingSilence(longerThan length: Int) -> [Int16] {
        var result: [Int16] = []
        var zeros = 0
        for sample in self {
            if sample == 0 {
                zeros += 1
                continue
            }
            if zeros <= length { result += repeatElement(0, count: zeros) }
            zeros = 0
            result.append(sample)
        }
        return result
    }
}

extension Range<Int> {
    /// The first number for which `condition` holds, if it holds for all from there on.
    func partition(_ condition: (Int) -> Bool) -> Int? {
        var (low, high) = (lowerBound, upperBound)
        while low < high {
            let middle = (low + high) / 2
            if condition(middle) { high = middle } else { low = middle + 1 }
        }
        return low < upperBound ? low : nil
    }
}

/// Where what was heard differs from what was played; `nil` when it does not.
///
/// - Parameter isPart: Whether it was ended before it was over.
private func loss(_ heard: [Int16], _ expected: [Int16], isPart: Bool = false) -> String? {
    difference(heard, isPart ? expected.prefix(heard.count) : expected[...])
}
