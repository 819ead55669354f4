import Foundation
import TestSupport
import Testing

@testable import segue_test

/// What is red, judged from what processes told of their tests.
struct JudgementTests {
    private static let one = TestID("ATests.Suite/one()/Suite.swift:3:6")
    private static let two = TestID("ATests.Suite/two()/Suite.swift:9:6")
    private static let three = TestID("ATests.Suite/three(_:)/Suite.swift:12:6")

    /// A line of the event stream.
    private func event(_ kind: String, _ id: TestID?, _ text: String = "", isKnown: Bool = false) -> String {
        """
        {"version":0,"kind":"event","payload":{"kind":"\(kind)",\(id.map { "\"testID\":\"\($0)/Suite.swift:3:6\"," } ?? "")\
        "instant":{"absolute":1,"since1970":2},"issue":{"isKnown":\(isKnown)},"messages":[{"symbol":"fail","text":"\(text)"}]}}
        """
    }

    private func outcome(
        _ events: [String],
        status: TestSupport.ExitStatus = .code(0),
        output: String = "",
        isComplete: Bool = true
    ) -> TestProcess.Outcome {
        let tests = [Self.one, Self.two, Self.three].map {
            #"{"version":0,"kind":"test","payload":{"kind":"function","name":"n","id":"\#($0)/Suite.swift:3:6"}}"#
        }
        let end = isComplete ? [event("runEnded", nil)] : [#"{"version":0,"kind":"eve"#]
        let stream = Data((tests + events + end).joined(separator: "\n").utf8)
        return TestProcess.Outcome(record: RunRecord(stream: stream), status: status, output: output)
    }

    private func ran(_ id: TestID, failing text: String? = nil) -> [String] {
        [event("testStarted", id)] + (text.map { [event("issueRecorded", id, $0)] } ?? []) + [event("testEnded", id)]
    }

    private func judged(_ outcome: TestProcess.Outcome, wantsAll: Bool = false) -> Judgement {
        var judgement = Judgement(wantsAll: wantsAll)
        judgement.add(outcome, of: "group") { _ in 1 }
        return judgement
    }

    @Test func allThatPassIsGreen() {
        let judgement = judged(outcome(ran(Self.one) + ran(Self.two) + ran(Self.three)))
        #expect(!judgement.isRed && judgement.count == 3)
        #expect(judgement.report.isEmpty)
    }

    @Test func aFailureIsRedUnlessItPassesAlone() {
        var judgement = judged(outcome(ran(Self.one) + ran(Self.two, failing: "1 is not 2"), status: .code(1)))
        #expect(judgement.isRed && judgement.failures.map(\.id) == [Self.two])
        var again = judgement
        again.addRepeat(outcome(ran(Self.two, failing: "1 is not 3"), status: .code(1)), of: Self.two)
        #expect(again.isRed && again.report.contains("1 is not 2") && again.report.contains("alone: 1 is not 3"))
        judgement.addRepeat(outcome(ran(Self.two)), of: Self.two)
        #expect(!judgement.isRed && judgement.passedAlone.map(\.id) == [Self.two])
        #expect(judgement.report.contains("1 is not 2"))
    }

    /// How often it fails alone is told, and it is red even if it never does.
    @Test func everyFailureIsRedWhereThatIsAsked() {
        var judgement = Judgement(wantsAll: false, isStrict: true)
        judgement.add(outcome(ran(Self.one, failing: "no"), status: .code(1)), of: "group") { _ in 1 }
        for text in [nil, nil, "no", nil] as [String?] {
            judgement.addRepeat(outcome(ran(Self.one, failing: text), status: .code(text == nil ? 0 : 1)), of: Self.one)
            #expect(judgement.isRed)
        }
        #expect(judgement.report.contains("passed 3 of 4 times alone"))
        var other = Judgement(wantsAll: false, isStrict: true)
        other.add(outcome(ran(Self.two, failing: "no"), status: .code(1)), of: "group") { _ in 1 }
        other.addRepeat(outcome(ran(Self.two)), of: Self.two)
        #expect(other.isRed && other.failures.isEmpty)
    }

    /// A machine that stands still too often proves nothing.
    @Test func whatIsNotJudgedIsRedInTheEnd() {
        let lines = (1...6).map { "not judged: test\($0)(): 1 s measured, 0.1 s allowed" }
        func judged(_ count: Int, before: [String] = []) -> Judgement {
            var judgement = Judgement(wantsAll: false, notJudgedBefore: before)
            let output = lines.prefix(count).joined(separator: "\n")
            judgement.add(outcome(ran(Self.one), output: output), of: "group") { _ in 1 }
            return judgement
        }
        #expect(!judged(5).isRed && judged(5).notJudged.first == "test1()")
        #expect(judged(6).isRed)
        #expect(!judged(1, before: ["test2()"]).isRed)
        #expect(judged(2, before: ["test2()"]).tooSeldomJudged == ["test2()"])
    }

    /// A filter that matches nothing, or a process that ends at once, proves nothing.
    @Test func aRepeatThatDidNotRunTheTestIsRed() {
        var judgement = judged(outcome(ran(Self.one, failing: "no"), status: .code(1)))
        let nothing = TestProcess.Outcome(record: RunRecord(stream: Data()), status: .code(0), output: "")
        judgement.addRepeat(nothing, of: Self.one)
        #expect(judgement.isRed)
        #expect(judged(nothing).isRed)
    }

    @Test func aCrashCostsTheTestsThatRanAndTheOthersAreRun() {
        let output = "Fatal error: Index out of range\nThread 4 \"x\" crashed:\n0 0x1 one()\n"
        let crashed = outcome(
            ran(Self.one) + [event("testStarted", Self.two)],
            status: .code(1),
            output: output,
            isComplete: false
        )
        #expect(crashed.rest == [Self.three])
        let judgement = judged(crashed)
        #expect(judgement.failures.map(\.id) == [Self.two] && judgement.count == 2)
        #expect(judgement.report.contains("Index out of range"))
    }

    @Test func aTestThatHangsIsNamedAndTheOthersAreRun() {
        var hung = outcome(
            ran(Self.one) + [event("testStarted", Self.two)],
            status: .signal(SIGKILL),
            isComplete: false
        )
        hung.hung = true
        #expect(hung.rest == [Self.three])
        let judgement = judged(hung)
        #expect(judgement.isRed && judgement.failures.map(\.id) == [Self.two])
        #expect(judgement.report.contains("nothing was heard of it for 480 s"))
    }

    @Test func aCrashOfNoTestIsRedAndEndsTheGroup() {
        let crashed = outcome(ran(Self.one), status: .signal(11), isComplete: false)
        #expect(crashed.rest.isEmpty)
        #expect(judged(crashed).isRed)
    }

    @Test func issuesOfNoTestAreRedAndKnownOnesAreNot() {
        #expect(judged(outcome([event("issueRecorded", nil, "late")])).isRed)
        let known = [event("testStarted", Self.one), event("issueRecorded", Self.one, isKnown: true)]
        #expect(!judged(outcome(known + [event("testEnded", Self.one)])).isRed)
        #expect(judged(outcome(ran(Self.one), status: .code(1))).isRed)
    }

    @Test func whatIsNotInstalledIsAnErrorWhereAllIsWanted() {
        let events = [event("testSkipped", Self.one, "Test one() skipped: 'mpd is not installed'")]
        #expect(!judged(outcome(events)).isRed)
        #expect(judged(outcome(events), wantsAll: true).isRed)
        var judgement = Judgement(wantsAll: true, notOffered: ["MPD"])
        judgement.add(outcome(events), of: "group") { _ in 1 }
        #expect(judgement.withoutOffer.count == 1 && judgement.skipped.isEmpty)
        // One of three is more than 2 %.
        #expect(judgement.isRed)
        let other = [event("testSkipped", Self.one, "Test one() skipped: 'only in make soak'")]
        #expect(!judged(outcome(other), wantsAll: true).isRed)
    }

    @Test func aTestIsFoundByItsNameAlone() throws {
        for (id, others) in [
            (Self.one, ["ATests.Suite/oneMore()/S.swift:1:1", "BATests.Suite/one()/S.swift:1:1"]),
            (Self.three, ["ATests.Suite/threefold(_:)/S.swift:1:1"]),
        ] {
            let filter = try Regex(id.filter)
            #expect("\(id)/Suite.swift:3:6".contains(filter))
            for other in others { #expect(!other.contains(filter)) }
        }
    }

    @Test func groupsAreReadAsTheyAreWritten() {
        let group = TestGroup("--width 8 : ^ATests|^BTests")
        #expect(group.filter == ["--filter", "^ATests|^BTests"] && group.options == ["--width", "8"])
        #expect(!group.runsBeside && TestGroup("beside ^CTests").runsBeside)
        #expect(
            TestGroup(without: [group, TestGroup("beside ^CTests")]).filter == ["--skip", "^ATests|^BTests|^CTests"]
        )
    }
}
