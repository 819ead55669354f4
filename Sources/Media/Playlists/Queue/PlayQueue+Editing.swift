package import Songs

extension PlayQueue {
    /// The stored form of an entry.
    package struct Saved: Sendable {
        package var id: UInt32
        package var priority: UInt8
        package var song: Song
        /// The name of the client that added it.
        package var owner: String?

        package init(id: UInt32, priority: UInt8 = 0, song: Song, owner: String? = nil) {
            self.id = id
            self.priority = priority
            self.song = song
            self.owner = owner
        }
    }

    /// Adds entries with their former ids; one that is 0 or taken becomes a new one.
    ///
    /// - Parameter lastID: The highest id ever assigned, so that none is reused.
    package mutating func restore(_ saved: [Saved], lastID: UInt32 = 0) {
        let ids = saved.lazy.map(\.id).filter { $0 <= Self.highestID }
        self.lastID = max(self.lastID, min(lastID, Self.highestID), ids.max() ?? 0)
        guard !saved.isEmpty else { return }
        add(saved, at: count)
        reshuffle(first: currentSlot)
        prepareNextRound(afresh: true)
    }

    /// Adds songs at the end.
    ///
    /// In random order each is inserted at a random position after the current song and the next one.
    /// - Returns: The id of the first; `nil` when there is none.
    @discardableResult
    package mutating func append(_ songs: [Song]) -> UInt32? { insert(songs, at: count) }

    /// Adds songs before the entry at a position, or at the end.
    @discardableResult
    package mutating func insert(_ songs: [Song], at position: Int) -> UInt32? {
        precondition((0...count).contains(position), "no such position")
        guard !songs.isEmpty else { return nil }
        add(songs.map { Saved(id: 0, song: $0) }, at: position)
        scatter(entries[position..<(position + songs.count)].map(\.slot))
        prepareNextRound(afresh: true)
        return entries[position].id
    }

    /// Clients read ids as signed numbers of 32 bits.
    private static let highestID = UInt32(Int32.max)

    private mutating func add(_ saved: [Saved], at position: Int) {
        beginChange()
        table.reserve(saved.count)
        var added: [Entry] = []
        added.reserveCapacity(saved.count)
        for item in saved {
            let isFree = (1...Self.highestID).contains(item.id) && !table.contains(id: item.id)
            let id = isFree ? item.id : newID()
            let slot = table.add(id: id)
            var entry = Entry(song: item.song, id: id, version: version, slot: slot, priority: item.priority)
            if let owner = item.owner { entry.owner = number(ofOwner: owner) }
            added.append(entry)
            count(item.song, 1)
        }
        if position == count { entries += added } else { entries.insert(contentsOf: added, at: position) }
        settle(position..<count)
    }

    private mutating func newID() -> UInt32 {
        repeat { lastID = lastID < Self.highestID ? lastID + 1 : 1 } while table.contains(id: lastID)
        return lastID
    }

