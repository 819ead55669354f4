import Alarms
import CivilTime
import Testing
import ValueText

struct AlarmBookTests {
    private var book = AlarmBook()

    private func words(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }

    @Test mutating func theNextOfAllIsTheEarliest() throws {
        let now = try utc("2026-11-24T12:00")
        #expect(book.next(in: berlin) == nil)
        let late = try book.add(words("07:00 mon-fri"), now: now, in: berlin)
        let early = try book.add(words("06:30 wed uri radio"), now: now, in: berlin)
        #expect(text(book.next(in: berlin)) == "2026-11-25T05:30")
        #expect("\(try #require(try book.skip(early.id, true, now: now, in: berlin)))" == "2026-11-25")
        #expect(text(book.next(in: berlin)) == "2026-11-25T06:00")
        #expect(text(book.next(early.id, in: berlin)) == "2026-12-02T05:30")
        try book.skip(early.id, false, now: now, in: berlin)
        #expect(text(book.next(in: berlin)) == "2026-11-25T05:30")
        try book.enable(early.id, false, now: now, in: berlin)
        #expect(text(book.next(in: berlin)) == "2026-11-25T06:00")
        try book.remove(late.id)
        #expect(book.next(in: berlin) == nil)
        #expect(throws: AlarmBook.Refusal.unknown(late.id)) { try book.remove(late.id) }
        // Those that were due while it was disabled are not told.
        try book.enable(early.id, true, now: now + 30 * 86_400, in: berlin)
        #expect(book.take(at: now + 30 * 86_400, in: berlin) == [])
    }

    /// What is left out stays left out, however often that is asked for; once its day is over the next one may be.
    @Test mutating func skippingTwiceSkipsOne() throws {
        let now = try utc("2026-11-24T12:00")
        let id = try book.add(words("07:00 daily"), now: now, in: berlin).id
        for _ in 0..<2 { #expect("\(try #require(try book.skip(id, true, now: now, in: berlin)))" == "2026-11-25") }
        #expect(text(book.next(in: berlin)) == "2026-11-26T06:00")
        let later = try utc("2026-11-25T06:00")
        #expect("\(try #require(try book.skip(id, true, now: later, in: berlin)))" == "2026-11-26")
        #expect(text(book.next(in: berlin)) == "2026-11-27T06:00")
    }

    /// A day that was left out is not missed, whenever the book is looked at.
    @Test mutating func whatIsSkippedIsNotMissed() throws {
        let now = try utc("2026-11-24T12:00")
        let id = try book.add(words("07:00 daily"), now: now, in: berlin).id
        try book.skip(id, true, now: now, in: berlin)
        let midnight = try utc("2026-11-25T00:00")
        for hour in [3, 6, 7, 20, 24 + 5] {
            let events = book.take(at: midnight + Moment(hour * 3_600), in: berlin)
            #expect(events == [])
        }
        #expect(text(book.next(in: berlin)) == "2026-11-26T06:00")
    }

    /// A client may ask for a longer snooze than the alarm's own.
    @Test mutating func aLongSnoozeIsKept() throws {
        let now = try utc("2026-11-24T12:00")
        let id = try book.add(words("20:00 snooze 5m"), now: now, in: berlin).id
        let ring = try utc("2026-11-24T19:00")
        _ = book.take(at: ring, in: berlin)
        try book.change(id) { $0.snoozedUntil = ring + 3_600 }
        #expect(book.take(at: ring + 60, in: berlin) == [])
        #expect(book.next(in: berlin) == ring + 3_600)
    }

    /// A machine without a clock of its own begins in 1970: nothing is due then, and nothing was missed afterwards.
    @Test mutating func aClockThatWasNotSetTellsNothing() throws {
        let now = try utc("2026-11-24T12:00")
        let id = try book.add(words("20:00 daily"), now: now, in: berlin).id
        #expect(book.take(at: 100, in: berlin) == [])
        #expect(book.take(at: now + 60, in: berlin) == [])
        let ring = try utc("2026-11-24T19:00")
        #expect(book.take(at: ring, in: berlin) == [.ring(id, due: ring)])
    }

    @Test mutating func ringsAndMissedOnesAreTold() throws {
        let now = try utc("2026-11-24T12:00")
        let ids = try ["20:00", "20:05", "18:00 daily"].map { try book.add(words($0), now: now, in: berlin).id }
        let evening = try utc("2026-11-24T19:08")
        let events = book.take(at: evening, in: berlin)
        #expect(
            events == [
                .ring(ids[0], due: try utc("2026-11-24T19:00")), .ring(ids[1], due: try utc("2026-11-24T19:05")),
                .missed(ids[2], due: try utc("2026-11-24T17:00")),
            ]
        )
        #expect(book.take(at: evening, in: berlin) == [])
        #expect(book.alarms.values.filter(\.when.isEnabled).map(\.id) == [ids[2]])
    }

