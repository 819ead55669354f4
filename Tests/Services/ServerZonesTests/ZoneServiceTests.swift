import AudioSessions
import AudioTypes
import Authorization
import Glibc
import LineProtocol
import NIOCore
import OutputGroups
import Outputs
import Playback
import Playlists
import ServerBasics
import ServerPersistence
import ServerRooms
import ServerSessions
import ServiceTestSupport
import Settings
import Songs
import TestSupport
import Testing
import Threads
import Zones

@testable import ServerZones

/// A service for real zones with players on null outputs.
private final class Fixture {
    struct Note: Sendable, Hashable {
        let changes: Subsystems
        let zone: String?
    }

    let sessions: TestSessions
    let service: ZoneService

    private let told: Told

    private final class Told: ZoneServiceDelegate {
        let sessions: TestSessions
        let notes = Watched<[Note]>([])
        let left = Watched<[String]>([])
        let failsEarly: Bool
        let persistence: PersistenceService? = nil
        let resolve: @Sendable (MediaEntry) throws -> MediaEntry = { $0 }

        init(_ sessions: TestSessions, failsEarly: Bool) { (self.sessions, self.failsEarly) = (sessions, failsEarly) }

        var log: @Sendable (LogLevel, String) -> Void {
            { [lines = sessions.lines] _, line in lines.withLock { $0.append(line) } }
        }

        func ceiling(of zone: String) -> ZoneCeiling { ZoneCeiling() }
        func hasCeiling(_ zone: String) -> Bool { false }

        func medium(of song: Song) -> MediaEntry? { MediaEntry(location: "/nonexistent/" + song.uri) }

        func makeOutputs(_ settings: ZoneSettings, changed: @escaping @Sendable (String) -> Void) -> OutputGroup {
            let group = OutputGroup(onChange: changed)
            for output in settings.outputs {
                group.add(output.kind == .pulse ? .lostServer(output.name) : .nowhere(output.name))
            }
            while failsEarly, group.members.allSatisfy({ $0.error == nil }) { sched_yield() }
            return group
        }

        func isAlarmRinging(in zone: Zone) -> Bool { false }
        func volumeHeld(of zone: Zone, from percent: Int) {}
        func progressChanged(in zone: Zone) {}
        func zonesChanged(_ changes: Subsystems) { note(changes, nil) }
        func zoneChanged(_ zone: Zone, _ changes: Subsystems) { note(changes, zone.name) }
        func willRemove(_ zone: Zone) { left.withLock { $0.append(zone.name) } }
        func didRemove(_ zone: Zone) {}

        private func note(_ changes: Subsystems, _ zone: String?) {
            notes.withLock { $0.append(Note(changes: changes, zone: zone)) }
        }
    }

    /// - Parameter failsEarly: Whether an output that fails does so before its room is there.
    init(_ zones: ZoneSettings..., failsEarly: Bool = false) {
        sessions = TestSessions(zones)
        told = Told(sessions, failsEarly: failsEarly)
        let work = WorkThreads()
        service = ZoneService(
            sessions.rooms.rooms,
            sessions.service,
            sessions.rooms.configuration,
            ClientJobs(work, loop: testLoop),
            work,
            loop: testLoop,
            delegate: told
        )
        for zone in zones { service.add(zone) }
    }

    var notes: Watched<[Note]> { told.notes }
    var left: Watched<[String]> { told.left }
    var rooms: Rooms { sessions.rooms.rooms }

    func room(_ name: String) throws -> Room { try #require(rooms[name]) }
}

extension ZoneSettings {
    fileprivate static func nowhere(_ name: String) -> ZoneSettings {
        ZoneSettings(name: name, outputs: [Output(name: "\(name)'s", kind: .null)])
    }
}

/// Zones come and go, and others are told what happens in them.
@Suite actor ZoneServiceTests {
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe testLoop.executor.asUnownedSerialExecutor() }

