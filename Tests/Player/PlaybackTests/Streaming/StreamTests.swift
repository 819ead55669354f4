import AudioTypes
import Foundation
import Outputs
import Playback
import TestSupport
import Testing

/// The player on media that come over a network, by a clock.
@Suite(.enabled("ffmpeg or lame is not installed") { MediaFixtures.missing.isEmpty })
struct StreamTests {
    /// 24 kB of MP3 for each second.
    fileprivate static func song(_ seconds: Int) async throws -> String {
        try await MediaFixtures.stream(seconds: seconds)
    }

    private static let second = 24_000

    private static func configuration(_ change: (inout StreamOptions) -> Void = { _ in }) -> PlayerConfiguration {
        var configuration = PlayerConfiguration()
        change(&configuration.stream)
        return configuration
    }

    @Test func aFastStreamPlaysAtOnceAndToItsEnd() async throws {
        let server = try PacedServer(try await Self.song(3))
        let stage = await ClockStage()
        await stage.player.append([MediaEntry(server.url)])
        let start = ContinuousClock.now
        await stage.player.play()
        try await stage.log.waitForStatus("playing") { $0.timeControlStatus == .playing }
        try await stage.log.waitForEnd()
        #expect(stage.log.words == ["current 1", "ready 1", "jumped", "ended 1", "current 0", "queue ended"])
        let length = ContinuousClock.now - start
        #expect(length > .seconds(2.9) && length < .seconds(12))
        await stage.player.close()
    }

    @Test func aStreamThatStopsIsWaitedFor() async throws {
        let server = try PacedServer(try await Self.song(6), limit: 3 * Self.second)
        let stage = await ClockStage()
        await stage.player.append([MediaEntry(server.url)])
        await stage.player.play()
        try await stage.log.wait("a stall") { if case .playbackStalled = $0 { true } else { false } }
        let status = stage.player.status
        #expect(status.timeControlStatus == .waitingToPlayAtSpecifiedRate(.toMinimizeStalls))
        #expect(status.rate == 1 && status.effectiveRate == 0)
        let time = stage.player.currentTime()
        #expect(time.seconds > 2.7 && time.seconds < 3.1)
        let buffer = stage.player.bufferStatus()
        #expect(buffer.isEmpty && !buffer.isFull && !buffer.isLikelyToKeepUp)
        #expect(buffer.stream != nil)
        let requests = server.state.current.requests.count
        // Too little to begin with again.
        server.release(to: 3 * Self.second + Self.second / 2)
        let before = stage.log.count
        server.release()
        try await stage.log.waitForStatus("playing", after: before) { $0.timeControlStatus == .playing }
        #expect(stage.player.currentTime() < time + 0.5)
        try await stage.log.waitForEnd()
        #expect(stage.log.words.count { $0 == "stalled 1" } == 1)
        #expect(stage.log.words.last == "queue ended")
        #expect(server.state.current.requests.count == requests)
        await stage.player.close()
    }

    @Test func whoDoesNotWaitPauses() async throws {
        let server = try PacedServer(try await Self.song(5), limit: 4 * Self.second)
        let stage = await ClockStage(configuration: Self.configuration { $0.automaticallyWaits = false })
        await stage.player.append([MediaEntry(server.url)])
        await stage.player.play()
        try await stage.log.wait("a stall") { if case .playbackStalled = $0 { true } else { false } }
        #expect(stage.player.status.timeControlStatus == .paused)
        #expect(stage.player.status.rate == 0)
        // What comes does not begin by itself.
        server.release()
        let before = stage.log.count
        await stage.player.play()
        try await stage.log.waitForStatus("playing", after: before) { $0.timeControlStatus == .playing }
        try await stage.log.waitForEnd()
        await stage.player.close()
    }
}

extension StreamTests {
    /// Two thirds of the pace: the figures of the issue.
    @Test func aSlowStreamWaitsSeldomAndLong() async throws {
        let server = try PacedServer(try await Self.song(60), rate: 16_000)
        let stage = await ClockStage()
        await stage.player.append([MediaEntry(server.url)])
        await stage.player.play()
        try await stage.log.waitForStatus("playing") { $0.timeControlStatus == .playing }
        let start = ContinuousClock.now
        try await stage.log.wait("a stall", within: .patience) {
            if case .playbackStalled = $0 { true } else { false }
        }
        let length = ContinuousClock.now - start
        #expect(length > .seconds(14) && length < .seconds(40))
        #expect(stage.player.status.timeControlStatus == .waitingToPlayAtSpecifiedRate(.toMinimizeStalls))
        await stage.player.close()
    }
}

extension StreamTests {
    /// Nothing is there, so nothing is late.
    @Test func whoPlaysImmediatelyIsNotToldOfAStall() async throws {
        let server = try PacedServer(try await Self.song(5), limit: 0)
        let stage = await ClockStage()
        await stage.player.append([MediaEntry(server.url)])
        await stage.player.playImmediately()
        try await server.waitForRequests(1)
        guard case .waitingToPlayAtSpecifiedRate = stage.player.status.timeControlStatus else {
            Issue.record("\(stage.player.status.timeControlStatus)")
            return
        }
        server.release()
        try await stage.log.waitForEnd()
        #expect(!stage.log.words.contains("stalled 1"))
        await stage.player.close()
    }

    /// Who does not want to wait hears what there is.
    @Test func aWaitIsCutShort() async throws {
        let server = try PacedServer(try await Self.song(8), limit: 4 * Self.second)
        let stage = await ClockStage()
        await stage.player.append([MediaEntry(server.url)])
        await stage.player.play()
        try await stage.log.wait("a stall") { if case .playbackStalled = $0 { true } else { false } }
        // Less than anybody would begin with.
        server.release(to: 4 * Self.second + Self.second * 2 / 3)
        guard await server.sent(4 * Self.second + Self.second * 2 / 3) else { throw Missing("bytes") }
        #expect(stage.player.status.timeControlStatus == .waitingToPlayAtSpecifiedRate(.toMinimizeStalls))
        let before = stage.log.count
        await stage.player.playImmediately()
        try await stage.log.waitForStatus("playing", after: before) { $0.timeControlStatus == .playing }
        try await stage.log.wait("another stall", after: before) {
            if case .playbackStalled = $0 { true } else { false }
        }
        server.release()
        try await stage.log.waitForEnd()
        await stage.player.close()
    }

    @Test func theBufferIsAsLongAsWanted() async throws {
        let server = try PacedServer(try await Self.song(120))
        let stage = await ClockStage(configuration: Self.configuration { $0.preferredForwardBuffer = 4 })
        await stage.player.append([MediaEntry(server.url)])
        try await Self.waitForBuffer(stage, in: 3...7)
        await stage.player.play()
        try await stage.log.waitForStatus("playing") { $0.timeControlStatus == .playing }
        #expect(stage.player.bufferStatus().isLikelyToKeepUp)
        await stage.player.setPreferredForwardBuffer(40)
        try await Self.waitForBuffer(stage, in: 35...60)
        await stage.player.close()
    }

    private static func waitForBuffer(_ stage: ClockStage, in range: ClosedRange<Double>) async throws {
        await stage.player.play()
        let end = ContinuousClock.now + deadline
        while ContinuousClock.now < end {
            if let stream = stage.player.streamStatus, stream.isFull, range.contains(stream.bufferedDuration) { return }
            try await Task.sleep(for: .milliseconds(5))
        }
        throw Missing("a buffer of \(range); it is \(String(describing: stage.player.streamStatus))")
    }
}
