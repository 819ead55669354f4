import AudioTypes
import Outputs
import Playback
import Playlists
import TestSupport
import Testing

@testable import Zones

/// Commands, and songs that follow each other.
@Suite struct TransportTests {
    /// Half a song.
    private let half = songFrames / 2

    @Test func playsThroughWithoutAGap() async throws {
        let stage = try await Stage(["a", "b", "c"])
        try await stage.act { try $0.play() }
        #expect(try await stage.waitForEnd() == ["a", "b", "c"])
        #expect(stage.gate.frames == 3 * songFrames)
        #expect(await stage.act { $0.queue.current } == nil)
        #expect(await stage.act { $0.error } == nil)
        await stage.close()
    }

    /// The outputs of the daemon that need nothing.
    @Test(arguments: [false, true])
    func playsToNowhere(fast: Bool) async throws {
        let output: any AudioOutput = fast ? SinkOutput(format: .cd, sink: FastNullSink()) : NullOutput()
        let stage = try await Stage(["a", "x1", "b", "c"], output: output)
        await stage.act { $0.setConsume(.on) }
        try await stage.act { try $0.play() }
        #expect(try await stage.waitForEnd().filter { $0 != "x1" } == ["a", "b", "c"])
        #expect(stage.sight.current.queue == [])
        await stage.close()
    }

    /// The second song is the player's own going on, not an order.
    @Test func theNextSongIsDecodedAhead() async throws {
        let stage = try await Stage(["a", "b"], limit: songFrames + half)
        try await stage.act { try $0.play() }
        try await stage.wait("b") { $0.song == "b" }
        #expect(await stage.act { $0.told.item } != nil)
        try await stage.gate.waitUntilHeld()
        #expect(abs(await stage.act { $0.elapsed } - 0.05) < 0.001)
        #expect(await stage.act { $0.currentDuration } == 0.1)
        stage.gate.release()
        await stage.close()
    }

    @Test func pauseStopsAndGoesOn() async throws {
        let stage = try await Stage(["a"], limit: half)
        try await stage.act { try $0.play() }
        #expect(stage.sight.current.state == .play)
        try await stage.gate.waitUntilHeld()
        try await stage.act { try $0.setPaused(true) }
        #expect(stage.sight.current.state == .pause)
        try await stage.settle()
        #expect(stage.player.status.timeControlStatus == .paused)
        #expect(abs(await stage.act { $0.elapsed } - 0.05) < 0.001)
        try await stage.act { try $0.setPaused(true) }
        try await stage.act { try $0.togglePause() }
        stage.gate.release()
        #expect(try await stage.waitForEnd() == ["a", "a!", "a"])
        #expect(stage.gate.frames == songFrames)
        await stage.close()
    }

    @Test func stopForgetsThePlaceAndKeepsTheSong() async throws {
        let stage = try await Stage(["a", "b", "c"], limit: songFrames + half)
        try await stage.act { try $0.play(position: 1) }
        await stage.act { $0.stop() }
        #expect(stage.sight.current.state == .stop)
        #expect(await stage.act { $0.elapsed } == 0)
        #expect(await stage.act { $0.queue.current } == 1)
        try await stage.settle()
        #expect(stage.player.status.currentItem == nil)
        try await stage.act { try $0.togglePause() }
        #expect(stage.sight.current.state == .stop)
        try await stage.act { try $0.play() }
        #expect(stage.sight.current.song == "b")
        stage.gate.release()
        #expect(try await stage.waitForEnd() == ["b", "b", "c"])
        await stage.close()
    }

    @Test func nextAndPrevious() async throws {
        let stage = try await Stage(["a", "b", "c"], limit: 100)
        await #expect(throws: ZoneError.notPlaying) { try await stage.act { try $0.next() } }
        await #expect(throws: ZoneError.notPlaying) { try await stage.act { try $0.previous() } }
        try await stage.act { try $0.play() }
        try await stage.act { try $0.next() }
        #expect(stage.sight.current.song == "b")
        try await stage.act { try $0.previous() }
        #expect(stage.sight.current.song == "a")
        try await stage.act { try $0.previous() }
        #expect(stage.sight.current.song == "a")
        try await stage.act { try $0.play(position: 2) }
        try await stage.act { try $0.next() }
        #expect(stage.sight.current.state == .stop)
        stage.gate.release()
        await stage.close()
    }

    /// As in MPD.
    @Test func nextUnpauses() async throws {
        let stage = try await Stage(["a", "b"], limit: 100)
        try await stage.act { try $0.play() }
        await stage.act { $0.pause() }
        try await stage.act { try $0.next() }
        #expect(stage.sight.current.state == .play)
        stage.gate.release()
        #expect(try await stage.waitForEnd() == ["a", "a!", "b"])
        await stage.close()
    }

