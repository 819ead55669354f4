import AudioTypes
import Foundation
import Playback
import TestSupport
import Testing

/// One item fades out under the next one, exact to the sample.
@Suite(.timeLimit(.minutes(10)), .enabled("ffmpeg or lame is not installed") { MediaFixtures.missing.isEmpty })
struct CrossfadeTests {
    private static func sound(_ frequency: Double, _ seconds: Double, rate: Int = 44_100) -> [Float] {
        Signal.tone(frequency, seconds: seconds, sampleRate: rate).map { $0 * 0.5 }
    }

    private func tone(_ frequency: Double, _ seconds: Double) -> [Int16] {
        Signal.integers(Self.sound(frequency, seconds))
    }

    private func entry(
        _ frequency: Double,
        _ seconds: Double,
        rate: Int = 44_100,
        channels: Int = 2,
        tags: [String: String] = [:]
    ) async throws -> MediaEntry {
        let name = "half\(frequency)x\(seconds)x\(tags.values.joined(separator: "_"))"
        return MediaEntry(
            try await MediaFixtures.audio(name, .flac, sampleRate: rate, channels: channels, tags: tags) {
                Self.sound(frequency, seconds, rate: rate)
            }
        )
    }

    /// What is to be heard of two sounds of which the last and the first `frames` overlap.
    private func mix(_ first: [Int16], _ second: [Int16], _ frames: Int, fades: Bool = true) -> [Int16] {
        let middle = (0..<frames).map { index -> Int16 in
            let angle = (Double(index) + 0.5) / Double(frames) * .pi / 2
            let (out, into) = fades ? (cos(angle), sin(angle)) : (1, 1)
            let sum = Double(first[first.count - frames + index]) * out + Double(second[index]) * into
            return Int16(clamping: Int(sum.rounded()))
        }
        return first.dropLast(frames) + middle + second.dropFirst(frames)
    }

    private func held(_ fade: Double, _ entries: MediaEntry...) async throws -> Stage {
        let stage = await Stage(limit: 10_000)
        await stage.player.setCrossfade(seconds: fade)
        await stage.player.append(entries)
        await stage.player.play()
        try await stage.recorder.waitUntilHeld()
        // Told, so that the next one is another.
        try await stage.log.waitForJump()
        return stage
    }

    private func finish(_ stage: Stage) async throws -> [Int16] {
        stage.recorder.release()
        try await stage.log.waitForEnd()
        await stage.player.close()
        return stage.recorder.samples()
    }

    @Test(arguments: [0.25, 0.5, 1])
    func itemsOverlap(_ fade: Double) async throws {
        let entries = [try await entry(300, 2), try await entry(500, 3), try await entry(700, 2)]
        let recorder = try await Stage.heard(entries) { await $0.setCrossfade(seconds: fade) }
        let frames = Int(fade * 44_100)
        let expected = mix(mix(tone(300, 2), tone(500, 3), frames), tone(700, 2), frames)
        #expect(difference(recorder.samples(), expected) == nil)
        #expect(recorder.frames == 7 * 44_100 - 2 * frames)
    }

    @Test func formatsMayDiffer() async throws {
        let (first, second) = (try await entry(300, 2), try await entry(500, 2, rate: 48_000, channels: 1))
        let alone = try await Stage.heard([second]).samples()
        let recorder = try await Stage.heard([first, second, first]) { await $0.setCrossfade(seconds: 0.5) }
        let expected = mix(mix(tone(300, 2), alone, 22_050), tone(300, 2), 22_050)
        #expect(difference(recorder.samples(), expected) == nil)
    }

    @Test(arguments: [1e300, .infinity, 60, 2_147_483_647]) func whatIsKeptBackIsLimited(_ seconds: Double) {
        #expect(Crossfade.frames(in: seconds, of: .cd) == 60 * 44_100)
        let large = AudioFormat(sampleFormat: .f32, sampleRate: 768_000, channels: .surround71)
        #expect(Crossfade.frames(in: seconds, of: large) * large.bytesPerFrame == Crossfade.memory)
        #expect(Crossfade.frames(in: 0.5, of: .cd) == 22_050)
    }

    @Test func shortItemsDoNotOverlap() async throws {
        let entries = [try await entry(300, 0.9), try await entry(500, 2), try await entry(700, 0.9)]
        let recorder = try await Stage.heard(entries) { await $0.setCrossfade(seconds: 0.5) }
        #expect(difference(recorder.samples(), tone(300, 0.9) + tone(500, 2) + tone(700, 0.9)) == nil)
    }

    @Test func partsThatContinueEachOtherDoNotOverlap() async throws {
        let path = try await entry(300, 6).location
        let parts = [
            MediaEntry(path, from: 0, to: 2), MediaEntry(path, from: 2, to: 4), MediaEntry(path, from: 1, to: 3),
        ]
        let recorder = try await Stage.heard(parts) { await $0.setCrossfade(seconds: 0.5) }
        let whole = tone(300, 6)
        let expected = mix(Array(whole[..<176_400]), Array(whole[44_100..<132_300]), 22_050)
        #expect(difference(recorder.samples(), expected) == nil)
    }

