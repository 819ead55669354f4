import Announcements
import Testing

@Suite struct QuietHoursTests {
    /// The hours, and times of day that are among them or not.
    @Test(arguments: [
        ("22:00-07:00", ["22:00", "23:59", "00:00", "06:59"], ["07:00", "12:00", "21:59"]),
        ("13:00-15:30", ["13:00", "15:29"], ["12:59", "15:30", "00:00"]),
        ("0:00-24:00", ["00:00", "12:00", "23:59"], []),
        ("23:59-0:01", ["23:59", "00:00"], ["00:01", "23:58"]),
        ("22:00-07:00, 13:00-15:00", ["23:00", "14:00"], ["12:00", "15:00"]),
        (" 22:00 - 07:00 ", ["22:00"], ["07:00"]),
    ])
    func timesAreToldApart(text: String, quiet: [String], loud: [String]) throws {
        let hours = try #require(QuietHours(parsing: text))
        for time in quiet { #expect(hours.contains(minute: minute(time)), "\(time)") }
        for time in loud { #expect(!hours.contains(minute: minute(time)), "\(time)") }
    }

    private func minute(_ time: String) -> Int {
        let parts = time.split(separator: ":").compactMap { Int($0) }
        return parts[0] * 60 + parts[1]
    }

    @Test(arguments: [
        "", "22:00", "22:00-", "-07:00", "22-07", "22:00-22:00", "24:00-07:00", "22:60-07:00", "25:00-07:00",
        "22:0-07:00", "022:00-07:00", "22:00-07:00-08:00", "22:00-07:00,", "+2:00-07:00", "22:00-24:01", "２２:00-07:00",
    ])
    func othersAreRefused(text: String) { #expect(QuietHours(parsing: text) == nil) }

    @Test func thereAreAsManyAsADayHasHours() {
        func text(_ count: Int) -> String {
            [String](repeating: "1:00-2:00", count: count).joined(separator: ",")
        }
        #expect(QuietHours(parsing: text(24)) != nil && QuietHours(parsing: text(25)) == nil)
    }

    @Test func theyReadAsTheyAreWritten() {
        let text = "22:00-07:05, 13:00-24:00"
        #expect(QuietHours(parsing: text)?.description == text)
    }

    /// Each minute of the day is in the range or in the rest of the day, for all pairs of hours.
    @Test func aRangeAndItsRestMakeADay() throws {
        for start in stride(from: 0, to: 1440, by: 60) {
            for end in stride(from: 0, to: 1440, by: 60) where start != end {
                let range = try #require(QuietHours.Range(start: start, end: end))
                let rest = try #require(QuietHours.Range(start: end, end: start))
                #expect((0..<1440).allSatisfy { range.contains(minute: $0) != rest.contains(minute: $0) })
                #expect((0..<1440).count { range.contains(minute: $0) } == (end - start + 1440) % 1440)
            }
        }
    }
}
