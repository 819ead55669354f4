import Announcements
import AudioSessions
import AudioTypes
import Glibc
import NIOCore
import ServerBasics
import ServerRooms
import ServerSessions
import ServiceTestSupport
import Settings
import TestSupport
import Testing
import Zones

@testable import ServerAnnouncements

/// What becomes of announcements, with real players on null outputs.
@Suite actor AnnouncerTests {
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe testLoop.executor.asUnownedSerialExecutor() }

    @Test func oneIsHeardOverDuckedMusic() async throws {
        let test = try TestAnnouncer()
        let zone = try test.sessions.add("a", .nowhere("x"))
        try zone.play()
        let id = try test.announcer.announce(test.request(in: zone))
        #expect(test.announcer.report(id)?.state == .playing)
        #expect(zone.state == .play)
        #expect(zone.duckGain == -test.sessions.rooms.configuration.value.session.duck)
        #expect(test.sessions.service.all.map(\.kind) == [.zone, .announcement])
        #expect(try await test.end(of: id) == .done)
        #expect(zone.duckGain == 0)
        #expect(test.sessions.service.all.map(\.kind) == [.zone])
        #expect(test.sessions.events.contains("announcementEnded"))
        #expect(test.told.current.ended == [id])
    }

    @Test func oneIsHeardAfterTheOther() async throws {
        let test = try TestAnnouncer()
        let zone = try test.sessions.add("a", .nowhere("x"))
        var requests = [test.request(in: zone), test.request(in: zone), test.request(in: zone)]
        requests[2].priority = 1
        let ids = try requests.map(test.announcer.announce)
        #expect(ids.map { test.announcer.report($0)?.state } == [.playing, .queued, .queued])
        for id in ids { #expect(try await test.end(of: id) == .done) }
        #expect(test.told.current.ended == [ids[0], ids[2], ids[1]])
    }

    /// Two zones at one sink hear it once.
    @Test func aPlaceHearsItOnce() async throws {
        let test = try TestAnnouncer()
        let one = try test.sessions.add("a", .soundServer("x"))
        let two = try test.sessions.add("b", .soundServer("y"))
        let id = try test.announcer.announce(test.request(in: one, two))
        #expect(test.sessions.service.all.count { $0.kind == .announcement } == 1)
        #expect(try await test.end(of: id) == .done)
    }

    /// What is heard, and what waits, goes with a zone whose sink is another one now; the music there is ducked.
    @Test func announcementsGoWithTheirZone() async throws {
        let test = try TestAnnouncer()
        let rooms = test.sessions.rooms.rooms
        func use(_ name: String) {
            let sinks = ["attic", "cellar"].map { Sink(name: $0, description: "", isDefault: $0 == name) }
            _ = rooms.setSinks(sinks, ofServer: "")
            for zone in rooms.zones { test.sessions.service.updatePlaces(of: zone) }
        }
        let (one, two) = (
            try test.sessions.add("a", .soundServer("x")), try test.sessions.add("b", .soundServer("y", "cellar"))
        )
        use("attic")
        try two.play()
        let ids = try [one, one, two].map { try test.announcer.announce(test.request(in: $0)) }
        #expect(ids.map { test.announcer.report($0)?.state } == [.playing, .queued, .playing])
        use("cellar")
        #expect(test.announcer.report(ids[1])?.announcement.places == ["sink:/cellar"])
        let sessions = test.sessions.service.all.filter { $0.kind == .announcement }
        #expect(sessions.map { test.sessions.service.places[$0.id] } == [["sink:/cellar"], ["sink:/cellar"]])
        for id in ids { #expect(try await test.end(of: id) == .done) }
        #expect(test.told.current.ended.last == ids[1])
        #expect(two.duckGain == 0)
    }

    @Test func ownersHaveALimit() throws {
        let test = try TestAnnouncer()
        let zone = try test.sessions.add("a", .nowhere("x"))
        test.sessions.rooms.configuration.value.limits.maxAnnouncementsPerClient = 2
        for _ in 0..<2 { _ = try test.announcer.announce(test.request(in: zone)) }
        #expect { _ = try test.announcer.announce(test.request(in: zone)) } throws: { error in
            "\(error)".contains("max-announcements-per-client = 2")
        }
        _ = try test.announcer.announce(test.request(in: zone, owner: "uid 2"))
        test.announcer.cancelAll()
        #expect(test.told.current.ended.count == 3)
        _ = try test.announcer.announce(test.request(in: zone))
        test.announcer.cancelAll()
    }

    @Test func aTextIsSpokenAndItsFileRemoved() async throws {
        let test = try TestAnnouncer()
        let zone = try test.sessions.add("a", .nowhere("x"))
        var request = AnnounceRequest(text: "Dinner", zones: [zone], owner: "uid 1")
        request.chime = [MediaEntry(location: test.sound)]
        let id = try test.announcer.announce(request)
        #expect(test.announcer.report(id)?.state == .queued)
        #expect(try await test.end(of: id) == .done)
        #expect(test.told.current.spoken == ["Dinner"])
        let path = test.folder.file("spoken.wav")
        try wait(for: "the removal of \(path)") { unsafe access(path, F_OK) != 0 }
    }

    @Test func whatCannotBeSpokenFails() async throws {
        let test = try TestAnnouncer(speak: { _, _ in throw Mute() })
        let zone = try test.sessions.add("a", .nowhere("x"))
        let id = try test.announcer.announce(AnnounceRequest(text: "Dinner", zones: [zone], owner: "uid 1"))
        #expect(try await test.end(of: id) == .failed("the voice is gone"))
        #expect(test.sessions.service.all.map(\.kind) == [.zone])
    }

    private struct Mute: Error, CustomStringConvertible {
        var description: String { "the voice is gone" }
    }

    @Test func whatIsMissingFails() async throws {
        let test = try TestAnnouncer()
        let zone = try test.sessions.add("a", .nowhere("x"))
        var request = test.request(in: zone)
        request.medium = MediaEntry(location: "/nonexistent/sound.wav")
        let id = try test.announcer.announce(request)
        let state = try await test.end(of: id)
        #expect(state?.error?.contains("sound.wav") == true || state?.error?.contains("No such file") == true)
    }

    @Test func aZoneAtVolumeZeroHearsNothing() async throws {
        let test = try TestAnnouncer()
        let zone = try test.sessions.add("a", .nowhere("x"))
        try zone.setVolume(0)
        let id = try test.announcer.announce(test.request(in: zone))
        #expect(try await test.end(of: id) == .failed("the volume of zone a is 0; raise it"))
    }

    /// It fails at once, and does not wait for an output.
    @Test func aZoneWithoutOutputHearsNothing() throws {
        let loop = TestLoop()
        let test = try TestAnnouncer(TestSessions(on: loop))
        let (zone, other) = (try test.sessions.add("a"), try test.sessions.add("b", .nowhere("x")))
        let error = "zone a has no enabled output; enable one"
        let alone = try test.announcer.announce(test.request(in: zone))
        #expect(test.announcer.report(alone)?.state == .failed(error))
        var everywhere = test.request(in: zone, other)
        everywhere.isForAllThatSound = true
        let id = try test.announcer.announce(everywhere)
        #expect(test.announcer.report(id)?.announcement.zones == ["b"])
        #expect(test.announcer.report(id)?.state == .playing)
        test.announcer.cancelAll()
    }

    @Test func aZoneThatIsRemovedHearsNothing() async throws {
        let test = try TestAnnouncer()
        let zone = try test.sessions.add("a", .nowhere("x"))
        let first = try test.announcer.announce(test.request(in: zone))
        let second = try test.announcer.announce(test.request(in: zone))
        test.sessions.rooms.rooms.remove(zone)
        test.sessions.service.remove(zone)
        #expect(test.announcer.cancel(first))
        #expect(test.announcer.report(first)?.state == .cancelled)
        #expect(try await test.end(of: second) == .failed("zone a was removed"))
    }

    @Test func whatIsCancelledIsSilent() throws {
        let test = try TestAnnouncer()
        let zone = try test.sessions.add("a", .nowhere("x"))
        try zone.play()
        let id = try test.announcer.announce(test.request(in: zone))
        #expect(zone.duckGain < 0)
        #expect(test.announcer.cancel(id))
        #expect(zone.duckGain == 0)
        #expect(test.told.current.ended == [id])
        #expect(!test.announcer.cancel(id))
        #expect(!test.announcer.cancel(id + 1))
    }

    @Test func aCallEndsIt() async throws {
        let sessions = TestSessions()
        let test = try TestAnnouncer(sessions)
        let zone = try sessions.add("a", .nowhere("x"))
        let id = try test.announcer.announce(test.request(in: zone))
        let (call, _) = try sessions.service.begin(SystemInterruption(.call, name: "The office"), in: [zone])
        let session = try #require(sessions.told.interrupted.first)
        test.announcer.interrupted(session, by: .session(call))
        #expect(test.announcer.report(id)?.state == .failed("interrupted by a call 'The office'"))
        #expect(!sessions.service.all.contains { $0.kind == .announcement })
    }

    /// A recording mutes all but alarms, so an announcement waits for its end.
    @Test func aRecordingIsNotDisturbed() async throws {
        let test = try TestAnnouncer()
        let zone = try test.sessions.add("a", .nowhere("x"))
        let recorder = try record(test, in: zone)
        let id = try test.announcer.announce(test.request(in: zone))
        #expect(test.announcer.report(id)?.state == .queued)
        var alarm = test.request(in: zone)
        alarm.announcementClass = .alarm
        #expect(try await test.end(of: try test.announcer.announce(alarm)) == .done)
        #expect(test.announcer.report(id)?.state == .queued)
        try test.sessions.service.handle(.deactivate(recorder, notifyOthers: true), of: recorder)
        #expect(try await test.end(of: id) == .done)
    }

    /// What a recording has made inaudible was not heard.
    @Test func aRecordingEndsIt() async throws {
        let test = try TestAnnouncer()
        let zone = try test.sessions.add("a", .nowhere("x"))
        let id = try test.announcer.announce(test.request(in: zone))
        _ = try record(test, in: zone)
        #expect(try await test.end(of: id) == .failed("muted while 'memo' (uid 1) records"))
        #expect(!test.sessions.service.all.contains { $0.kind == .announcement })
    }

    private func record(_ test: TestAnnouncer, in zone: Zone) throws -> SessionID {
        let service = test.sessions.service
        let client = test.sessions.client(1, in: zone)
        let id = try service.open("memo", .normal, persistent: false, sink: nil, for: client)
        try service.handle(.configure(id, SessionConfiguration(category: .record)), of: id)
        try service.handle(.activate(id), of: id)
        return id
    }

    /// Each depth is logged: the next announcement may lower the music by less than the one before.
    @Test func theDepthOfTheNextOneIsTold() async throws {
        let test = try TestAnnouncer()
        let zone = try test.sessions.add("a", .nowhere("x"))
        try zone.play()
        var requests = [test.request(in: zone), test.request(in: zone)]
        (requests[0].duck, requests[1].duck) = (20, 6)
        let ids = try requests.map(test.announcer.announce)
        for id in ids { #expect(try await test.end(of: id) == .done) }
        let music = try #require(test.sessions.service.zoneSessions["a"]?.id.rawValue)
        let ducks = test.sessions.service.log.events(after: 0).filter {
            $0.session == music && $0.type.hasSuffix("ducked")
        }
        #expect(
            ducks.map { [$0.type] + $0.fields.map(\.value) } == [["ducked", "-20"], ["ducked", "-6"], ["unducked"]]
        )
    }

    // MARK: Expiry

    /// While a recording goes on, announcements wait; each only as long as it may.
    @Test func eachWaitsAsLongAsItMay() throws {
        let loop = TestLoop()
        let test = try TestAnnouncer(TestSessions(on: loop))
        let zone = try test.sessions.add("a", .nowhere("x"))
        _ = try record(test, in: zone)
        var requests = [test.request(in: zone), test.request(in: zone), test.request(in: zone)]
        (requests[0].expires, requests[1].expires) = (.seconds(20), .seconds(10))
        let ids = try requests.map(test.announcer.announce)
        func states() -> [AnnouncementState?] { ids.map { test.announcer.report($0)?.state } }
        loop.pass(9.9)
        #expect(states() == [.queued, .queued, .queued])
        loop.pass(0.1)
        #expect(states() == [.queued, .expired, .queued] && test.told.current.ended == [ids[1]])
        loop.setTimeOfDay(loop.clock.now + 3_600)
        #expect(states() == [.queued, .expired, .queued], "it goes by no clock that is set")
        loop.pass(10)
        #expect(states() == [.expired, .expired, .queued] && loop.waitingCount == 0)
        #expect(test.sessions.events.count { $0 == "announcementEnded" } == 2)
        #expect(test.announcer.cancel(ids[2]))
    }

    @Test func oneThatIsCancelledDoesNotExpire() throws {
        let loop = TestLoop()
        let test = try TestAnnouncer(TestSessions(on: loop))
        let zone = try test.sessions.add("a", .nowhere("x"))
        _ = try record(test, in: zone)
        var request = test.request(in: zone)
        request.expires = .seconds(10)
        let id = try test.announcer.announce(request)
        #expect(test.announcer.cancel(id) && loop.waitingCount == 0)
        loop.pass(20)
        #expect(test.announcer.report(id)?.state == .cancelled && test.told.current.ended == [id])
    }

    /// One that is heard may be longer than it might have waited.
    @Test func oneThatIsHeardDoesNotExpire() throws {
        let loop = TestLoop()
        let test = try TestAnnouncer(TestSessions(on: loop))
        let zone = try test.sessions.add("a", .nowhere("x"))
        let recorder = try record(test, in: zone)
        var request = test.request(in: zone)
        request.expires = .seconds(10)
        let id = try test.announcer.announce(request)
        loop.pass(9)
        try test.sessions.service.handle(.deactivate(recorder, notifyOthers: true), of: recorder)
        loop.runReady()
        #expect(test.announcer.report(id)?.state == .playing && loop.waitingCount == 0)
        loop.pass(60)
        #expect(test.announcer.report(id)?.state != .expired)
        test.announcer.cancelAll()
    }
}
