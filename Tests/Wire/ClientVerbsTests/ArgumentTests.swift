import CommandOptions
import TerminalText
import TestThreads
import Testing
import ValueText

@testable import ClientVerbs

@Suite(.blocking) struct ArgumentTests {
    @Test(
        arguments: [
            ("90", "90"), ("1:30", "90"), ("1:00:01.5", "3601.5"), ("+10", "+10"), ("-1:00", "-60"), ("0", "0"),
            ("50%", "100"), ("+10%", "60"), ("-10%", "20"), ("-50%", "0"), ("+100%", "200"), ("1m30s", "90"),
        ]
    )
    func seeking(text: String, argument: String) throws {
        #expect(try SeekTarget(parsing: text).argument(elapsed: 40, duration: 200) == argument)
    }

    @Test(arguments: ["", "+", "x", "1:99", "101%", "-%", "+-5", "%"])
    func noPlaceToSeekTo(text: String) {
        #expect(throws: ArgumentProblem.self) { try SeekTarget(parsing: text) }
    }

    @Test func aPercentageNeedsADuration() throws {
        #expect(try SeekTarget(parsing: "50%").argument(elapsed: 1, duration: nil) == nil)
        #expect(try SeekTarget(parsing: "+5").argument(elapsed: 1, duration: nil) == "+5")
    }

    @Test(arguments: [("50", false, 50), ("+5", true, 5), ("-5%", true, -5), ("100%", false, 100), ("0", false, 0)])
    func volumes(text: String, isStep: Bool, percent: Int) throws {
        let volume = try VolumeArgument(parsing: text)
        #expect(volume.isStep == isStep)
        #expect(volume.percent == percent)
    }

    @Test(arguments: ["", "101", "-101", "x", "5.5", "+", "--5", "00005"])
    func noVolume(text: String) {
        #expect(throws: ArgumentProblem.self) { try VolumeArgument(parsing: text) }
    }

    @Test(
        arguments: [("3", 3, 3), ("3-7", 3, 7), ("3-", 3, nil), ("0", 0, 0)] as [(String, Int, Int?)]
    )
    func spans(text: String, first: Int, last: Int?) throws {
        let span = try #require(QueueSpan(argument: text))
        #expect(span.first == first)
        #expect(span.last == last)
    }

    @Test(arguments: ["", "-", "-3", "7-3", "a", "1-b", "0-3", "99999999999999999999"])
    func noSpan(text: String) { #expect(QueueSpan(argument: text) == nil) }

    @Test func neighboursAreOneRun() {
        #expect(DeleteVerb.runs([5, 1, 2, 3, 9, 8]) == [1...3, 5...5, 8...9])
        #expect(DeleteVerb.runs([]) == [])
    }

    @Test func aTableFitsItsWidth() {
        var table = TextTable([.init(isRight: true), .init(isFlexible: true), .init(), .init(isFlexible: true)])
        table.add(["1", "短い title that is long", "", "b"])
        table.add(["12", "s", "", "a second one that is longer still"])
        #expect(
            table.lines(width: 80).map(\.plain) == [
                " 1  短い title that is long  b", "12  s                        a second one that is longer still",
            ]
        )
        for width in 20..<80 {
            #expect(table.lines(width: width).allSatisfy { $0.width <= width }, "\(width)")
        }
    }

    @Test(
        arguments: [
            ("statsu", ["stats", "status"]), ("stauts", ["stats", "status"]), ("pase", ["pause"]),
            ("volumne", ["volume"]), ("xyz", []), ("s", ["stats", "status", "stop"]), ("q", []),
            ("findd", ["find", "finds"]), ("", []),
            ("vol", ["volume"]), ("v", ["volume"]),
        ]
    )
    func whatWasMeant(word: String, meant: [String]) {
        let words: Set = ["status", "stats", "pause", "volume", "stop", "find", "findadd", "finds"]
        #expect(NearestWord.find(word, in: words) == meant)
    }
}
