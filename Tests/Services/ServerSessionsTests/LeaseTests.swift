import AudioSessions
import NIOCore
import ServerBasics
import ServerRooms
import ServiceTestSupport
import Settings
import Testing
import Zones

@testable import ServerSessions

/// Leases of persistent sessions and of interruptions, and deadlines of arbiters, by a clock that the test moves.
@Suite actor LeaseTests {
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe testLoop.executor.asUnownedSerialExecutor() }

    private struct Stage {
        let loop: TestLoop
        let test: TestSessions
        var service: SessionService { test.service }
        let zone: Zone

        init() throws {
            loop = TestLoop()
            test = TestSessions(on: loop)
            test.rooms.configuration.value.session.lease = .seconds(100)
            zone = try test.add("a", .soundServer("x"))
            try zone.play()
        }

        func client(_ id: Int) -> SessionClient { test.client(id, in: zone) }

        /// A call by a connection, which is not bound to it.
        func call(by client: SessionClient) throws -> SessionID {
            let id = try service.begin(SystemInterruption(.call, name: "call", owner: client.owner), in: [zone]).0
            service.renewLease(of: id, by: client)
            return id
        }

        /// A session that plays, and outlives its connection if it is persistent.
        func open(persistent: Bool, for client: SessionClient) throws -> SessionID {
            let id = try service.open("program", .normal, persistent: persistent, sink: nil, for: client)
            try service.handle(.configure(id, SessionConfiguration(category: .playback)), of: id)
            try service.handle(.activate(id), of: id)
            try service.handle(.playing(id, true), of: id)
            return id
        }
    }

    // MARK: Leases

    @Test func aCallWhoseHolderIsGoneEnds() throws {
        let stage = try Stage()
        let call = try stage.call(by: stage.client(1))
        stage.loop.pass(1_000)
        #expect(stage.zone.state == .pause && stage.service.session(call) != nil, "its holder is there")
        stage.service.clientIsGone(stage.client(1))
        stage.loop.pass(99)
        #expect(stage.zone.state == .pause && !stage.test.events.contains("leaseEnded"))
        let changes = stage.test.told.changes
        stage.loop.pass(1)
        #expect(stage.zone.state == .play && stage.service.session(call) == nil)
        #expect(stage.test.events.contains("leaseEnded") && stage.test.told.changes > changes)
        #expect(stage.loop.waitingCount == 0)
    }

    @Test func anotherConnectionRenewsIt() throws {
        let stage = try Stage()
        let call = try stage.call(by: stage.client(1))
        stage.service.clientIsGone(stage.client(1))
        stage.loop.pass(90)
        stage.service.renewLease(of: call, by: stage.client(2))
        stage.loop.pass(1_000)
        #expect(stage.service.session(call) != nil && stage.zone.state == .pause)
        // The one that came first counts no more.
        stage.service.clientIsGone(stage.client(1))
        stage.loop.pass(1_000)
        #expect(stage.service.session(call) != nil)
        stage.service.clientIsGone(stage.client(2))
        stage.loop.pass(100)
        #expect(stage.service.session(call) == nil && stage.zone.state == .play)
    }

    /// Its holder comes back, and takes another lease from then on.
    @Test func eachLeaseIsAWholeOne() throws {
        let stage = try Stage()
        let call = try stage.call(by: stage.client(1))
        for _ in 0..<3 {
            stage.service.clientIsGone(stage.client(1))
            stage.loop.pass(99)
            stage.service.renewLease(of: call, by: stage.client(1))
        }
        #expect(stage.service.session(call) != nil)
    }

    @Test func aBoundCallEndsAtOnce() throws {
        let stage = try Stage()
        let call = try stage.service.begin(SystemInterruption(.call, name: "call"), in: [stage.zone]).0
        stage.service.bind(call, to: stage.client(1))
        stage.service.renewLease(of: call, by: stage.client(2))
        stage.service.clientIsGone(stage.client(2))
        stage.loop.pass(1_000)
        #expect(stage.service.session(call) != nil, "it is the other one's")
        stage.service.clientIsGone(stage.client(1))
        #expect(stage.service.session(call) == nil && stage.zone.state == .play)
    }

    @Test func aCallThatEndsHasNoLeaseAnyMore() throws {
        let stage = try Stage()
        let call = try stage.call(by: stage.client(1))
        stage.service.clientIsGone(stage.client(1))
        #expect(stage.service.endInterruption(call, resume: false))
        #expect(stage.zone.state == .pause)
        stage.loop.pass(1_000)
        #expect(!stage.test.events.contains("leaseEnded") && stage.zone.state == .pause)
    }

    /// It stays, but falls silent; others are not brought back, as its owner has not said that it is done.
    @Test func aPersistentSessionIsDeactivated() throws {
        let stage = try Stage()
        let id = try stage.open(persistent: true, for: stage.client(1))
        #expect(stage.zone.state == .pause)
        stage.service.clientIsGone(stage.client(1))
        stage.loop.pass(99)
        #expect(stage.service.session(id)?.state == .active)
        stage.loop.pass(1)
        #expect(stage.service.session(id)?.state == .inactive && stage.test.events.contains("leaseEnded"))
        #expect(stage.zone.state == .pause)
    }

    @Test func aRenewedSessionPlaysOn() throws {
        let stage = try Stage()
        let id = try stage.open(persistent: true, for: stage.client(1))
        stage.service.clientIsGone(stage.client(1))
        stage.loop.pass(50)
        stage.service.renewLease(of: id, by: stage.client(2))
        stage.loop.pass(1_000)
        #expect(stage.service.session(id)?.state == .active && !stage.test.events.contains("leaseEnded"))
    }

    @Test func anInactiveSessionLosesNothing() throws {
        let stage = try Stage()
        let id = try stage.open(persistent: true, for: stage.client(1))
        try stage.service.handle(.deactivate(id, notifyOthers: false), of: id)
        stage.service.clientIsGone(stage.client(1))
        stage.loop.pass(100)
        #expect(stage.service.session(id) != nil && !stage.test.events.contains("leaseEnded"))
    }

    @Test func otherSessionsGoWithTheirConnection() throws {
        let stage = try Stage()
        let id = try stage.open(persistent: false, for: stage.client(1))
        stage.service.clientIsGone(stage.client(1))
        #expect(stage.service.session(id) == nil && stage.loop.waitingCount == 0)
    }

    // MARK: Arbiters

    /// A program that was told to resume, and does not, is waited for only so long.
    @Test func anInterrupterThatDoesNotResumeIsNotWaitedFor() throws {
        let stage = try Stage()
        let program = try stage.open(persistent: false, for: stage.client(1))
        let call = try stage.call(by: stage.client(2))
        #expect(stage.service.session(program)?.state == .interrupted)
        let since = stage.service.log.newest
        #expect(stage.service.endInterruption(call, resume: true))
        stage.loop.pass(1.7)
        #expect(stage.zone.state == .pause && stage.zone.interruption == program.rawValue, "it has its time")
        stage.loop.pass(0.1)
        #expect(stage.zone.state == .play && stage.zone.interruption == nil && stage.loop.waitingCount == 0)
        let told = stage.service.log.events(after: since).filter { $0.session == program.rawValue }.map { event in
            "\(event.type) \(event.fields.map(\.value).joined(separator: " "))"
        }
        #expect(
            told == [
                "interruptionEnded 1", "resumptionRecommendation shouldResume",
                "resumptionRecommendation shouldNotResume",
            ],
            "it is told that it is late"
        )
    }

    @Test func anInterrupterThatResumesKeepsItsPlace() throws {
        let stage = try Stage()
        let program = try stage.open(persistent: false, for: stage.client(1))
        #expect(stage.service.endInterruption(try stage.call(by: stage.client(2)), resume: true))
        stage.loop.pass(1)
        try stage.service.handle(.activate(program), of: program)
        try stage.service.handle(.playing(program, true), of: program)
        #expect(stage.loop.waitingCount == 0)
        stage.loop.pass(10)
        #expect(stage.zone.state == .pause && stage.service.session(program)?.state == .active)
    }

    /// The deadline of one and the lease of another share a timer.
    @Test func theEarliestIsFirst() throws {
        let stage = try Stage()
        let garden = try stage.test.add("b", .soundServer("y", "garden"))
        try garden.play()
        let other = try stage.service.begin(SystemInterruption(.call, name: "other"), in: [garden]).0
        stage.service.renewLease(of: other, by: stage.client(3))
        stage.service.clientIsGone(stage.client(3))
        stage.loop.pass(99)
        _ = try stage.open(persistent: false, for: stage.client(1))
        #expect(stage.service.endInterruption(try stage.call(by: stage.client(2)), resume: true))
        #expect(stage.loop.waitingCount == 1)
        stage.loop.pass(1)
        #expect(garden.state == .play && stage.zone.state == .pause)
        stage.loop.pass(1)
        #expect(stage.zone.state == .play)
    }
}