    @Test func theNextItemIsCurrentFromWhereItBegins() async throws {
        let stage = await Stage(limit: 76_000)
        await stage.player.setCrossfade(seconds: 0.5)
        await stage.player.append([try await entry(300, 2), try await entry(500, 2)])
        await stage.player.play()
        try await stage.recorder.waitUntilHeld()
        try await stage.log.waitForItem(2)
        #expect(stage.player.status.currentIndex == 1)
        // The overlap begins at 66,150, and the sink is about 10,000 frames further.
        #expect((0.2..<0.45).contains(stage.player.currentTime().seconds))
        #expect(difference(try await finish(stage), mix(tone(300, 2), tone(500, 2), 22_050)) == nil)
        #expect(stage.log.words.filter { $0.hasPrefix("ended") } == ["ended 1", "ended 2"])
    }

    /// The end of an item was mixed with what then does not follow it.
    @Test func whatFollowsChangesWhenItIsMixedAlready() async throws {
        let stage = try await held(0.5, try await entry(300, 2), try await entry(500, 2))
        try await stage.output.waitUntilWritten { $0 == 4 * 44_100 - 22_050 }
        await stage.player.replaceFollowingItems(with: [try await entry(700, 2.5)])
        try await stage.output.waitUntilWritten { $0 == 198_450 - 22_050 }
        await stage.player.replaceFollowingItems(with: [])
        try await stage.output.waitUntilWritten { $0 == 88_200 }
        #expect(difference(try await finish(stage), tone(300, 2)) == nil)
    }

    @Test func anotherItemFollowsThanTheOneMixed() async throws {
        let stage = try await held(0.5, try await entry(300, 2), try await entry(500, 2))
        try await stage.output.waitUntilWritten { $0 == 4 * 44_100 - 22_050 }
        await stage.player.replaceFollowingItems(with: [try await entry(700, 2.5)])
        try await stage.output.waitUntilWritten { $0 == 198_450 - 22_050 }
        #expect(difference(try await finish(stage), mix(tone(300, 2), tone(700, 2.5), 22_050)) == nil)
    }

    /// The end of the queue was decoded and marked; then there is more.
    @Test func anItemIsAddedBehindADecodedEnd() async throws {
        let stage = try await held(0.5, try await entry(300, 2))
        try await stage.output.waitUntilWritten { $0 == 88_200 }
        await stage.player.append([try await entry(500, 2)])
        try await stage.output.waitUntilWritten { $0 == 2 * 88_200 - 22_050 }
        #expect(difference(try await finish(stage), mix(tone(300, 2), tone(500, 2), 22_050)) == nil)
    }

    /// It was added too late to be mixed with what is about to be heard.
    @Test func anItemThatIsAddedLateFollowsTheEnd() async throws {
        let stage = try await held(0.5, try await entry(300, 1))
        try await stage.output.waitUntilWritten { $0 == 44_100 }
        await stage.player.append([try await entry(500, 2)])
        try await stage.output.waitUntilWritten { $0 == 44_100 + 88_200 }
        #expect(difference(try await finish(stage), tone(300, 1) + tone(500, 2)) == nil)
    }

    /// What is heard fades under the item that is gone to; as much of it as is decoded.
    @Test(arguments: [2, 0.5])
    func aSkipFades(_ seconds: Double) async throws {
        let first = try await entry(300, seconds)
        let stage = try await held(0.5, first, try await entry(500, 2))
        try await stage.output.waitUntilWritten { $0 > 88_200 }
        let heard = Int((stage.player.currentTime().seconds * 44_100).rounded())
        let before = stage.log.count
        await stage.player.advanceToNextItem()
        // Until the next item is open, this one goes on.
        try await stage.log.waitForJump(after: before)
        let played = try await finish(stage)
        let frames = min(22_050, Int(seconds * 44_100) - heard)
        let expected = mix(Array(tone(300, seconds).prefix(heard + frames)), tone(500, 2), frames)
        #expect(difference(played, expected) == nil)
    }

    @Test func pausedSkipsAndSeeksDoNotFade() async throws {
        let stage = try await held(0.5, try await entry(300, 2), try await entry(500, 2))
        try await stage.output.waitUntilWritten { $0 > 88_200 }
        #expect(await stage.player.seek(to: 1))
        await stage.player.pause()
        await stage.player.advanceToNextItem()
        await stage.player.play()
        let expected = tone(500, 2)
        #expect(difference(try await finish(stage).suffix(expected.count), expected) == nil)
    }

