import TestSupport
import TestTiming
import Testing

extension MonitorCapture {
    /// Requires that a code was heard in as many pieces as it was played in: no sample of it was lost or repeated.
    ///
    /// - Throws: `MachineStalled` where the machine stood still meanwhile, so that sound was replaced too late; for tests with
    ///   the trait `.timed`.
    func require(
        _ stretches: [SignCode.Stretch],
        pieces count: Int,
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        try expect(
            stretches.count == count,
            unlessStalledFor: .replacing,
            since: current.time(of: 0),
            "\(count) pieces were played, and heard were \(stretches)",
            sourceLocation: location
        )
        try #require(stretches.count == count, sourceLocation: location)
    }
}
