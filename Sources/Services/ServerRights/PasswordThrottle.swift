/// Makes those wait who guess passwords: each address by itself, longer after every wrong one.
///
/// A value without a clock. The table is bounded; what is longest over leaves it first.
package struct PasswordThrottle: Sendable {
    private struct Entry {
        /// Attempts that were not right, as far as is known.
        var attempts = 0
        /// When the next attempt is looked at.
        var next: Double
        /// Wrong ones that were not reported yet, and when the last report was.
        var unreported = 0
        var reported: Double?
    }

    private var entries: [ClientPlace: Entry] = [:]

    /// Seconds from the first wrong password to the next attempt; doubled with each further one.
    package static let firstDelay = 0.5
    package static let longestDelay = 16.0
    /// An attempt that would wait longer is refused at once.
    package static let patience = 32.0
    /// Seconds after which an address that gave no further password is forgotten.
    package static let memory = 600.0
    /// Seconds between two reports of one address.
    package static let reportInterval = 60.0
    package static let capacity = 1_024

    package init() {}

    /// Begins an attempt.
    ///
    /// - Parameter now: In seconds, of a clock that always goes on.
    /// - Returns: How long it has to wait, in seconds; `nil` when too many wait already.
    package mutating func begin(_ guesser: ClientPlace, at now: Double) -> Double? {
        var entry = entries[guesser] ?? Entry(next: now)
        if now > entry.next + Self.memory { entry = Entry(next: now) }
        let turn = max(now, entry.next)
        guard turn - now <= Self.patience else { return nil }
        // Until it proves right the attempt counts as wrong, so that many at the same time gain nothing.
        entry.next = turn + Self.delay(after: entry.attempts)
        entry.attempts += 1
        makeRoom(for: guesser, at: now)
        entries[guesser] = entry
        return turn - now
    }

    /// Seconds from an attempt to the next one.
    private static func delay(after attempts: Int) -> Double {
        min(longestDelay, firstDelay * Double(1 << min(attempts, 16)))
    }

    /// The password was right: the attempt was none, which does not forgive the wrong ones before it.
    package mutating func succeed(_ guesser: ClientPlace) {
        guard var entry = entries[guesser], entry.attempts > 0 else { return }
        entry.attempts -= 1
        entry.next -= Self.delay(after: entry.attempts)
        entries[guesser] = entry.attempts == 0 && entry.reported == nil ? nil : entry
    }

    /// The password was wrong.
    ///
    /// - Returns: How many wrong ones are to be reported now; `nil` when it is too soon for another report.
    package mutating func fail(_ guesser: ClientPlace, at now: Double) -> Int? {
        guard var entry = entries[guesser] else { return 1 }
        defer { entries[guesser] = entry }
        entry.unreported += 1
        if let reported = entry.reported, now - reported < Self.reportInterval { return nil }
        entry.reported = now
        defer { entry.unreported = 0 }
        return entry.unreported
    }

    private mutating func makeRoom(for guesser: ClientPlace, at now: Double) {
        guard entries[guesser] == nil, entries.count >= Self.capacity else { return }
        entries = entries.filter { now <= $0.value.next + Self.memory }
        guard entries.count >= Self.capacity, let first = entries.min(by: { $0.value.next < $1.value.next }) else {
            return
        }
        entries[first.key] = nil
    }

    package var count: Int { entries.count }
}
