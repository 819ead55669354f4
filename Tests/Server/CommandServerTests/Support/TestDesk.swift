import AudioSessions
import AudioTypes
import Mixers
import NIOCore
import NIOPosix
import OutputGroups
import Playback
import Playlists
import Settings
import Songs
import StateStore
import TestSupport
import Zones

@testable import CommandServer

/// The event loop of suites that test what belongs to one; they are actors on it, as the server is.
let testLoop: any EventLoop = MultiThreadedEventLoopGroup.singleton.next()

/// A session desk for real zones with players on null outputs, and all that it asked for.
///
/// Belongs to `testLoop`. Players tell nothing back, so zones are as they were commanded.
final class TestDesk {
    /// What was told and asked for.
    final class Told {
        var changes = 0
        var kept: [Record] = []
        var interrupted: [SessionID] = []
        /// Called when the gains of the announcements at a place are to be applied.
        var settle: (String, Double) -> Void = { _, _ in }
        /// Called when a zone is heard elsewhere.
        var moved: (Zone, String) -> Void = { _, _ in }
        let settled = Watched<[String]>([])
        /// Called when a session is gone.
        var closed: () -> Void = {}
        /// Called when a client has opened a session.
        var clientOpened: () -> Void = {}
        /// The effects on the streams of other programs.
        var foreign = ForeignEffects()
        var log: [String] = []
    }

    let rooms: TestRooms
    let desk: SessionDesk
    let told = Told()
    /// The loop that the desk's time goes by.
    let loop: any EventLoop

    /// - Parameters:
    ///   - configured: The configured zones.
    ///   - spoken: URIs of songs that are speech.
    ///   - loop: The loop of a test that lets time pass; `nil` for the real one.
    init(
        _ configured: [ZoneSettings] = [ZoneSettings(name: "a"), ZoneSettings(name: "b")],
        spoken: Set<String> = [],
        on loop: TestLoop? = nil
    ) {
        rooms = TestRooms(configured)
        let lines = Watched<[String]>([])
        self.lines = lines
        self.loop = loop ?? testLoop
        desk = SessionDesk(
            rooms.rooms,
            rooms.configuration,
            loop: loop ?? testLoop,
            clock: loop?.clock ?? SystemWallClock(),
            SessionSurroundings(
                changed: { [told] in told.changes += 1 },
                keep: { [told] in told.kept.append($0) },
                isSpoken: { spoken.contains($0.uri) },
                announcementInterrupted: { [told] id, _ in told.interrupted.append(id) },
                settleAnnouncements: { [told] place, ramp in
                    told.settled.withLock { $0.append(place) }
                    told.settle(place, ramp)
                },
                zoneMoved: { [told] in told.moved($0, $1) },
                log: { _, line in lines.withLock { $0.append(line) } },
                closed: { [told] _ in told.closed() },
                clientOpened: { [told] in told.clientOpened() },
                foreign: ForeignEffects(
                    interrupt: { [told] in told.foreign.interrupt($0) },
                    release: { [told] in told.foreign.release($0, $1) },
                    isPlaying: { [told] in told.foreign.isPlaying($0) },
                    isMuted: { [told] in told.foreign.isMuted($0) },
                    settle: { [told] in told.foreign.settle($0) }
                )
            )
        )
    }

    /// Lines of the log.
    let lines: Watched<[String]>

    /// Adds a zone with one song and its session.
    @discardableResult
    func add(_ name: String, _ outputs: OutputDescription..., songs: [String] = ["one.flac"]) throws -> Zone {
        let surroundings = ZoneSurroundings(
            medium: { MediaEntry(location: "/nonexistent/" + $0.uri) },
            changed: { [unowned desk] zone, _ in desk.zoneChanged(zone) },
            claim: { [unowned desk] zone throws(ZoneError) in try desk.claim(zone) },
            isHeldBack: { [unowned desk] in desk.isHeldBack($0) },
            willResume: { [unowned desk] in desk.willResume($0, $1) }
        )
        let room = rooms.add(name, outputs, surroundings: surroundings)
        desk.add(room.zone)
        room.zone.connect(Player(output: room.mixer.makeChannel())) { _ in }
        _ = try room.zone.add(songs.map { Song(uri: $0) })
        return room.zone
    }

    func client(_ id: Int, of owner: String = "uid 1", in zone: Zone) -> SessionClient {
        SessionClient(id: id, owner: owner, zone: zone)
    }

    /// Opens a session that ducks others while it plays.
    func openDucking(_ client: SessionClient) throws -> SessionID {
        let id = try desk.open("navigation", .normal, persistent: false, sink: nil, for: client)
        try desk.handle(
            .configure(id, SessionConfiguration(category: .playback, options: [.duckOthers])),
            of: id
        )
        try desk.handle(.activate(id), of: id)
        try desk.handle(.playing(id, true), of: id)
        return id
    }

    func causes(of zone: Zone) -> [String] {
        ZoneDiagnosis(rooms: rooms.rooms, desk: desk).causes(of: zone).map(\.text)
    }

    var events: [String] { desk.log.events(after: 0).map(\.type) }
}
