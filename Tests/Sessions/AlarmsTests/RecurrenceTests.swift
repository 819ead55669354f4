import Alarms
import CivilTime
import Testing
import ValueText

struct RecurrenceTests {
    /// What is written, when, and the next moments.
    @Test(arguments: [
        // 2026-11-24 is a Tuesday.
        ("07:00", "2026-11-24T05:00", ["2026-11-24T06:00"]), ("07:00", "2026-11-24T06:00", ["2026-11-25T06:00"]),
        ("07:00 2026-12-24", "2026-11-24T05:00", ["2026-12-24T06:00"]),
        ("07:00 mon-fri", "2026-11-27T05:59", ["2026-11-27T06:00", "2026-11-30T06:00", "2026-12-01T06:00"]),
        ("09:30 sat,sun", "2026-11-24T05:00", ["2026-11-28T08:30", "2026-11-29T08:30", "2026-12-05T08:30"]),
        // Every day over the beginning and the end of summer time.
        ("07:00 daily", "2026-03-28T00:00", ["2026-03-28T06:00", "2026-03-29T05:00", "2026-03-30T05:00"]),
        ("02:30 daily", "2026-03-28T00:00", ["2026-03-28T01:30", "2026-03-29T01:30", "2026-03-30T00:30"]),
        ("02:30 daily", "2026-10-24T00:00", ["2026-10-24T00:30", "2026-10-25T00:30", "2026-10-26T01:30"]),
        ("00:00 mon", "2026-11-22T22:00", ["2026-11-22T23:00", "2026-11-29T23:00"]),
    ])
    func nextMoments(words: String, now: String, expected: [String]) throws {
        let rule = try recurrence(words, at: now)
        var found: [String?] = []
        var moment = try utc(now)
        while found.count < expected.count, let next = rule.next(after: moment, in: berlin, []) {
            found.append(text(next))
            moment = next
        }
        #expect(found == expected)
        if case .once = rule.days { #expect(rule.next(after: moment, in: berlin, []) == nil) }
    }

    /// An alarm in the hour that comes twice rings once.
    @Test func whatIsInTheOverlapIsDueOnce() throws {
        var rule = try recurrence("02:30 daily", at: "2026-10-24T12:00")
        var due = 0
        for minute in 0..<(24 * 60) {
            if rule.advance(to: try utc("2026-10-24T12:00") + Moment(minute * 60), in: berlin, []) != nil { due += 1 }
        }
        #expect(due == 1)
    }

    @Test func holidaysAndSkippedDaysAreLeftOut() throws {
        let (first, last) = (try CivilDate(parsing: "2026-11-25"), try CivilDate(parsing: "2026-11-27"))
        let holiday = try #require(Holiday(from: first, to: last))
        #expect(Holiday(from: last, to: first) == nil)
        var rule = try recurrence("07:00 daily", at: "2026-11-24T12:00")
        let now = try utc("2026-11-24T12:00")
        #expect(text(rule.next(after: now, in: berlin, [holiday])) == "2026-11-28T06:00")
        rule.skipped = try CivilDate(parsing: "2026-11-28")
        #expect(text(rule.next(after: now, in: berlin, [holiday])) == "2026-11-29T06:00")
        rule.includesHolidays = true
        #expect(text(rule.next(after: now, in: berlin, [holiday])) == "2026-11-25T06:00")
        // A single alarm is meant for its day, whatever day that is.
        let once = try recurrence("07:00 2026-11-26", at: "2026-11-24T12:00")
        #expect(text(once.next(after: now, in: berlin, [holiday])) == "2026-11-26T06:00")
        // One on no day has none.
        let years = try #require(Holiday(from: first, to: CivilDate(day: first.day + 366)))
        rule.includesHolidays = false
        #expect(rule.next(after: now, in: berlin, [years, holiday]) != nil)
        rule.isEnabled = false
        #expect(rule.next(after: now, in: berlin, []) == nil)
    }

    @Test func aSkippedDayIsForgottenAfterIt() throws {
        var rule = try recurrence("07:00 daily", at: "2026-11-24T12:00")
        rule.skipped = try CivilDate(parsing: "2026-11-25")
        #expect(rule.advance(to: try utc("2026-11-25T12:00"), in: berlin, []) == nil)
        #expect(rule.advance(to: try utc("2026-11-26T06:00"), in: berlin, []) == .due(try utc("2026-11-26T06:00")))
        #expect(rule.skipped == nil)
    }

    /// In seconds, and whether it is done; after a day the next one is due.
    private static let lateness: [(Moment, Bool)] = [
        (0, true), (1, true), (599, true), (600, true), (601, false), (3_600, false), (86_399, false), (86_400, true),
        (87_001, false), (3_456_060, true), (259_200_700, false),
    ]

    /// How late something is seen to, and what becomes of it.
    @Test(arguments: lateness)
    func lateOnesAreDoneWithinTenMinutes(late: Moment, isDone: Bool) throws {
        var rule = try recurrence("12:00 daily", at: "2026-06-01T09:00")
        let first = try utc("2026-06-01T10:00")
        let outcome = rule.advance(to: first + late, in: LocalTime { _ in 7_200 }, [])
        #expect(outcome == (isDone ? .due(first + late - late % 86_400) : .missed(first)))
        // It is seen to once.
        #expect(rule.advance(to: first + late, in: LocalTime { _ in 7_200 }, []) == nil)
    }

    @Test func aSingleOneIsDisabledByItsRing() throws {
        var rule = try recurrence("12:00", at: "2026-06-01T09:00")
        #expect(rule.advance(to: try utc("2026-06-01T10:00"), in: berlin, []) == .due(try utc("2026-06-01T10:00")))
        #expect(!rule.isEnabled)
    }

    /// A clock that is set back a little makes nothing due twice; one that was far ahead has skipped nothing.
    @Test func clocksThatAreSetBack() throws {
        var rule = try recurrence("12:00 daily", at: "2026-06-01T09:00")
        let due = try utc("2026-06-01T10:00")
        #expect(rule.advance(to: due, in: berlin, []) == .due(due))
        #expect(rule.advance(to: due - 30, in: berlin, []) == nil)
        #expect(rule.advance(to: due, in: berlin, []) == nil)
        // The clock shows the year after, where the rings of a year were missed, and is put right.
        #expect(rule.advance(to: due + 365 * 86_400 + 5_000, in: berlin, []) == .missed(due + 86_400))
        #expect(rule.advance(to: due + 100, in: berlin, []) == nil)
        #expect(rule.advance(to: due + 86_400, in: berlin, []) == .due(due + 86_400))
    }
}
