internal import AudioTypes

/// When a live playlist is asked for again (RFC 8216, section 6.3.4), and whether it stands still.
struct ReloadSchedule: Sendable, Hashable {
    /// The earliest moment of the next request.
    private(set) var next: HostTime
    /// When it last brought something.
    private var lastChange: HostTime
    private var targetDuration: Double

    /// - Parameter began: When the request for the first one was made.
    init(targetDuration: Double, began: HostTime) {
        self.targetDuration = targetDuration
        next = began + targetDuration
        lastChange = began
    }

    /// A playlist has come: one with something new rests for a target duration, another for half of it.
    mutating func loaded(isChanged: Bool, targetDuration: Double, began: HostTime) {
        self.targetDuration = targetDuration
        if isChanged { lastChange = began }
        next = began + (isChanged ? targetDuration : targetDuration / 2)
    }

    /// It could not be fetched and is asked for again at a moment.
    mutating func failed(retryAt time: HostTime) { next = time }

    /// Whether so much has happened since the last request that its answer says little of what is there now.
    func isOutdated(now: HostTime) -> Bool { now - next > targetDuration }

    /// Since when nothing new has come though it should have; `nil` while it moves as promised.
    func standsStillSince(now: HostTime) -> HostTime? {
        now - lastChange > max(3 * targetDuration, 2) ? lastChange : nil
    }
}
