import Announcements
import AudioSessions
import AudioTypes
import LineProtocol
import NIOCore
import Playlists
import ServerAnnouncements
import ServerBasics
import ServerCommands
import ServerRequests
import ServerRooms
import ServerSessions
import ServiceTestSupport
import Settings
import Songs
import TestSupport
import Testing
import Zones

@testable import CommandServer

/// A connection of Home Assistant's.
private final class HomeAssistant: Guest {
    let principal: Principal
    let sessionOwner = "192.0.2.7"
    let zone: Zone
    var permissions: Permissions = [.read, .add, .player]
    let reach = NetworkReach.anywhere
    var reply = Reply()

    init(in zone: Zone, from address: String = "192.0.2.7") throws {
        let listener = Listener(.tcp(host: nil, port: 1))
        principal = Principal(try #require(IPAddress(address)), server: nil, at: listener)
        self.zone = zone
    }
}

/// A server with one zone, where songs of one URL are announcements.
private final class Fixture {
    let test: TestAnnouncer
    let guests: AnnouncementGuests
    let zone: Zone
    let speech = "http://192.0.2.7/tts/hello.mp3"
    private let box = Box()

    private final class Box: GuestDelegate {
        var told = 0
        var isFull = false
        var chime: [MediaEntry] { [] }

        func requireRoom(for songs: [Song]) throws(AckError) { if isFull { throw AckError(.queueFull, "full") } }
        func viewChanged(of owner: String, in zone: String) { if owner == "192.0.2.7", zone == "a" { told += 1 } }
    }

    /// How often the guest's connections were told that they see another queue.
    var toldCount: Int { box.told }

    /// - Parameter loop: The loop of a test that lets time pass; `nil` for the real one.
    init(on loop: TestLoop? = nil) throws {
        let sessions = TestSessions(on: loop)
        sessions.rooms.configuration.value.announcementRules = [
            AnnouncementRule(prefix: "http://192.0.2.7/tts/", host: AddressRange("192.0.2.0/24"), volume: 40)
        ]
        test = try TestAnnouncer(sessions)
        zone = try sessions.add("a", .nowhere("x"))
        guests = AnnouncementGuests(
            sessions.rooms.rooms,
            test.announcer,
            sessions.rooms.configuration,
            loop: sessions.loop,
            delegate: box
        )
    }

    var songs: [String] { (0..<zone.queue.count).map { zone.queue[$0].song.uri } }

    func fill() { box.isFull = true }

