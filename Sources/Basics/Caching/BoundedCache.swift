/// Values that can be had again, as many as their costs allow: those that were not used for the longest time go first.
package struct BoundedCache<Key: Hashable, Value> {
    fileprivate struct Entry {
        let value: Value
        let cost: Int
        var lastUse: Int
    }

    private var entries: [Key: Entry] = [:]
    /// Counts uses, and so tells which entry was used longest ago.
    private var uses = 0
    /// The sum of all costs.
    package private(set) var cost = 0
    /// The limit of ``cost``; the latest value is kept even if it alone exceeds that.
    package var capacity: Int

    package init(capacity: Int) { self.capacity = capacity }

    /// A value that is kept; this is a use of it.
    package mutating func value(for key: Key) -> Value? {
        guard let value = entries[key]?.value else { return nil }
        uses += 1
        entries[key]?.lastUse = uses
        return value
    }

    /// Keeps a value, in place of others where there is no room.
    package mutating func keep(_ value: Value, for key: Key, cost: Int = 1) {
        uses += 1
        let former = entries.updateValue(Entry(value: value, cost: cost, lastUse: uses), forKey: key)
        self.cost += cost - (former?.cost ?? 0)
        if self.cost > capacity { shrink(keeping: key) }
    }

    /// Removes what is outdated.
    package mutating func removeAll(where isOutdated: (Key) -> Bool) {
        for (key, entry) in entries where isOutdated(key) {
            entries[key] = nil
            cost -= entry.cost
        }
    }

    /// Frees a quarter at once, so that finding the oldest is paid for by many insertions.
    private mutating func shrink(keeping latest: Key) {
        for (key, entry) in entries.sorted(by: { $0.value.lastUse < $1.value.lastUse }) where key != latest {
            if cost <= capacity / 4 * 3 { return }
            entries[key] = nil
            cost -= entry.cost
        }
    }
}

extension BoundedCache: Sendable where Key: Sendable, Value: Sendable {}
extension BoundedCache.Entry: Sendable where Key: Sendable, Value: Sendable {}
