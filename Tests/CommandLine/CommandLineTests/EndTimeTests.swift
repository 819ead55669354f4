import Foundation
import Testing

@testable import ClientVerbs

/// When grants end, as people write it.
@Suite struct EndTimeTests {
    private static let now = 1_790_000_000

    private func local(_ seconds: Int) -> DateComponents {
        Calendar(identifier: .gregorian).dateComponents(
            [.year, .month, .day, .hour, .minute, .second],
            from: Date(timeIntervalSince1970: Double(seconds))
        )
    }

    @Test(arguments: ["00:00", "7:05", "23:59", "12:00"]) func theNextTimeOfDay(text: String) throws {
        let end = try #require(EndTime(text, now: Self.now)?.seconds)
        #expect(end > Self.now && end <= Self.now + 25 * 3_600)
        let parts = text.split(separator: ":").compactMap { Int($0) }
        #expect([local(end).hour, local(end).minute, local(end).second] == [parts[0], parts[1], 0])
    }

    @Test func dates() throws {
        let noon = local(try #require(EndTime("2026-12-24T18:05", now: Self.now)?.seconds))
        #expect([noon.year, noon.month, noon.day, noon.hour, noon.minute] == [2026, 12, 24, 18, 5])
        let day = local(try #require(EndTime("2028-02-29", now: Self.now)?.seconds))
        #expect([day.year, day.month, day.day, day.hour] == [2028, 2, 29, 0])
    }

    @Test func lengths() {
        #expect(EndTime("2h", now: Self.now)?.seconds == Self.now + 7_200)
        #expect(EndTime("1h30m", now: Self.now)?.word == "\(Self.now + 5_400)")
        #expect(EndTime("never", now: Self.now)?.word == "never")
    }

    @Test(arguments: ["", "tomorrow", "24:00", "7:5", "0", "2026-02-30", "2026-13-01", "2026-12-24T", "-2h", "1-2-3-4"])
    func nonsense(text: String) { #expect(EndTime(text, now: Self.now) == nil) }
}
