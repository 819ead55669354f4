import AudioTypes
import Playback
import TestSupport
import Testing

/// A player whose owner keeps the queue itself: always the current item and what follows it.
@Suite(.timeLimit(.minutes(10)), .enabled("ffmpeg or lame is not installed") { MediaFixtures.missing.isEmpty })
struct QueueKeeperTests {
    private func entry(_ seconds: Double, _ seed: UInt64 = 1) async throws -> MediaEntry {
        MediaEntry(try await noiseFile(seconds, seed: seed))
    }

    /// A player whose sink is held within the one item that it was given.
    private func held(_ seconds: Double, following: MediaEntry...) async throws -> (Stage, PlayerItem.ID) {
        let stage = await Stage(limit: 10_000)
        let id = try #require(await stage.player.replaceCurrentItem(with: try await entry(seconds)))
        await stage.player.replaceFollowingItems(with: following)
        await stage.player.play()
        try await stage.recorder.waitUntilHeld()
        // Told, so that the next one is another.
        try await stage.log.waitForJump()
        return (stage, id)
    }

    private func finish(_ stage: Stage) async throws -> [Int16] {
        stage.recorder.release()
        try await stage.log.waitForEnd()
        await stage.player.close()
        return stage.recorder.samples()
    }

    /// As a server does it: told that the next item is heard, it says what comes after that.
    @Test func aQueueOfOneAheadIsGapless() async throws {
        let seconds = [0.5, 0.6, 0.55, 0.7, 0.65]
        // The sink gets some 10,000 frames into an item (it takes 8,192 at a time), and no further until it is said what
        // comes behind it.
        let stage = await Stage(limit: 10_000)
        var start = 0
        var left: [MediaEntry] = []
        for (index, length) in seconds.enumerated() { left.append(try await entry(length, UInt64(index + 1))) }
        let events = await stage.player.events()
        var heard: [PlayerItem.ID] = []
        var given = [await stage.player.replaceCurrentItem(with: left.removeFirst())].compactMap(\.self)
        await stage.player.play()
        loop: for await event in events {
            switch event {
            case .currentItemChanged(let item?):
                heard.append(item.id)
                let next = left.isEmpty ? [] : [left.removeFirst()]
                given += await stage.player.replaceFollowingItems(with: next)
                #expect(await stage.player.items.count <= 2)
                start += Int(seconds[heard.count - 1] * 44_100)
                stage.recorder.release(to: left.isEmpty && next.isEmpty ? .max : start + 10_000)
            case .queueEnded: break loop
            default: break
            }
        }
        await stage.player.close()
        #expect(heard == given)
        #expect(heard.count == seconds.count)
        let expected = seconds.enumerated().flatMap { noise($1, seed: UInt64($0 + 1)) }
        #expect(difference(stage.recorder.samples(), expected) == nil)
    }

    @Test func whatFollowsIsReplacedAlthoughDecoded() async throws {
        let (stage, first) = try await held(0.5, following: try await entry(0.4, 2), try await entry(0.3, 3))
        try await stage.output.waitUntilWritten { $0 == 22_050 + 17_640 + 13_230 }
        let ids = await stage.player.replaceFollowingItems(with: [try await entry(0.2, 4)])
        try await stage.output.waitUntilWritten { $0 == 22_050 + 8_820 }
        #expect(await stage.player.items.map(\.id) == [first] + ids)
        #expect(difference(try await finish(stage), noise(0.5) + noise(0.2, seed: 4)) == nil)
    }

    /// What is equal stays as it is, and only what lies behind it is decoded again.
    @Test func equalEntriesKeepTheirItems() async throws {
        let (second, third, fourth) = (try await entry(0.4, 2), try await entry(0.3, 3), try await entry(0.2, 4))
        let (stage, _) = try await held(0.5)
        let before = await stage.player.replaceFollowingItems(with: [second, third])
        try await stage.output.waitUntilWritten { $0 == 22_050 + 17_640 + 13_230 }
        let rewinds = stage.output.rewindCount
        #expect(await stage.player.replaceFollowingItems(with: [second, third]) == before)
        let after = await stage.player.replaceFollowingItems(with: [second, fourth, third])
        #expect(after.first == before.first)
        #expect(Set(after).count == 3)
        try await stage.output.waitUntilWritten { $0 == 22_050 + 17_640 + 8_820 + 13_230 }
        // The first call changed nothing; the second took back what lies behind the item that stayed.
        #expect(stage.output.rewindCount == rewinds + 1)
        #expect(stage.output.calls.current.contains(.rewind(FramePosition(22_050 + 17_640))))
        let expected = noise(0.5) + noise(0.4, seed: 2) + noise(0.2, seed: 4) + noise(0.3, seed: 3)
        #expect(difference(try await finish(stage), expected) == nil)
    }

    @Test func theCurrentItemIsReplaced() async throws {
        let (stage, first) = try await held(0.5, following: try await entry(0.4, 2))
        let before = stage.log.count
        let id = try #require(await stage.player.replaceCurrentItem(with: try await entry(0.3, 3), at: 0.1))
        #expect(id > first)
        #expect(stage.player.currentTime() == 0.1)
        #expect(await stage.player.items.map(\.id) == [id])
        try await stage.log.waitForItem(id.number, after: before)
        let heard = try await finish(stage)
        #expect(difference(heard.suffix(8_820), noise(0.3, seed: 3).dropFirst(4_410)) == nil)
        #expect(!stage.log.words.contains("ended 1"))
    }

