import Alarms
import CivilTime
import Testing
import ValueText

struct ScheduleStoreTests {
    private var store = ScheduleStore()
    private let maker = {
        var maker = Schedule.Maker()
        (maker.principal, maker.origin, maker.server) = ("tablet", "10.0.0.7", "10.0.0.1")
        return maker
    }()

    private mutating func add(_ words: [String], at now: Moment) throws -> Int {
        try store.add(words, by: maker, now: now, in: berlin).id
    }

    @Test mutating func theNextOfAllIsTheEarliest() throws {
        let now = try utc("2026-11-24T12:00")
        #expect(store.next(in: berlin, []) == nil)
        let night = try add(["22:00", "daily", "command", "setvol 20"], at: now)
        let stop = try add(["00:00", "command", "stop", "name", "bed"], at: now)
        #expect(text(store.next(in: berlin, [])) == "2026-11-24T21:00")
        try store.skip(night, true, now: now, in: berlin, [])
        #expect(text(store.next(in: berlin, [])) == "2026-11-24T23:00")
        try store.enable(stop, false, now: now, in: berlin, [])
        #expect(text(store.next(in: berlin, [])) == "2026-11-25T21:00")
        // A holiday is left out.
        let day = try CivilDate(parsing: "2026-11-25")
        let holiday = try #require(Holiday(from: day, to: day))
        #expect(text(store.next(in: berlin, [holiday])) == "2026-11-26T21:00")
        #expect(throws: ScheduleStore.Refusal.unknown(9)) { try store.remove(9) }
    }

    /// What is due at the same time is done in the order in which it was due, and each once.
    @Test mutating func whatIsDueIsDoneOnceAndInOrder() throws {
        let now = try utc("2026-11-24T12:00")
        let ids = try ["20:01", "20:00", "20:01"].map { try add([$0, "daily", "command", "stop"], at: now) }
        let evening = try utc("2026-11-24T19:02")
        #expect(
            store.advance(to: evening, in: berlin, []) == [
                .run(ids[1], due: evening - 120), .run(ids[0], due: evening - 60), .run(ids[2], due: evening - 60),
            ]
        )
        #expect(store.advance(to: evening + 5, in: berlin, []) == [])
        // A clock that is set back a little does nothing twice.
        #expect(store.advance(to: evening - 90, in: berlin, []) == [])
        #expect(store.advance(to: evening, in: berlin, []) == [])
    }

    /// The clock jumps over it: by a little, and by more than ten minutes.
    @Test(arguments: [(600, true), (601, false), (80_000, false)])
    mutating func clocksThatAreSetForward(_ seconds: Moment, _ isDone: Bool) throws {
        let now = try utc("2026-11-24T12:00")
        let id = try add(["20:00", "daily", "command", "stop"], at: now)
        let due = try utc("2026-11-24T19:00")
        #expect(
            store.advance(to: due + seconds, in: berlin, []) == [isDone ? .run(id, due: due) : .missed(id, due: due)]
        )
    }

    /// At half past two on the day that summer time begins clocks show half past three.
    @Test mutating func aTimeInTheGapOfSummerTimeIsKept() throws {
        let now = try utc("2027-03-27T12:00")
        _ = try add(["02:30", "daily", "command", "stop"], at: now)
        #expect(text(store.next(in: berlin, [])) == "2027-03-28T01:30")
    }

    @Test mutating func theJournalKeepsAllOfIt() throws {
        let now = try utc("2026-11-24T12:00")
        let words = [
            "22:00", "mon-fri", "name", "my night", "command", "setvol 20", "command", "random 0", "holidays", "1",
        ]
        let id = try add(words, at: now)
        try store.skip(id, true, now: now, in: berlin, [])
        let schedule = try #require(store.schedules[id])
        var other = ScheduleStore()
        let isRead = other.restore(id, schedule.storedWords, now: now + 60, in: berlin)
        #expect(isRead && other.schedules[id] == schedule)
        let isGone = other.restore(id, nil, now: now, in: berlin)
        #expect(isGone && other.schedules.isEmpty)
        for (number, words) in [(3, ["never"]), (0, schedule.storedWords)] {
            let isValid = other.restore(number, words, now: now, in: berlin)
            #expect(!isValid)
        }
    }

    @Test(arguments: [
        ["22:00"], ["22:00", "command"], ["22:00", "command", ""], ["22:00", "command", "a\nb"],
        ["22:00", "color", "red", "command", "stop"], ["25:00", "command", "stop"],
        ["22:00", "by", "root", "command", "stop"], ["22:00", "enabled", "0", "command", "stop"],
        ["22:00"] + (0..<9).flatMap { _ in ["command", "stop"] },
        ["22:00", "command", String(repeating: "x", count: 1_025)],
    ])
    mutating func whatIsNoScheduleIsRefused(_ words: [String]) throws {
        let now = try utc("2026-11-24T12:00")
        #expect(throws: ArgumentProblem.self) { _ = try store.add(words, by: maker, now: now, in: berlin) }
    }

    @Test mutating func thereIsALimit() throws {
        let now = try utc("2026-11-24T12:00")
        for _ in 0..<ScheduleStore.limit { _ = try add(["22:00", "command", "stop"], at: now) }
        #expect(throws: ScheduleStore.Refusal.full) {
            _ = try store.add(["22:00", "command", "stop"], by: maker, now: now, in: berlin)
        }
        #expect(throws: ScheduleStore.Refusal.neverDue) {
            try store.remove(1)
            _ = try store.add(["10:00", "2020-01-01", "command", "stop"], by: maker, now: now, in: berlin)
        }
    }
}
