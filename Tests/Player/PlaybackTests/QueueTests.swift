import AudioTypes
import Playback
import TestSupport
import Testing

/// What follows what, and what changes that while it is already decoded.
@Suite(.enabled("ffmpeg or lame is not installed") { MediaFixtures.missing.isEmpty })
struct QueueTests {
    private static func entries(_ seconds: Double...) async throws -> [MediaEntry] {
        var entries: [MediaEntry] = []
        for (index, length) in seconds.enumerated() {
            entries.append(MediaEntry(try await noiseFile(length, seed: UInt64(index + 1))))
        }
        return entries
    }

    /// A player whose sink is held within the first item, when all that it will play was decoded long since.
    private func held(_ seconds: Double..., prepare: (Player) async -> Void = { _ in }) async throws -> Stage {
        let stage = await Stage(limit: 10_000)
        await prepare(stage.player)
        var entries: [MediaEntry] = []
        for (index, length) in seconds.enumerated() {
            entries.append(MediaEntry(try await noiseFile(length, seed: UInt64(index + 1))))
        }
        await stage.player.append(entries)
        await stage.player.play()
        try await stage.recorder.waitUntilHeld()
        let count = stage.player.status.actionAtItemEnd == .advance ? seconds.count : 1
        let frames = seconds.prefix(count).reduce(0) { $0 + Int($1 * 44_100) }
        try await stage.output.waitUntilWritten { $0 >= frames }
        return stage
    }

    private func finish(_ stage: Stage) async throws -> [Int16] {
        stage.recorder.release()
        try await stage.log.waitForEnd()
        await stage.player.close()
        return stage.recorder.samples()
    }

