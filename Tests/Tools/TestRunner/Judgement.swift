import Foundation
import TestSupport

/// What is known of the tests of some groups, and whether that is red.
struct Judgement {
    struct Failure {
        let id: TestID
        var issues: [String]
        /// The highest load of the machine while the test ran.
        let load: Double
        /// How often it was run alone, and how often it passed then.
        var repeats = 0
        var passes = 0
    }

    /// In the order in which they failed.
    private(set) var failures: [Failure] = []
    /// Those that failed beside others and passed alone.
    private(set) var passedAlone: [Failure] = []
    /// What no test answers for: a process that ran none, an issue of a task that outlived its test.
    private(set) var troubles: [String] = []
    private(set) var crashes: [String] = []
    private(set) var skipped: [String] = []
    /// Tests that were skipped since this release of the system does not offer what they need.
    private(set) var withoutOffer: [String] = []
    /// Lines of tests that were repeated, or not judged, because the machine stood still.
    private(set) var stalls: [String] = []
    /// The names of tests that were not judged, because the machine stood still in each of their tries.
    private(set) var notJudged: [String] = []
    /// Whether a test that fails is red also when it passes alone.
    let isStrict: Bool
    /// The tests that were not judged by the run before this one.
    let notJudgedBefore: [String]
    /// How many tests ran, and how many were skipped for any reason, such as being parts of `make soak`.
    private(set) var count = 0
    private(set) var skippedCount = 0
    /// Whether a test that was skipped since a program is not installed is an error.
    let wantsAll: Bool
    /// Packages that this release of the system does not offer.
    let notOffered: [String]

    init(wantsAll: Bool, notOffered: [String] = [], isStrict: Bool = false, notJudgedBefore: [String] = []) {
        (self.wantsAll, self.notOffered) = (wantsAll, notOffered)
        (self.isStrict, self.notJudgedBefore) = (isStrict, notJudgedBefore)
    }

    var isRed: Bool {
        !failures.isEmpty || !troubles.isEmpty || !tooSeldomJudged.isEmpty || (isStrict && !passedAlone.isEmpty)
            || (wantsAll && (!skipped.isEmpty || skipsTooMany))
    }
    /// Tests of which too little is known: one that two runs in a row could not judge, or more than five in one.
    var tooSeldomJudged: [String] {
        notJudged.count > 5 ? notJudged : notJudged.filter(notJudgedBefore.contains)
    }
    /// Whether more than 2 % of the tests were skipped, so that a release proves too little.
    private var skipsTooMany: Bool { withoutOffer.count * 50 > count + withoutOffer.count }

    /// Takes up what a process told of a group.
    mutating func add(_ outcome: TestProcess.Outcome, of group: String, load: (RunRecord.Test) -> Double) {
        let record = outcome.record
        for id in record.failed {
            guard let test = record.tests[id] else { continue }
            failures.append(Failure(id: id, issues: test.issues, load: load(test)))
        }
        for (id, reason) in record.skipped where reason.contains("not installed") {
            if notOffered.contains(where: { reason.localizedCaseInsensitiveContains($0) }) {
                withoutOffer.append("\(id): \(reason)")
            } else {
                skipped.append("\(id): \(reason)")
            }
        }
        troubles += record.looseIssues.map { "\(group): \($0)" }
        let lines = outcome.output.split(separator: "\n").map(String.init)
        stalls += lines.filter { $0.hasPrefix("repeated: ") || $0.hasPrefix("not judged: ") }
        notJudged += lines.filter { $0.hasPrefix("not judged: ") }.map { String($0.dropFirst(12).prefix { $0 != ":" }) }
        count += record.tests.count - record.waiting.count - record.skipped.count
        skippedCount += record.skipped.count
        guard !record.isComplete else {
            if record.tests.isEmpty { troubles.append("\(group): no test ran (\(outcome.status))") }
            if outcome.status != .code(0), record.failed.isEmpty, record.looseIssues.isEmpty {
                troubles.append("\(group): ended with \(outcome.status)")
            }
            return
        }
        let trouble = outcome.trouble.joined(separator: "\n")
        guard !record.interrupted.isEmpty else {
            troubles.append("\(group): ended with \(outcome.status), while no test ran\n\(trouble)")
            return
        }
        crashes.append("\(group): \(outcome.status)\n\(trouble)")
        for id in record.interrupted where record.tests[id]?.issues.isEmpty == true {
            guard let test = record.tests[id] else { continue }
            let issue = outcome.hung ? "ran when nothing was heard of its process" : "ran when its process crashed"
            failures.append(Failure(id: id, issues: [issue], load: load(test)))
        }
    }

    /// Takes up how a test that had failed did alone.
    mutating func addRepeat(_ outcome: TestProcess.Outcome, of id: TestID) {
        if let place = passedAlone.firstIndex(where: { $0.id == id }) { failures.append(passedAlone.remove(at: place)) }
        guard let place = failures.firstIndex(where: { $0.id == id }) else { return }
        failures[place].repeats += 1
        if outcome.status == .code(0), outcome.record.isComplete, outcome.record.tests[id] != nil {
            failures[place].passes += 1
            if failures[place].passes == failures[place].repeats { passedAlone.append(failures.remove(at: place)) }
        } else {
            failures[place].issues +=
                outcome.record.tests[id]?.issues.map { "alone: \($0)" } ?? ["alone: \(outcome.status)"]
            if !outcome.record.isComplete { failures[place].issues += outcome.trouble }
        }
    }

    /// What people read at the end.
    var report: String {
        var text = ""
        func tell(_ title: String, _ lines: [String]) {
            guard !lines.isEmpty else { return }
            text += "\n\(title)\n"
            for line in lines { text += "  " + line.split(separator: "\n").joined(separator: "\n    ") + "\n" }
        }
        func describe(_ failures: [Failure]) -> [String] {
            failures.map { failure in
                let issues = failure.issues.prefix(5).map { "\n\($0.prefix(1_000))" }.joined()
                let alone = "passed \(failure.passes) of \(failure.repeats) times alone"
                return "\(failure.id) (load \(failure.load), \(alone))\(issues)"
            }
        }
        tell(wantsAll ? "Skipped, which is an error here:" : "Skipped:", skipped.sorted())
        tell("Skipped, since this release does not offer what they need:", withoutOffer.sorted())
        if wantsAll, skipsTooMany {
            tell("More than 2 % of the tests were skipped, which is an error:", ["\(count) tests"])
        }
        tell("Judged again or not at all, since the machine stood still:", stalls)
        tell("Too seldom judged, which is an error:", tooSeldomJudged)
        tell("Processes that crashed or hung:", crashes)
        tell("Failed beside others, passed alone\(isStrict ? ", which is an error" : ""):", describe(passedAlone))
        tell("Failed, and no test answers for it:", troubles)
        tell("Failed:", describe(failures))
        return text
    }
}
