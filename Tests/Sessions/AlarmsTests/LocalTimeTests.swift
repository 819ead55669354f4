import Alarms
import CivilTime
import Testing
import ValueText

struct LocalTimeTests {
    /// Times of Berlin, and their moments: in winter, in summer, in the gap and in the overlap of summer time.
    @Test(arguments: [
        ("2026-01-15", "07:00", "2026-01-15T06:00"), ("2026-07-15", "07:00", "2026-07-15T05:00"),
        ("2026-03-28", "02:30", "2026-03-28T01:30"), ("2026-03-29", "01:59:59", "2026-03-29T00:59:59"),
        // 2:00 to 3:00 are skipped: reckoned as before the gap, so an hour later on the clock.
        ("2026-03-29", "02:00", "2026-03-29T01:00"), ("2026-03-29", "02:30", "2026-03-29T01:30"),
        ("2026-03-29", "03:00", "2026-03-29T01:00"), ("2026-03-29", "07:00", "2026-03-29T05:00"),
        // 2:00 to 3:00 come twice: the first time counts.
        ("2026-10-25", "01:59:59", "2026-10-24T23:59:59"), ("2026-10-25", "02:00", "2026-10-25T00:00"),
        ("2026-10-25", "02:30", "2026-10-25T00:30"), ("2026-10-25", "03:00", "2026-10-25T02:00"),
        ("2026-10-25", "07:00", "2026-10-25T06:00"),
    ])
    func momentsOfClockTimes(date: String, time: String, expected: String) throws {
        let moment = berlin.moment(of: try TimeOfDay(parsing: time), on: try CivilDate(parsing: date))
        #expect(text(moment) == expected)
    }

    /// The gap's times are shown an hour later; all others are shown as they were asked for.
    @Test func clocksShowTheTimeThatWasAskedFor() throws {
        let start = try CivilDate(parsing: "2026-01-01").day
        for day in start..<(start + 365) {
            for seconds in stride(from: 0, to: 86_400, by: 900) {
                guard let time = TimeOfDay(seconds: seconds) else { continue }
                let date = CivilDate(day: day)
                let reading = berlin.reading(at: berlin.moment(of: time, on: date))
                let isSkipped = "\(date)" == "2026-03-29" && (7_200..<10_800).contains(seconds)
                #expect(reading.date == date)
                #expect(reading.time == seconds + (isSkipped ? 3_600 : 0))
            }
        }
    }

    /// A zone that skipped a day: Samoa went over the date line at the end of 29 December 2011.
    @Test func aDayThatIsSkippedHasAMoment() throws {
        let leap = try utc("2011-12-30T10:00")
        let samoa = LocalTime { $0 < leap ? -36_000 : 50_400 }
        let noon = try TimeOfDay(parsing: "12:00")
        #expect(text(samoa.moment(of: noon, on: try CivilDate(parsing: "2011-12-29"))) == "2011-12-29T22:00")
        #expect(text(samoa.moment(of: noon, on: try CivilDate(parsing: "2011-12-30"))) == "2011-12-30T22:00")
        #expect(text(samoa.moment(of: noon, on: try CivilDate(parsing: "2011-12-31"))) == "2011-12-30T22:00")
    }
}