    @Test mutating func aSnoozeEnds() throws {
        let now = try utc("2026-11-24T12:00")
        let id = try book.add(words("20:00 snooze 5m"), now: now, in: berlin).id
        let ring = try utc("2026-11-24T19:00")
        _ = book.take(at: ring, in: berlin)
        try book.change(id) { $0.snoozedUntil = ring + 300 }
        #expect(book.next(in: berlin) == ring + 300)
        #expect(book.take(at: ring + 299, in: berlin) == [])
        #expect(book.take(at: ring + 300, in: berlin) == [.ring(id, due: ring + 300)])
        #expect(book.next(in: berlin) == nil)
        // A clock that is set back by an hour does not make it an hour longer.
        try book.change(id) { $0.snoozedUntil = ring + 300 }
        #expect(book.take(at: ring - 3_600, in: berlin) == [])
        #expect(book.next(in: berlin) == ring - 3_300)
        try book.change(id) { $0.snoozedUntil = ring }
        #expect(book.take(at: ring + 601, in: berlin) == [.missed(id, due: ring)])
    }

    /// An alarm comes back from its words as it was.
    @Test mutating func whatIsStoredComesBack() throws {
        let now = try utc("2026-11-24T12:00")
        let text =
            "07:00 mon-fri zone bedroom name work uri radio fallback bell.flac volume 5-40 ramp 300 snooze 90.5 "
            + "length 1800 thenplay 1 holidays 1"
        let id = try book.add(words(text), now: now, in: berlin).id
        try book.change(id) {
            $0.when.skipped = CivilDate(day: 20_000)
            $0.snoozedUntil = now + 5
            $0.ringing = .init(since: now, volume: 7)
        }
        let alarm = try #require(book.alarms[id])
        #expect(alarm.words == words(text))
        var other = AlarmBook()
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
            _ = book.restore(1, words("07:00 daily handled 5 ringing 5 \(key) \(value)"), now: now, in: berlin)
            _ = book.take(at: now, in: berlin)
            _ = book.next(in: berlin)
            #expect((0...100).contains(book.alarms[1]?.ringing?.volume ?? 0))
        }
        for (id, time) in [(Int.max, "07:00"), (2, "25:00")] {
            let isRestored = book.restore(id, [time], now: now, in: berlin)
            #expect(!isRestored)
        }
        #expect(book.alarms[.max] == nil)
    }

    @Test(arguments: [
        "", "25:00", "7", "07:00 monday", "07:00 mon-", "07:00 2026-02-30", "07:00 mon zone", "07:00 volume 101",
        "07:00 volume 40-5", "07:00 volume -", "07:00 ramp x", "07:00 ramp 2h", "07:00 snooze 1", "07:00 length 2d",
        "07:00 thenplay yes", "07:00 color red", "07:00 handled 5", "07:60", "07:00:60", "-7:00", "07:00 2026-11-23",
    ])
    mutating func whatIsNoAlarmIsRefused(text: String) throws {
        let now = try utc("2026-11-24T12:00")
        #expect(throws: (any Error).self) { try book.add(words(text), now: now, in: berlin) }
        #expect(book.alarms.isEmpty)
    }

    @Test mutating func thereAreBounds() throws {
        let now = try utc("2026-11-24T12:00")
        for _ in 0..<AlarmBook.limit { _ = try book.add(words("07:00 daily"), now: now, in: berlin) }
        #expect(throws: AlarmBook.Refusal.full) { try book.add(words("07:00"), now: now, in: berlin) }
        for day in 0..<AlarmBook.limit {
            try book.add(try #require(Holiday(from: CivilDate(day: day), to: CivilDate(day: day))))
        }
        let more = try #require(Holiday(from: CivilDate(day: 5_000), to: CivilDate(day: 5_000)))
        #expect(throws: AlarmBook.Refusal.full) { try book.add(more) }
        var other = AlarmBook()
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
