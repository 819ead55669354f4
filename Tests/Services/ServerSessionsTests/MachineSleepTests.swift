import AudioSessions
import Logind
import NIOCore
import ServerRooms
import ServiceTestSupport
import Testing
import Zones

@testable import ServerSessions

/// The machine's sleep, which the test begins and ends.
@Suite actor MachineSleepTests {
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe testLoop.executor.asUnownedSerialExecutor() }

    private final class Watch: SleepWatch {
        var readies = 0
        var looks = 0
        var isClosed = false

        func ready() { readies += 1 }
        func lookAgain() { looks += 1 }
        func close() { isClosed = true }
    }

    private final class Stage {
        let loop = TestLoop()
        let test: TestSessions
        let sleep: MachineSleep
        let watch = Watch()
        private var handler: (SleepGuard.Event) -> Void = { _ in }

        init() {
            test = TestSessions(on: loop)
            sleep = MachineSleep(test.rooms.rooms, test.service, loop: loop)
            sleep.open { handler in
                self.handler = handler
                return watch
            }
        }

        func tell(_ event: SleepGuard.Event) {
            handler(event)
            loop.runReady()
        }
    }

    /// All zones fall silent with a fade, which the machine waits for; those that played come back.
    @Test func zonesSleepWithTheMachine() throws {
        let stage = Stage()
        let one = try stage.test.add("a", .soundServer("x", "kitchen"))
        let two = try stage.test.add("b", .soundServer("y", "garden"))
        let paused = try stage.test.add("c", .soundServer("z", "attic"))
        try one.play()
        try two.play()
        try paused.play()
        try paused.setPaused(true)
        stage.tell(.goingToSleep)
        #expect([one, two, paused].map(\.state) == [.pause, .pause, .pause])
        #expect(stage.test.causes(of: one) == ["interrupted by an alarm 'the machine's sleep'"])
        #expect(stage.watch.readies == 0)
        // The fade takes 0.1 s, and what it takes to be heard.
        stage.loop.pass(0.1)
        #expect(stage.watch.readies == 0)
        stage.loop.pass(1)
        #expect(stage.watch.readies == 1)
        #expect(one.lastingState == .play && paused.lastingState == .pause)
        stage.tell(.awake)
        #expect([one, two, paused].map(\.state) == [.play, .play, .pause])
        #expect(stage.test.events.count { $0 == "routeChanged" } == 3)
        #expect(stage.test.service.all.map(\.kind) == [.zone, .zone, .zone])
    }

    @Test func silentZonesNeedNoTime() throws {
        let stage = Stage()
        let zone = try stage.test.add("a", .soundServer("x"))
        stage.tell(.goingToSleep)
        stage.loop.pass(0)
        #expect(stage.watch.readies == 1)
        stage.tell(.awake)
        #expect(zone.state == .stop)
    }

    /// A zone that is paused while the machine goes to sleep stays paused after it wakes.
    @Test func aPauseIsRemembered() throws {
        let stage = Stage()
        let zone = try stage.test.add("a", .soundServer("x"))
        try zone.play()
        stage.tell(.goingToSleep)
        try zone.setPaused(true)
        stage.tell(.awake)
        #expect(zone.state == .pause)
    }

    /// A call goes on; the machine is not kept from sleeping.
    @Test func duringACallItSleepsAtOnce() throws {
        let stage = Stage()
        let zone = try stage.test.add("a", .soundServer("x"))
        try zone.play()
        let call = try stage.test.service.begin(SystemInterruption(.call, name: "call"), in: [zone]).0
        stage.tell(.goingToSleep)
        stage.loop.pass(0)
        #expect(stage.watch.readies == 1)
        stage.tell(.awake)
        #expect(zone.state == .pause && stage.test.service.all.count { $0.kind == .system } == 1)
        #expect(stage.test.service.endInterruption(call, resume: true))
        #expect(zone.state == .play)
    }

    @Test func theWatchLooksAgainAndIsClosed() {
        let stage = Stage()
        stage.sleep.played()
        #expect(stage.watch.looks == 1 && !stage.watch.isClosed)
        stage.sleep.close()
        #expect(stage.watch.isClosed)
        stage.sleep.played()
        #expect(stage.watch.looks == 1)
    }
}
