private import Glibc
package import Testing

/// Lets a test expect something of time: it is repeated when the machine stood still meanwhile, up to five times.
///
/// A test that fails such an expectation while the machine ran has failed. One that could not be judged in five tries says so
/// in a line that begins with `not judged:`, which `segue-test` collects.
package struct TimedTrait: SuiteTrait, TestTrait, TestScoping {
    package let isRecursive = true
    private static let tries = 5
    private let tell: @Sendable (String) -> Void

    /// - Parameter tell: Gets a line for each try that could not be judged.
    package init(
        tell: @escaping @Sendable (String) -> Void = { line in
            print(line)
            fflush(nil)
        }
    ) { self.tell = tell }

    package func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        // It watches from here on: what it has not seen cannot excuse a test.
        _ = MachineWatch.shared
        for count in 1...Self.tries {
            do {
                return try await TimedTrait.$isActive.withValue(true) { try await function() }
            } catch let stall as MachineStalled {
                tell("\(count < Self.tries ? "repeated" : "not judged"): \(test.name): \(stall)")
            }
        }
    }

    @TaskLocal static var isActive = false
}

extension Trait where Self == TimedTrait {
    package static var timed: Self { Self() }
}

/// A time was too long while the machine stood still, so it says nothing.
package struct MachineStalled: Error, CustomStringConvertible {
    package let measured: Duration
    package let limit: Duration
    package let stall: Duration

    package var description: String {
        "\(measured) measured, \(limit) allowed, and the machine stood still for \(stall)"
    }
}

/// Expects that a time is at most `limit`; for tests with the trait `.timed`.
///
/// - Parameters:
///   - measured: A duration, or a difference between two times, of either sign.
///   - start: When what is measured began. A stop of the machine since then that is longer than half of `limit` makes
///     a longer time inconclusive.
/// - Throws: `MachineStalled`, for which the trait repeats the test.
package func expect(
    _ measured: Duration,
    atMost limit: Duration,
    since start: ContinuousClock.Instant,
    _ comment: @autoclosure () -> Comment? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    guard abs(measured) > limit else { return }
    let stall = MachineWatch.shared.longestStall(since: start)
    if TimedTrait.isActive, stall > limit / 2 {
        throw MachineStalled(measured: abs(measured), limit: limit, stall: stall)
    }
    Issue.record(
        "\(measured) is more than \(limit); the machine stood still for at most \(stall). \(comment()?.rawValue ?? "")",
        sourceLocation: sourceLocation
    )
}

private func abs(_ duration: Duration) -> Duration { max(duration, .zero - duration) }
