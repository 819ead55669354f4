import AudioSessions
import AudioTypes
import NIOCore
import OutputGroups
import Outputs
import Playlists
import ServerBasics
import ServerRooms
import ServerSessions
import ServiceTestSupport
import Settings
import Songs
import StateStore
import Stickers
import TestSupport
import Testing
import Threads
import Zones

@testable import ServerPersistence

/// A server's state in a folder: the rooms with their sessions, the stickers, and what keeps them.
private final class Household {
    let desk = TestDesk([ZoneSettings(name: "a", outputs: [Output(name: "main", kind: .pulse, device: "kitchen")])])
    let shelf: StickerShelf
    let keeper: StateKeeper
    /// URIs of songs that were to be looked into.
    var examined: [String] { told.examined }
    var routed: [String] { told.routed }
    private let told: Told

    private final class Told: StateDelegate {
        var examined: [String] = []
        var routed: [String] = []
        weak var keeper: StateKeeper?
        private let desk: TestDesk

        init(_ desk: TestDesk) { self.desk = desk }

        var log: @Sendable (LogLevel, String) -> Void {
            { [lines = desk.lines] _, line in lines.withLock { $0.append(line) } }
        }
        var describeOutput: @Sendable (Output, String) -> OutputDescription {
            { output, _ in .soundServer(output.name) }
        }
        var grantRecords: [Record] { [] }
        var timerRecords: [Record] { [] }

        func addZone(_ settings: ZoneSettings) { _ = try? desk.add(settings.name, .nowhere("more"), songs: []) }

        func setRoute(of zone: Zone, to sink: String) {
            desk.rooms.rooms[zone]?.route = sink
            routed.append(sink)
        }

        func outputsMoved() {}
        func examine(_ songs: [(uri: String, id: UInt32)], in zone: Zone) { examined += songs.map(\.uri) }
        func restoreGrant(_ record: Record) {}
        func restoreClass(_ record: Record) {}
        func restoreTimer(_ record: Record) {}
    }

    init(in folder: TemporaryFolder, _ configure: (inout Configuration) -> Void = { _ in }) throws {
        configure(&desk.rooms.configuration.value)
        told = Told(desk)
        let (desk, told) = (desk, told)
        shelf = StickerShelf(desk.rooms.configuration) { [told] in told.keeper?.stickersChanged($0) }
        keeper = StateKeeper(
            folder: folder.path,
            desk.rooms.rooms,
            shelf,
            desk.desk,
            desk.rooms.configuration,
            WorkThreads(),
            loop: testLoop,
            delegate: told
        )
        told.keeper = keeper
        try desk.add("a", .soundServer("main"), songs: [])
        keeper.open()
    }

    var zone: Zone { desk.rooms.rooms.defaultZone }

    /// Hands all to the disk, and waits until it is there.
    func close() { keeper.close()() }

    func songs(of zone: Zone) -> [String] { (0..<zone.queue.count).map { zone.queue[$0].song.uri } }
}

/// What a restart finds again.
@Suite actor StateKeeperTests {
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe testLoop.executor.asUnownedSerialExecutor() }

    @Test func aQueueItsPlaceAndItsRouteAreThereAgain() throws {
        let folder = try TemporaryFolder()
        let first = try Household(in: folder)
        _ = try first.zone.add([Song(uri: "one.flac"), Song(uri: "two.flac")])
        try first.zone.setVolume(30)
        try first.zone.play(position: 1)
        try first.zone.setPaused(true)
        first.desk.rooms.rooms[first.zone]?.route = "garden"
        first.keeper.noteChange(of: first.zone)
        first.close()
        let second = try Household(in: folder)
        #expect(second.songs(of: second.zone) == ["one.flac", "two.flac"])
        #expect(second.zone.volume == 30)
        #expect(second.zone.state == .pause)
        #expect(second.zone.queue.currentEntry?.song.uri == "two.flac")
        #expect(second.routed == ["garden"])
        #expect(second.examined == ["one.flac", "two.flac"])
        #expect(second.desk.lines.current == [])
    }

    @Test func whatPlayedPlaysAgainUnlessItIsNotTo() throws {
        let folder = try TemporaryFolder()
        let first = try Household(in: folder)
        _ = try first.zone.add([Song(uri: "one.flac")])
        try first.zone.play()
        first.keeper.noteChange(of: first.zone)
        first.close()
        let second = try Household(in: folder)
        #expect(second.zone.state == .play)
        second.close()
        let third = try Household(in: folder) { $0.restoresPaused = true }
        #expect(third.zone.state == .pause)
    }

    /// A zone that clients made is there again with its queue; after it was removed, another one of its name is empty.
    @Test func zonesComeAndGoWithTheirQueues() throws {
        let folder = try TemporaryFolder()
        let first = try Household(in: folder)
        let made = try first.desk.add("b", .nowhere("more"), songs: [])
        first.keeper.keep(made, nil)
        first.keeper.zoneListChanged()
        _ = try made.add([Song(uri: "b.flac")])
        first.keeper.noteChange(of: made)
        first.close()
        let second = try Household(in: folder)
        let again = try #require(second.desk.rooms.rooms.zone(named: "b"))
        #expect(second.songs(of: again) == ["b.flac"])
        second.desk.rooms.rooms.remove(again)
        second.keeper.zoneListChanged()
        let new = try second.desk.add("b", .nowhere("other"), songs: [])
        second.keeper.keep(new, nil)
        second.keeper.zoneListChanged()
        #expect(second.songs(of: new) == [])
        second.close()
        let third = try Household(in: folder)
        #expect(third.desk.rooms.rooms.zones.map(\.name) == ["a", "b"])
        #expect(try third.songs(of: #require(third.desk.rooms.rooms.zone(named: "b"))) == [])
    }

    @Test func stickersAndSwitchesAreThereAgain() throws {
        let folder = try TemporaryFolder()
        let first = try Household(in: folder)
        first.shelf.change { $0.set(.song, "a.flac", "rating", to: "5") }
        first.desk.desk.setLocked(true)
        for record in first.desk.told.kept { first.keeper.sessionsChanged(record) }
        first.close()
        let second = try Household(in: folder)
        #expect(second.shelf.store.get(.song, "a.flac", "rating") == "5")
        #expect(second.desk.desk.isLocked)
    }

    /// An output that was in another room goes back to where it was.
    @Test func outputsAreWhereTheyWere() throws {
        let folder = try TemporaryFolder()
        let first = try Household(in: folder)
        let room = try #require(first.desk.rooms.rooms["a"])
        room.outputs.setEnabled(false, "main")
        first.keeper.noteChange(of: first.zone)
        first.close()
        let second = try Household(in: folder)
        #expect(second.desk.rooms.rooms["a"]?.outputs.members.map(\.isEnabled) == [false])
    }
}