    @Test func eventsComeInOrder() async throws {
        let stage = await Stage()
        await stage.player.append(try await Self.entries(0.5, 0.4))
        await stage.player.play()
        try await stage.log.waitForEnd()
        #expect(
            stage.log.words == [
                "current 1", "ready 1", "jumped", "ended 1", "current 2", "ended 2", "current 0", "queue ended",
            ]
        )
        let last = try #require(stage.log.entries.current.last)
        #expect(last.status.currentItem == nil)
        #expect(last.status.timeControlStatus == .waitingToPlayAtSpecifiedRate(.noItemToPlay))
        for case .statusChanged(let status) in stage.log.all where status.timeControlStatus == .playing {
            #expect(status.currentItem?.status == .readyToPlay)
        }
        await stage.player.close()
    }

    @Test func whenAnEventArrivesTheStatusIsCurrent() async throws {
        let stage = try await held(0.5, 0.5)
        for entry in stage.log.entries.current {
            switch entry.event {
            case .itemReady, .timeJumped: #expect(entry.status.currentIndex == 0)
            default: break
            }
        }
        stage.recorder.release(to: 30_000)
        try await stage.log.waitForItem(2)
        let changed = stage.log.entries.current.last { if case .currentItemChanged = $0.event { true } else { false } }
        #expect(changed?.status.currentIndex == 1)
        _ = try await finish(stage)
    }

    /// The end of the queue was decoded and marked; then there is more.
    @Test func appendsBehindADecodedEnd() async throws {
        let stage = try await held(0.5)
        await stage.player.append([MediaEntry(try await noiseFile(0.4, seed: 2))])
        try await stage.output.waitUntilWritten { $0 == 22_050 + 17_640 }
        await stage.player.append([MediaEntry(try await noiseFile(0.3, seed: 3))])
        try await stage.output.waitUntilWritten { $0 == 22_050 + 17_640 + 13_230 }
        let heard = try await finish(stage)
        #expect(difference(heard, noise(0.5) + noise(0.4, seed: 2) + noise(0.3, seed: 3)) == nil)
    }

    @Test func appendsAfterTheEnd() async throws {
        let stage = await Stage()
        await stage.player.append(try await Self.entries(0.3))
        await stage.player.play()
        try await stage.log.waitForEnd()
        let before = stage.log.count
        await stage.player.append([MediaEntry(try await noiseFile(0.4, seed: 2))])
        try await stage.log.wait("the second end", after: before) { $0 == .queueEnded }
        #expect(difference(stage.recorder.samples(), noise(0.3) + noise(0.4, seed: 2)) == nil)
        await stage.player.close()
    }

    @Test func appendingToAPausedPlayerPlaysNothing() async throws {
        let stage = await Stage()
        await stage.player.append(try await Self.entries(0.3))
        #expect(stage.player.status.timeControlStatus == .paused)
        #expect(stage.player.status.itemCount == 1)
        #expect(stage.player.status.currentItem == nil)
        await stage.player.close()
        #expect(stage.recorder.frames == 0)
    }

    @Test func playingNothingWaitsForSomething() async throws {
        let stage = await Stage()
        await stage.player.play()
        #expect(stage.player.status.timeControlStatus == .waitingToPlayAtSpecifiedRate(.noItemToPlay))
        #expect(stage.player.status.rate == 1)
        await stage.player.append(try await Self.entries(0.3))
        try await stage.log.waitForEnd()
        #expect(difference(stage.recorder.samples(), noise(0.3)) == nil)
        await stage.player.close()
    }

    @Test func loopIsTurnedOnWhenTheNextItemIsDecoded() async throws {
        let stage = try await held(0.5, 0.4)
        await stage.player.setLoopMode(.item)
        try await stage.output.waitUntilWritten { $0 > 100_000 }
        stage.recorder.release(to: 3 * 22_050 + 1_000)
        try await stage.recorder.waitUntilHeld()
        await stage.player.setLoopMode(.off)
        try await stage.output.waitUntilWritten { $0 == 4 * 22_050 + 17_640 }
        let heard = try await finish(stage)
        let once = noise(0.5)
        #expect(difference(heard.prefix(3 * once.count), once + once + once) == nil)
        #expect(difference(heard.suffix(17_640), noise(0.4, seed: 2)) == nil)
        #expect(stage.log.words.last == "queue ended")
        // Whole repetitions only.
        #expect((heard.count - 17_640) % once.count == 0)
    }

    @Test func loopIsToggledAndNothingChanges() async throws {
        let stage = try await held(0.5, 0.4)
        for _ in 0..<3 {
            await stage.player.setLoopMode(.item)
            try await stage.output.waitUntilWritten { $0 > 100_000 }
            await stage.player.setLoopMode(.off)
            try await stage.output.waitUntilWritten { $0 == 22_050 + 17_640 }
        }
        #expect(difference(try await finish(stage), noise(0.5) + noise(0.4, seed: 2)) == nil)
    }

    @Test func shuffleChangesWhatFollows() async throws {
        let seconds = [0.5, 0.1, 0.11, 0.12, 0.13, 0.14, 0.15]
        let stage = try await held(0.5, 0.1, 0.11, 0.12, 0.13, 0.14, 0.15)
        let before = await stage.player.items
        while await stage.player.items == before { await stage.player.shuffle() }
        try await stage.output.waitForRewinds(1)
        let order = await stage.player.items.map { $0.id.number - 1 }
        #expect(order.first == 0)
        let expected = order.flatMap { noise(seconds[$0], seed: UInt64($0 + 1)) }
        #expect(difference(try await finish(stage), expected) == nil)
    }

    @Test func pausesAtTheEnd() async throws {
        let stage = try await held(0.5, 0.4) { await $0.setActionAtItemEnd(.pause) }
        stage.recorder.release()
        try await stage.log.waitForStatus("a pause") {
            $0.timeControlStatus == .paused && $0.currentItem?.status == .readyToPlay
        }
        try await stage.log.wait("the end") { if case .itemPlayedToEnd = $0 { true } else { false } }
        #expect(stage.recorder.frames == 22_050)
        #expect(abs(stage.player.currentTime().seconds - 0.5) < 1e-6)
        #expect(stage.player.status.currentIndex == 0)
        // Playing goes on with the next one.
        await stage.player.play()
        try await stage.log.waitForItem(2)
        try await stage.recorder.waitForFrames(22_050 + 17_640)
        #expect(difference(stage.recorder.samples(), noise(0.5) + noise(0.4, seed: 2)) == nil)
        await stage.player.close()
    }

    @Test func pauseAtTheEndIsTakenBack() async throws {
        let stage = try await held(0.5, 0.4) { await $0.setActionAtItemEnd(.pause) }
        await stage.player.setActionAtItemEnd(.advance)
        try await stage.output.waitUntilWritten { $0 == 22_050 + 17_640 }
        #expect(difference(try await finish(stage), noise(0.5) + noise(0.4, seed: 2)) == nil)
    }

    @Test func timeRunsOnBehindTheEnd() async throws {
        let stage = try await held(0.5, 0.4) { await $0.setActionAtItemEnd(.none) }
        stage.recorder.release(to: 44_100)
        try await stage.recorder.waitUntilHeld()
        try await stage.log.wait("the end") { if case .itemPlayedToEnd = $0 { true } else { false } }
        #expect(stage.player.status.timeControlStatus == .playing)
        #expect(stage.player.status.currentIndex == 0)
        #expect(stage.player.currentTime().seconds > 0.8)
        #expect(difference(stage.recorder.samples(), noise(0.5) + [Int16](repeating: 0, count: 22_050)) == nil)
        // Before the next item, which may have been heard to its end by the time that a change arrives.
        await stage.player.setActionAtItemEnd(.advance)
        await stage.player.advanceToNextItem()
        let heard = try await finish(stage)
        #expect(difference(heard.suffix(17_640), noise(0.4, seed: 2)) == nil)
    }

    @Test func runningOnIsTakenBackBeforeTheEnd() async throws {
        let stage = try await held(0.5, 0.4) { await $0.setActionAtItemEnd(.none) }
        await stage.player.setActionAtItemEnd(.advance)
        try await stage.output.waitUntilWritten { $0 == 22_050 + 17_640 }
        #expect(difference(try await finish(stage), noise(0.5) + noise(0.4, seed: 2)) == nil)
    }

    @Test func goesForthAndBack() async throws {
        let stage = await Stage()
        await stage.player.append(try await Self.entries(0.5, 0.4, 0.3))
        await stage.player.jump(to: 1, at: 0.1)
        #expect(stage.player.status.currentIndex == 1)
        #expect(stage.player.currentTime() == 0.1)
        await stage.player.advanceToNextItem()
        #expect(stage.player.status.currentIndex == 2)
        await stage.player.returnToPreviousItem()
        await stage.player.returnToPreviousItem()
        #expect(stage.player.status.currentIndex == 0)
        await stage.player.returnToPreviousItem()
        #expect(stage.player.status.currentIndex == 0)
        #expect(stage.player.status.timeControlStatus == .paused)
        await stage.player.advanceToNextItem()
        await stage.player.play()
        try await stage.log.waitForEnd()
        #expect(difference(stage.recorder.samples(), noise(0.4, seed: 2) + noise(0.3, seed: 3)) == nil)
        // Behind the last item the queue has ended.
        await stage.player.pause()
        await stage.player.returnToPreviousItem()
        #expect(stage.player.status.currentIndex == 2)
        await stage.player.close()
    }

    @Test func nextBehindTheLastEndsTheQueue() async throws {
        let stage = try await held(0.5)
        await stage.player.advanceToNextItem()
        try await stage.log.waitForEnd()
        #expect(stage.player.status.currentItem == nil)
        stage.recorder.release()
        await stage.player.close()
        #expect(!stage.log.words.contains("ended 1"))
    }

    @Test func removingAllStops() async throws {
        let stage = try await held(0.5, 0.4)
        await stage.player.removeAllItems()
        #expect(stage.player.status.timeControlStatus == .paused)
        #expect(stage.player.status.itemCount == 0)
        #expect(stage.player.status.currentItem == nil)
        #expect(stage.player.currentTime() == 0)
        stage.recorder.release()
        await stage.player.append([MediaEntry(try await noiseFile(0.3, seed: 3))])
        await stage.player.play()
        try await stage.log.waitForEnd()
        #expect(difference(stage.recorder.samples().suffix(13_230), noise(0.3, seed: 3)) == nil)
        await stage.player.close()
    }
}
