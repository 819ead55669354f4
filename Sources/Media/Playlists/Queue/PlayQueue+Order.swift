/// The playing order: the position of each entry, and the next one.
extension PlayQueue {
    /// The next song, and whether the next round starts with it.
    struct Following {
        var slot: UInt32
        var beginsRound = false
    }

    func slot(atPlace place: Int) -> UInt32 { order?[place] ?? entries[place].slot }

    func place(of slot: UInt32) -> Int { order?.place(of: slot) ?? table.position(of: slot) }

    /// The song after the current one.
    ///
    /// - Parameter byItself: Whether the current one ends by itself, so that `single` applies.
    func following(byItself: Bool) -> Following? {
        guard let currentSlot else { return nil }
        if byItself, modes.repeatsSong { return Following(slot: currentSlot) }
        let place = place(of: currentSlot) + 1
        if place < count { return Following(slot: slot(atPlace: place)) }
        guard modes.startsOver, count > 1 || modes.consume == .off else { return nil }
        if let first = nextRound?.first { return Following(slot: first, beginsRound: true) }
        return Following(slot: slot(atPlace: 0))
    }

    /// The song to play when the entries of `range`, including the current one, are removed.
    func survivor(of range: Range<Int>) -> Following? {
        guard let currentSlot, range.count < count else { return nil }
        for place in (place(of: currentSlot) + 1)..<max(count, place(of: currentSlot) + 1) {
            let slot = slot(atPlace: place)
            if !range.contains(table.position(of: slot)) { return Following(slot: slot) }
        }
        guard modes.repeats else { return nil }
        for place in 0..<count {
            let slot = nextRound?[place] ?? slot(atPlace: place)
            if !range.contains(table.position(of: slot)) { return Following(slot: slot, beginsRound: nextRound != nil) }
        }
        return nil
    }

    /// Creates a new random order of all entries, higher priorities first.
    ///
    /// - Parameter first: Becomes the first, so that all others are still to come.
    mutating func reshuffle(first: UInt32?) {
        guard modes.random else { return }
        order = RandomOrder(shuffled(), capacity: table.capacity)
        if let first { order?.move(first, to: 0) }
        nextRound = nil
    }

    private mutating func shuffled() -> [UInt32] {
        var slots = entries.map(\.slot)
        slots.shuffle(using: &generator)
        if entries.contains(where: { $0.priority != 0 }) {
            slots.sort { priority(of: $0) > priority(of: $1) }
        }
        return slots
    }

    /// Prepares the next round once the last song of a random round is current, so that the next song is known.
    ///
    /// - Parameter afresh: Whether entries or priorities have changed.
    mutating func prepareNextRound(afresh: Bool = false) {
        if afresh { nextRound = nil }
        guard order != nil, modes.repeats, count > 1, let currentSlot, place(of: currentSlot) == count - 1 else {
            nextRound = nil
            return
        }
        guard nextRound == nil else { return }
        var round = shuffled()
        // Avoids the same song twice in a row, unless its priority requires that.
        let equals = round.prefix { priority(of: $0) == priority(of: currentSlot) }.count
        if round[0] == currentSlot, equals > 1 { round.swapAt(0, Int.random(in: 1..<equals, using: &generator)) }
        nextRound = round
    }

    /// Inserts new entries, without priority, at random positions among those to come.
    ///
    /// The song after the playing one stays the same.
    mutating func scatter(_ added: some Sequence<UInt32>) {
        guard var order = order.take() else { return }
        defer { self.order = order }
        var earliest = min(currentSlot.map { order.place(of: $0) + (isPlaying ? 2 : 1) } ?? 0, order.count)
        while earliest < order.count, priority(of: order[earliest]) > 0 { earliest += 1 }
        for slot in added {
            order.append(slot)
            let place = Int.random(in: earliest..<order.count, using: &generator)
            // After going back, some entries with a priority may come later: they are not delayed.
            if priority(of: order[place]) == 0 { order.swapPlaces(order.count - 1, place) }
        }
    }

    /// Reorders entries whose priority was changed, all to the same one.
    mutating func requeue(raised: [UInt32], lowered: [UInt32], _ priority: UInt8) {
        guard var order = order.take() else { return }
        defer { self.order = order }
        let currentPlace = currentSlot.map { order.place(of: $0) } ?? -1
        let isAboveCurrent = currentSlot.map { priority > self.priority(of: $0) } ?? true
        var moved = raised.filter { order.place(of: $0) > currentPlace || $0 != currentSlot && isAboveCurrent }
        moved += lowered.filter { order.place(of: $0) > currentPlace }
        guard !moved.isEmpty else { return }
        var isMoved = Array(repeating: false, count: table.capacity)
        for slot in moved { isMoved[Int(slot)] = true }
        let rest = order.slots.filter { !isMoved[Int($0)] }
        let bounds = group(priority, in: rest, after: currentSlot)
        var group = Array(rest[bounds])
        for slot in moved {
            group.append(slot)
            group.swapAt(group.count - 1, Int.random(in: 0..<group.count, using: &generator))
        }
        order.replace(by: rest[..<bounds.lowerBound] + group + rest[bounds.upperBound...])
    }

    /// The range of a priority's entries in the order after the current one.
    private func group(_ priority: UInt8, in slots: [UInt32], after current: UInt32?) -> Range<Int> {
        let first = current.flatMap { slots.firstIndex(of: $0) }.map { $0 + 1 } ?? 0
        let start = slots[first...].firstIndex { self.priority(of: $0) <= priority } ?? slots.count
        let end = slots[start...].firstIndex { self.priority(of: $0) != priority } ?? slots.count
        return start..<end
    }
}
