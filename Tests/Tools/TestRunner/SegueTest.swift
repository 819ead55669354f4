import ArgumentParser
import Foundation
import Synchronization
import TestSupport

/// Runs all tests in groups, repeats alone what failed, and says what is red.
@main
struct SegueTest: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "segue-test",
        abstract: "Runs the tests in groups, and repeats alone what failed.",
        discussion: """
            The tests are those of the bundle beside this program, which `swift build --build-tests` makes. \
            A group is a regular expression of test identifiers, or options for its tests, ' : ' and one. Groups that begin \
            with 'beside ', and the tests that are in no group, run one after another with the lowest priority, beside the others.

            A crash costs one test, and so does a test that hangs: after eight minutes in which nothing was heard of its \
            process, that is killed. The group goes on without it in a new process. Tests that failed are repeated alone \
            for up to ten minutes; those that pass are named, with the load that the machine had. With --strict they are red, \
            and are repeated five times, to say how often they fail.
            A test with an expectation about time says when the machine stood still; a test that two runs in a row could not \
            judge for that, or more than five in a run, are red.
            SEGUE_TEST_ALL=1 makes tests that are skipped since a program is not installed an error.

            segue-test --runs 30 --only '^SessionSoundTests'
            """
    )

    @Option(parsing: .unconditional, help: "Options of Swift Testing for all tests.")
    var options = ""
    @Option(help: "How often everything is run.")
    var runs = 1
    @Option(help: "Packages that this system does not offer; tests that need them may be skipped.")
    var notOffered = ""
    @Flag(help: "Let every failure be red, also of a test that passes alone.")
    var strict = false
    @Flag(help: "Leave out the tests that are in no group.")
    var only = false
    @Argument(help: "The groups.")
    var groups: [String] = []

    func validate() throws {
        guard (1...1_000).contains(runs) else { throw ValidationError("--runs is 1 to 1000") }
        guard !only || !groups.isEmpty else { throw ValidationError("--only takes groups") }
    }

    func run() async throws {
        let load = MachineLoad()
        let process = try TestProcess(options: options.split(separator: " ").map(String.init))
        var table: [String] = []
        var isRed = false
        var notJudged: [String] = []
        for run in 1...runs {
            let start = ContinuousClock.now
            let judgement = try await TestRound(
                groups: groups.map(TestGroup.init),
                hasOthers: !only,
                process: process,
                load: load,
                empty: Judgement(
                    wantsAll: ProcessInfo.processInfo.environment["SEGUE_TEST_ALL"] == "1",
                    notOffered: notOffered.split(separator: " ").map(String.init),
                    isStrict: strict,
                    notJudgedBefore: notJudged
                )
            )
            .run()
            notJudged = judgement.notJudged
            let seconds = (ContinuousClock.now - start).components.seconds
            print(judgement.report)
            isRed = isRed || judgement.isRed
            table.append(
                """
                run \(run): \(judgement.isRed ? "red" : "green"), \(seconds) s, \(judgement.count) tests, \
                \(judgement.failures.count) failed, \(judgement.passedAlone.count) passed alone, \
                \(judgement.stalls.count) repeated because the machine stood still, \(judgement.notJudged.count) not judged
                """
            )
            print(table.joined(separator: "\n"))
            let failed = judgement.failures.count + judgement.troubles.count
            let passed = judgement.count - judgement.failures.count
            print("\(passed) passed, \(failed) failed, \(judgement.skippedCount) skipped")
            fflush(nil)
        }
        if isRed { throw ExitCode.failure }
    }
}

/// All groups once: those that compute beside those that play or wait, then what failed, alone.
struct TestRound {
    let groups: [TestGroup]
    let hasOthers: Bool
    let process: TestProcess
    let load: MachineLoad
    /// Without any test.
    let empty: Judgement
    private static let timeForRepeats: Duration = .seconds(600)

    func run() async throws -> Judgement {
        let others = hasOthers ? [TestGroup(without: groups)] : []
        let all = others + groups
        let kept = Mutex<[UInt8]>([])
        async let computed = runAll(all.filter(\.runsBeside)) { bytes in kept.withLock { $0 += bytes } }
        let played = try await runAll(all.filter { !$0.runsBeside }, show: Self.show)
        var judgement = empty
        let outcomes = try await computed + played
        Self.show(kept.withLock { $0 })
        for (group, outcome) in outcomes { judgement.add(outcome, of: group.name, load: highestLoad) }
        try await repeatFailures(&judgement)
        return judgement
    }

    private func runAll(
        _ groups: [TestGroup],
        show: @escaping @Sendable ([UInt8]) -> Void
    ) async throws -> [(TestGroup, TestProcess.Outcome)] {
        var outcomes: [(TestGroup, TestProcess.Outcome)] = []
        for group in groups {
            var selection = group.filter
            while !selection.isEmpty {
                show(Array("Tests: \(group.name)\n".utf8))
                let outcome = try await process.run(selection + group.options, isBeside: group.runsBeside, show: show)
                outcomes.append((group, outcome))
                let rest = outcome.rest.map(\.filter)
                selection = rest.isEmpty ? [] : ["--filter", rest.joined(separator: "|")]
            }
        }
        return outcomes
    }

    private func repeatFailures(_ judgement: inout Judgement) async throws {
        let end = ContinuousClock.now + Self.timeForRepeats
        for id in judgement.failures.map(\.id).sorted() {
            for _ in 0..<(judgement.isStrict ? 5 : 1) {
                guard ContinuousClock.now < end else { return }
                Self.show(Array("Once more, alone: \(id)\n".utf8))
                let outcome = try await process.run(["--no-parallel", "--filter", id.filter], show: Self.show)
                judgement.addRepeat(outcome, of: id)
            }
        }
    }

    private func highestLoad(of test: RunRecord.Test) -> Double {
        load.highest(from: test.start, to: test.end == 0 ? Date().timeIntervalSince1970 : test.end)
    }

    @Sendable private static func show(_ bytes: [UInt8]) { FileHandle.standardOutput.write(Data(bytes)) }
}
