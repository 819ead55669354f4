import Alarms
import AudioSessions
import AudioTypes
import NIOCore
import ServerBasics
import ServerRooms
import ServerSessions
import ServiceTestSupport
import Settings
import Songs
import StateStore
import TestSupport
import Testing
import Threads
import Zones

@testable import ServerTimers

/// Alarms with a clock of the test's own, real players and null outputs.
@Suite actor AlarmServiceTests {
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe testLoop.executor.asUnownedSerialExecutor() }

    private final class Stage {
        let sessions: TestSessions
        let alarms: AlarmService
        let server = AlarmServer()
        let folder: TemporaryFolder
        let loop = TestLoop()
        /// Seconds since 1970.
        var now: Moment { Moment(loop.clock.now) }
        var kept: [Record] { server.kept }
        var played: [String] { server.played }

        init(readZone: @escaping (_ then: @escaping @Sendable () -> Void) -> Void = { $0() }) throws {
            server.readZone = readZone
            sessions = TestSessions(on: loop)
            folder = try TemporaryFolder()
            sessions.rooms.configuration.value.cacheDirectory = folder.file("cache")
            alarms = AlarmService(
                sessions.rooms.rooms,
                sessions.service,
                sessions.rooms.configuration,
                loop: loop,
                work: WorkThreads(),
                in: LocalTime { _ in 0 },
                delegate: server
            )
        }

        func add(_ words: String, by maker: String = "") throws -> Int {
            try alarms.add(words.split(separator: " ").map(String.init), by: maker, reach: .anywhere).id
        }

        /// The alarms that wait for their time, or ring.
        var enabled: [Int] { alarms.store.sorted.filter(\.when.isEnabled).map(\.id) }
    }

    /// The file of the time zone is on a disk that does not answer: it is asked for once, and alarms ring a second late.
    @Test func itRingsWithoutTheTimeZonesFile() throws {
        var reads = 0
        let stage = try Stage { _ in reads += 1 }
        let zone = try stage.sessions.add("a", .nowhere("x"))
        try zone.play()
        let (first, second) = (try stage.add("12:05 zone a"), try stage.add("12:10 zone a"))
        stage.loop.pass(302)
        #expect(stage.alarms.ringer.alarm(in: zone)?.id == first)
        #expect(stage.alarms.dismiss([first]))
        stage.loop.pass(300)
        #expect(stage.alarms.ringer.alarm(in: zone)?.id == second)
        #expect(reads == 1)
    }

    @Test func itRingsInsteadOfTheMusicWhichComesBack() throws {
        let stage = try Stage()
        let zone = try stage.sessions.add("a", .nowhere("x"))
        try zone.play()
        try zone.setVolume(20)
        let id = try stage.add("12:05 zone a volume 5-40")
        stage.alarms.check()
        stage.loop.runReady()
        #expect(stage.alarms.ringer.alarm(in: zone) == nil)
        stage.loop.pass(300)
        #expect(stage.alarms.ringer.alarm(in: zone)?.id == id)
        #expect(stage.sessions.service.all.map(\.kind) == [.zone, .alarm])
        // The music fades out at its own volume.
        #expect(zone.state == .pause && zone.volume == 20)
        stage.loop.pass(1)
        #expect(zone.volume == 40)
        #expect(stage.sessions.causes(of: zone) == ["interrupted by the alarm '12:05'"])
        #expect(stage.alarms.dismissAll())
        #expect(zone.state == .play && zone.volume == 20)
        #expect(!stage.alarms.dismissAll())
        #expect(stage.alarms.state(of: try #require(stage.alarms.store.alarms[id])) == "disabled")
    }

    /// Only that client's alarms in the zones that it has lost are disabled; one that rings there ends.
    @Test func alarmsOfAClientThatMayNotPlayAreDisabled() throws {
        let stage = try Stage()
        for name in ["a", "b"] { try stage.sessions.add(name, .nowhere("x")).play() }
        let ringing = try stage.add("12:05 zone a", by: "tablet")
        let waiting = try stage.add("13:00 daily zone a", by: "tablet")
        let others = [
            try stage.add("13:00 daily zone b", by: "tablet"), try stage.add("13:00 daily zone a"),
            try stage.add("13:00 daily zone a", by: "phone"),
        ]
        stage.loop.pass(300)
        #expect(stage.alarms.ringer.isRinging(ringing))
        stage.alarms.disableAll(of: "tablet") { $0 == "a" }
        #expect(!stage.alarms.ringer.isRinging(ringing) && stage.enabled == others)
        #expect(stage.alarms.store.alarms[ringing]?.disabledReason != nil)
        let reason = try #require(stage.alarms.store.alarms[waiting]?.disabledReason)
        #expect(reason.contains("tablet"))
        // The reason outlives the server, and ends with it when somebody enables the alarm.
        let second = try Stage()
        for name in ["a", "b"] { try second.sessions.add(name, .nowhere("x")).play() }
        for record in stage.kept { second.alarms.restore(record) }
        second.alarms.begin()
        #expect(second.enabled == others && second.alarms.store.alarms[waiting]?.disabledReason == reason)
        #expect(second.alarms.store.alarms[waiting]?.maker == "tablet")
        try second.alarms.enable(waiting, true)
        #expect(second.alarms.store.alarms[waiting]?.disabledReason == nil)
        stage.alarms.disableAll(of: "") { _ in true }
        #expect(stage.enabled == others, "the owner's are nobody's to lose")
    }

    /// It does not ring elsewhere, also where the zone is gone only at the next start.
    @Test func alarmsOfARemovedZoneAreDisabled() throws {
        let stage = try Stage()
        let (home, zone) = (
            try stage.sessions.add("default", .nowhere("x")), try stage.sessions.add("a", .nowhere("y"))
        )
        let (own, other) = (try stage.add("12:05 daily zone a"), try stage.add("12:10 daily"))
        let kept = stage.kept
        stage.sessions.rooms.rooms.remove(zone)
        stage.alarms.zoneRemoved(zone)
        #expect(stage.enabled == [other])
        #expect(stage.alarms.store.alarms[own]?.disabledReason == "the zone a was removed")
        stage.loop.pass(301)
        #expect(stage.alarms.ringer.alarm(in: home) == nil)
        let second = try Stage()
        _ = try second.sessions.add("default", .nowhere("x"))
        for record in kept { second.alarms.restore(record) }
        second.alarms.begin()
        #expect(second.enabled == [other] && second.alarms.store.alarms[own]?.disabledReason != nil)
    }

    /// One that rang when the server ended does not ring on where it does not belong.
    @Test(arguments: ["12:05 zone a", "12:05 daily zone a"])
    func oneThatRangInAZoneThatIsGoneIsSilent(_ words: String) throws {
        let first = try Stage()
        _ = try first.sessions.add("default", .nowhere("x"))
        _ = try first.sessions.add("a", .nowhere("y"))
        let id = try first.add(words)
        first.loop.pass(301)
        #expect(first.alarms.ringer.isRinging(id))
        let second = try Stage()
        let home = try second.sessions.add("default", .nowhere("x"))
        second.loop.pass(330)
        for record in first.kept { second.alarms.restore(record) }
        second.alarms.begin()
        #expect(second.alarms.ringer.alarm(in: home) == nil && second.alarms.store.alarms[id]?.ringing == nil)
        #expect(second.enabled.isEmpty && second.alarms.store.alarms[id]?.disabledReason != nil)
    }

    /// Whoever pauses wants silence.
    @Test func aPauseEndsItAndTheMusic() throws {
        let stage = try Stage()
        let zone = try stage.sessions.add("a", .nowhere("x"))
        try zone.play()
        _ = try stage.add("12:05 zone a")
        stage.loop.pass(300)
        #expect(stage.alarms.silence(zone))
        #expect(zone.state == .pause && zone.interruption == nil)
        #expect(!stage.alarms.silence(zone))
    }

    @Test func whatItPlaysGoesOnInTheQueue() throws {
        let stage = try Stage()
        try stage.sessions.add("a", .nowhere("x")).play()
        _ = try stage.add("12:05 zone a uri radio thenplay 1")
        stage.loop.pass(300)
        #expect(stage.alarms.dismissAll())
        #expect(stage.played == ["radio"])
    }

    /// The clock jumps over the alarm: by a little, and by more than ten minutes.
    @Test(arguments: [(301, true), (900, true), (901, false), (80_000, false)])
    func clocksThatAreSetForward(seconds: Double, rings: Bool) throws {
        let stage = try Stage()
        let zone = try stage.sessions.add("a", .nowhere("x"))
        let id = try stage.add("12:05 daily zone a")
        stage.loop.setTimeOfDay(stage.loop.clock.now + seconds)
        #expect((stage.alarms.ringer.alarm(in: zone) != nil) == rings)
        #expect((stage.alarms.missed[id] != nil) == !rings)
        #expect(stage.sessions.events.contains("alarmMissed") == !rings)
        stage.alarms.ringer.endAll()
    }

    /// A server that was ended while an alarm rang lets it ring on, and knows the volume before.
    @Test func whatRangBeforeRingsOn() throws {
        let first = try Stage()
        let zone = try first.sessions.add("a", .nowhere("x"))
        try zone.setVolume(15)
        _ = try first.add("12:05 daily zone a volume 30")
        first.loop.pass(300)
        let second = try Stage()
        let other = try second.sessions.add("a", .nowhere("x"))
        try other.setVolume(30)
        second.loop.pass(360)
        for record in first.kept { second.alarms.restore(record) }
        second.alarms.begin()
        #expect(second.alarms.ringer.alarm(in: other) != nil)
        #expect(second.alarms.dismissAll())
        #expect(other.volume == 15)
        // Much later it is over, and the volume is as before.
        let third = try Stage()
        let late = try third.sessions.add("a", .nowhere("x"))
        try late.setVolume(30)
        third.loop.pass(3_300)
        for record in first.kept { third.alarms.restore(record) }
        third.alarms.begin()
        #expect(third.alarms.ringer.alarm(in: late) == nil && late.volume == 15)
        first.alarms.ringer.endAll()
    }

    @Test func aCallGoesBeforeAnAlarm() throws {
        let stage = try Stage()
        let zone = try stage.sessions.add("a", .nowhere("x"))
        let id = try stage.add("12:05 zone a")
        stage.loop.pass(300)
        let call = try stage.sessions.service.begin(.init(.call, name: "call", owner: "x"), in: [zone]).0
        let told = stage.sessions.told.interrupted
        #expect(told.map { stage.alarms.ringer.interrupted($0, by: .session(call)) } == [true])
        #expect(stage.alarms.ringer.alarm(in: zone) == nil)
        #expect(stage.alarms.next(id) == stage.now + 60)
        #expect(stage.sessions.service.endInterruption(call, resume: true))
        stage.loop.pass(60)
        #expect(stage.alarms.ringer.alarm(in: zone) != nil)
        #expect(stage.alarms.snooze([1], for: 30))
        #expect(stage.alarms.next(id) == stage.now + 30)
        try stage.alarms.remove(id)
        #expect(stage.alarms.next(id) == nil && stage.kept.last == Record("alarm", "\(id)", "gone"))
    }

    /// One that rings gives way to another, and the volume is as it was before both.
    @Test func anotherAlarmTakesItsPlace() throws {
        let stage = try Stage()
        let zone = try stage.sessions.add("a", .nowhere("x"))
        try zone.setVolume(15)
        let ids = try ["12:05 zone a uri radio thenplay 1", "12:06 zone a volume 70"].map { try stage.add($0) }
        stage.loop.pass(300)
        #expect(stage.alarms.ringer.alarm(in: zone)?.id == ids[0])
        stage.loop.pass(60)
        #expect(stage.alarms.ringer.alarm(in: zone)?.id == ids[1] && zone.volume == 70)
        #expect(stage.played.isEmpty)
        #expect(stage.alarms.dismissAll())
        #expect(zone.volume == 15 && stage.alarms.store.alarms.values.allSatisfy { $0.snoozedUntil == nil })
    }

    /// Two zones at one sink ring as one alarm, and do not take turns.
    @Test func oneSinkHasOneAlarm() throws {
        let stage = try Stage()
        let zones = [try stage.sessions.add("a", .soundServer("x")), try stage.sessions.add("b", .soundServer("y"))]
        let ids = try ["12:05 zone a", "12:05 zone b"].map { try stage.add($0) }
        stage.loop.pass(300)
        let other = try #require(stage.sessions.service.all.last { $0.kind == .alarm }?.id)
        let told = stage.sessions.told.interrupted
        #expect(told.map { stage.alarms.ringer.interrupted($0, by: .session(other)) } == [true])
        #expect(zones.map { stage.alarms.ringer.alarm(in: $0)?.id } == [nil, ids[1]])
        #expect(stage.alarms.store.alarms.values.allSatisfy { $0.snoozedUntil == nil })
        stage.alarms.ringer.endAll()
    }
}

extension AlarmService {
    fileprivate func dismissAll() -> Bool { dismiss(store.sorted.map(\.id)) }
}
