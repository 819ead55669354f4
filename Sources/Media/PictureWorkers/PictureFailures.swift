internal import PictureValues

/// The pictures that could not be made, and until when they are not tried again.
struct PictureFailures<Key: Hashable & Sendable>: Sendable {
    private var entries: [Key: (error: PictureError, until: ContinuousClock.Instant)] = [:]
    private let limit: Int

    init(limit: Int) { self.limit = max(1, limit) }

    var count: Int { entries.count }

    mutating func error(_ key: Key, at now: ContinuousClock.Instant) -> PictureError? {
        guard let entry = entries[key] else { return nil }
        if entry.until > now { return entry.error }
        entries[key] = nil
        return nil
    }

    mutating func record(_ error: PictureError, _ key: Key, at now: ContinuousClock.Instant) {
        guard let forgiveness = Self.forgiveness(of: error) else { return }
        if entries.count >= limit, entries[key] == nil { entries = entries.filter { $0.value.until > now } }
        if entries.count >= limit, entries[key] == nil { entries = [:] }
        entries[key] = (error, now + forgiveness)
    }

    /// For how long a file is not tried again; `nil` for what may be otherwise the next time.
    private static func forgiveness(of error: PictureError) -> Duration? {
        switch error {
        case .system, .cancelled: nil
        // Trying costs much, but may have failed because the machine was busy.
        case .ended, .tookTooLong: .seconds(60)
        default: .seconds(600)
        }
    }
}
