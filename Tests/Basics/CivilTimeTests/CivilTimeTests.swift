import CivilTime
import Testing

struct CivilTimeTests {
    /// All days of the years 0 to 9999, counted one by one by the rules of the Gregorian calendar.
    @Test func everyDayHasItsNumber() {
        var (number, weekday) = (-719_528, 5)
        for year in 0...9999 {
            let isLeapYear = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
            for (index, length) in [31, isLeapYear ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31].enumerated() {
                for day in 1...length {
                    let date = CivilDate(day: number)
                    guard date.parts == (year, index + 1, day), date.weekday == weekday, date.day == number,
                        CivilDate.dayNumber(year: year, month: index + 1, day: day) == number,
                        (CivilDate(year: year, month: index + 1, day: day) == date) == (year >= 1970)
                    else {
                        Issue.record("\(year)-\(index + 1)-\(day), day \(number)")
                        return
                    }
                    number += 1
                    weekday = (weekday + 1) % 7
                }
                #expect(CivilDate(year: year, month: index + 1, day: length + 1) == nil)
                // As if the month went on.
                #expect(CivilDate.dayNumber(year: year, month: index + 1, day: length + 1) == number)
            }
        }
        #expect(number == 2_932_897)
    }

    @Test func daysOutsideAreTheNearestInside() {
        #expect(CivilDate(day: .max) == CivilDate(day: 2_932_896) && CivilDate(day: .max).description == "9999-12-31")
        #expect(CivilDate(day: .min).parts == (0, 1, 1))
    }

    @Test(arguments: [
        (0, "1970-01-01T00:00:00Z"), (951_782_399, "2000-02-28T23:59:59Z"), (951_782_400, "2000-02-29T00:00:00Z"),
        (951_868_800, "2000-03-01T00:00:00Z"), (4_107_542_399, "2100-02-28T23:59:59Z"),
        (4_107_542_400, "2100-03-01T00:00:00Z"), (1_798_761_599, "2026-12-31T23:59:59Z"),
        (-1, "1969-12-31T23:59:59Z"), (253_402_300_799, "9999-12-31T23:59:59Z"),
        (-62_167_219_200, "0000-01-01T00:00:00Z"),
    ])
    func moments(_ moment: Int, _ text: String) {
        #expect(timestamp(moment) == text)
        #expect(seconds(ofTimestamp: text) == moment)
        #expect(seconds(ofTimestamp: text.dropLast() + ".125Z") == moment)
    }

    @Test func momentsOutsideAreTheNearestInside() {
        #expect(timestamp(.max) == "9999-12-31T23:59:59Z" && timestamp(.min) == "0000-01-01T00:00:00Z")
    }

    @Test(arguments: [
        (1_795_000_000.125, "2026-11-18T11:06:40.125Z"), (0.0004, "1970-01-01T00:00:00.000Z"),
        (0.9996, "1970-01-01T00:00:01.000Z"), (-5, "1970-01-01T00:00:00.000Z"), (.nan, "1970-01-01T00:00:00.000Z"),
        (1e300, "9999-12-31T23:59:59.807Z"),
    ])
    func thousandths(_ moment: Double, _ text: String) { #expect(utc(moment) == text) }

    @Test(arguments: [
        "", "2026-11-21", "2026-11-21T05:31:16", "2026-11-21T05:31:16+01:00", "2026-11-21 05:31:16Z",
        "2026-13-21T05:31:16Z", "2026-00-21T05:31:16Z", "2026-11-00T05:31:16Z", "2026-11-32T05:31:16Z",
        "2026-11-21T24:31:16Z", "2026-11-21T05:60:16Z", "2026-11-21T05:31:61Z", "2026-11-21T05:31:16,5Z",
        "2026-11-21T05:31:16.5x1Z", "+026-11-21T05:31:16Z", "2026-1１-21T05:31:16Z", "12026-11-21T05:31:16Z",
    ])
    func whatIsNoTimestamp(_ text: String) { #expect(seconds(ofTimestamp: text) == nil) }

}
