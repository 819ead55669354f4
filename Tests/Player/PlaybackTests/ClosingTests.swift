import AudioTypes
import Outputs
import Playback
import TestSupport
import Testing

/// What becomes of everything when a player ends.
@Suite(.enabled("ffmpeg or lame is not installed") { MediaFixtures.missing.isEmpty })
struct ClosingTests {
    /// Who listens is told that nothing more comes, and what the output writes is complete.
    @Test func closingEndsEverything() async throws {
        let stage = await Stage(limit: 10_000)
        await stage.player.append([MediaEntry(try await noiseFile(4))])
        await stage.player.play()
        try await stage.recorder.waitUntilHeld()
        let times = await stage.player.periodicTimes(every: 1)
        stage.recorder.release()
        await stage.player.close()
        #expect(stage.recorder.state.current.isFinished)
        #expect(await stage.log.isEnded.wait(within: deadline) { $0 })
        for await _ in times {}
        for await _ in await stage.player.events() {}
        // Nothing does anything any more, and nothing waits for ever.
        await stage.player.play()
        #expect(await stage.player.seek(to: 1) == false)
        await stage.player.append([MediaEntry("/nowhere")])
        await stage.player.close()
    }

    /// A closed player and its output do not keep each other alive.
    @Test(arguments: [true, false])
    func nothingIsLeftOver(_ isClosed: Bool) async throws {
        weak var rest: SinkOutput?
        do {
            let recorder = SinkRecorder()
            let output = SinkOutput(format: .cd, sink: recorder.sink())
            rest = output
            let player = Player(output: output)
            await player.append([MediaEntry(try await noiseFile(1))])
            await player.play()
            try await recorder.waitForFrames(44_100)
            if isClosed { await player.close() }
        }
        let end = ContinuousClock.now + deadline
        // Its threads let go of it when they end.
        while rest != nil, ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(5)) }
        #expect(rest == nil)
    }

    @Test func aSeekUnderWayIsAnswered() async throws {
        let stage = await Stage()
        await stage.player.append([MediaEntry(try await noiseFile(4))])
        await stage.player.jump(to: 0)
        try await stage.log.waitForJump()
        let seek = Task { await stage.player.seek(to: 3) }
        await stage.player.close()
        _ = await seek.value
    }

    @Test func aPlayerThatIsDroppedEndsItsThreads() async throws {
        let recorder = SinkRecorder()
        let isEnded = Watched(false)
        var player: Player? = Player(output: SinkOutput(format: .cd, sink: recorder.sink()))
        let events = try #require(await player?.events())
        Task {
            for await _ in events {}
            isEnded.withLock { $0 = true }
        }
        await player?.append([MediaEntry(try await noiseFile(4))])
        await player?.play()
        try await recorder.waitForFrames(1)
        player = nil
        #expect(await recorder.state.wait(within: deadline) { $0.isFinished })
        #expect(await isEnded.wait(within: deadline) { $0 })
    }
}