    /// Removes entries.
    ///
    /// When the current song is among them, the first remaining one that would have followed is played; a song repeated
    /// with `single` has none. A paused one stops instead, and the one that would have followed becomes current.
    package mutating func delete(_ range: Range<Int>, isPaused: Bool = false) -> QueuePlayback {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "no such positions")
        guard !range.isEmpty else { return .unchanged }
        guard let current, range.contains(current) else {
            remove(range)
            return .unchanged
        }
        let successor = isPlaying && !modes.repeatsSong ? survivor(of: range) : nil
        var playback = isPlaying ? QueuePlayback.stop : .unchanged
        if let successor, !isPaused { playback = adopt(successor) } else { leave(for: successor?.slot) }
        remove(range)
        return playback
    }

    /// Removes all entries.
    package mutating func deleteAll() -> QueuePlayback {
        let wasPlaying = isPlaying
        isPlaying = false
        currentSlot = nil
        beginChange()
        entries.removeAll()
        owners.removeAll()
        table.removeAll()
        totalMicroseconds = 0
        byteCount = 0
        nextRound = nil
        if modes.random { order = RandomOrder([], capacity: 0) }
        return wasPlaying ? .stop : .unchanged
    }

    /// Removes entries that do not include the current one.
    mutating func remove(_ range: Range<Int>) {
        beginChange()
        if var order = order.take() {
            if range.count == 1 {
                order.remove(entries[range.lowerBound].slot)
            } else {
                order.replace(by: order.slots.filter { !range.contains(table.position(of: $0)) })
            }
            self.order = order
        }
        for position in range {
            count(entries[position].song, -1)
            table.remove(id: entries[position].id)
        }
        entries.removeSubrange(range)
        if entries.isEmpty { owners.removeAll() }
        settle(range.lowerBound..<count)
        prepareNextRound(afresh: true)
    }

    /// Moves entries.
    ///
    /// - Parameter position: The position of the first of them afterwards.
    package mutating func move(_ range: Range<Int>, to position: Int) {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "no such positions")
        precondition(position >= 0 && position + range.count <= count, "no such position")
        guard !range.isEmpty, position != range.lowerBound else { return }
        beginChange()
        let moved = Array(entries[range])
        entries.removeSubrange(range)
        entries.insert(contentsOf: moved, at: position)
        settle(min(range.lowerBound, position)..<max(range.upperBound, position + range.count))
    }

    package mutating func swap(_ first: Int, _ second: Int) {
        guard first != second else { return }
        beginChange()
        entries.swapAt(first, second)
        settle(first..<(first + 1))
        settle(second..<(second + 1))
    }

    /// Shuffles the entries themselves.
    ///
    /// A playing song becomes the first of them; otherwise there is no current song afterwards.
    package mutating func shuffle(_ range: Range<Int>) {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "no such positions")
        guard !range.isEmpty else { return }
        beginChange()
        var rest = range
        if !isPlaying {
            currentSlot = nil
        } else if let current, range.contains(current) {
            entries.swapAt(range.lowerBound, current)
            rest = (range.lowerBound + 1)..<range.upperBound
        }
        shuffleEntries(rest)
        settle(range)
        prepareNextRound()
    }

    /// The array's own functions would retain and release each song that they move, all over the memory.
    private mutating func shuffleEntries(_ range: Range<Int>) {
        var generator = generator
        defer { self.generator = generator }
        var span = entries.mutableSpan
        for position in range.dropLast() {
            span.swapAt(position, Int.random(in: position..<range.upperBound, using: &generator))
        }
    }

    /// Replaces an entry's song, because its tags or its range changed; that changes the entry only.
    ///
    /// - Returns: Whether there is such an entry.
    @discardableResult
    package mutating func replaceSong(id: UInt32, with song: Song) -> Bool {
        guard let position = position(of: id) else { return false }
        beginChange()
        count(entries[position].song, -1)
        count(song, 1)
        entries[position].song = song
        entries[position].version = version
        entryChanges.record(id, in: version)
        return true
    }

    @discardableResult
    package mutating func setPriority(id: UInt32, _ priority: UInt8) -> Bool {
        guard let position = position(of: id) else { return false }
        setPriority(position..<(position + 1), priority)
        return true
    }

    /// Sets the priority of entries.
    ///
    /// In random order the entries still to come are reordered; one played already is played again when its priority
    /// was raised above the current song's.
    package mutating func setPriority(_ range: Range<Int>, _ priority: UInt8) {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "no such positions")
        let changed = range.filter { entries[$0].priority != priority }
        guard !changed.isEmpty else { return }
        beginChange()
        var raised: [UInt32] = []
        var lowered: [UInt32] = []
        for position in changed {
            let slot = entries[position].slot
            if priority > entries[position].priority { raised.append(slot) } else { lowered.append(slot) }
            entries[position].priority = priority
            entries[position].version = version
            entryChanges.record(entries[position].id, in: version)
        }
        requeue(raised: raised, lowered: lowered, priority)
        prepareNextRound(afresh: true)
    }
}
