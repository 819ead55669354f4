import Glibc
import TestSupport
import TestTiming
import Testing

/// What tests may expect of time.
///
/// Some stop the process for a while, so they run one after another.
@Suite(.serialized) struct TimedTests {
    /// As a machine that stands still: this process is stopped for a while, and let go on.
    private func stop(for seconds: Double) throws {
        let script = "kill -STOP \(getpid()); sleep \(seconds); kill -CONT \(getpid())"
        _ = try ChildProcess.run("sh", ["-c", script])
    }

    @Test(.timed) func aTimeThatIsKeptIsNoIssue() throws {
        try expect(.milliseconds(-90), atMost: .milliseconds(100), since: .now)
    }

    @Test func aStopOfTheMachineIsMeasured() throws {
        let start = ContinuousClock.now
        _ = MachineWatch.shared.longestStall(since: start)
        try stop(for: 0.3)
        #expect(MachineWatch.shared.longestStall(since: start) > .milliseconds(200))
        #expect(MachineWatch.shared.longestStall(since: .now) < .milliseconds(200))
    }

    /// Runs a test's body as the trait does.
    ///
    /// - Returns: How often it ran, and the lines that tell of what could not be judged.
    private func run(_ body: @escaping @Sendable (_ count: Int) throws -> Void) async throws -> (Int, [String]) {
        let (count, lines) = (Watched(0), Watched<[String]>([]))
        let trait = TimedTrait { line in lines.withLock { $0.append(line) } }
        try await trait.provideScope(for: try #require(Test.current), testCase: nil) {
            try body(
                count.withLock { count in
                    count += 1
                    return count
                }
            )
        }
        return (count.withLock { $0 }, lines.withLock { $0 })
    }

    /// Too long, but the machine stood still: the second try is judged.
    @Test func aTestIsRepeatedAfterAStop() async throws {
        let (count, lines) = try await run { [self] count in
            let start = ContinuousClock.now
            if count == 1 { try stop(for: 0.3) }
            try expect(ContinuousClock.now - start, atMost: .milliseconds(250), since: start)
        }
        #expect(count == 2 && lines.count == 1 && lines[0].hasPrefix("repeated: aTestIsRepeatedAfterAStop"))
    }

    @Test func aTestThatCannotBeJudgedSaysSo() async throws {
        let (count, lines) = try await run { [self] _ in
            let start = ContinuousClock.now
            try stop(for: 0.1)
            try expect(.seconds(1), atMost: .milliseconds(50), since: start)
        }
        #expect(count == 5 && lines.count == 5 && lines[4].hasPrefix("not judged: aTestThatCannotBeJudgedSaysSo"))
    }

    /// Too long while the machine ran is a failure at once.
    @Test(.timed) func aLateMeasureIsAFailureWhereTheMachineRan() throws {
        try withKnownIssue {
            try expect(.seconds(3_600), atMost: .seconds(1_800), since: .now)
        } matching: { issue in
            issue.comments.contains { $0.rawValue.contains("3600") }
        }
    }
}
