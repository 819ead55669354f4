internal import AudioTypes

/// When a bus that is not there is looked for again, as a pure value.
///
/// One that was there is looked for after 1, 4, 16 and 64 seconds. One that never was, or did not come back, is looked for
/// only when there is something to tell, ever more rarely, so that a process on a machine without a bus sleeps.
struct BusBackoff: Sendable, Hashable {
    private var delay = 1.0
    private var lastAttempt: HostTime?
    private var wasThere = false
    /// The next attempt; `nil` while none is due by itself.
    private(set) var next: HostTime?

    static let longestDelay = 64.0

    init() {}

    mutating func failed(at now: HostTime) {
        lastAttempt = now
        next = wasThere && delay <= Self.longestDelay ? now + delay : nil
        delay = min(delay * 4, Self.longestDelay * 4)
    }

    mutating func succeeded() {
        self = BusBackoff()
        wasThere = true
    }

    /// Whether to try now.
    ///
    /// - Parameter hasNews: Whether there is something to tell.
    func isDue(at now: HostTime, hasNews: Bool) -> Bool {
        if let next { return now >= next }
        guard let lastAttempt else { return true }
        return hasNews && now - lastAttempt >= min(delay / 4, Self.longestDelay)
    }
}
