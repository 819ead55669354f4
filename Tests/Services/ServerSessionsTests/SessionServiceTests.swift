import AudioSessions
import NIOCore
import OutputGroups
import Outputs
import ServerBasics
import ServerRooms
import ServiceTestSupport
import Settings
import Songs
import StateStore
import TestSupport
import Testing
import Zones

@testable import ServerSessions

/// The actions that the session service has zones carry out.
@Suite actor SessionServiceTests {
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe testLoop.executor.asUnownedSerialExecutor() }

    @Test func oneZoneAtASinkSilencesTheOther() throws {
        let test = TestSessions()
        let one = try test.add("a", .soundServer("x"))
        let two = try test.add("b", .soundServer("y"))
        try one.play()
        try two.play()
        #expect(one.state == .pause)
        #expect(two.state == .play)
        #expect(one.interruption == test.service.zoneSessions["b"]?.id.rawValue)
        #expect(test.causes(of: one) == ["interrupted by zone b"])
        // A player that stops does not bring the other one back.
        two.stop()
        #expect(one.state == .pause)
        #expect(one.interruption == nil)
        #expect(test.told.changes > 0)
        #expect(test.events.contains("interruptionBegan"))
    }

    /// The one that is to play waits until the other one's fade is heard to be over.
    @Test func aClaimWaitsForTheFade() throws {
        let test = TestSessions()
        test.rooms.configuration.value.session.fade = .milliseconds(700)
        let one = try test.add("a", .soundServer("x"))
        let two = try test.add("b", .soundServer("y"))
        #expect(try test.service.claim(one) == 0)
        try one.play()
        #expect(try test.service.claim(two) > 0.7)
    }

    @Test func zonesElsewhereAreLeftAlone() throws {
        let test = TestSessions()
        let one = try test.add("a", .nowhere("x"))
        let two = try test.add("b", .nowhere("y"))
        try one.play()
        try two.play()
        #expect(one.state == .play)
        #expect(two.state == .play)
    }

    @Test func aZoneThatComesToASinkTakesIt() throws {
        let test = TestSessions()
        let one = try test.add("a", .soundServer("x"))
        let two = try test.add("b", .soundServer("y"))
        test.rooms.move("y", of: two, to: "garden")
        test.service.updatePlaces(of: two)
        try one.play()
        try two.play()
        #expect(one.state == .play)
        test.rooms.move("y", of: two, to: nil)
        test.service.recordRoute(of: two, .override, from: "garden", to: "default")
        test.service.updatePlaces(of: two)
        #expect(one.state == .pause)
        #expect(two.state == .play)
        #expect(test.events.contains("routeChanged"))
    }

    @Test func aCallIsOverWhenItsConnectionIs() throws {
        let test = TestSessions()
        let zone = try test.add("a", .nowhere("x"))
        let client = test.client(7, in: zone)
        try zone.play()
        let (id, wait) = try test.service.begin(SystemInterruption(.call, name: "The office"), in: [zone])
        test.service.bind(id, to: client)
        #expect(wait > 0)
        #expect(zone.state == .pause)
        #expect(test.causes(of: zone) == ["interrupted by a call 'The office'"])
        test.service.clientIsGone(test.client(8, in: zone))
        #expect(zone.state == .pause)
        test.service.clientIsGone(client)
        #expect(zone.state == .play)
        #expect(!test.service.endInterruption(id, resume: true))
    }

    @Test func whoIsPausedMeanwhileStaysSo() throws {
        let test = TestSessions()
        let zone = try test.add("a", .nowhere("x"))
        try zone.play()
        let (id, _) = try test.service.begin(SystemInterruption(.alarm, name: "7:00"), in: [zone])
        test.service.speaker = "uid 7"
        try zone.setPaused(true)
        test.service.speaker = nil
        #expect(test.causes(of: zone) == ["interrupted by an alarm '7:00'"])
        #expect(test.service.endInterruption(id, resume: true))
        #expect(zone.state == .pause)
        #expect(zone.interruption == nil)
        #expect(test.causes(of: zone) == ["paused by uid 7"])
    }

    @Test func whoIsStoppedMeanwhileWasNotStoppedByACall() throws {
        let test = TestSessions()
        let zone = try test.add("a", .nowhere("x"))
        try zone.play()
        let (id, _) = try test.service.begin(SystemInterruption(.call, name: "x"), in: [zone])
        test.service.speaker = "uid 7"
        zone.stop()
        test.service.speaker = nil
        #expect(test.causes(of: zone) == ["stopped by uid 7"])
        _ = test.service.endInterruption(id, resume: true)
        #expect(test.causes(of: zone) == ["stopped by uid 7"])
    }

    @Test func aCallThatGivesNothingBackHasPaused() throws {
        let test = TestSessions()
        let zone = try test.add("a", .nowhere("x"))
        try zone.play()
        let (id, _) = try test.service.begin(SystemInterruption(.call, name: "Mum"), in: [zone])
        _ = test.service.endInterruption(id, resume: false)
        #expect(test.causes(of: zone) == ["paused by a call 'Mum'"])
        let values = test.reasons(of: zone).first?.values.map { "\($0): \($1)" } ?? []
        #expect(values.first == "by: a call 'Mum'")
        #expect(values.suffix(3) == ["name: Mum", "kind: system", "class: call"])
    }

    @Test func whatACallDoesNotAdmitIsRefused() throws {
        let test = TestSessions()
        let zone = try test.add("a", .nowhere("x"))
        _ = try test.service.configure(zone, as: SessionConfiguration(category: .playAndRecord))
        #expect(test.told.kept.last == Record("category", "a", "playAndRecord", "default", "", "default"))
        _ = try test.service.begin(SystemInterruption(.call, name: "x"), in: [zone])
        #expect { try zone.play() } throws: { error in
            guard case ZoneError.refused(let reason) = error else { return false }
            return reason.hasPrefix("insufficientPriority")
        }
        #expect(zone.state == .stop)
        #expect(throws: SessionError.self) {
            try test.service.configure(zone, as: SessionConfiguration(category: .record))
        }
    }

    /// A zone that leaves the sink of a call resumes; one that comes to a call's sink waits for its end.
    @Test func aCallIsLeftBehindAndComeTo() throws {
        let test = TestSessions()
        let one = try test.add("a", .soundServer("x", "kitchen"))
        let two = try test.add("b", .soundServer("y", "garden"))
        try one.play()
        try two.play()
        let (call, _) = try test.service.begin(SystemInterruption(.call, name: "call"), in: [two])
        #expect(two.state == .pause)
        test.rooms.move("y", of: two, to: "attic")
        test.service.updatePlaces(of: two)
        #expect(two.state == .play && two.interruption == nil)
        test.rooms.move("x", of: one, to: "garden")
        test.service.updatePlaces(of: one)
        #expect(one.state == .pause && one.interruption != nil)
        #expect(test.service.endInterruption(call, resume: true))
        #expect(one.state == .play && one.interruption == nil)
    }

    /// Music that was replaced by another zone's does not begin elsewhere when its zone is moved.
    @Test func aZoneThatGaveWayStaysSilentElsewhere() throws {
        let test = TestSessions()
        let one = try test.add("a", .soundServer("x", "kitchen"))
        let two = try test.add("b", .soundServer("y", "kitchen"))
        try one.play()
        try two.play()
        #expect(one.state == .pause && one.interruption != nil)
        test.rooms.move("x", of: one, to: "attic")
        test.service.updatePlaces(of: one)
        #expect(one.state == .pause && one.interruption == nil && two.state == .play)
    }

    /// A zone with two sinks is silent while either is taken, and quiet while others are ducked at either.
    @Test func aZoneIsArbitratedAtAllItsSinks() throws {
        let test = TestSessions()
        let both = try test.add("a", .soundServer("x", "kitchen"), .soundServer("y", "garden"))
        let garden = try test.add("b", .soundServer("z", "garden"))
        try both.play()
        try garden.play()
        #expect(both.state == .pause)
        try both.play()
        #expect(both.state == .play && garden.state == .pause)
        garden.stop()
        let (kitchenCall, _) = try test.service.begin(SystemInterruption(.call, name: "one"), in: [both])
        #expect(both.state == .pause)
        let (gardenCall, _) = try test.service.begin(SystemInterruption(.call, name: "two"), in: [garden])
        #expect(test.service.endInterruption(kitchenCall, resume: true))
        #expect(both.state == .pause && both.interruption != nil)
        #expect(test.service.endInterruption(gardenCall, resume: true))
        #expect(both.state == .play && both.interruption == nil)
        let id = try test.openDucking(test.client(1, in: garden))
        #expect(both.duckGain < 0)
        test.service.close(id)
        #expect(both.duckGain == 0)
    }

    /// A client's session that named no sink goes with its zone, and is told.
    @Test func clientsFollowTheirZone() throws {
        let test = TestSessions()
        let zone = try test.add("a", .soundServer("x", "kitchen"))
        let id = try test.openDucking(test.client(1, in: zone))
        let fixed = try test.service.open(
            "fixed",
            .normal,
            persistent: false,
            sink: "kitchen",
            for: test.client(1, in: zone)
        )
        test.rooms.move("x", of: zone, to: "attic")
        test.service.updatePlaces(of: zone)
        #expect(test.service.places[id] == ["sink:/attic"])
        #expect(test.service.places[fixed] == ["sink:/kitchen"])
        let session = test.service.session(id)
        #expect(session?.state == .active && session?.isPlaying == true)
        try zone.play()
        #expect(zone.duckGain < 0)
    }

    @Test func aDuckedZoneIsQuieterForAsLong() throws {
        let test = TestSessions()
        test.rooms.configuration.value.session.duck = 18
        let zone = try test.add("a", .nowhere("x"))
        try zone.play()
        let id = try test.openDucking(test.client(1, in: zone))
        #expect(zone.duckGain == -18)
        #expect(test.causes(of: zone).contains("18 dB quieter for 'navigation' (uid 1)"))
        let reason = test.reasons(of: zone).first { $0.word == "ducked" }
        #expect(
            reason?.values.map { "\($0): \($1)" } == [
                "session: \(id)", "name: navigation", "kind: client", "class: normal", "gain: -18",
            ]
        )
        test.service.duckDepths[id] = 6
        test.service.settle(test.rooms.rooms.place(of: zone))
        #expect(zone.duckGain == -6)
        try test.service.handle(.deactivate(id, notifyOthers: true), of: id)
        #expect(zone.duckGain == 0)
        #expect(test.told.settled.current.contains("zone:a"))
    }

    /// Speech gives way to a prompt that music would be ducked for.
    @Test func speechIsPausedAndMusicIsDucked() throws {
        let test = TestSessions(spoken: ["book.m4b"])
        let one = try test.add("a", .nowhere("x"), songs: ["book.m4b"])
        let two = try test.add("b", .nowhere("y"))
        for zone in [one, two] {
            try zone.play()
            let place = test.rooms.rooms.place(of: zone)
            let id = try test.service.open(
                at: [place],
                name: "prompt",
                kind: .announcement,
                owner: "",
                configuration: SessionConfiguration(
                    category: .playback,
                    mode: .voicePrompt,
                    options: [.duckOthers, .interruptSpokenAudioAndMixWithOthers]
                )
            )
            try test.service.handle(.activate(id), of: id)
            try test.service.handle(.playing(id, true), of: id)
        }
        #expect(one.state == .pause)
        #expect(two.state == .play)
        #expect(two.duckGain < 0)
    }

    @Test func theSilenceSwitchMutesWhatIsAmbient() throws {
        var settings = ZoneSettings(name: "a")
        settings.session.category = "ambient"
        let test = TestSessions([settings, ZoneSettings(name: "b")])
        let one = try test.add("a", .nowhere("x"))
        let two = try test.add("b", .nowhere("y"))
        for zone in [one, two] { try zone.play() }
        test.service.setSilent(true)
        #expect(one.duckGain == SessionService.silence)
        #expect(two.duckGain == 0)
        #expect(test.causes(of: one).contains("muted by the silence switch"))
        #expect(!test.causes(of: two).contains("muted by the silence switch"))
        #expect(test.told.kept == [Record("silence", "1")])
        test.service.setSilent(false)
        #expect(one.duckGain == 0)
    }

    @Test func aConfigurationThatMakesNoSenseIsLogged() throws {
        var settings = ZoneSettings(name: "a")
        settings.session.category = "ambient"
        settings.session.mode = "voiceChat"
        let test = TestSessions([settings])
        let zone = try test.add("a", .nowhere("x"))
        #expect(test.service.zoneSessions["a"]?.configuration.category == .playback)
        #expect(test.lines.current.count == 1)
        #expect(test.lines.current.first?.hasPrefix("zone a: ") == true)
        #expect(test.service.zone(of: try #require(test.service.zoneSessions["a"]?.id)) === zone)
    }

    @Test func causesAreToldInPlainWords() throws {
        let test = TestSessions()
        let zone = try test.add("a", .nowhere("x"))
        #expect(test.causes(of: zone) == ["stopped"])
        test.service.speaker = "uid 7"
        try zone.play()
        try zone.setPaused(true)
        try zone.setVolume(0)
        test.rooms.rooms[zone]?.outputs.setEnabled(false, "x")
        #expect(test.causes(of: zone) == ["paused by uid 7", "the volume is 0", "no output is enabled"])
        #expect(test.reasons(of: zone).map(\.word) == ["paused", "volumezero", "nooutput"])
        #expect(test.reasons(of: zone).first?.values.map(\.value) == ["uid 7"])
        test.service.speaker = nil
        zone.stop()
        #expect(test.causes(of: zone).first == "the queue has ended")
        test.service.speaker = "uid 7"
        zone.clear()
        #expect(test.causes(of: zone).first == "the queue is empty")
    }

    @Test func aZoneThatIsRemovedHasNoSession() throws {
        let test = TestSessions()
        let one = try test.add("a", .soundServer("x"))
        let two = try test.add("b", .soundServer("y"))
        try one.play()
        try two.play()
        test.service.remove(two)
        #expect(test.service.all.map(\.name) == ["a"])
        #expect(one.interruption == nil)
    }

    @Test func aLostServerIsTold() async throws {
        let test = TestSessions()
        let zone = try test.add("a", .nowhere("x"))
        let room = try #require(test.rooms.rooms[zone])
        room.outputs.add(.lostServer("main"))
        test.service.updatePlaces(of: zone)
        try zone.play()
        try await test.rooms.wait(for: "main", in: room) { $0.error != nil }
        test.service.updateServer(of: zone)
        test.service.updateServer(of: zone)
        #expect(test.events.count { $0 == "mediaServicesLost" } == 1)
        room.outputs.setEnabled(false, "main")
        test.service.updateServer(of: zone)
        #expect(test.events.count { $0 == "mediaServicesReset" } == 1)
    }

    /// A server's loss is one event, however many of its sinks zones play to.
    @Test func aLostServerOfTwoZonesIsToldOnce() async throws {
        let test = TestSessions()
        let zones = [try test.add("a", .nowhere("x")), try test.add("b", .nowhere("x"))]
        for zone in zones {
            let room = try #require(test.rooms.rooms[zone])
            room.outputs.add(.lostServer(zone.name))
            test.service.updatePlaces(of: zone)
            try await test.rooms.wait(for: zone.name, in: room) { $0.error != nil }
        }
        test.rooms.rooms[zones[1]]?.outputs.replace(with: .lostServer("b", "attic"), route: nil)
        test.service.updatePlaces(of: zones[1])
        let room = try #require(test.rooms.rooms[zones[1]])
        try await test.rooms.wait(for: "b", in: room) { $0.error != nil && $0.device == "attic" }
        for zone in zones { test.service.updateServer(of: zone) }
        #expect(test.events.count { $0 == "mediaServicesLost" } == 1)
        test.service.serverAnswers(true, "")
        #expect(test.resets == 1)
    }

    /// A zone that is moved while it plays has been active all the time.
    @Test func aMoveIsNoDeactivation() throws {
        let test = TestSessions()
        let zone = try test.add("a", .soundServer("x", "kitchen"))
        try zone.play()
        let before = test.events
        test.rooms.move("x", of: zone, to: "garden")
        test.service.updatePlaces(of: zone)
        #expect(test.events == before)
        #expect(test.service.all.first?.state == .active)
        try zone.setPaused(true)
        test.rooms.move("x", of: zone, to: "attic")
        test.service.updatePlaces(of: zone)
        #expect(test.events == before + ["didBecomeInactive"])
    }

    /// Row 70: as long as the server is gone requests fail, also while no zone plays and so none looks for it.
    @Test func aLostServerIsAskedForWhileNothingPlays() async throws {
        let test = TestSessions()
        let zone = try test.add("a", .nowhere("x"))
        let room = try #require(test.rooms.rooms[zone])
        room.outputs.add(.lostServer("main"))
        test.service.updatePlaces(of: zone)
        let client = test.client(1, in: zone)
        let id = try test.service.open("game", .normal, persistent: false, sink: nil, for: client)
        try test.service.handle(.activate(id), of: id)
        try zone.play()
        try await test.rooms.wait(for: "main", in: room) { $0.error != nil }
        zone.stop()
        test.service.updateServer(of: zone)
        for isThere in [false, true] {
            #expect(test.resets == 0)
            #expect { try test.service.handle(.playing(id, true), of: id) } throws: {
                ($0 as? SessionError)?.code == .mediaServicesFailed
            }
            test.service.serverAnswers(isThere, "")
        }
        #expect(test.resets == 1)
        #expect { try test.service.handle(.playing(id, true), of: id) } throws: {
            ($0 as? SessionError)?.code == .sessionNotActive
        }
        room.outputs.setEnabled(false, "main")
        test.service.updateServer(of: zone)
        #expect(test.resets == 1, "it was told when the server answered")
    }
}

