import AudioTypes
import Playback
import TestSupport
import Testing

/// The player on PipeWire's PulseAudio server.
///
/// Without real-time rights PipeWire is late on a busy machine and skips a block, so nothing here is exact to the sample.
@Suite(
    .serialized,
    .enabled("ffmpeg or lame is not installed") { MediaFixtures.missing.isEmpty },
    .enabled("pipewire is not installed") { PipeWireServer.missing.isEmpty }
)
struct PipeWireTests {
    private func signal(_ samples: [Int16]) -> [Float] { samples.map { Float($0) / 32_768 } }

    /// Where a tenth of a second of what was to be heard is in what was heard; 0 when all of it is in its place.
    private func shift(of place: Int, in heard: [Float], _ expected: [Float]) -> Int? {
        guard let found = Analysis.find(expected[place..<place + 4_410], in: heard), found.likeness > 0.9 else {
            return nil
        }
        return found.offset - place
    }

    @Test func playsToTheEnd() async throws {
        let stage = try await PulseStage(on: try await PipeWireServer.start())
        await stage.play(try await noiseFile(3))
        try await stage.log.waitForEnd()
        let heard = signal(try await stage.heard())
        let expected = signal(noise(3).droppingSilence)
        for place in [20_000, 70_000, 125_000] {
            #expect(abs(shift(of: place, in: heard, expected) ?? 99_999) < 4_410)
        }
    }

    /// A player whose second item was replaced `rest` seconds before the end of the first.
    private func stageWithReplacedItem(_ rest: Double) async throws -> PulseStage {
        let stage = try await PulseStage(on: try await PipeWireServer.start())
        await stage.play(try await noiseFile(2), try await noiseFile(1, seed: 2))
        try await stage.capture.waitForSound()
        for await _ in await stage.player.boundaryTimes(at: [MediaTime(seconds: 2 - rest)]) { break }
        await stage.player.replaceFollowingItems(with: [MediaEntry(try await noiseFile(1.2, seed: 3))])
        return stage
    }

    /// PipeWire takes larger blocks than PulseAudio, and calls none of them back.
    @Test(arguments: [0.25, 1])
    func whatFollowsIsReplaced(_ rest: Double) async throws {
        var stage = try await stageWithReplacedItem(rest)
        // On a busy machine the item may have ended before the order came: then another one follows.
        for _ in 0..<4 where stage.player.status.currentItem?.id.number != 1 {
            await stage.player.close()
            stage = try await stageWithReplacedItem(rest)
        }
        try await stage.log.waitForEnd()
        let heard = signal(try await stage.heard())
        let expected = signal((noise(2) + noise(1.2, seed: 3)).droppingSilence)
        let joint = 2 * 44_100
        // Less than a tenth of a second is lost or doubled, wherever what was sent was taken back.
        let shifts = [40_000, joint + 1_000, joint + 40_000].map { shift(of: $0, in: heard, expected) }
        #expect(shifts.allSatisfy { abs($0 ?? 99_999) < 4_410 }, "\(shifts)")
    }

    @Test func jumpsPausesAndPositions() async throws {
        let stage = try await PulseStage(on: try await PipeWireServer.start())
        let whole = signal(noise(12))
        await stage.play(try await noiseFile(12))
        try await stage.capture.waitForSound()
        for second in [7.0, 2.5] {
            #expect(await stage.player.seek(to: MediaTime(seconds: second)))
            let frame = stage.capture.frames
            try await stage.capture.waitForFrames(30_000, after: frame)
            let time = stage.player.currentTime().seconds
            let now = ContinuousClock.now
            try await stage.capture.waitForFrames(6_000, after: stage.capture.frames)
            let recording = stage.capture.current
            let place = try #require((0..<recording.frames).partition { recording.time(of: $0) >= now })
            let found = try #require(Analysis.find(recording.samples(in: place..<place + 2_048), in: whole))
            #expect(found.likeness > 0.9)
            #expect(abs(time - Double(found.offset) / 44_100) < 0.15)
        }
        await stage.player.pause()
        let silence = try await stage.capture.waitForSilence(after: stage.capture.frames)
        let paused = stage.player.currentTime()
        await stage.player.play()
        try await stage.capture.waitForSound(after: silence + 1)
        #expect(stage.player.currentTime().seconds - paused.seconds < 0.3)
        await stage.player.close()
    }
}
