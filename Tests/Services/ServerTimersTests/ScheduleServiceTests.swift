import Alarms
import AudioTypes
import NIOCore
import ServerBasics
import ServerRooms
import ServerSessions
import ServiceTestSupport
import Settings
import StateStore
import TestSupport
import Testing
import Threads

@testable import ServerTimers

/// Schedules that the timer of alarms carries out, at times that the test lets come; it begins at noon of a Monday.
@Suite actor ScheduleServiceTests {
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe testLoop.executor.asUnownedSerialExecutor() }

    private final class Stage {
        let loop = TestLoop()
        let sessions: TestSessions
        let alarms: AlarmService
        let seen = AlarmServer()
        var schedules: ScheduleService { alarms.schedules }
        var now: Moment { Moment(loop.clock.now) }

        init() throws {
            sessions = TestSessions(on: loop)
            _ = try sessions.add("a", .nowhere("x"))
            alarms = AlarmService(
                sessions.rooms.rooms,
                sessions.service,
                sessions.rooms.configuration,
                loop: loop,
                work: WorkThreads(),
                in: LocalTime { _ in 0 },
                delegate: seen
            )
        }

        @discardableResult
        func add(_ words: String) throws -> Int {
            let words = words.split(separator: " ").map(String.init)
            return try schedules.add(words + ["command", "stop"], by: Schedule.Maker()).id
        }

        /// Says how the first that was carried out has ended.
        func endFirst(_ failure: String?) throws { try #require(seen.runs.first).then(failure) }

        func lastEvent() -> String? { sessions.events.last }
    }

    // MARK: In time

    @Test func itIsCarriedOutOnce() throws {
        let stage = try Stage()
        let id = try stage.add("12:05 name night")
        let due = stage.now + 300
        #expect(stage.schedules.next(id) == due && stage.seen.changes == 1)
        stage.loop.pass(299)
        #expect(stage.seen.runs.map(\.id).isEmpty)
        let kept = stage.seen.kept.count
        stage.loop.pass(1)
        #expect(stage.seen.runs.map(\.id) == [id])
        // A command that ends the server is not carried out again by the next one.
        #expect(stage.seen.kept.count == kept + 1 && stage.schedules.last[id] == nil)
        stage.loop.pass(2)
        try stage.endFirst(nil)
        #expect(stage.schedules.last[id] == ScheduleService.Run(moment: due, failure: nil))
        #expect(stage.lastEvent() == "scheduleRan")
        #expect(stage.seen.lines.current == ["schedule \(id) (night) was carried out"])
        stage.loop.pass(3 * 86_400)
        #expect(stage.seen.runs.map(\.id) == [id] && stage.schedules.next(id) == nil && stage.loop.waitingCount == 0)
    }

    @Test func itIsCarriedOutEveryDay() throws {
        let stage = try Stage()
        let id = try stage.add("12:05 daily")
        for count in 1...3 {
            stage.loop.pass(86_400)
            #expect(stage.seen.runs.map(\.id).count == count)
        }
        #expect(stage.schedules.next(id) == stage.now + 300)
    }

    @Test func theFirstIsFirst() throws {
        let stage = try Stage()
        let ids = try ["12:06", "12:05", "12:05"].map(stage.add)
        stage.loop.setTimeOfDay(stage.loop.clock.now + 400)
        #expect(stage.seen.runs.map(\.id) == [ids[1], ids[2], ids[0]])
    }

    @Test func aFailureIsKept() throws {
        let stage = try Stage()
        let id = try stage.add("12:05")
        stage.loop.pass(300)
        try stage.endFirst("no such song")
        #expect(stage.schedules.last[id]?.failure == "no such song" && stage.lastEvent() == "scheduleFailed")
        #expect(stage.seen.lines.current == ["schedule \(id) (stop) failed: no such song"])
    }

    /// Its later reports have no effect.
    @Test func oneThatIsRemovedMeanwhileLeavesNothing() throws {
        let stage = try Stage()
        let id = try stage.add("12:05 daily")
        stage.loop.pass(300)
        try stage.schedules.remove(id)
        try stage.endFirst("gone")
        #expect(stage.schedules.last.isEmpty && stage.seen.lines.current.isEmpty)
        #expect(stage.seen.kept.last == Record("schedule", "\(id)", "gone") && stage.loop.waitingCount == 0)
    }

    // MARK: Clocks that are set

    @Test(arguments: [(301, true), (900, true), (901, false), (80_000, false)])
    func clocksThatAreSetForward(seconds: Double, isDone: Bool) throws {
        let stage = try Stage()
        let id = try stage.add("12:05 daily")
        stage.loop.setTimeOfDay(stage.loop.clock.now + seconds)
        #expect(stage.seen.runs.map(\.id) == (isDone ? [id] : []))
        #expect(stage.schedules.missed[id] == (isDone ? nil : stage.now - Moment(seconds) + 300))
        #expect(stage.sessions.events.contains("scheduleMissed") == !isDone)
        #expect(stage.seen.lines.current.contains { $0.contains("was missed") } == !isDone)
    }

    /// By a little, nothing is done twice; by more, the clock was wrong before.
    @Test(arguments: [(-600, 1), (-7_200, 2)])
    func clocksThatAreSetBack(seconds: Double, count: Int) throws {
        let stage = try Stage()
        try stage.add("12:05 daily")
        stage.loop.pass(310)
        #expect(stage.seen.runs.map(\.id).count == 1)
        stage.loop.setTimeOfDay(stage.loop.clock.now + seconds)
        stage.loop.pass(-seconds)
        #expect(stage.seen.runs.map(\.id).count == count)
    }

    // MARK: Left out

    @Test func aSkippedDayIsLeftOut() throws {
        let stage = try Stage()
        let id = try stage.add("12:05 daily")
        try stage.schedules.skip(id, true)
        #expect(stage.schedules.next(id) == stage.now + 300 + 86_400)
        stage.loop.pass(600)
        #expect(stage.seen.runs.map(\.id).isEmpty)
        stage.loop.pass(86_400)
        #expect(stage.seen.runs.map(\.id) == [id])
        try stage.schedules.skip(id, true)
        try stage.schedules.skip(id, false)
        stage.loop.pass(86_400)
        #expect(stage.seen.runs.map(\.id) == [id, id])
    }

    @Test func oneThatIsDisabledIsNotDue() throws {
        let stage = try Stage()
        let id = try stage.add("12:05 daily")
        try stage.schedules.enable(id, false)
        #expect(stage.schedules.next(id) == nil && stage.loop.waitingCount == 0)
        stage.loop.pass(86_400)
        try stage.schedules.enable(id, true)
        stage.loop.pass(299)
        #expect(stage.seen.runs.map(\.id).isEmpty, "what passed meanwhile is not made up for")
        stage.loop.pass(1)
        #expect(stage.seen.runs.map(\.id) == [id])
        let once = try stage.add("12:06")
        stage.loop.pass(86_400)
        #expect(throws: ScheduleStore.Refusal.self) { try stage.schedules.enable(once, true) }
    }

    @Test func holidaysAreLeftOut() throws {
        let stage = try Stage()
        let ids = try ["12:05 daily", "12:06 daily holidays 1"].map(stage.add)
        let tuesday = try Holiday("2026-06-02", "2026-06-02")
        try stage.alarms.add(tuesday)
        stage.loop.pass(3_600)
        #expect(stage.seen.runs.map(\.id) == ids)
        stage.loop.pass(86_400)
        #expect(stage.seen.runs.map(\.id) == ids + [ids[1]])
        stage.loop.pass(86_400)
        #expect(stage.seen.runs.map(\.id) == ids + [ids[1]] + ids)
    }

    /// The timer goes by the holidays of the moment.
    @Test func aHolidayThatIsTakenBackCounts() throws {
        let stage = try Stage()
        let id = try stage.add("12:05 daily")
        let today = try Holiday("2026-06-01", "2026-06-01")
        try stage.alarms.add(today)
        #expect(stage.schedules.next(id) == stage.now + 300 + 86_400)
        #expect(stage.alarms.remove(today))
        stage.loop.pass(300)
        #expect(stage.seen.runs.map(\.id) == [id])
    }

    // MARK: Restored

    /// A schedule that was due while the server was down is carried out, unless that was too long ago.
    @Test(arguments: [(200, []), (600, [1]), (1_200, [])] as [(Double, [Int])])
    func itOutlivesTheServer(seconds: Double, done: [Int]) throws {
        let first = try Stage()
        try first.add("12:05 daily")
        let second = try Stage()
        second.loop.pass(seconds)
        for record in first.alarms.records { second.alarms.restore(record) }
        second.alarms.begin()
        #expect(second.seen.runs.map(\.id) == done && (second.schedules.missed[1] != nil) == (seconds == 1_200))
        second.loop.pass(86_400)
        #expect(second.seen.runs.map(\.id) == done + [1])
    }

    /// A schedule that was carried out before the restart is not carried out again.
    @Test func whatWasDoneIsNotDoneAgain() throws {
        let first = try Stage()
        try first.add("12:05 daily")
        first.loop.pass(300)
        let second = try Stage()
        second.loop.pass(310)
        for record in first.seen.kept { second.alarms.restore(record) }
        second.alarms.begin()
        #expect(second.seen.runs.map(\.id).isEmpty && second.schedules.next(1) == second.now - 10 + 86_400)
    }

    @Test func whatCannotBeReadIsLeftOut() throws {
        let stage = try Stage()
        stage.alarms.restore(Record("schedule", "4", "25:00", "command", "stop"))
        stage.alarms.restore(Record("schedule", "5", "12:05", "daily", "command", "stop"))
        stage.alarms.restore(Record("schedule", "5", "gone"))
        stage.alarms.begin()
        #expect(stage.schedules.records.isEmpty && stage.seen.lines.current.count == 1)
        #expect(stage.seen.lines.current[0].contains("cannot be read"))
        // Numbers are not given out again.
        #expect(try stage.add("12:05") == 6)
    }
}
