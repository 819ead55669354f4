import AudioTypes
import Playback
import TestSupport
import TestTiming
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

    /// By how much a tenth of a second of what was to be heard was heard too late.
    private func shift(of place: Int, in heard: [Float], _ expected: [Float]) throws -> Duration {
        let found = try #require(Analysis.find(expected[place..<place + 4_410], in: heard))
        // The block that PipeWire has skipped may be in it.
        #expect(found.likeness > 0.5)
        return .seconds(Double(found.offset - place) / 44_100)
    }

    @Test(.timed) func playsToTheEnd() async throws {
        let stage = try await PulseStage(on: try await PipeWireServer.start())
        let begin = ContinuousClock.now
        await stage.play(try await noiseFile(3))
        try await stage.log.waitForEnd()
        let heard = signal(try await stage.heard())
        let expected = signal(noise(3).droppingSilence)
        for place in [20_000, 70_000, 125_000] {
            try expect(try shift(of: place, in: heard, expected), atMost: .milliseconds(200), since: begin)
        }
    }

    /// A player whose second item was replaced `rest` seconds before the end of the first.
    private func stageWithReplacedItem(_ rest: Double) async throws -> PulseStage {
        let stage = try await PulseStage(on: try await PipeWireServer.start())
        // Before it plays: times that have passed when they are asked for never come.
        let times = await stage.player.boundaryTimes(at: [MediaTime(seconds: 2 - rest)])
        await stage.play(try await noiseFile(2), try await noiseFile(1, seed: 2))
        try await stage.capture.waitForSound()
        for await _ in times { break }
        await stage.player.replaceFollowingItems(with: [MediaEntry(try await noiseFile(1.2, seed: 3))])
        return stage
    }

    /// PipeWire takes larger blocks than PulseAudio, and calls none of them back.
    @Test(.timed, arguments: [0.25, 1])
    func whatFollowsIsReplaced(_ rest: Double) async throws {
        let begin = ContinuousClock.now
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
        // Some tenths of a second are lost or doubled at most, wherever what was sent was taken back.
        for place in [40_000, joint + 1_000, joint + 40_000] {
            try expect(try shift(of: place, in: heard, expected), atMost: .milliseconds(200), since: begin)
        }
    }

    @Test(.timed) func jumpsPausesAndPositions() async throws {
        let stage = try await PulseStage(on: try await PipeWireServer.start())
        let whole = signal(noise(12))
        await stage.play(try await noiseFile(12))
        try await stage.capture.waitForSound()
        for second in [7.0, 2.5] {
            let begin = ContinuousClock.now
            #expect(await stage.player.seek(to: MediaTime(seconds: second)))
            let frame = stage.capture.frames
            try await stage.capture.waitForFrames(30_000, after: frame)
            let lead = try await stage.capture.lead(of: stage.player.timeNow(), in: whole)
            try expect(lead, atMost: .milliseconds(300), since: begin)
        }
        await stage.player.pause()
        let silence = try await stage.capture.waitForSilence(after: stage.capture.frames)
        let paused = stage.player.timeNow()
        await stage.player.play()
        try await stage.capture.waitForSound(after: silence + 1)
        try expect(stage.player.timeNow().lead(over: paused), atMost: .seconds(1), since: paused.moments.lowerBound)
        await stage.player.close()
    }
}
