import AudioTypes
import Mixers
import Outputs
import Synchronization
import TestSupport
import TestThreads
import Testing

@testable import Playback

/// A player that gets its processor late.
@Suite(.enabled("ffmpeg or lame is not installed") { MediaFixtures.missing.isEmpty })
struct LateStallTests {
    /// Frames went on and ran out again before the player heard of either: it waits, and does not seem to play.
    @Test func aStallThatIsNoticedLateIsTold() async throws {
        let second = 24_000
        let server = try PacedServer(try await MediaFixtures.stream(seconds: 8), limit: 4 * second)
        let stage = await ClockStage()
        await stage.player.append([MediaEntry(server.url)])
        await stage.player.play()
        try await stage.log.wait("a stall") { if case .playbackStalled = $0 { true } else { false } }
        server.release(to: 4 * second + second * 2 / 3)
        guard await server.sent(4 * second + second * 2 / 3) else { throw Missing("bytes") }
        let before = stage.log.count
        try await Self.playUntilDry(stage.player)
        try await stage.log.wait("another stall", after: before) {
            if case .playbackStalled = $0 { true } else { false }
        }
        #expect(stage.player.status.timeControlStatus == .waitingToPlayAtSpecifiedRate(.toMinimizeStalls))
        server.release()
        try await stage.log.waitForEnd()
        await stage.player.close()
    }

    /// Plays at once, and keeps the player from its messages until all that had come was heard.
    private static func playUntilDry(_ player: isolated Player) throws {
        let end = { player.pipeline.timeline.withLock { $0.dryEnd } }
        let first = end()?.start ?? .zero
        player.playImmediately()
        try wait(for: "the frames to run out again") {
            guard let next = end(), next.start > first else { return false }
            return player.output.clock.frame(at: .now) >= Double(next.start.index)
        }
    }
}
