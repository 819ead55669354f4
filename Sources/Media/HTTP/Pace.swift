internal import AudioTypes

/// Decides whether a transfer is too slow to wait for.
struct Pace: Sendable {
    /// Bytes per second of waiting below which nothing can be played: the slowest speech needs ten times that.
    private static let slowest = 64.0

    let silenceLimit: Double
    private var waited = 0.0
    private var bytes = 0

    init(silenceLimit: Double) { self.silenceLimit = silenceLimit }

    mutating func recordWait(_ seconds: Double) { waited += seconds }

    mutating func recordBytes(_ count: Int) {
        bytes += count
        guard Double(bytes) > Self.slowest * silenceLimit * 3 else { return }
        bytes = 0
        waited = 0
    }

    /// The problem; `nil` when there is none.
    func check(now: HostTime, waitingSince start: HostTime) -> HTTPError.Kind? {
        if now - start >= silenceLimit { return .silent }
        return waited >= silenceLimit * 3 ? .slow : nil
    }
}
