import AudioTypes
import CommandOptions
import Testing
import ValueText

@Suite struct TimeArgumentTests {
    @Test(arguments: [
        ("90", 90), ("0", 0), ("1.5", 1.5), (".5", 0.5), ("2.", 2), ("1:30", 90), ("0:00.25", 0.25), ("90:00", 5400),
        ("1:02:03.5", 3723.5), ("30m", 1800), ("1h30m", 5400), ("1h30s", 3630), ("2H", 7200), ("1.5h", 5400),
        ("45s", 45), ("500ms", 0.5), ("1m500ms", 60.5), ("1000000", 1_000_000),
    ])
    func accepts(text: String, seconds: Double) throws {
        #expect(try TimeArgument.parse(text) == MediaTime(seconds: seconds))
    }

    @Test(arguments: [
        "", ":", "-5", "+5", "1:60", "1:-1", "1:2:3:4", "1:2.5:3", "1e3", "0x10", "nan", "inf", "ten", "5x", "30m1h",
        "5m5m", "1..5", ".", "1 30", "1000001", "99999999999999999999", "1:", ":30", "m", "٣",
    ])
    func refuses(text: String) {
        #expect(throws: ArgumentProblem.self) { try TimeArgument.parse(text) }
    }
}
