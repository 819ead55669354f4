import AudioTypes
import Outputs
import Playback
import Playlists
import Songs
import TestSupport
import Testing

@testable import Zones

/// Commands that come just as the player goes on by itself, and events that come late.
@Suite struct RaceTests {
    private let half = songFrames / 2

    /// A stage that is in the middle of its first song.
    private func stage(_ songs: [String]) async throws -> Stage {
        let stage = try await Stage(songs, limit: half)
        try await stage.act { try $0.play() }
        try await stage.gate.waitUntilHeld()
        try await stage.settle()
        return stage
    }

    // MARK: The player has gone on, and the zone has not heard of it

    @Test func theSongThatBeganIsDeleted() async throws {
        let stage = try await stage(["a", "b", "c"])
        try await stage.act { zone in
            try zone.letGoOn(stage.gate)
            try zone.delete(1..<2)
        }
        stage.gate.release()
        #expect(try await stage.waitForEnd() == ["a", "c"])
        await stage.close()
    }

    @Test func allIsCleared() async throws {
        let stage = try await stage(["a", "b"])
        try await stage.act { zone in
            try zone.letGoOn(stage.gate)
            zone.clear()
        }
        stage.gate.release()
        try await stage.settle()
        #expect(stage.player.status.currentItem == nil)
        #expect(stage.sight.current.history.last == "-")
        await stage.close()
    }

    @Test func anotherSongIsPutInBetween() async throws {
        let stage = try await stage(["a", "b"])
        try stage.folder.write("c", songFile)
        try await stage.act { zone in
            try zone.letGoOn(stage.gate)
            try zone.add([Song(uri: "c")], at: 1)
        }
        stage.gate.release()
        #expect(try await stage.waitForEnd() == ["a", "c", "b"])
        await stage.close()
    }

    @Test func aPauseHoldsTheSongThatBegan() async throws {
        let stage = try await stage(["a", "b"])
        try await stage.act { zone in
            try zone.letGoOn(stage.gate)
            zone.pause()
        }
        try await stage.wait("b") { $0.song == "b" }
        #expect(stage.sight.current.state == .pause)
        try await stage.settle()
        #expect(stage.player.status.timeControlStatus == .paused)
        stage.gate.release()
        await stage.close()
    }

    @Test func aSeekGoesBack() async throws {
        let stage = try await stage(["a", "b"])
        try await stage.act { zone in
            try zone.letGoOn(stage.gate)
            try zone.seekCurrent(to: 0.01)
        }
        try await stage.settle()
        #expect(stage.sight.current.song == "a")
        stage.gate.release()
        #expect(try await stage.waitForEnd() == ["a", "b"])
        #expect(stage.gate.frames > 3 * songFrames - songFrames / 5 - half)
        await stage.close()
    }

    @Test func theSameSongIsPlayedAnew() async throws {
        let stage = try await stage(["a", "b"])
        try await stage.act { zone in
            try zone.letGoOn(stage.gate)
            try zone.play(position: 0)
        }
        try await stage.settle()
        #expect(stage.sight.current.song == "a")
        stage.gate.release()
        #expect(try await stage.waitForEnd() == ["a", "b"])
        await stage.close()
    }

    // MARK: The player has ended, and the zone has not heard of it

    @Test func theEndIsNotLostAmongOrders() async throws {
        let stage = try await stage(["a"])
        try await stage.act { zone in
            try zone.letGoOn(stage.gate)
            try zone.setVolume(50)
            zone.change { $0.keepsPitch = false }
        }
        #expect(try await stage.waitForEnd() == ["a"])
        await stage.close()
    }

    @Test func aSongAddedAtTheEndIsPlayed() async throws {
        let stage = try await stage(["a"])
        try stage.folder.write("b", songFile)
        try await stage.act { zone in
            try zone.letGoOn(stage.gate)
            try zone.add([Song(uri: "b")])
        }
        stage.gate.release()
        #expect(try await stage.waitForEnd() == ["a", "b"])
        #expect(stage.gate.frames == 2 * songFrames)
        await stage.close()
    }

    @Test func aSongAddedAtTheEndInAPauseWaits() async throws {
        let stage = try await stage(["a"])
        try stage.folder.write("b", songFile)
        try await stage.act { zone in
            try zone.letGoOn(stage.gate)
            zone.pause()
            try zone.add([Song(uri: "b")])
        }
        try await stage.wait("b") { $0.song == "b" }
        #expect(stage.sight.current.state == .pause)
        try await stage.act { try $0.play() }
        stage.gate.release()
        #expect(try await stage.waitForEnd() == ["a", "a!", "b!", "b"])
        await stage.close()
    }

    @Test func aSeekBeginsAnew() async throws {
        let stage = try await stage(["a"])
        try await stage.act { zone in
            try zone.letGoOn(stage.gate)
            try zone.seekCurrent(to: 0.05)
        }
        stage.gate.release()
        #expect(try await stage.waitForEnd() == ["a"])
        #expect(stage.gate.frames == songFrames + half)
        await stage.close()
    }

    /// Orders without end, while one short song after the other is played.
    @Test func ordersDoNotHoldUpTheQueue() async throws {
        let songs = (0..<30).map { "s\($0)" }
        let stage = try await Stage(songs)
        try await stage.act { try $0.play() }
        var count = 0
        while stage.sight.current.state != .stop {
            count += 1
            try await stage.act { try $0.setVolume(count % 100) }
            if count.isMultiple(of: 10) {
                await stage.act { $0.setSingle(.on) }
                await stage.act { $0.setSingle(.off) }
            }
            try await stage.act { try $0.setPaused(false) }
        }
        #expect(stage.sight.current.history.filter { $0.hasPrefix("s") && !$0.hasSuffix("!") } == songs)
        await stage.close()
    }

