import AudioTypes
import TestSupport

/// Between the clock of other processes' reports and that of captures.
enum Moments {
    private static let anchor = (instant: ContinuousClock.now, host: HostTime.now)

    /// The same moment on the clock that captures tell the time by.
    static func instant(nanoseconds: Int64) -> ContinuousClock.Instant {
        anchor.instant + .nanoseconds(nanoseconds - anchor.host.nanoseconds)
    }

    static func sleep(_ seconds: Double) async throws { try await Task.sleep(for: .seconds(seconds)) }

    /// Sleeps until so many seconds have passed since `start`.
    static func sleep(until seconds: Double, after start: ContinuousClock.Instant) async throws {
        try await Task.sleep(until: start + .seconds(seconds))
    }
}

extension ContinuousClock.Instant {
    /// Seconds since an earlier moment.
    func seconds(since start: Self) -> Double { (self - start).seconds }
}
