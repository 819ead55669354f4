/// The order in which the entries of a list are played: the list's own, or shuffled.
///
/// Entries are identified by their index in the list; the value must be updated with the list's changes.
package struct PlayOrder: Sendable, Hashable {
    /// The entry at each position, and each entry's position.
    private struct Shuffle: Hashable {
        var entries: [Int]
        var places: [Int]

        mutating func swapPlaces(_ first: Int, _ second: Int) {
            entries.swapAt(first, second)
            places[entries[first]] = first
            places[entries[second]] = second
        }
    }

    package private(set) var count: Int
    private var shuffle: Shuffle?

    /// The list's own order.
    package init(count: Int) {
        precondition(count >= 0, "a list has no negative number of entries")
        self.count = count
    }

    package var isShuffled: Bool { shuffle != nil }

    /// All entries in playing order.
    package var indices: [Int] { shuffle?.entries ?? Array(0..<count) }

    package var first: Int? { count == 0 ? nil : entry(at: 0) }
    package var last: Int? { count == 0 ? nil : entry(at: count - 1) }

    /// The entry that follows; `nil` after the last one, unless `wrapping` starts over.
    package func index(after index: Int, wrapping: Bool = false) -> Int? {
        let place = place(of: index) + 1
        if place < count { return entry(at: place) }
        return wrapping ? first : nil
    }

    /// The entry that precedes; `nil` before the first one, unless `wrapping` continues from the end.
    package func index(before index: Int, wrapping: Bool = false) -> Int? {
        let place = place(of: index) - 1
        if place >= 0 { return entry(at: place) }
        return wrapping ? last : nil
    }

    /// Shuffles all entries, each order as likely as any other (Fisher and Yates).
    ///
    /// - Parameter current: The entry that is playing; it becomes the first, so that all others are still to come.
    package mutating func shuffle(keeping current: Int?, using generator: inout some RandomNumberGenerator) {
        var shuffle = Shuffle(entries: Array(0..<count), places: Array(0..<count))
        if let current {
            precondition((0..<count).contains(current), "no such entry")
            shuffle.swapPlaces(0, current)
        }
        let fixed = current == nil ? 0 : 1
        for place in stride(from: count - 1, to: fixed, by: -1) {
            shuffle.swapPlaces(place, Int.random(in: fixed...place, using: &generator))
        }
        self.shuffle = shuffle
    }

    /// Updates the order after entries were added at the list's end.
    ///
    /// When shuffled, each new one comes at any position after `current` with the same probability.
    package mutating func append(
        _ added: Int = 1,
        after current: Int?,
        using generator: inout some RandomNumberGenerator
    ) {
        precondition(added >= 0, "a list grows by no negative number")
        let earliest = current.map { place(of: $0) + 1 } ?? 0
        if var shuffle = shuffle.take() {
            for index in count..<(count + added) {
                shuffle.entries.append(index)
                shuffle.places.append(index)
                shuffle.swapPlaces(index, Int.random(in: earliest...index, using: &generator))
            }
            self.shuffle = shuffle
        }
        count += added
    }

    /// Updates the order after an entry was removed; those after it in the list move up by one.
    package mutating func remove(at index: Int) {
        precondition((0..<count).contains(index), "no such entry")
        count -= 1
        guard var shuffle = shuffle.take() else { return }
        shuffle.entries.remove(at: shuffle.places[index])
        shuffle.places = Array(repeating: 0, count: count)
        for place in 0..<count {
            if shuffle.entries[place] > index { shuffle.entries[place] -= 1 }
            shuffle.places[shuffle.entries[place]] = place
        }
        self.shuffle = shuffle
    }

    private func entry(at place: Int) -> Int { shuffle?.entries[place] ?? place }

    private func place(of index: Int) -> Int {
        precondition((0..<count).contains(index), "no such entry")
        return shuffle?.places[index] ?? index
    }
}

/// A generator of random numbers that a seed repeats: SplitMix64 (Steele, Lea and Flood, 2014).
package struct SeededGenerator: RandomNumberGenerator, Sendable, Hashable {
    private var state: UInt64

    package init(seed: UInt64) { self.state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
