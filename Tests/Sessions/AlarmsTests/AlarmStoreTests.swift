import Alarms
import CivilTime
import Testing
import ValueText

struct AlarmStoreTests {
    private var store = AlarmStore()

    private func words(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }

    @Test mutating func theNextOfAllIsTheEarliest() throws {
        let now = try utc("2026-11-24T12:00")
        #expect(store.next(in: berlin) == nil)
        let late = try store.add(words("07:00 mon-fri"), now: now, in: berlin)
        let early = try store.add(words("06:30 wed uri radio"), now: now, in: berlin)
        #expect(text(store.next(in: berlin)) == "2026-11-25T05:30")
        #expect("\(try #require(try store.skip(early.id, true, now: now, in: berlin)))" == "2026-11-25")
        #expect(text(store.next(in: berlin)) == "2026-11-25T06:00")
        #expect(text(store.next(early.id, in: berlin)) == "2026-12-02T05:30")
        try store.skip(early.id, false, now: now, in: berlin)
        #expect(text(store.next(in: berlin)) == "2026-11-25T05:30")
        try store.enable(early.id, false, now: now, in: berlin)
        #expect(text(store.next(in: berlin)) == "2026-11-25T06:00")
        try store.remove(late.id)
        #expect(store.next(in: berlin) == nil)
        #expect(throws: AlarmStore.Refusal.unknown(late.id)) { try store.remove(late.id) }
        // Those that were due while it was disabled are not told.
        try store.enable(early.id, true, now: now + 30 * 86_400, in: berlin)
        #expect(store.advance(to: now + 30 * 86_400, in: berlin) == [])
    }

    /// What is left out stays left out, however often that is asked for; once its day is over the next one may be.
    @Test mutating func skippingTwiceSkipsOne() throws {
        let now = try utc("2026-11-24T12:00")
        let id = try store.add(words("07:00 daily"), now: now, in: berlin).id
        for _ in 0..<2 { #expect("\(try #require(try store.skip(id, true, now: now, in: berlin)))" == "2026-11-25") }
        #expect(text(store.next(in: berlin)) == "2026-11-26T06:00")
        let later = try utc("2026-11-25T06:00")
        #expect("\(try #require(try store.skip(id, true, now: later, in: berlin)))" == "2026-11-26")
        #expect(text(store.next(in: berlin)) == "2026-11-27T06:00")
    }

    /// A day that was left out is not missed, whenever the store is looked at.
    @Test mutating func whatIsSkippedIsNotMissed() throws {
        let now = try utc("2026-11-24T12:00")
        let id = try store.add(words("07:00 daily"), now: now, in: berlin).id
        try store.skip(id, true, now: now, in: berlin)
        let midnight = try utc("2026-11-25T00:00")
        for hour in [3, 6, 7, 20, 24 + 5] {
            let events = store.advance(to: midnight + Moment(hour * 3_600), in: berlin)
            #expect(events == [])
        }
        #expect(text(store.next(in: berlin)) == "2026-11-26T06:00")
    }

    /// A client may ask for a longer snooze than the alarm's own.
    @Test mutating func aLongSnoozeIsKept() throws {
        let now = try utc("2026-11-24T12:00")
        let id = try store.add(words("20:00 snooze 5m"), now: now, in: berlin).id
        let ring = try utc("2026-11-24T19:00")
        _ = store.advance(to: ring, in: berlin)
        try store.change(id) { $0.snoozedUntil = ring + 3_600 }
        #expect(store.advance(to: ring + 60, in: berlin) == [])
        #expect(store.next(in: berlin) == ring + 3_600)
    }

    /// A machine without a clock of its own begins in 1970: nothing is due then, and nothing was missed afterwards.
    @Test mutating func aClockThatWasNotSetTellsNothing() throws {
        let now = try utc("2026-11-24T12:00")
        let id = try store.add(words("20:00 daily"), now: now, in: berlin).id
        #expect(store.advance(to: 100, in: berlin) == [])
        #expect(store.advance(to: now + 60, in: berlin) == [])
        let ring = try utc("2026-11-24T19:00")
        #expect(store.advance(to: ring, in: berlin) == [.ring(id, due: ring)])
    }

    @Test mutating func ringsAndMissedOnesAreTold() throws {
        let now = try utc("2026-11-24T12:00")
        let ids = try ["20:00", "20:05", "18:00 daily"].map { try store.add(words($0), now: now, in: berlin).id }
        let evening = try utc("2026-11-24T19:08")
        let events = store.advance(to: evening, in: berlin)
        #expect(
            events == [
                .ring(ids[0], due: try utc("2026-11-24T19:00")), .ring(ids[1], due: try utc("2026-11-24T19:05")),
                .missed(ids[2], due: try utc("2026-11-24T17:00")),
            ]
        )
        #expect(store.advance(to: evening, in: berlin) == [])
        #expect(store.alarms.values.filter(\.when.isEnabled).map(\.id) == [ids[2]])
    }

