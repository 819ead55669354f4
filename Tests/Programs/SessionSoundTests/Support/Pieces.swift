import TestSupport
import TestTiming
import Testing

extension MonitorCapture {
    /// Expects what is so unless sound was replaced too late; for tests with the trait `.timed`.
    ///
    /// - Throws: `MachineStalled` where it is not so, and the machine stood still since the recording began.
    func expectInTime(
        _ isSo: Bool,
        _ comment: @autoclosure () -> Comment,
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        try expect(
            isSo,
            unlessStalledFor: .replacing,
            since: current.time(of: 0),
            comment(),
            sourceLocation: location
        )
    }

    /// Requires that a code was heard in as many pieces as it was played in: no sample of it was lost or repeated.
    ///
    /// - Throws: As ``expectInTime(_:_:_:)``, or where the machine ran.
    func require(
        _ stretches: [SignCode.Stretch],
        pieces count: Int,
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        try expectInTime(stretches.count == count, "\(count) pieces were played, and heard were \(stretches)", location)
        try #require(stretches.count == count, sourceLocation: location)
    }
}
