/// An edit that turns the ids of a queue's entries, in their order, into those of a later state.
///
/// One is enough for any two states: what both begin and end with stays.
package enum QueueEdit: Sendable, Hashable {
    /// `count` entries from a position on give way to others.
    case replace(position: Int, count: Int, by: [UInt32])
    /// `count` entries from a position on are moved: the first of them is at the position `to` afterwards.
    case move(position: Int, count: Int, to: Int)

    /// - Returns: `nil` where both are the same.
    package init?(from old: [UInt32], to new: [UInt32]) {
        let shorter = min(old.count, new.count)
        var first = 0
        while first < shorter, old[first] == new[first] { first += 1 }
        var last = 0
        while last < shorter - first, old[old.count - 1 - last] == new[new.count - 1 - last] { last += 1 }
        let (before, after) = (old[first..<(old.count - last)], new[first..<(new.count - last)])
        if before.isEmpty, after.isEmpty { return nil }
        self = Self(moving: before, to: after) ?? .replace(position: first, count: before.count, by: Array(after))
    }

    /// - Returns: `nil` unless the one becomes the other by moving its first entries to the end, or its last to the start.
    private init?(moving before: ArraySlice<UInt32>, to after: ArraySlice<UInt32>) {
        guard before.count == after.count, before.count > 1, let start = after.first,
            let split = before.firstIndex(of: start),
            before[split...].elementsEqual(after.prefix(before.endIndex - split)),
            before[..<split].elementsEqual(after.suffix(split - before.startIndex))
        else { return nil }
        let (firsts, lasts) = (split - before.startIndex, before.endIndex - split)
        // The fewer of the two are those that were moved.
        self =
            firsts <= lasts
            ? .move(position: before.startIndex, count: firsts, to: before.startIndex + lasts)
            : .move(position: split, count: lasts, to: before.startIndex)
    }
}

extension [UInt32] {
    package mutating func apply(_ edit: QueueEdit) {
        switch edit {
        case .replace(let position, let count, let ids): replaceSubrange(position..<(position + count), with: ids)
        case .move(let position, let count, let to):
            let moved = Array(self[position..<(position + count)])
            removeSubrange(position..<(position + count))
            insert(contentsOf: moved, at: to)
        }
    }
}
