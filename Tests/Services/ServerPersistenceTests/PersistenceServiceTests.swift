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
private final class PersistenceFixture {
    let sessions = TestSessions([
        ZoneSettings(name: "a", outputs: [Output(name: "main", kind: .pulse, device: "kitchen")])
    ])
    let stickers: StickerService
    let persistence: PersistenceService
    /// URIs of songs that were to be looked into.
    var examined: [String] { told.examined }
    var routed: [String] { told.routed }
    private let told: Told

    private final class Told: StateDelegate {
        var examined: [String] = []
        var routed: [String] = []
        weak var persistence: PersistenceService?
        private let sessions: TestSessions

        init(_ sessions: TestSessions) { self.sessions = sessions }

        var log: @Sendable (LogLevel, String) -> Void {
            { [lines = sessions.lines] _, line in lines.withLock { $0.append(line) } }
        }
        var describeOutput: @Sendable (Output, String) -> OutputDescription {
            { output, _ in .soundServer(output.name) }
        }
        var grantRecords: [Record] { [] }
        var timerRecords: [Record] { [] }

        func addZone(_ settings: ZoneSettings) { _ = try? sessions.add(settings.name, .nowhere("more"), songs: []) }

        func setRoute(of zone: Zone, to sink: String) {
            sessions.rooms.rooms[zone]?.route = sink
            routed.append(sink)
        }

        func outputsMoved() {}
        func examine(_ songs: [(uri: String, id: UInt32)], in zone: Zone) { examined += songs.map(\.uri) }
        func restoreGrant(_ record: Record) {}
        func restoreClass(_ record: Record) {}
        func restoreTimer(_ record: Record) {}
    }

    init(in folder: TemporaryFolder, _ configure: (inout Configuration) -> Void = { _ in }) throws {
        configure(&sessions.rooms.configuration.value)
        told = Told(sessions)
        let (sessions, told) = (sessions, told)
        stickers = StickerService(sessions.rooms.configuration) { [told] in told.persistence?.stickersChanged($0) }
        persistence = PersistenceService(
            folder: folder.path,
            sessions.rooms.rooms,
            stickers,
            sessions.service,
            sessions.rooms.configuration,
            WorkThreads(),
            loop: testLoop,
            delegate: told
        )
        told.persistence = persistence
        try sessions.add("a", .soundServer("main"), songs: [])
        persistence.open()
    }

    var zone: Zone { sessions.rooms.rooms.defaultZone }

    /// Hands all to the disk, and waits until it is there.
    func close() { persistence.close()() }

    func songs(of zone: Zone) -> [String] { (0..<zone.queue.count).map { zone.queue[$0].song.uri } }
}

/// What a restart finds again.
@Suite actor PersistenceServiceTests {
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe testLoop.executor.asUnownedSerialExecutor() }

    @Test func aQueueItsPlaceAndItsRouteAreThereAgain() throws {
        let folder = try TemporaryFolder()
        let first = try PersistenceFixture(in: folder)
        _ = try first.zone.add([Song(uri: "one.flac"), Song(uri: "two.flac")])
        try first.zone.setVolume(30)
        try first.zone.play(position: 1)
        try first.zone.setPaused(true)
        first.sessions.rooms.rooms[first.zone]?.route = "garden"
        first.persistence.recordChange(of: first.zone)
        first.close()
        let second = try PersistenceFixture(in: folder)
        #expect(second.songs(of: second.zone) == ["one.flac", "two.flac"])
        #expect(second.zone.volume == 30)
        #expect(second.zone.state == .pause)
        #expect(second.zone.queue.currentEntry?.song.uri == "two.flac")
        #expect(second.routed == ["garden"])
        #expect(second.examined == ["one.flac", "two.flac"])
        #expect(second.sessions.lines.current == [])
    }

    @Test func whatPlayedPlaysAgainUnlessItIsNotTo() throws {
        let folder = try TemporaryFolder()
        let first = try PersistenceFixture(in: folder)
        _ = try first.zone.add([Song(uri: "one.flac")])
        try first.zone.play()
        first.persistence.recordChange(of: first.zone)
        first.close()
        let second = try PersistenceFixture(in: folder)
        #expect(second.zone.state == .play)
        second.close()
        let third = try PersistenceFixture(in: folder) { $0.restoresPaused = true }
        #expect(third.zone.state == .pause)
    }

    /// A zone that clients made is there again with its queue; after it was removed, another one of its name is empty.
    @Test func zonesComeAndGoWithTheirQueues() throws {
        let folder = try TemporaryFolder()
        let first = try PersistenceFixture(in: folder)
        let made = try first.sessions.add("b", .nowhere("more"), songs: [])
        first.persistence.keep(made, nil)
        first.persistence.zoneListChanged()
        _ = try made.add([Song(uri: "b.flac")])
        first.persistence.recordChange(of: made)
        first.close()
        let second = try PersistenceFixture(in: folder)
        let again = try #require(second.sessions.rooms.rooms.zone(named: "b"))
        #expect(second.songs(of: again) == ["b.flac"])
        second.sessions.rooms.rooms.remove(again)
        second.persistence.zoneListChanged()
        let new = try second.sessions.add("b", .nowhere("other"), songs: [])
        second.persistence.keep(new, nil)
        second.persistence.zoneListChanged()
        #expect(second.songs(of: new) == [])
        second.close()
        let third = try PersistenceFixture(in: folder)
        #expect(third.sessions.rooms.rooms.zones.map(\.name) == ["a", "b"])
        #expect(try third.songs(of: #require(third.sessions.rooms.rooms.zone(named: "b"))) == [])
    }

    @Test func stickersAndSwitchesAreThereAgain() throws {
        let folder = try TemporaryFolder()
        let first = try PersistenceFixture(in: folder)
        first.stickers.change { $0.set(.song, "a.flac", "rating", to: "5") }
        first.sessions.service.setLocked(true)
        for record in first.sessions.told.kept { first.persistence.sessionsChanged(record) }
        first.close()
        let second = try PersistenceFixture(in: folder)
        #expect(second.stickers.store.get(.song, "a.flac", "rating") == "5")
        #expect(second.sessions.service.isLocked)
    }

    /// An output that was in another room goes back to where it was.
    @Test func outputsAreWhereTheyWere() throws {
        let folder = try TemporaryFolder()
        let first = try PersistenceFixture(in: folder)
        let room = try #require(first.sessions.rooms.rooms["a"])
        room.outputs.setEnabled(false, "main")
        first.persistence.recordChange(of: first.zone)
        first.close()
        let second = try PersistenceFixture(in: folder)
        #expect(second.sessions.rooms.rooms["a"]?.outputs.members.map(\.isEnabled) == [false])
    }
}
