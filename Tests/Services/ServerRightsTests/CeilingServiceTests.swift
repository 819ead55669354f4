import Authorization
import LineProtocol
import NIOCore
import ServerBasics
import ServiceTestSupport
import Settings
import StateStore
import TestSupport
import Testing

@testable import ServerRights

/// The ceilings of zones, whose hours and ends the test lets come.
@Suite actor CeilingServiceTests {
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe testLoop.executor.asUnownedSerialExecutor() }

    private final class Stage {
        let loop = TestLoop()
        let seen = Seen()
        let ceilings: CeilingService

        final class Seen: CeilingDelegate {
            var changes = 0
            var kept: [Record] = []
            var audited: [String] = []
            private let lines = Watched<[String]>([])
            var logged: [String] { lines.current }
            var log: @Sendable (LogLevel, String) -> Void { { [lines] _, line in lines.withLock { $0.append(line) } } }

            func ceilingsChanged() { changes += 1 }
            func grantSettingChanged(_ record: Record) { kept.append(record) }
            func rightsChanged(of client: String, _ text: String) { audited.append(text) }
        }

        init() { ceilings = CeilingService(loop: loop, clock: loop.clock, delegate: seen) }

        func set(_ zone: String, _ words: String) throws {
            try ceilings.change(zone, words.split(separator: " ").map(String.init), by: "the owner")
        }

        func volume(_ zone: String = "nursery") -> Int? { ceilings.current(of: zone).volume }
    }

    @Test func holdsAtItsHours() throws {
        let stage = Stage()
        let minute = stage.loop.clock.minuteOfDay
        func clock(_ minutes: Int) -> String {
            let minute = (minute + minutes) % 1_440
            return "\(minute / 60):" + (minute % 60 < 10 ? "0" : "") + "\(minute % 60)"
        }
        try stage.set("nursery", "volume 25 speed 1.5 hours \(clock(2))-\(clock(5))")
        #expect(stage.volume() == nil && stage.seen.changes == 1)
        stage.loop.pass(121)
        #expect(stage.volume() == 25 && stage.ceilings.current(of: "nursery").speed == 1.5)
        #expect(stage.seen.changes >= 2, "the zones are told when it begins")
        let changes = stage.seen.changes
        stage.loop.pass(180)
        #expect(stage.volume() == nil && stage.seen.changes > changes, "and when it ends")
        #expect(stage.volume("kitchen") == nil && stage.ceilings.all["nursery"] != nil)
    }

    @Test func oneThatIsOverIsForgotten() throws {
        let stage = Stage()
        try stage.set("kitchen", "volume 60 until \(Int(stage.loop.clock.now) + 100)")
        #expect(stage.volume("kitchen") == 60)
        stage.loop.pass(101)
        #expect(stage.volume("kitchen") == nil && stage.ceilings.all.isEmpty && stage.loop.waitingCount == 0)
        #expect(stage.seen.kept.last?.text == "ceiling kitchen")
        #expect(stage.seen.changes == 2)
    }

    @Test func isKeptAndRestored() throws {
        let stage = Stage()
        try stage.set("kitchen", "volume 60 speed 2 until 4000000000 hours 22:00-7:00,12:00-13:00")
        try stage.set("a room", "volume 0 alarms 70")
        let room = try #require(stage.ceilings.all["a room"])
        #expect(room.volume(isRinging: true) == 70 && room.volume(isRinging: false) == 0)
        #expect(stage.ceilings.all["kitchen"]?.volume(isRinging: true) == 60, "alarms are limited as well")
        let other = Stage()
        for record in stage.ceilings.records { other.ceilings.restore(record) }
        #expect(other.ceilings.all == stage.ceilings.all && other.ceilings.all.count == 2)
        try stage.set("kitchen", "volume any")
        #expect(stage.ceilings.all["kitchen"]?.speed == 2)
        try stage.set("kitchen", "speed any")
        #expect(stage.ceilings.all["kitchen"] == nil && stage.ceilings.records.count == 1)
        for wrong in [[], ["x", "volume"], ["x", "volume", "-1"], ["x", "loud", "1"]] {
            other.ceilings.restore(Record("ceiling", wrong))
        }
        #expect(other.seen.logged.count == 4 && other.ceilings.all["x"] == nil)
    }

    @Test func whatIsNoCeilingChangesNothing() throws {
        let stage = Stage()
        try stage.set("kitchen", "volume 60")
        for words in [
            "volume 101", "volume x", "alarms any", "alarms -1", "speed 0.1", "speed nan", "speed 1e300", "hours x",
            "until x", "until -1",
            "loud 1",
            "volume 10 speed", "volume 10 loud 2",
        ] {
            #expect(throws: AckError.self, "\(words)") { try stage.set("kitchen", words) }
        }
        #expect(stage.volume("kitchen") == 60 && stage.seen.changes == 1 && stage.seen.audited.count == 1)
        for number in 1..<CeilingService.capacity { try stage.set("zone\(number)", "volume 1") }
        #expect(throws: AckError.self) { try stage.set("one more", "volume 1") }
        try stage.set("kitchen", "volume 50")
    }
}
