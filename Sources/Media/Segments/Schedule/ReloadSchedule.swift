internal import AudioTypes

/// When to reload a live playlist (RFC 8216, section 6.3.4), and whether it has stopped changing.
struct ReloadSchedule: Sendable, Hashable {
    /// The earliest moment of the next request.
    private(set) var next: HostTime
    /// When it last changed.
    private var lastChange: HostTime
    private var targetDuration: Double

    /// - Parameter began: When the request for the first one was made.
    init(targetDuration: Double, began: HostTime) {
        self.targetDuration = targetDuration
        next = began + targetDuration
        lastChange = began
    }

    /// Schedules the next request: a target duration after a change, half of it otherwise.
    mutating func loaded(isChanged: Bool, targetDuration: Double, began: HostTime) {
        self.targetDuration = targetDuration
        if isChanged { lastChange = began }
        next = began + (isChanged ? targetDuration : targetDuration / 2)
    }

    /// Schedules a retry after a failure.
    mutating func failed(retryAt time: HostTime) { next = time }

    /// Whether the last request is so long ago that its response is outdated.
    func isOutdated(now: HostTime) -> Bool { now - next > targetDuration }

    /// Since when it has not changed although it should have; `nil` while it changes in time.
    func standsStillSince(now: HostTime) -> HostTime? {
        now - lastChange > max(3 * targetDuration, 2) ? lastChange : nil
    }
}
