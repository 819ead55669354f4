internal import AudioTypes

/// Whether it is worth waiting on for what comes.
struct Pace: Sendable {
    /// Bytes in a second of waiting below which nothing can be played: the slowest speech needs ten times that.
    private static let slowest = 64.0

    let silenceLimit: Double
    private var waited = 0.0
    private var bytes = 0

    init(silenceLimit: Double) { self.silenceLimit = silenceLimit }

    mutating func noteWait(_ seconds: Double) { waited += seconds }

    mutating func noteBytes(_ count: Int) {
        bytes += count
        guard Double(bytes) > Self.slowest * silenceLimit * 3 else { return }
        bytes = 0
        waited = 0
    }

    /// What is wrong; `nil` when nothing is.
    func check(now: HostTime, waitingSince start: HostTime) -> HTTPError.Kind? {
        if now - start >= silenceLimit { return .silent }
        return waited >= silenceLimit * 3 ? .slow : nil
    }
}