    @Test func changesOfAZoneAreTold() async throws {
        let fixture = Fixture(.nowhere("a"), .nowhere("b"))
        let zone = try fixture.room("b").zone
        fixture.notes.withLock { $0 = [] }
        _ = try zone.add([Song(uri: "one.flac")])
        try zone.setVolume(30)
        #expect(fixture.notes.current == [.init(changes: .playlist, zone: "b"), .init(changes: .mixer, zone: "b")])
        try fixture.room("b").outputs.setEnabled(false, "b's")
        #expect(
            await fixture.notes.wait(within: .patience) { notes in
                notes.contains { $0.zone == "b" && $0.changes == [.mixer, .output] }
            }
        )
        // The volume can be set all the same, and is that of the output when it is enabled again.
        #expect(zone.hasMixer)
        withExtendedLifetime(fixture) {}
    }

    @Test(arguments: [false, true]) func whatAnOutputLacksIsLogged(failsEarly: Bool) async throws {
        let zone = ZoneSettings(name: "a", outputs: [Output(name: "main", kind: .pulse)])
        let fixture = Fixture(zone, failsEarly: failsEarly)
        try fixture.room("a").outputs.start()
        #expect(await fixture.sessions.lines.wait(within: .patience) { $0.contains { $0.contains("refused") } })
        #expect(fixture.sessions.lines.current.first?.hasPrefix("output main: ") == true)
        withExtendedLifetime(fixture) {}
    }

    @Test func aSongThatIsMissingIsLoggedOnce() async throws {
        let fixture = Fixture(.nowhere("a"))
        let zone = try fixture.room("a").zone
        _ = try zone.add([Song(uri: "/nonexistent/one.flac")])
        for _ in 0..<2 {
            try zone.play()
            #expect(await fixture.notes.wait(within: .patience) { !$0.isEmpty })
        }
        #expect(await fixture.sessions.lines.wait(within: .patience) { !$0.isEmpty })
        #expect(fixture.sessions.lines.current.first?.hasPrefix("zone a: ") == true)
        withExtendedLifetime(fixture) {}
    }

    @Test func aZoneIsMadeAndRemoved() throws {
        let fixture = Fixture(.nowhere("a"))
        fixture.sessions.rooms.configuration.value.crossfade = .seconds(3)
        let client = ZoneClient()
        guard case .done = try fixture.service.make("b", for: client) else {
            Issue.record("nothing has to be read")
            return
        }
        let zone = try fixture.room("b").zone
        #expect(zone.options.crossfade == 3)
        #expect(fixture.notes.current.last == .init(changes: .partition, zone: nil))
        #expect(fixture.sessions.service.zoneSessions["b"] != nil)
        fixture.service.remove(zone)
        #expect(fixture.rooms.zones.map(\.name) == ["a"])
        #expect(fixture.left.current == ["b"])
        #expect(fixture.sessions.service.zoneSessions["b"] == nil)
        #expect(fixture.sessions.service.all.map(\.name) == ["a"])
    }

    /// The queue with its player goes to the other zone; each zone's outputs stay in it.
    @Test func whatPlaysIsHandedOver() async throws {
        let fixture = Fixture(.nowhere("a"), .nowhere("b"))
        let (one, two) = (try fixture.room("a"), try fixture.room("b"))
        let player = one.zone.player
        _ = try one.zone.add([Song(uri: "/nonexistent/one.flac")])
        let client = ZoneClient()
        guard case .suspended = try fixture.service.handOver(one.zone, to: two.zone, for: client) else {
            Issue.record("it is done on another thread")
            return
        }
        #expect(await client.resumed.wait(within: .patience) { $0 })
        #expect(two.zone.player === player)
        #expect(two.zone.queue.count == 1)
        #expect(one.zone.queue.count == 0)
        #expect(one.outputs.members.map(\.name) == ["a's"])
        #expect(two.outputs.members.map(\.name) == ["b's"])
        withExtendedLifetime(fixture) {}
    }

    @Test func aNewConfigurationChangesWhatItSays() throws {
        let fixture = Fixture(.nowhere("a"))
        let zone = try fixture.room("a").zone
        zone.change { $0.crossfade = 7 }
        let old = fixture.sessions.rooms.configuration.value
        fixture.sessions.rooms.configuration.value.limits.maxPlaylistLength = 5
        fixture.service.configurationChanged(from: old)
        #expect(zone.options.crossfade == 7, "it says nothing new of that")
        #expect(zone.capacity == 5)
        fixture.sessions.rooms.configuration.value.crossfade = .seconds(2)
        fixture.service.configurationChanged(from: old)
        #expect(zone.options.crossfade == 2)
    }

    @Test func theDefaultSinkIsFollowed() async throws {
        let fixture = Fixture(ZoneSettings(name: "a", outputs: [Output(name: "main", kind: .pulse)]))
        let zone = try fixture.room("a").zone
        #expect(fixture.rooms.place(of: zone) == "sink:/default")
        for name in ["kitchen", "attic"] {
            let sinks = ["attic", "kitchen"].map { Sink(name: $0, description: "", isDefault: $0 == name) }
            fixture.service.sinksChanged(sinks, ofServer: "")
            #expect(fixture.rooms.place(of: zone) == "sink:/\(name)")
            let session = try #require(fixture.sessions.service.zoneSessions["a"]?.id)
            #expect(fixture.sessions.service.places[session] == ["sink:/\(name)"])
        }
    }

    /// Row 59: a device that is plugged in is told of, and changes nothing.
    @Test func aNewDeviceIsToldOf() throws {
        let fixture = Fixture(ZoneSettings(name: "a", outputs: [Output(name: "main", kind: .pulse)]), .nowhere("b"))
        let kitchen = Sink(name: "kitchen", description: "", isDefault: true)
        fixture.service.sinksChanged([kitchen], ofServer: "")
        #expect(!fixture.sessions.events.contains("routeChanged"))
        fixture.service.sinksChanged([kitchen, Sink(name: "attic", description: "", isDefault: false)], ofServer: "")
        let event = try #require(fixture.sessions.service.log.events(after: 0).last { $0.type == "routeChanged" })
        #expect(event.fields.map(\.value) == ["1 newDeviceAvailable", "attic"])
        #expect(fixture.sessions.events.count { $0 == "routeChanged" } == 1)
        #expect(fixture.rooms.place(of: try fixture.room("a").zone) == "sink:/kitchen")
    }

    /// A client that plays to a sink itself learns that the sink is gone.
    @Test func sessionsAtASinkThatIsGoneAreInterrupted() async throws {
        let fixture = Fixture(.nowhere("a"))
        let zone = try fixture.room("a").zone
        fixture.service.sinksChanged([Sink(name: "attic", description: "", isDefault: true)], ofServer: "")
        let client = fixture.sessions.client(1, in: zone)
        let id = try fixture.sessions.service.open("other", .normal, persistent: false, sink: "attic", for: client)
        try fixture.sessions.service.handle(.configure(id, SessionConfiguration(category: .playback)), of: id)
        try fixture.sessions.service.handle(.activate(id), of: id)
        try fixture.sessions.service.handle(.playing(id, true), of: id)
        fixture.service.sinksChanged([Sink(name: "cellar", description: "", isDefault: true)], ofServer: "")
        #expect(fixture.sessions.service.session(id)?.interruptions.map(\.reason) == [.routeDisconnected])
    }

    @Test func aRouteIsNoted() throws {
        let fixture = Fixture(ZoneSettings(name: "a", outputs: [Output(name: "main", kind: .pulse, device: "kitchen")]))
        let zone = try fixture.room("a").zone
        for sink in ["kitchen", "attic"] {
            let reopen = fixture.rooms.routing(of: zone, to: sink, heardAt: sink) { output, _ in
                .soundServer(output.name, output.device)
            }
            reopen?()
            fixture.service.setRoute(of: zone, to: sink)
        }
        let events = fixture.sessions.service.log.events(after: 0).filter { $0.type == "routeChanged" }
        let values = events.map { event in event.fields.map { $0.value } }
        #expect(values == [["4 override", "kitchen", "attic"]])
        #expect(fixture.rooms[zone]?.route == "attic")
        #expect(fixture.rooms.places(of: zone) == ["sink:/attic"])
    }
}

/// A client that waits for a change of zones.
private final class ZoneClient: JobClient {
    let id = 1
    let isClosing = false
    let resumed = Watched(false)

    func resume(_ body: () throws -> Outcome) {
        _ = try? body()
        resumed.withLock { $0 = true }
    }
}

/// For how long has been played.
@Suite struct PlayTimeTests {
    @Test func zonesCountEachForItself() {
        var time = PlayTime()
        #expect(time.seconds == 0)
        time.record("a", isPlaying: false)
        #expect(time.seconds == 0)
        time.record("a", isPlaying: true)
        time.record("a", isPlaying: true)
        time.record("b", isPlaying: true)
        let running = time.seconds
        #expect(running > 0)
        time.record("a", isPlaying: false)
        time.record("b", isPlaying: false)
        let stopped = time.seconds
        #expect(stopped >= running)
        #expect(time.seconds == stopped)
    }
}
