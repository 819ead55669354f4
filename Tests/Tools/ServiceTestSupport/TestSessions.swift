package import AudioSessions
import AudioTypes
import Mixers
package import NIOCore
package import OutputGroups
import Playback
import Playlists
import ServerBasics
import ServerRooms
package import ServerSessions
package import Settings
package import Songs
package import StateStore
package import TestSupport
package import Zones

/// A session service for real zones with players on null outputs, and all that it asked for.
///
/// Belongs to `testLoop`. Players tell nothing back, so zones are as they were commanded.
package final class TestSessions {
    /// The events of the service, and what tests have follow from them.
    package final class Told: SessionDelegate {
        package var changes = 0
        package var kept: [Record] = []
        package var interrupted: [SessionID] = []
        /// URIs of songs that are speech.
        package var spoken: Set<String> = []
        /// Called when the gains of the announcements at a place are to be applied.
        package var settle: (String, Double) -> Void = { _, _ in }
        /// Called when a zone is heard elsewhere.
        package var moved: (Zone, String) -> Void = { _, _ in }
        package let settled = Watched<[String]>([])
        /// Called when a session is gone.
        package var closed: () -> Void = {}
        /// Called when a client has opened a session.
        package var clientOpened: () -> Void = {}
        package var foreignSessions: any ForeignSessions = NoForeignSessions()
        package let lines = Watched<[String]>([])
        package var log: @Sendable (LogLevel, String) -> Void {
            { [lines] _, line in lines.withLock { $0.append(line) } }
        }

        package func sessionStatesChanged() {}
        package func sessionsChanged() { changes += 1 }
        package func sessionSettingChanged(_ record: Record) { kept.append(record) }
        package func sessionPlayed(_ id: SessionID) {}
        package func sessionClosed(_ id: SessionID) { closed() }
        package func clientOpenedSession() { clientOpened() }
        package func announcementInterrupted(_ id: SessionID, by interrupter: Interrupter) { interrupted.append(id) }
        package func settleAnnouncements(at place: String, over ramp: Double) {
            settled.withLock { $0.append(place) }
            settle(place, ramp)
        }
        package func zoneMoved(_ zone: Zone, from old: String) { moved(zone, old) }
        package func isSpoken(_ song: Song) -> Bool { spoken.contains(song.uri) }
    }

    /// No program but the server plays.
    private final class NoForeignSessions: ForeignSessions {
        func interrupt(_ id: SessionID) {}
        func release(_ id: SessionID, shouldResume: Bool) {}
        func isPlaying(_ id: SessionID) -> Bool { false }
        func isMuted(_ id: SessionID) -> Bool? { nil }
        func settle(_ place: String) {}
    }

    package let rooms: TestRooms
    package let service: SessionService
    package let told = Told()
    /// The loop whose time the service goes by.
    package let loop: any EventLoop

    /// - Parameters:
    ///   - configured: The configured zones.
    ///   - spoken: URIs of songs that are speech.
    ///   - loop: The loop of a test that lets time pass; `nil` for the real one.
    package init(
        _ configured: [ZoneSettings] = [ZoneSettings(name: "a"), ZoneSettings(name: "b")],
        spoken: Set<String> = [],
        on loop: TestLoop? = nil
    ) {
        rooms = TestRooms(configured)
        told.spoken = spoken
        self.loop = loop ?? testLoop
        service = SessionService(
            rooms.rooms,
            rooms.configuration,
            loop: loop ?? testLoop,
            clock: loop?.clock ?? SystemWallClock(),
            delegate: told
        )
    }

    /// Lines of the log.
    package var lines: Watched<[String]> { told.lines }

    /// Adds a zone with one song and its session.
    @discardableResult
    package func add(_ name: String, _ outputs: OutputDescription..., songs: [String] = ["one.flac"]) throws -> Zone {
        let dependencies = ZoneDependencies(
            medium: { MediaEntry(location: "/nonexistent/" + $0.uri) },
            changed: { [unowned service] zone, _ in service.zoneChanged(zone) },
            claim: { [unowned service] zone throws(ZoneError) in try service.claim(zone) },
            isHeldBack: { [unowned service] in service.isHeldBack($0) },
            willResume: { [unowned service] in service.willResume($0, $1) }
        )
        let room = rooms.add(name, outputs, dependencies: dependencies)
        service.add(room.zone)
        room.zone.connect(Player(output: room.mixer.makeChannel())) { _ in }
        _ = try room.zone.add(songs.map { Song(uri: $0) })
        return room.zone
    }

    package func client(_ id: Int, of owner: String = "uid 1", in zone: Zone) -> SessionClient {
        SessionClient(id: id, owner: owner, zone: zone)
    }

    /// Opens a session that ducks others while it plays.
    package func openDucking(_ client: SessionClient) throws -> SessionID {
        let id = try service.open("navigation", .normal, persistent: false, sink: nil, for: client)
        try service.handle(
            .configure(id, SessionConfiguration(category: .playback, options: [.duckOthers])),
            of: id
        )
        try service.handle(.activate(id), of: id)
        try service.handle(.playing(id, true), of: id)
        return id
    }

    package func causes(of zone: Zone) -> [String] { reasons(of: zone).map(\.text) }

    package func reasons(of zone: Zone) -> [Cause.Reason] {
        ZoneDiagnosis(rooms: rooms.rooms, audioSessions: service).causes(of: zone).map(\.reason)
    }

    package var events: [String] { service.log.events(after: 0).map(\.type) }
}
