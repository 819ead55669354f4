internal import AudioTypes

/// When a bus that is not there is looked for again, as a pure value.
///
/// After 1, 4, 16 and 64 seconds; then only when there is something to tell, at most once in 64 seconds, so that a process
/// on a machine without a bus sleeps.
struct BusBackoff: Sendable, Hashable {
    private var delay = 1.0
    private var lastAttempt: HostTime?
    /// The next attempt; `nil` while none is due by itself.
    private(set) var next: HostTime?

    static let longestDelay = 64.0

    init() {}

    mutating func failed(at now: HostTime) {
        lastAttempt = now
        next = delay > Self.longestDelay ? nil : now + delay
        delay = min(delay * 4, Self.longestDelay * 4)
    }

    mutating func succeeded() { self = BusBackoff() }

    /// Whether to try now.
    ///
    /// - Parameter hasNews: Whether there is something to tell.
    func isDue(at now: HostTime, hasNews: Bool) -> Bool {
        if let next { return now >= next }
        guard let lastAttempt else { return true }
        return hasNews && now - lastAttempt >= Self.longestDelay
    }
}
