import AudioTypes
import Playback
import TestSupport
import Testing

/// Items that cannot be played, or not well, are told of once and disturb no other item.
@Suite(.enabled("ffmpeg or lame is not installed") { MediaFixtures.missing.isEmpty })
struct BadItemTests {
    struct Row: Sendable, CustomTestStringConvertible {
        /// Which of three items are bad.
        var bad: Set<Int>
        var testDescription: String { "bad: \(bad.sorted())" }
    }

    @Test(arguments: [[0], [1], [2], [0, 1], [1, 2], [0, 2], [0, 1, 2]].map { Row(bad: $0) })
    func badItemsAreSkipped(_ row: Row) async throws {
        let folder = try TemporaryFolder()
        let text = try folder.write("text.flac", "this is no music\n")
        var entries: [MediaEntry] = []
        var expected: [Int16] = []
        for index in 0..<3 {
            if row.bad.contains(index) {
                entries.append(MediaEntry(index == 1 ? folder.file("missing.flac") : text))
            } else {
                entries.append(MediaEntry(try await noiseFile(0.4, seed: UInt64(index + 1))))
                expected += noise(0.4, seed: UInt64(index + 1))
            }
        }
        let stage = await Stage()
        await stage.player.append(entries)
        await stage.player.play()
        try await stage.log.waitForEnd()
        await stage.player.close()
        #expect(difference(stage.recorder.samples(), expected) == nil)
        let failed = stage.log.all.compactMap { event -> PlayerItem? in
            if case .itemFailed(let item) = event { item } else { nil }
        }
        #expect(failed.map(\.id.number) == row.bad.sorted().map { $0 + 1 })
        for item in failed {
            guard case .failed(let reason) = item.status else {
                Issue.record("a failed item says that it failed")
                continue
            }
            #expect(reason.contains(item.id.number == 2 ? "missing.flac" : "text.flac"))
            #expect(!reason.contains("\n"))
        }
        #expect(stage.log.words.filter { $0.hasPrefix("ended") }.count == 3 - row.bad.count)
    }

    @Test func aQueueOfBadItemsThatLoopsEnds() async throws {
        let stage = await Stage()
        await stage.player.setLoopMode(.queue)
        await stage.player.append([MediaEntry("/nowhere/1"), MediaEntry("/nowhere/2")])
        await stage.player.play()
        try await stage.log.waitForEnd()
        #expect(stage.log.words.filter { $0.hasPrefix("failed") } == ["failed 1", "failed 2"])
        await stage.player.close()
    }

    /// Items without a single sample would be repeated for ever in no time.
    @Test(arguments: LoopMode.allCases, [1, 2])
    func aQueueOfEmptyItemsThatLoopsEnds(_ mode: LoopMode, _ count: Int) async throws {
        let empty = try await MediaFixtures.audio("empty", .wav) { [] }
        let file = try await noiseFile(1)
        // One is an empty file, the other an empty part of one.
        let entries = [MediaEntry(empty), MediaEntry(file, from: 0.5, to: 0.5)].prefix(count)
        let stage = await Stage()
        await stage.player.setLoopMode(mode)
        await stage.player.append(Array(entries))
        await stage.player.play()
        try await stage.log.waitForEnd()
        #expect(stage.log.words.filter { $0.hasPrefix("failed") } == (1...count).map { "failed \($0)" })
        #expect(stage.log.words.filter { $0 == "queue ended" }.count == 1)
        await stage.player.close()
    }

    /// An item that is looped goes away: it is not tried for ever.
    @Test func aLoopedItemThatIsLostEndsTheQueue() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("lost.flac")
        try ChildProcess.run("cp", [try await noiseFile(0.5), path])
        let stage = await Stage(limit: 10_000)
        await stage.player.setLoopMode(.item)
        await stage.player.append([MediaEntry(path)])
        await stage.player.play()
        // As long as the file is open, it can be played again although it is gone. It is closed when a repetition that
        // is decoded already is taken back.
        try await stage.output.waitUntilWritten { $0 > 22_050 }
        try ChildProcess.run("rm", [path])
        await stage.player.setLoopMode(.off)
        try await stage.output.waitUntilWritten { $0 == 22_050 }
        await stage.player.setLoopMode(.item)
        try await stage.log.wait("a failure") { if case .itemFailed = $0 { true } else { false } }
        stage.recorder.release()
        try await stage.log.waitForEnd()
        await stage.player.close()
        #expect(stage.log.words.filter { $0.hasPrefix("failed") } == ["failed 1"])
        #expect(difference(stage.recorder.samples(), noise(0.5)) == nil)
    }

    /// From an item's very end a loop goes on at its beginning.
    @Test func aLoopGoesOnFromTheEnd() async throws {
        let stage = await Stage()
        await stage.player.setLoopMode(.item)
        await stage.player.append([MediaEntry(try await noiseFile(0.5))])
        await stage.player.jump(to: 0, at: 0.5)
        await stage.player.play()
        try await stage.recorder.waitForFrames(44_100)
        await stage.player.close()
        #expect(difference(stage.recorder.samples().prefix(44_100), noise(0.5) + noise(0.5)) == nil)
    }

    @Test func goingBackToABadItemGoesOn() async throws {
        let stage = await Stage()
        await stage.player.append([MediaEntry("/nowhere/1"), MediaEntry(try await noiseFile(0.4))])
        await stage.player.jump(to: 0)
        try await stage.log.waitForJump()
        #expect(stage.player.status.currentIndex == 1)
        await stage.player.returnToPreviousItem()
        #expect(stage.player.status.currentIndex == 1)
        await stage.player.close()
    }

    @Test(arguments: [MediaFixtures.Codec.flac, .mp3, .vorbis])
    func damageIsToldOnce(_ codec: MediaFixtures.Codec) async throws {
        let whole = try await noiseFile(3, codec)
        let bad = try await MediaFixtures.corrupted(whole, count: 200)
        let good = try await noiseFile(0.4, seed: 2)
        let stage = await Stage()
        await stage.player.append([MediaEntry(bad), MediaEntry(good)])
        await stage.player.play()
        try await stage.log.waitForEnd()
        await stage.player.close()
        #expect(stage.log.words.filter { $0 == "damaged 1" }.count == 1)
        #expect(stage.log.words.filter { $0.hasPrefix("failed") } == [])
        #expect(difference(stage.recorder.samples().suffix(17_640), noise(0.4, seed: 2)) == nil)
    }

    @Test(arguments: [MediaFixtures.Codec.flac, .wav, .m4a])
    func truncationIsToldOnce(_ codec: MediaFixtures.Codec) async throws {
        let bad = try await MediaFixtures.truncated(try await noiseFile(3, codec), keeping: 0.5)
        let stage = await Stage()
        await stage.player.append([MediaEntry(bad), MediaEntry(try await noiseFile(0.4, seed: 2))])
        await stage.player.play()
        try await stage.log.waitForEnd()
        await stage.player.close()
        let told = stage.log.words.filter { $0 == "damaged 1" || $0 == "failed 1" }
        #expect(told.count == 1)
        #expect(difference(stage.recorder.samples().suffix(17_640), noise(0.4, seed: 2)) == nil)
    }
}
