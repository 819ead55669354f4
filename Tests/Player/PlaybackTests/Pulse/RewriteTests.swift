import AudioTypes
import Playback
import TestSupport
import Testing

/// What was sent to a server is changed at awkward moments, and the clock tells the truth meanwhile.
@Suite(
    .serialized,
    .enabled("ffmpeg or lame is not installed") { MediaFixtures.missing.isEmpty },
    .enabled("pulseaudio is not installed") { PulseServer.missing.isEmpty }
)
struct RewriteTests {
    /// Right after a jump it is not known yet where the server counts its frames.
    @Test func whatFollowsChangesRightAfterAJump() async throws {
        let server = try await PulseServer.start()
        let stage = try await PulseStage(on: server)
        await stage.play(try await noiseFile(2), try await noiseFile(1, seed: 2))
        let start = try await stage.capture.waitForSound()
        try await stage.capture.waitForFrames(10_000, after: start)
        server.freeze()
        #expect(await stage.player.seek(to: 1.5))
        try await stage.waitUntilDecoded(2)
        await stage.player.replaceFollowingItems(with: [MediaEntry(try await noiseFile(1.2, seed: 3))])
        try await stage.waitUntilDecoded(3)
        server.thaw()
        try await stage.log.waitForEnd()
        let heard = try await stage.heard()
        let expected = Array(noise(2).dropFirst(66_150)) + noise(1.2, seed: 3)
        #expect(expected.isEnd(of: heard))
    }

    /// The end of what is heard is nearer than a server may need to replace what lies behind it.
    @Test(arguments: [0.015, 0.029])
    func whatFollowsChangesRightBeforeTheEnd(_ rest: Double) async throws {
        let stage = try await PulseStage()
        await stage.player.append([
            MediaEntry(try await noiseFile(2)), MediaEntry(try await noiseFile(1, seed: 2)),
        ])
        await stage.player.jump(to: 0, at: MediaTime(seconds: 2 - rest))
        try await stage.waitUntilDecoded(2)
        await stage.player.replaceFollowingItems(with: [MediaEntry(try await noiseFile(1.2, seed: 3))])
        try await stage.waitUntilDecoded(3)
        await stage.player.play()
        try await stage.log.waitForEnd()
        let heard = try await stage.heard()
        let expected = Array(noise(2).dropFirst(Int((2 - rest) * 44_100))) + noise(1.2, seed: 3)
        #expect(expected.isEnd(of: heard))
        #expect(heard.count <= expected.count)
    }

    /// Until the server says that it plays, time does not pass.
    @Test func theClockStandsWhileTheServerDoes() async throws {
        let server = try await PulseServer.start()
        let stage = try await PulseStage(on: server)
        await stage.play(try await noiseFile(8))
        let start = try await stage.capture.waitForSound()
        try await stage.capture.waitForFrames(10_000, after: start)
        server.freeze()
        #expect(await stage.player.seek(to: 5))
        // That time passes is the subject here, not a condition.
        try await Task.sleep(for: .milliseconds(200))
        #expect(stage.player.currentTime() == 5)
        #expect(stage.player.status.timeControlStatus == .playing)
        let times = await stage.player.boundaryTimes(at: [5.3])
        server.thaw()
        for await time in times {
            #expect(abs(time.seconds - 5.3) < 1e-6)
            break
        }
        await stage.player.close()
    }
}

extension PulseStage {
    /// Waits until an item has been decoded to its end, or is about to be.
    fileprivate func waitUntilDecoded(_ number: Int) async throws {
        let isThere = await waitForItems { items in
            items.contains { $0.id.number == number && $0.status == .readyToPlay }
        }
        if !isThere { throw Missing("item \(number) to be decoded") }
    }

    private func waitForItems(_ condition: ([PlayerItem]) -> Bool) async -> Bool {
        let end = ContinuousClock.now + deadline
        while !condition(await player.items) {
            guard ContinuousClock.now < end else { return false }
            try? await Task.sleep(for: .milliseconds(5))
        }
        return true
    }
}

extension [Int16] {
    /// Whether other samples end with these, but for the first few.
    ///
    /// PulseAudio may drop those of a stream that it mixes into a block it had begun.
    fileprivate func isEnd(of other: [Int16]) -> Bool {
        let wanted = droppingSilence.dropFirst(400)
        return wanted.elementsEqual(other.suffix(wanted.count))
    }
}
