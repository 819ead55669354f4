import CivilTime
import Testing
import ValueText

struct DayTests {
    @Test(arguments: [
        ("mon-fri", "mon-fri"), ("daily", "mon-sun"), ("weekends", "sat,sun"), ("weekdays", "mon-fri"),
        ("sat-tue", "mon,tue,sat,sun"), ("Wed", "wed"), ("sun,mon,wed", "mon,wed,sun"), ("fri-fri", "fri"),
    ])
    func daysAreRead(text: String, expected: String) throws {
        #expect("\(try Weekdays(parsing: text))" == expected)
        #expect(try Weekdays(parsing: expected) == Weekdays(parsing: text))
    }

    @Test(arguments: ["", "mon-", "-fri", "mo", "mon,,fri", "mon fri", "mon-fri-sun"])
    func whatAreNoDays(text: String) { #expect(throws: ArgumentProblem.self) { try Weekdays(parsing: text) } }

    @Test func datesAreThoseOfTheCalendar() throws {
        #expect(CivilDate(day: 0).description == "1970-01-01" && CivilDate(day: 0).weekday == 3)
        #expect(try CivilDate(parsing: "2000-02-29").day == 11_016)
        #expect(try CivilDate(parsing: "2026-11-24").weekday == 1)
        for day in stride(from: 0, to: 2_000_000, by: 17) {
            let date = CivilDate(day: day)
            #expect(try CivilDate(parsing: date.description) == date)
        }
    }

    @Test(arguments: ["2026-02-29", "2026-13-01", "2026-00-01", "2026-1-1", "1969-12-31", "2026-11", "+026-11-24"])
    func whatIsNoDate(text: String) { #expect(throws: ArgumentProblem.self) { try CivilDate(parsing: text) } }

    @Test func timesAreWrittenAsRead() throws {
        #expect(
            try ["7:05", "07:05", "23:59", "07:05:09"].map { "\(try TimeOfDay(parsing: $0))" }
                == ["07:05", "07:05", "23:59", "07:05:09"]
        )
        #expect(throws: ArgumentProblem.self) { try TimeOfDay(parsing: "24:00") }
    }
}
