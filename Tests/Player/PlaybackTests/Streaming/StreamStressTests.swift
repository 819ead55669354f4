import AudioTypes
import Foundation
import Outputs
import Playback
import TestSupport
import Testing

/// Whatever is done to a player on bad networks, it plays on afterwards.
@Suite(.enabled("ffmpeg or lame is not installed") { MediaFixtures.missing.isEmpty })
struct StreamStressTests {
    @Test(arguments: 0..<4 as Range<UInt64>)
    func playsOnAfterAnything(_ seed: UInt64) async throws {
        var generator = SplitMix(state: seed)
        let song = try await MediaFixtures.position(.mp3, seconds: 3)
        let fast = try PacedServer(song)
        let slow = try PacedServer(song, rate: 12_000)
        let broken = try PacedServer(song, limit: 20_000)
        broken.state.withLock { $0.cuts = true }
        let silent = try HostileServer.silent()
        let places = [fast.url, slow.url, broken.url, silent.url("a.mp3"), song]
        let stage = await ClockStage()
        let player = stage.player
        await player.append(places.map { MediaEntry($0) })
        await player.play()
        for _ in 0..<60 {
            switch Int.random(in: 0..<11, using: &generator) {
            case 0: await player.pause()
            case 1: await player.play()
            case 2: await player.playImmediately()
            case 3: await player.advanceToNextItem()
            case 4: await player.returnToPreviousItem()
            case 5: await player.jump(to: Int.random(in: 0..<2, using: &generator))
            case 6:
                let time = MediaTime(seconds: .random(in: 0..<3, using: &generator))
                let seek = Task { await player.seek(to: time) }
                // Where nothing comes, a seek lasts for as long as its stream is tried again.
                let other = Bool.random(using: &generator) ? Task { await player.seek(to: .zero) } : nil
                await Task.yield()
                seek.cancel()
                other?.cancel()
            case 7: try await player.setSpeed(.random(in: 0.5...2, using: &generator))
            case 8:
                let entries = (0..<2).compactMap { _ in places.randomElement(using: &generator) }
                await player.replaceFollowingItems(with: entries.map { MediaEntry($0) })
            case 9: await player.setAutomaticallyWaits(.random(using: &generator))
            default: await player.setPreferredForwardBuffer(.random(in: 0...3, using: &generator))
            }
            // Whatever is in the middle then.
            await Task.yield()
            if Bool.random(using: &generator) { usleep(UInt32.random(in: 0...30_000, using: &generator)) }
            let status = player.bufferStatus()
            if let range = status.loaded.first { #expect(range.lowerBound <= range.upperBound) }
        }
        await player.setAutomaticallyWaits(true)
        try await player.setSpeed(1)
        let before = stage.log.count
        await player.replaceCurrentItem(with: MediaEntry(fast.url))
        await player.play()
        try await stage.log.wait("the end", after: before) { $0 == .queueEnded }
        await player.close()
        // No connection is left.
        guard await silent.state.wait(within: deadline, until: { $0.open == 0 }) else {
            throw Missing("the connections' end")
        }
    }
}