    /// Who goes to shortly before the end still hears some of it alone.
    @Test func nearTheEndTheOverlapIsShorter() async throws {
        let stage = await Stage()
        await stage.player.setCrossfade(seconds: 0.5)
        await stage.player.append([try await entry(300, 2), try await entry(500, 2)])
        await stage.player.jump(to: 0, at: 1.8)
        await stage.player.play()
        let expected = mix(Array(tone(300, 2).suffix(8_820)), tone(500, 2), 4_410)
        #expect(difference(try await finish(stage), expected) == nil)
    }

    /// The overlap is as long as ever when the medium passes at another speed.
    @Test func theRateDoesNotChangeTheLength() async throws {
        let stage = try await held(0.5, try await entry(300, 4), try await entry(500, 4))
        await stage.player.setTimePitchAlgorithm(.varispeed)
        let before = stage.log.count
        try await stage.player.setRate(2)
        try await stage.log.waitForJump(after: before)
        let start = Int((stage.player.currentTime().seconds * 44_100).rounded())
        let heard = try await finish(stage)
        #expect(abs(heard.count - (start + (4 * 44_100 - start) / 2 + 2 * 44_100 - 22_050)) < 100)
    }

    @Test func aLoopIsNotFaded() async throws {
        let once = tone(300, 1.5)
        let stage = await Stage()
        await stage.player.setCrossfade(seconds: 0.5)
        await stage.player.setLoopMode(.item)
        await stage.player.append([try await entry(300, 1.5)])
        await stage.player.play()
        try await stage.recorder.waitForFrames(3 * once.count)
        await stage.player.close()
        #expect(difference(stage.recorder.samples().prefix(3 * once.count), once + once + once) == nil)
    }

    @Test func mixRampMeetsAtTheLevel() async throws {
        let end = try await entry(300, 2, tags: ["MIXRAMP_END": "-40 0.1;-20 0.3;-10 0.5;"])
        let start = try await entry(500, 2, tags: ["MIXRAMP_START": "-30 0.15;-10 0.25;"])
        let plain = try await entry(700, 2)
        // −15 dB: 0.4 s before the end, 0.225 s after the beginning, and 0.125 s less.
        let recorder = try await Stage.heard([end, start, plain]) {
            await $0.setMixRamp(threshold: -15, delay: 0.125)
            await $0.setCrossfade(seconds: 0.25)
        }
        let first = mix(tone(300, 2), tone(500, 2), 22_050, fades: false)
        #expect(difference(recorder.samples(), mix(first, tone(700, 2), 11_025)) == nil)
        let off = try await Stage.heard([end, start]) { await $0.setMixRamp(threshold: -15, delay: .nan) }
        #expect(difference(off.samples(), tone(300, 2) + tone(500, 2)) == nil)
    }
}

/// Levels at the edges of media, and what follows from them.
struct MixRampTests {
    struct Row: Sendable {
        var text: String
        var level: Double
        var seconds: Double?
    }

    @Test(arguments: [
        Row(text: "-40 0.1;-20 0.3;-10 0.5;", level: -20, seconds: 0.3),
        Row(text: "-40 0.1;-20 0.3;-10 0.5", level: -30, seconds: 0.2),
        Row(text: "-40.0 0.1;-20.0 0.3;", level: -60, seconds: 0.1),
        Row(text: "-40 0.1;-20 0.3;", level: -10, seconds: nil),
        Row(text: "-40 0.1;nonsense;-20 0.3", level: -20, seconds: nil),
        Row(text: "-20 0.3;-40 0.1;", level: -30, seconds: 0.3),
    ])
    func tellsWhereALevelIs(_ row: Row) throws {
        let seconds = try #require(MixRamp(row.text)).seconds(to: row.level)
        #expect(seconds.map { ($0 * 1e6).rounded() } == row.seconds.map { ($0 * 1e6).rounded() })
    }

    @Test(arguments: ["", ";", "x y", "-20", "-20 -1;", "nan 1;", "-20 inf"])
    func refusesNonsense(_ text: String) { #expect(MixRamp(text) == nil) }

    @Test func gainShiftsTheLevel() throws {
        var crossfade = Crossfade()
        crossfade.mixRampDelay = 0
        crossfade.mixRampThreshold = -10
        var tags = Tags()
        tags.append("-20 1;-10 2;", to: "MIXRAMP_END")
        tags.append("-20 0;", to: "MIXRAMP_START")
        let plain = Crossfade.Side(entry: MediaEntry(location: "a"), seconds: 60, tags: tags)
        let loud = Crossfade.Side(entry: MediaEntry(location: "b"), seconds: 60, tags: tags, gain: Gain(decibels: 10))
        // Louder by 10 dB, it reaches −10 dB where it has −20 by itself.
        #expect(abs((crossfade.overlap(from: loud, to: loud)?.seconds ?? 0) - 1) < 1e-6)
        // Never so loud: they do not overlap, whatever the crossfade.
        crossfade.seconds = 5
        #expect(crossfade.overlap(from: plain, to: plain) == nil)
    }
}