    // MARK: Late events

    /// A song may fail before the player is told of the next one, which then is all that it has.
    @Test func whatFailsBeforeTheNextIsKnownIsNotForgotten() async throws {
        let folder = try TemporaryFolder()
        try folder.write("a", songFile)
        let events = Watched<[PlayerEvent]>([])
        let link = PlayerLink(player: Player(output: NullOutput())) { news in events.withLock { $0.append(news.event) }
        }
        _ = link.replaceCurrent(1, MediaEntry(location: folder.file("x")), at: 0, isPaused: false)
        #expect(await events.wait(within: .patience) { $0.contains(.queueEnded) })
        _ = link.replaceFollowing((id: 2, medium: MediaEntry(location: folder.file("a"))))
        #expect(await events.wait(within: .patience) { $0.changedItems.count == 2 })
        let items = events.current.changedItems
        #expect(items.map { link.place(of: $0)?.entry } == [1, 2])
        // Another jump is another matter.
        let order = link.replaceCurrent(3, MediaEntry(location: folder.file("a")), at: 0, isPaused: true)
        #expect(await events.wait(within: .patience) { $0.changedItems.count == 3 })
        #expect(items.map { link.place(of: $0)?.entry } == [nil, nil])
        #expect(link.place(of: try #require(events.current.changedItems.last))?.order == order)
        await link.player.close()
    }

    @Test func whatIsOfASongPastIsIgnored() async throws {
        let stage = try await stage(["a", "b", "c"])
        let item = try #require(stage.player.status.currentItem)
        try await stage.act { zone in
            let before = zone.told.order
            try zone.play(position: 1)
            var failed = item
            failed.status = .failed("late")
            let events: [PlayerEvent] = [
                .queueEnded, .currentItemChanged(item), .currentItemChanged(nil), .itemFailed(failed),
                .itemPlayedToEnd(item), .itemDamaged(item, "late"), .itemReady(item),
            ]
            for event in events { zone.receive(ZoneEvent(event: event, after: before, player: stage.player)) }
            #expect(zone.queue.current == 1)
            #expect(zone.state == .play)
            #expect(zone.error == nil)
        }
        stage.gate.release()
        #expect(try await stage.waitForEnd() == ["a", "b", "c"])
        await stage.close()
    }

    @Test func whatAnotherPlayerTellsIsIgnored() async throws {
        let stage = try await stage(["a", "b"])
        let other = try await Stage(["a"])
        await stage.act { zone in
            zone.receive(ZoneEvent(event: .queueEnded, after: .max, player: other.player))
            #expect(zone.queue.current == 0)
            zone.stop()
            zone.receive(ZoneEvent(event: .queueEnded, after: .max, player: stage.player))
            #expect(zone.state == .stop)
        }
        stage.gate.release()
        await other.close()
        await stage.close()
    }

    /// The player pauses by itself when a sound server stays away.
    @Test func aPauseOfThePlayersOwnIsFollowed() async throws {
        let stage = try await stage(["a"])
        var status = stage.player.status
        status.timeControlStatus = .paused
        let paused = PlayerEvent.statusChanged(status)
        try await stage.act { zone in
            let before = zone.told.transport
            zone.pause()
            try zone.play()
            zone.receive(ZoneEvent(event: paused, after: before, player: stage.player))
            #expect(zone.state == .play)
            zone.receive(ZoneEvent(event: paused, after: zone.told.transport, player: stage.player))
            #expect(zone.state == .pause)
        }
        stage.gate.release()
        await stage.close()
    }

    // MARK: What follows

    @Test func aDeletedSongDoesNotFollow() async throws {
        let stage = try await stage(["a", "b", "c"])
        try await stage.act { try $0.delete(1..<2) }
        stage.gate.release()
        #expect(try await stage.waitForEnd() == ["a", "c"])
        await stage.close()
    }

    @Test func theCurrentSongIsDeleted() async throws {
        let stage = try await stage(["a", "b"])
        try await stage.act { try $0.delete(0..<1) }
        #expect(stage.sight.current.song == "b")
        stage.gate.release()
        #expect(try await stage.waitForEnd() == ["a", "b"])
        await stage.close()
    }

    /// Tags that become known are no reason to decode a song again.
    @Test func tagsOfTheFollowingSongChangeNothing() async throws {
        let stage = try await stage(["a", "b"])
        await stage.act { zone in
            let order = zone.told.following?.order
            zone.replaceSongs([(id: zone.queue[1].id, song: Song(uri: "b", tags: [(.title, "B")]))])
            #expect(order != nil && zone.told.following?.order == order)
            #expect(zone.queue[1].song.values(of: .title) == ["B"])
        }
        stage.gate.release()
        #expect(try await stage.waitForEnd() == ["a", "b"])
        await stage.close()
    }

    /// The same file twice is two entries.
    @Test func theSameFileTwice() async throws {
        let stage = try await Stage(["a", "a", "a"])
        await stage.act { $0.setConsume(.on) }
        try await stage.act { try $0.play() }
        _ = try await stage.waitForEnd()
        #expect(stage.gate.frames == 3 * songFrames)
        #expect(stage.sight.current.queue == [])
        await stage.close()
    }
}

extension [PlayerEvent] {
    /// The items that became current, in order.
    fileprivate var changedItems: [PlayerItem.ID] {
        compactMap { if case .currentItemChanged(let item?) = $0 { item.id } else { nil } }
    }
}
