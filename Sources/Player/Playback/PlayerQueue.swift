package import AudioTypes

/// A player's items in playing order, and the current one.
///
/// A pure value.
package struct PlayerQueue: Sendable, Hashable {
    package private(set) var items: [PlayerItem] = []
    /// The current item's index; `nil` before the first and after the last.
    package private(set) var currentIndex: Int?
    package private(set) var isShuffled = false
    private var nextNumber = 1

    package init() {}

    package var current: PlayerItem? { currentIndex.map { items[$0] } }

    package func index(of id: PlayerItem.ID) -> Int? { items.firstIndex { $0.id == id } }

    /// Adds entries at the end.
    package mutating func append(_ entries: [MediaEntry]) -> [PlayerItem.ID] {
        entries.map { entry in
            let id = PlayerItem.ID(number: nextNumber)
            nextNumber += 1
            items.append(PlayerItem(id: id, entry: entry))
            return id
        }
    }

    /// Forgets the items before the current one, and replaces those after it with entries.
    ///
    /// Without a current item all are replaced. An item whose entry is already in its place stays, even if it has
    /// failed.
    ///
    /// - Returns: The items after the current one.
    package mutating func replaceFollowing(with entries: [MediaEntry]) -> [PlayerItem.ID] {
        let old = items[(currentIndex.map { $0 + 1 } ?? 0)...]
        let current = current
        items = current.map { [$0] } ?? []
        currentIndex = current == nil ? nil : 0
        isShuffled = false
        return entries.enumerated().flatMap { offset, entry in
            let place = old.startIndex + offset
            guard place < old.endIndex, old[place].entry == entry else { return append([entry]) }
            items.append(old[place])
            return [old[place].id]
        }
    }

    package mutating func removeAll() {
        items.removeAll()
        currentIndex = nil
        isShuffled = false
    }

    package mutating func select(_ index: Int?) {
        currentIndex = index.flatMap { items.indices.contains($0) ? $0 : nil }
    }

    package mutating func update(_ id: PlayerItem.ID, _ change: (inout PlayerItem) -> Void) {
        if let index = index(of: id) { change(&items[index]) }
    }

    /// Shuffles the items after the current one; without a current one, all.
    package mutating func shuffle(using generator: inout some RandomNumberGenerator) {
        let start = currentIndex.map { $0 + 1 } ?? 0
        items[start...].shuffle(using: &generator)
        isShuffled = true
    }

    /// The index played after `index`: the next playable one, past the end if `wraps`; `nil` at the end.
    package func index(after index: Int?, wraps: Bool) -> Int? {
        let start = index.map { $0 + 1 } ?? 0
        let behind = start..<max(start, items.count)
        if let next = behind.first(where: canPlay) { return next }
        guard wraps, let index else { return nil }
        return (0...min(index, items.count - 1)).first(where: canPlay)
    }

    /// The index played before `index`.
    package func index(before index: Int, wraps: Bool) -> Int? {
        if let previous = (0..<index).last(where: canPlay) { return previous }
        return wraps ? (index..<items.count).last(where: canPlay) : nil
    }

    /// Whether the item at an index has not failed.
    package func canPlay(_ index: Int) -> Bool {
        if case .failed = items[index].status { false } else { true }
    }
}
