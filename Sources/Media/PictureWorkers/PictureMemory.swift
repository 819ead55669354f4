internal import Pictures

/// Encoded pictures in memory, charged by their bytes; those that were not used for the longest time go first.
struct PictureMemory<Key: Hashable & Sendable>: Sendable {
    private struct Entry: Sendable {
        let bytes: [UInt8]
        var lastUse: Int

        /// In bytes, with an allowance for key and entry.
        var cost: Int { bytes.count + 256 }
    }

    private var entries: [Key: Entry] = [:]
    private var uses = 0
    /// What the pictures cost, in bytes.
    private(set) var cost = 0
    private let capacity: Int

    /// - Parameter capacity: In bytes.
    init(capacity: Int) { self.capacity = capacity }

    mutating func picture(_ key: Key) -> [UInt8]? {
        guard let bytes = entries[key]?.bytes else { return nil }
        uses += 1
        entries[key]?.lastUse = uses
        return bytes
    }

    /// Keeps a picture, unless it would take the place of most others.
    mutating func keep(_ bytes: [UInt8], _ key: Key) {
        uses += 1
        let entry = Entry(bytes: bytes, lastUse: uses)
        guard entry.cost <= capacity / 4 else { return }
        cost += entry.cost - (entries.updateValue(entry, forKey: key)?.cost ?? 0)
        if cost > capacity { shrink() }
    }

    /// Removes a quarter at once, so that finding the oldest is paid for by many insertions.
    private mutating func shrink() {
        for (key, entry) in entries.sorted(by: { $0.value.lastUse < $1.value.lastUse }) {
            if cost <= capacity / 4 * 3 { return }
            entries[key] = nil
            cost -= entry.cost
        }
    }
}

/// What could not be made, so that it is not tried again at once.
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

    mutating func note(_ error: PictureError, _ key: Key, at now: ContinuousClock.Instant) {
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