    @Test mutating func aSnoozeEnds() throws {
        let now = try utc("2026-11-24T12:00")
        let id = try store.add(words("20:00 snooze 5m"), now: now, in: berlin).id
        let ring = try utc("2026-11-24T19:00")
        _ = store.advance(to: ring, in: berlin)
        try store.change(id) { $0.snoozedUntil = ring + 300 }
        #expect(store.next(in: berlin) == ring + 300)
        #expect(store.advance(to: ring + 299, in: berlin) == [])
        #expect(store.advance(to: ring + 300, in: berlin) == [.ring(id, due: ring + 300)])
        #expect(store.next(in: berlin) == nil)
        // A clock that is set back by an hour does not make it an hour longer.
        try store.change(id) { $0.snoozedUntil = ring + 300 }
        #expect(store.advance(to: ring - 3_600, in: berlin) == [])
        #expect(store.next(in: berlin) == ring - 3_300)
        try store.change(id) { $0.snoozedUntil = ring }
        #expect(store.advance(to: ring + 601, in: berlin) == [.missed(id, due: ring)])
    }

    /// An alarm comes back from its words as it was.
    @Test mutating func whatIsStoredComesBack() throws {
        let now = try utc("2026-11-24T12:00")
        let text =
            "07:00 mon-fri zone bedroom name work uri radio fallback bell.flac volume 5-40 ramp 300 snooze 90.5 "
            + "length 1800 thenplay 1 holidays 1"
        let id = try store.add(words(text), now: now, in: berlin).id
        try store.change(id) {
            $0.when.skipped = CivilDate(day: 20_000)
            $0.snoozedUntil = now + 5
            $0.ringing = .init(since: now, volume: 7)
        }
        let alarm = try #require(store.alarms[id])
        #expect(alarm.words == words(text))
        var other = AlarmStore()
        var isRestored = other.restore(id, alarm.storedWords, now: now + 1_000, in: berlin)
        #expect(isRestored)
        #expect(other.alarms[id] == alarm)
        // Numbers are not used again.
        isRestored = other.restore(id, nil, now: now, in: berlin)
        #expect(isRestored)
        #expect(other.alarms.isEmpty)
        #expect(try other.add(words("07:00"), now: now, in: berlin).id == id + 1)
    }

    /// A journal that was changed by hand does no harm.
    @Test(arguments: ["handled", "snoozed", "ringing", "before", "skipped"])
    mutating func numbersOfTheJournalAreBounded(key: String) throws {
        let now = try utc("2026-11-24T12:00")
        for value in ["9223372036854775807", "-9223372036854775808", "253402300800", "x", "9999-12-31"] {
            _ = store.restore(1, words("07:00 daily handled 5 ringing 5 \(key) \(value)"), now: now, in: berlin)
            _ = store.advance(to: now, in: berlin)
            _ = store.next(in: berlin)
            #expect((0...100).contains(store.alarms[1]?.ringing?.volume ?? 0))
        }
        for (id, time) in [(Int.max, "07:00"), (2, "25:00")] {
            let isRestored = store.restore(id, [time], now: now, in: berlin)
            #expect(!isRestored)
        }
        #expect(store.alarms[.max] == nil)
    }

    @Test(arguments: [
        "", "25:00", "7", "07:00 monday", "07:00 mon-", "07:00 2026-02-30", "07:00 mon zone", "07:00 volume 101",
        "07:00 volume 40-5", "07:00 volume -", "07:00 ramp x", "07:00 ramp 2h", "07:00 snooze 1", "07:00 length 2d",
        "07:00 thenplay yes", "07:00 color red", "07:00 handled 5", "07:60", "07:00:60", "-7:00", "07:00 2026-11-23",
    ])
    mutating func whatIsNoAlarmIsRefused(text: String) throws {
        let now = try utc("2026-11-24T12:00")
        #expect(throws: (any Error).self) { try store.add(words(text), now: now, in: berlin) }
        #expect(store.alarms.isEmpty)
    }

    @Test mutating func thereAreBounds() throws {
        let now = try utc("2026-11-24T12:00")
        for _ in 0..<AlarmStore.limit { _ = try store.add(words("07:00 daily"), now: now, in: berlin) }
        #expect(throws: AlarmStore.Refusal.full) { try store.add(words("07:00"), now: now, in: berlin) }
        for day in 0..<AlarmStore.limit {
            try store.add(try #require(Holiday(from: CivilDate(day: day), to: CivilDate(day: day))))
        }
        let more = try #require(Holiday(from: CivilDate(day: 5_000), to: CivilDate(day: 5_000)))
        #expect(throws: AlarmStore.Refusal.full) { try store.add(more) }
        var other = AlarmStore()
        let long = String(repeating: "x", count: Alarm.longestURI + 1)
        #expect(throws: (any Error).self) { try other.add(["07:00", "uri", long], now: now, in: berlin) }
    }

    @Test func theVolumeRises() throws {
        let alarm = try Alarm(id: 1, parsing: words("07:00 volume 5-40 ramp 5m"), now: 0, in: berlin)
        #expect([0, 150, 300, 400].map { alarm.volume(after: $0) } == [5, 22.5, 40, 40])
        let flat = try Alarm(id: 1, parsing: words("07:00 volume 5-40 ramp 0"), now: 0, in: berlin)
        #expect(flat.volume(after: 0) == 40)
    }
}