extension TestSessions {
    fileprivate var resets: Int { events.count { $0 == "mediaServicesReset" } }
}

/// Sessions of clients, and what clients decide about sessions.
@Suite actor ClientSessionTests {
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe testLoop.executor.asUnownedSerialExecutor() }

    @Test func sessionsEndWithTheirConnection() throws {
        let test = TestSessions()
        let zone = try test.add("a", .soundServer("x"))
        let client = test.client(3, in: zone)
        let zoneSession = try #require(test.service.zoneSessions["a"]?.id)
        #expect(test.service.ownSession(of: client) == zoneSession)
        let first = try test.service.open("first", .normal, persistent: true, sink: nil, for: client)
        let second = try test.service.open("second", .normal, persistent: false, sink: "garden", for: client)
        #expect(test.service.ownSession(of: client) == second)
        #expect(test.service.places[first] == ["sink:/default"])
        #expect(test.service.places[second] == ["sink:/garden"])
        #expect(test.service.zoneName(of: second) == "a")
        test.service.clientIsGone(test.client(4, in: zone))
        #expect(test.service.session(second) != nil)
        test.service.clientIsGone(client)
        #expect(test.service.session(second) == nil)
        #expect(test.service.session(first) != nil)
        #expect(throws: SessionError.self) { try test.service.handle(.activate(second), of: second) }
    }

    @Test func aSessionThatEndsLetsTheZonePlayOn() throws {
        let test = TestSessions()
        let zone = try test.add("a", .nowhere("x"))
        let client = test.client(3, in: zone)
        try zone.play()
        let id = try test.openDucking(client)
        #expect(zone.duckGain < 0)
        test.service.clientIsGone(client)
        #expect(zone.duckGain == 0)
        #expect(test.service.duckDepths[id] == nil)
    }

    /// All that clients have decided is the same behind a restart.
    @Test func decisionsAreKept() throws {
        let test = TestSessions()
        let zone = try test.add("a", .nowhere("x"))
        test.service.setLocked(true)
        test.service.setSilent(true)
        _ = try test.service.configure(zone, as: SessionConfiguration(category: .ambient, options: [.mixWithOthers]))
        #expect(test.told.kept.count == 3)
        let later = TestSessions()
        try later.add("a", .nowhere("x"))
        for record in test.told.kept { later.service.apply(record) }
        #expect(later.service.records == test.service.records)
        #expect(later.service.records.count == 3)
        #expect(later.service.isLocked && later.service.isSilent)
        #expect(later.service.zoneSessions["a"]?.configuration.category == .ambient)
        for record in [Record("silence"), Record("category", "z")] { later.service.apply(record) }
        #expect(later.service.records == test.service.records)
    }
}

/// What happened to sessions stays to be read for a while.
@Suite struct EventLogTests {
    @Test func theOldestGoFirst() {
        var log = EventLog(capacity: 3)
        #expect(log.oldest == 1)
        #expect(log.events(after: 0).isEmpty)
        for number in 1...5 { log.append("event \(number)", of: number, at: Double(number), []) }
        #expect(log.newest == 5)
        #expect(log.oldest == 3)
        #expect(log.events(after: 0).map(\.type) == ["event 3", "event 4", "event 5"])
        #expect(log.events(after: 4).map(\.number) == [5])
        #expect(log.events(after: 5).isEmpty)
        #expect(log.events(after: .max).isEmpty)
    }
}