    @Test func placesThatAreNotThere() async throws {
        let stage = try await Stage(["a"])
        await #expect(throws: ZoneError.badIndex) { try await stage.act { try $0.play(position: 1) } }
        await #expect(throws: ZoneError.badIndex) { try await stage.act { try $0.play(position: -2) } }
        await #expect(throws: ZoneError.noSuchSong) { try await stage.act { try $0.play(id: 99) } }
        await #expect(throws: ZoneError.badIndex) { try await stage.act { try $0.seek(position: 1, to: 0) } }
        await #expect(throws: ZoneError.notPlaying) { try await stage.act { try $0.seekCurrent(to: 0) } }
        await #expect(throws: ZoneError.badIndex) { try await stage.act { try $0.delete(0..<2) } }
        await #expect(throws: ZoneError.queueFull) {
            try await stage.act { zone in try zone.add(Array(repeating: zone.queue[0].song, count: 1_000)) }
        }
        await stage.close()
    }

    @Test func anEmptyQueueDoesNotPlay() async throws {
        let stage = try await Stage([])
        try await stage.act { try $0.play() }
        #expect(stage.sight.current.state == .stop)
        await stage.close()
    }

    // MARK: Modes

    @Test func consumedSongsLeaveTheQueue() async throws {
        let stage = try await Stage(["a", "b", "c"])
        await stage.act { $0.setConsume(.on) }
        try await stage.act { try $0.play() }
        #expect(try await stage.waitForEnd() == ["a", "b", "c"])
        #expect(stage.sight.current.queue == [])
        #expect(stage.gate.frames == 3 * songFrames)
        await stage.close()
    }

    @Test func singlePausesBeforeTheNextSong() async throws {
        let stage = try await Stage(["a", "b"])
        await stage.act { $0.setSingle(.on) }
        try await stage.act { try $0.play() }
        try await stage.wait("a pause") { $0.state == .pause }
        #expect(stage.sight.current.song == "b")
        try await stage.settle()
        #expect(await stage.act { $0.elapsed } == 0)
        #expect(stage.gate.frames == songFrames)
        await stage.close()
    }

    @Test func singleForOneSongIsOverThen() async throws {
        let stage = try await Stage(["a", "b"])
        await stage.act { $0.setSingle(.oneshot) }
        try await stage.act { try $0.play() }
        try await stage.wait("a pause") { $0.state == .pause }
        #expect(await stage.act { $0.queue.modes.single } == .off)
        #expect(stage.sight.current.changes.contains(.options))
        try await stage.act { try $0.play() }
        #expect(try await stage.waitForEnd() == ["a", "b!", "b"])
        await stage.close()
    }

    @Test(arguments: [false, true])
    func aSongIsRepeated(single: Bool) async throws {
        let stage = try await Stage(single ? ["a", "b"] : ["a"], limit: 3 * songFrames + half)
        try await stage.act { zone in
            zone.setRepeat(true)
            zone.setSingle(single ? .on : .off)
            try zone.play()
        }
        try await stage.gate.waitUntilHeld()
        try await stage.settle()
        #expect(stage.sight.current.history == ["-", "a"])
        try await stage.gate.takeBack(to: 4 * songFrames) {
            await stage.act { $0.setRepeat(false) }
            await stage.act { $0.setSingle(.off) }
            try await stage.settle()
        }
        stage.gate.release()
        _ = try await stage.waitForEnd()
        #expect(stage.gate.frames == (single ? 5 : 4) * songFrames)
        await stage.close()
    }

    @Test func randomPlaysEachSongOnce() async throws {
        let songs = (0..<8).map { "s\($0)" }
        let stage = try await Stage(songs)
        await stage.act { $0.setRandom(true) }
        try await stage.act { try $0.play() }
        let played = try await stage.waitForEnd()
        #expect(played.sorted() == songs)
        #expect(played != songs)
        #expect(stage.gate.frames == 8 * songFrames)
        await stage.close()
    }

    // MARK: Seeking

    @Test func theTimeIsTheNewOneAtOnce() async throws {
        let stage = try await Stage(["a", "b"], limit: 100)
        func elapsed(after command: @Sendable (Zone) throws -> Void) async throws -> Double {
            try await stage.act { zone in
                try command(zone)
                return zone.elapsed
            }
        }
        #expect(try await elapsed { try $0.play() } == 0)
        #expect(try await elapsed { try $0.seekCurrent(to: 0.07) } == 0.07)
        try await stage.settle()
        #expect(abs(await stage.act { $0.elapsed } - 0.07) < 0.01)
        #expect(try await elapsed { try $0.seek(position: 1, to: 0.02) } == 0.02)
        #expect(stage.sight.current.song == "b")
        #expect(try await elapsed { try $0.play(position: 0) } == 0)
        stage.gate.release()
        await stage.close()
    }

    @Test func seekingSkipsWhatLiesBetween() async throws {
        let stage = try await Stage(["a", "b"], limit: 441)
        try await stage.act { try $0.play() }
        try await stage.gate.waitUntilHeld()
        await stage.act { $0.pause() }
        try await stage.act { try $0.seekCurrent(to: 0.09) }
        try await stage.settle()
        stage.gate.release()
        try await stage.act { try $0.play() }
        #expect(try await stage.waitForEnd() == ["a", "a!", "a", "b"])
        #expect(stage.gate.frames == 441 + 441 + songFrames)
        await stage.close()
    }

    @Test func seekingInAPauseStaysPaused() async throws {
        let stage = try await Stage(["a"], limit: 100)
        try await stage.act { try $0.play() }
        await stage.act { $0.pause() }
        try await stage.act { try $0.seekCurrent(to: 0.05) }
        try await stage.settle()
        #expect(await stage.act { $0.state } == .pause)
        #expect(abs(await stage.act { $0.elapsed } - 0.05) < 0.001)
        stage.gate.release()
        await stage.close()
    }

    @Test func seekingBehindTheEndGoesOn() async throws {
        let stage = try await Stage(["a", "b"], limit: 100)
        try await stage.act { try $0.play() }
        try await stage.act { try $0.seekCurrent(to: 1e9) }
        stage.gate.release()
        #expect(try await stage.waitForEnd() == ["a", "b"])
        await stage.close()
    }
}
