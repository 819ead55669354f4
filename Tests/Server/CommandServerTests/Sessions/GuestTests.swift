import Announcements
import AudioSessions
import AudioTypes
import LineProtocol
import NIOCore
import Playlists
import ServerAnnouncements
import ServerBasics
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

/// A house with one zone, where songs of one URL are announcements.
private final class House {
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
        let desk = TestDesk(on: loop)
        desk.rooms.configuration.value.announcementRules = [
            AnnouncementRule(prefix: "http://192.0.2.7/tts/", host: AddressRange("192.0.2.0/24"), volume: 40)
        ]
        test = try TestAnnouncer(desk)
        zone = try desk.add("a", .nowhere("x"))
        guests = AnnouncementGuests(
            desk.rooms.rooms,
            test.announcer,
            desk.rooms.configuration,
            loop: desk.loop,
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
        let house = try House()
        let guest = try HomeAssistant(in: house.zone)
        #expect(try house.give("status", guest) == nil)
        #expect(try house.give("clear", guest) == [])
        #expect(try house.give("currentsong", guest) == [])
        #expect(try house.give("status", guest)?.contains("playlistlength: 0") == true)
        #expect(try house.give("addid \"\(house.speech)\"", guest) == ["Id: 1"])
        #expect(try house.give("currentsong", guest) == ["file: \(house.speech)", "Pos: 0", "Id: 1"])
        #expect(try house.give("status", guest)?.contains("state: stop") == true)
        #expect(try house.give("play", try HomeAssistant(in: house.zone)) == [])
        let report = try #require(house.test.announcer.reports.first)
        #expect(report.announcement.uri == house.speech)
        #expect(report.state == .playing)
        let status = try #require(try house.give("status", guest))
        #expect(status.contains("state: play") && status.contains("playlistlength: 1"))
        #expect(house.songs == ["one.flac"])
        #expect(house.toldCount == 1)
        house.test.announcer.cancelAll()
        house.guests.announcementEnded(report.announcement.id)
        #expect(house.toldCount == 2)
        #expect(try house.give("status", guest)?.contains("state: stop") == true)
        #expect(try house.give("status", guest) == nil)
    }

    @Test func theVolumeIsTheAnnouncements() throws {
        let house = try House()
        let guest = try HomeAssistant(in: house.zone)
        #expect(try house.give("setvol 20", guest) == nil)
        for line in ["clear", "setvol 20", "add \(house.speech)", "play", "setvol 30"] {
            #expect(try house.give(line, guest) == [], "\(line)")
        }
        #expect(try house.give("status", guest)?.contains("volume: 30") == true)
        #expect(house.zone.volume == 100)
        #expect(try house.give("stop", guest) == [])
        #expect(house.test.announcer.reports.first?.state == .cancelled)
        house.test.announcer.cancelAll()
    }

    @Test func whatIsNoAnnouncementIsDoneForReal() throws {
        let house = try House()
        let guest = try HomeAssistant(in: house.zone)
        for line in ["clear", "setvol 20"] { _ = try house.give(line, guest) }
        #expect(house.songs == ["one.flac"])
        #expect(try house.give("add two.flac", guest) == nil)
        #expect(house.songs == [])
        #expect(house.zone.volume == 20)
        #expect(house.test.announcer.reports.isEmpty)
    }

    /// The URL was added, but something else than `play` follows.
    @Test func aURLThatIsNotPlayedIsInTheQueue() throws {
        let house = try House()
        let guest = try HomeAssistant(in: house.zone)
        for line in ["clear", "add \(house.speech)"] { _ = try house.give(line, guest) }
        #expect(try house.give("shuffle", guest) == nil)
        #expect(house.songs == [house.speech])
        #expect(try house.give("status", guest) == nil)
        house.fill()
        for line in ["clear", "add \(house.speech)"] { _ = try house.give(line, guest) }
        #expect(try house.give("shuffle", guest) == nil)
        #expect(house.songs == [], "there is no room")
    }

    @Test func othersAreNoGuests() throws {
        let house = try House()
        #expect(try house.give("clear", HomeAssistant(in: house.zone, from: "198.51.100.1")) == nil)
        let guest = try HomeAssistant(in: house.zone)
        guest.permissions = [.read, .add]
        #expect(try house.give("clear", guest) == [])
        #expect(try house.give("add \(house.speech)", guest) == nil, "it may not play")
        house.test.desk.rooms.configuration.value.announcementRules = []
        #expect(try house.give("clear", HomeAssistant(in: house.zone)) == nil)
    }

    @Test func aRefusedPlayShowsTheZoneAgain() throws {
        let house = try House()
        let guest = try HomeAssistant(in: house.zone)
        house.test.desk.rooms.configuration.value.limits.maxAnnouncementsPerClient = 0
        for line in ["clear", "add \(house.speech)"] { _ = try house.give(line, guest) }
        #expect(throws: (any Error).self) { try house.give("play", guest) }
        #expect(try house.give("status", guest) == nil)
        #expect(house.songs == ["one.flac"])
    }

    // MARK: Patience

    /// A client that only clears the queue has it cleared, a little later.
    @Test func aClearThatNothingFollowsIsDone() throws {
        let loop = TestLoop()
        let house = try House(on: loop)
        let guest = try HomeAssistant(in: house.zone)
        for line in ["clear", "setvol 20"] { _ = try house.give(line, guest) }
        loop.pass(4.9)
        #expect(house.songs == ["one.flac"] && house.toldCount == 0)
        loop.pass(0.1)
        #expect(house.songs == [] && house.zone.volume == 20 && house.toldCount == 1)
        #expect(try house.give("status", guest) == nil && loop.waitingCount == 0)
    }

    @Test func aURLThatNothingFollowsIsInTheQueue() throws {
        let loop = TestLoop()
        let house = try House(on: loop)
        let guest = try HomeAssistant(in: house.zone)
        _ = try house.give("clear", guest)
        loop.pass(4)
        _ = try house.give("add \(house.speech)", guest)
        #expect(house.songs == ["one.flac"])
        loop.pass(1)
        #expect(house.songs == [house.speech] && house.test.announcer.reports.isEmpty)
    }

    /// Each `clear` begins the time again; another one in its own view clears nothing.
    @Test func eachClearHasItsTime() throws {
        let loop = TestLoop()
        let house = try House(on: loop)
        let guest = try HomeAssistant(in: house.zone)
        _ = try house.give("clear", guest)
        loop.pass(4)
        _ = try house.give("clear", guest)
        loop.pass(4.9)
        #expect(house.songs == ["one.flac"])
        _ = try house.give("add \(house.speech)", guest)
        _ = try house.give("clear", guest)
        loop.pass(5)
        #expect(house.songs == ["one.flac"] && house.toldCount == 1)
    }

    /// One that does not ask how its announcement ended sees the zone again after a while.
    @Test func theEndIsShownForAWhile() throws {
        let loop = TestLoop()
        let house = try House(on: loop)
        let guest = try HomeAssistant(in: house.zone)
        for line in ["clear", "add \(house.speech)", "play"] { _ = try house.give(line, guest) }
        let id = try #require(house.test.announcer.reports.first?.announcement.id)
        loop.pass(2)
        #expect(try house.give("status", guest)?.contains("elapsed: 2.000") == true)
        house.test.announcer.cancelAll()
        house.guests.announcementEnded(id)
        loop.pass(4.9)
        #expect(try house.give("currentsong", guest) != nil)
        loop.pass(0.1)
        #expect(try house.give("currentsong", guest) == nil && house.toldCount == 3)
        #expect(house.songs == ["one.flac"])
    }
}
