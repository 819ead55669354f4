/// The entries of a queue whose song or priority was changed, each with the version that the queue had then.
///
/// Remembers the last ones only.
struct EntryChanges: Sendable {
    private var changes: [(version: UInt32, id: UInt32)] = []
    /// The version up to which they are forgotten.
    private var forgotten: UInt32 = 0
    private static let limit = 512

    mutating func record(_ id: UInt32, in version: UInt32) {
        if changes.count == Self.limit {
            let oldest = changes.prefix(Self.limit / 2)
            forgotten = max(forgotten, oldest.last?.version ?? 0)
            changes.removeFirst(oldest.count)
        }
        changes.append((version, id))
    }

    mutating func removeAll() { (changes, forgotten) = ([], 0) }

    /// - Returns: `nil` when some of them are forgotten.
    func ids(since version: UInt32) -> [UInt32]? {
        guard version >= forgotten else { return nil }
        return changes.filter { $0.version > version }.map(\.id)
    }
}

extension PlayQueue {
    /// The ids of all entries, in their order.
    package var ids: [UInt32] { entries.map(\.id) }

    /// The entries whose song or priority has changed since a version; those that were added since are not among them,
    /// nor those that were only moved.
    ///
    /// - Returns: `nil` when that is not known any more, or the queue never had that version.
    package func idsChanged(since known: UInt32) -> [UInt32]? {
        guard known <= version else { return nil }
        var seen: Set<UInt32> = []
        return entryChanges.ids(since: known).map { ids in
            ids.filter { table.contains(id: $0) && seen.insert($0).inserted }
        }
    }
}
