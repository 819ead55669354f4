internal import AudioTypes

/// How often each principal has done something, or how much it was sent, within a time, as exactly as a sixtieth of that time.
///
/// A value without a clock. Only principals with a quota are counted, and kept for as long as what they did counts.
package struct RateCounts: Sendable {
    /// In seconds.
    package let span: Double
    private var counts: [String: [(slot: Int, count: Int)]] = [:]

    package init(span: Double) { self.span = span }

    /// How many there were within the time.
    ///
    /// - Parameter now: In seconds, of a clock that always goes on.
    package func count(of name: String, at now: Double) -> Int {
        counts[name, default: []].reduce(0) { $0 + (isRecent($1.slot, now) ? $1.count : 0) }
    }

    package mutating func add(_ count: Int, of name: String, at now: Double) {
        if counts[name] == nil { counts = counts.filter { $0.value.contains { isRecent($0.slot, now) } } }
        let slot = self.slot(now)
        var slots = counts[name, default: []].filter { isRecent($0.slot, now) }
        if let last = slots.indices.last, slots[last].slot == slot {
            slots[last].count += count
        } else {
            slots.append((slot: slot, count: count))
        }
        counts[name] = slots
    }

    /// For how many seconds yet there were at least so many within the time; 0 where there are fewer.
    package func wait(until fewer: Int, of name: String, at now: Double) -> Double {
        var left = count(of: name, at: now)
        guard left >= fewer else { return 0 }
        for (slot, count) in counts[name, default: []] where isRecent(slot, now) {
            left -= count
            if left < fewer { return Double(slot + 60) * span / 60 - now }
        }
        return span
    }

    private func slot(_ now: Double) -> Int { Int(saturating: (now / span * 60).rounded(.down)) }

    private func isRecent(_ slot: Int, _ now: Double) -> Bool { slot > self.slot(now) - 60 }
}
