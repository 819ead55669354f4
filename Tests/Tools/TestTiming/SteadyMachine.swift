package import Testing

extension Duration {
    /// How long the machine may stand still while sound is replaced without a frame being lost: a change is made 30 ms ahead.
    package static let replacing = Duration.milliseconds(15)
}

/// Expects what only a stop of the machine may break; for tests with the trait `.timed`.
///
/// Sound that is replaced while it is played is exact as long as those who replace and play it get a processor in time.
///
/// - Parameters:
///   - length: A stop of the machine since `start` that is longer makes a failure inconclusive.
/// - Throws: `MachineStalled`, for which the trait repeats the test.
package func expect(
    _ isSo: Bool,
    unlessStalledFor length: Duration,
    since start: ContinuousClock.Instant,
    _ comment: @autoclosure () -> Comment? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    guard !isSo else { return }
    let stall = MachineWatch.shared.longestStall(since: start)
    if TimedTrait.isActive, stall > length {
        throw MachineStalled(measured: stall, limit: length, stall: stall)
    }
    Issue.record(
        "\(comment()?.rawValue ?? "it is not so"); the machine stood still for at most \(stall)",
        sourceLocation: sourceLocation
    )
}