    /// The position is there at once, and nothing is heard.
    @Test func aPausedPlayerStaysPaused() async throws {
        let stage = await Stage()
        let id = await stage.player.replaceCurrentItem(with: try await entry(4), at: 1.5)
        #expect(stage.player.currentTime() == 1.5)
        #expect(stage.player.status.currentItem?.id == id)
        #expect(stage.player.status.timeControlStatus == .paused)
        try await stage.log.waitForJump()
        #expect(await stage.player.seek(to: 2.5))
        #expect(stage.player.currentTime() == 2.5)
        await stage.player.replaceFollowingItems(with: [try await entry(0.3, 2)])
        #expect(stage.player.currentTime() == 2.5)
        await stage.player.play()
        let expected = Array(noise(4).dropFirst(110_250)) + noise(0.3, seed: 2)
        #expect(difference(try await finish(stage), expected) == nil)
    }

    @Test func nothingStopsAndEmpties() async throws {
        let (stage, _) = try await held(0.5, following: try await entry(0.4, 2))
        #expect(await stage.player.replaceCurrentItem(with: nil) == nil)
        #expect(stage.player.status.timeControlStatus == .paused)
        #expect(stage.player.status.itemCount == 0)
        #expect(stage.player.currentTime() == 0)
        stage.recorder.release()
        await stage.player.close()
        #expect(stage.log.words.last == "current 0")
    }

    @Test func whatFailsIsNamedAndSkipped() async throws {
        let (stage, first) = try await held(0.5)
        let ids = await stage.player.replaceFollowingItems(
            with: [MediaEntry("/nowhere/1"), try await entry(0.4, 2), MediaEntry("/nowhere/2")]
        )
        try await stage.output.waitUntilWritten { $0 == 22_050 + 17_640 }
        #expect(difference(try await finish(stage), noise(0.5) + noise(0.4, seed: 2)) == nil)
        var failed: [PlayerItem.ID] = []
        var heard: [PlayerItem.ID] = []
        for event in stage.log.all {
            switch event {
            case .itemFailed(let item):
                failed.append(item.id)
                if case .failed(let reason) = item.status { #expect(reason.hasPrefix("/nowhere/")) }
            case .currentItemChanged(let item?): heard.append(item.id)
            default: break
            }
        }
        #expect(failed == [ids[0], ids[2]])
        #expect(heard == [first, ids[1]])
    }

    @Test func theOnlyItemFails() async throws {
        let stage = await Stage()
        let id = try #require(await stage.player.replaceCurrentItem(with: MediaEntry("/nowhere/1")))
        await stage.player.play()
        try await stage.log.waitForEnd()
        #expect(stage.log.words == ["current \(id.number)", "failed \(id.number)", "current 0", "queue ended"])
        // Something else is played at once: the player still wants to.
        await stage.player.replaceFollowingItems(with: [try await entry(0.3)])
        try await stage.recorder.waitForFrames(13_230)
        await stage.player.close()
    }

    /// The next item begins while what follows is replaced, over and over, and nothing is lost or doubled.
    @Test func replacingWhileItemsChange() async throws {
        let stage = await ClockStage()
        let entries = [try await entry(0.1, 1), try await entry(0.1, 2), try await entry(0.1, 3)]
        await stage.player.replaceCurrentItem(with: entries[0])
        await stage.player.play()
        var following: [PlayerItem.ID] = []
        var round = 0
        while stage.log.words.count(where: { $0.hasPrefix("ended") }) < 12 {
            following = await stage.player.replaceFollowingItems(with: [entries[round % 3], entries[round / 2 % 3]])
            #expect(await stage.player.items.map(\.id).suffix(2) == following.suffix(2))
            round += 1
            await Task.yield()
        }
        try await stage.log.waitForItem(following[1].number)
        try await stage.log.waitForEnd()
        await stage.player.close()
        let ended = stage.log.words.filter { $0.hasPrefix("ended") }
        #expect(Set(ended).count == ended.count)
        #expect(!stage.log.words.contains { $0.hasPrefix("failed") })
    }

    struct Source: Sendable, CustomTestStringConvertible {
        var codec: MediaFixtures.Codec
        var format: String
        var bitRate: ClosedRange<Int>
        var testDescription: String { "\(codec)" }
    }

    @Test(arguments: [
        Source(codec: .flac, format: "44100:16:2", bitRate: 500...1_412),
        Source(codec: .wav, format: "44100:16:2", bitRate: 1_411...1_412),
        Source(codec: .mp3, format: "44100:f:2", bitRate: 60...400),
        Source(codec: .m4a, format: "44100:f:2", bitRate: 60...400),
        Source(codec: .vorbis, format: "44100:f:2", bitRate: 60...600),
    ])
    func tellsWhatIsDecoded(_ source: Source) async throws {
        let stage = await Stage()
        await stage.player.replaceCurrentItem(with: MediaEntry(try await noiseFile(3, source.codec)))
        try await stage.log.waitForJump()
        let item = try #require(stage.player.status.currentItem)
        #expect(item.sourceFormat?.description == source.format)
        #expect(source.bitRate.contains(item.bitRate ?? 0), "\(item.bitRate ?? 0)")
        await stage.player.close()
    }
}