    /// Gives a request; says the lines of the guest's reply, or `nil` when it is one about the zone.
    func give(_ line: String, _ connection: HomeAssistant) throws -> [String]? {
        connection.reply = Reply()
        let request = try RequestLine(parsing: Array(line.utf8))
        let command = try #require(CommandTable.standard[request.command])
        guard try guests.intercept(command.guestRequest(request.arguments), from: connection) != nil else { return nil }
        return String(decoding: connection.reply.bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}

/// Programs that announce by `clear`, `add` and `play`.
@Suite actor AnnouncementGuestTests {
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe testLoop.executor.asUnownedSerialExecutor() }

    @Test func anAnnouncementLeavesTheQueueAlone() throws {
        let fixture = try Fixture()
        let guest = try HomeAssistant(in: fixture.zone)
        #expect(try fixture.give("status", guest) == nil)
        #expect(try fixture.give("clear", guest) == [])
        #expect(try fixture.give("currentsong", guest) == [])
        #expect(try fixture.give("status", guest)?.contains("playlistlength: 0") == true)
        #expect(try fixture.give("addid \"\(fixture.speech)\"", guest) == ["Id: 1"])
        #expect(try fixture.give("currentsong", guest) == ["file: \(fixture.speech)", "Pos: 0", "Id: 1"])
        #expect(try fixture.give("status", guest)?.contains("state: stop") == true)
        #expect(try fixture.give("play", try HomeAssistant(in: fixture.zone)) == [])
        let report = try #require(fixture.test.announcer.reports.first)
        #expect(report.announcement.uri == fixture.speech)
        #expect(report.state == .playing)
        let status = try #require(try fixture.give("status", guest))
        #expect(status.contains("state: play") && status.contains("playlistlength: 1"))
        #expect(fixture.songs == ["one.flac"])
        #expect(fixture.toldCount == 1)
        fixture.test.announcer.cancelAll()
        fixture.guests.announcementEnded(report.announcement.id)
        #expect(fixture.toldCount == 2)
        #expect(try fixture.give("status", guest)?.contains("state: stop") == true)
        #expect(try fixture.give("status", guest) == nil)
    }

    @Test func theVolumeIsTheAnnouncements() throws {
        let fixture = try Fixture()
        let guest = try HomeAssistant(in: fixture.zone)
        #expect(try fixture.give("setvol 20", guest) == nil)
        for line in ["clear", "setvol 20", "add \(fixture.speech)", "play", "setvol 30"] {
            #expect(try fixture.give(line, guest) == [], "\(line)")
        }
        #expect(try fixture.give("status", guest)?.contains("volume: 30") == true)
        #expect(fixture.zone.volume == 100)
        #expect(try fixture.give("stop", guest) == [])
        #expect(fixture.test.announcer.reports.first?.state == .cancelled)
        fixture.test.announcer.cancelAll()
    }

    @Test func whatIsNoAnnouncementIsDoneForReal() throws {
        let fixture = try Fixture()
        let guest = try HomeAssistant(in: fixture.zone)
        for line in ["clear", "setvol 20"] { _ = try fixture.give(line, guest) }
        #expect(fixture.songs == ["one.flac"])
        #expect(try fixture.give("add two.flac", guest) == nil)
        #expect(fixture.songs == [])
        #expect(fixture.zone.volume == 20)
        #expect(fixture.test.announcer.reports.isEmpty)
    }

    /// The URL was added, but something else than `play` follows.
    @Test func aURLThatIsNotPlayedIsInTheQueue() throws {
        let fixture = try Fixture()
        let guest = try HomeAssistant(in: fixture.zone)
        for line in ["clear", "add \(fixture.speech)"] { _ = try fixture.give(line, guest) }
        #expect(try fixture.give("shuffle", guest) == nil)
        #expect(fixture.songs == [fixture.speech])
        #expect(try fixture.give("status", guest) == nil)
        fixture.fill()
        for line in ["clear", "add \(fixture.speech)"] { _ = try fixture.give(line, guest) }
        #expect(try fixture.give("shuffle", guest) == nil)
        #expect(fixture.songs == [], "there is no room")
    }

    @Test func othersAreNoGuests() throws {
        let fixture = try Fixture()
        #expect(try fixture.give("clear", HomeAssistant(in: fixture.zone, from: "198.51.100.1")) == nil)
        let guest = try HomeAssistant(in: fixture.zone)
        guest.permissions = [.read, .add]
        #expect(try fixture.give("clear", guest) == [])
        #expect(try fixture.give("add \(fixture.speech)", guest) == nil, "it may not play")
        fixture.test.sessions.rooms.configuration.value.announcementRules = []
        #expect(try fixture.give("clear", HomeAssistant(in: fixture.zone)) == nil)
    }

    @Test func aRefusedPlayShowsTheZoneAgain() throws {
        let fixture = try Fixture()
        let guest = try HomeAssistant(in: fixture.zone)
        fixture.test.sessions.rooms.configuration.value.limits.maxAnnouncementsPerClient = 0
        for line in ["clear", "add \(fixture.speech)"] { _ = try fixture.give(line, guest) }
        #expect(throws: (any Error).self) { try fixture.give("play", guest) }
        #expect(try fixture.give("status", guest) == nil)
        #expect(fixture.songs == ["one.flac"])
    }

    // MARK: Patience

    /// A client that only clears the queue has it cleared, a little later.
    @Test func aClearThatNothingFollowsIsDone() throws {
        let loop = TestLoop()
        let fixture = try Fixture(on: loop)
        let guest = try HomeAssistant(in: fixture.zone)
        for line in ["clear", "setvol 20"] { _ = try fixture.give(line, guest) }
        loop.pass(4.9)
        #expect(fixture.songs == ["one.flac"] && fixture.toldCount == 0)
        loop.pass(0.1)
        #expect(fixture.songs == [] && fixture.zone.volume == 20 && fixture.toldCount == 1)
        #expect(try fixture.give("status", guest) == nil && loop.waitingCount == 0)
    }

    @Test func aURLThatNothingFollowsIsInTheQueue() throws {
        let loop = TestLoop()
        let fixture = try Fixture(on: loop)
        let guest = try HomeAssistant(in: fixture.zone)
        _ = try fixture.give("clear", guest)
        loop.pass(4)
        _ = try fixture.give("add \(fixture.speech)", guest)
        #expect(fixture.songs == ["one.flac"])
        loop.pass(1)
        #expect(fixture.songs == [fixture.speech] && fixture.test.announcer.reports.isEmpty)
    }

    /// Each `clear` begins the time again; another one in its own view clears nothing.
    @Test func eachClearHasItsTime() throws {
        let loop = TestLoop()
        let fixture = try Fixture(on: loop)
        let guest = try HomeAssistant(in: fixture.zone)
        _ = try fixture.give("clear", guest)
        loop.pass(4)
        _ = try fixture.give("clear", guest)
        loop.pass(4.9)
        #expect(fixture.songs == ["one.flac"])
        _ = try fixture.give("add \(fixture.speech)", guest)
        _ = try fixture.give("clear", guest)
        loop.pass(5)
        #expect(fixture.songs == ["one.flac"] && fixture.toldCount == 1)
    }

    /// One that does not ask how its announcement ended sees the zone again after a while.
    @Test func theEndIsShownForAWhile() throws {
        let loop = TestLoop()
        let fixture = try Fixture(on: loop)
        let guest = try HomeAssistant(in: fixture.zone)
        for line in ["clear", "add \(fixture.speech)", "play"] { _ = try fixture.give(line, guest) }
        let id = try #require(fixture.test.announcer.reports.first?.announcement.id)
        loop.pass(2)
        #expect(try fixture.give("status", guest)?.contains("elapsed: 2.000") == true)
        fixture.test.announcer.cancelAll()
        fixture.guests.announcementEnded(id)
        loop.pass(4.9)
        #expect(try fixture.give("currentsong", guest) != nil)
        loop.pass(0.1)
        #expect(try fixture.give("currentsong", guest) == nil && fixture.toldCount == 3)
        #expect(fixture.songs == ["one.flac"])
    }
}
