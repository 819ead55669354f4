package import Songs

/// The songs to be played and the order in which they are, after MPD's rules.
///
/// A value without effects: what changes it returns what has to be done about playing. Chance comes from the seed alone,
/// so the same calls give the same queue. Copies share their storage until one of them is changed.
package struct PlayQueue: Sendable {
    /// A song at its place in the queue.
    package struct Entry: Sendable {
        // The largest first: there are hundreds of thousands.
        package internal(set) var song: Song
        /// Names the entry for as long as it is in the queue, and no other one later.
        package let id: UInt32
        /// The version of the queue that this entry last changed in, its position included.
        package internal(set) var version: UInt32
        let slot: UInt32
        /// 0 to 255; in random order, higher ones are played first.
        package internal(set) var priority: UInt8
    }

    /// Counts the changes of the entries; clients ask for what is newer than the one they know.
    package internal(set) var version: UInt32 = 1
    package internal(set) var modes = QueueModes()
    /// Whether the current song is being played or paused, rather than stopped.
    package internal(set) var isPlaying = false

    var entries: [Entry] = []
    var table = SlotTable()
    /// The order of play when it is not that of the entries.
    var order: RandomOrder?
    /// The order of the round to come, once the last song of a random round is current.
    var nextRound: [UInt32]?
    var currentSlot: UInt32?
    var generator: SeededGenerator
    var lastID: UInt32 = 0
    /// Whole microseconds, so that it stays exact however often songs come and go.
    var totalMicroseconds: Int64 = 0

    package init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    // MARK: What is in it

    package var count: Int { entries.count }
    package var isEmpty: Bool { entries.isEmpty }

    package subscript(position: Int) -> Entry { entries[position] }

    package func id(at position: Int) -> UInt32 { entries[position].id }

    package func position(of id: UInt32) -> Int? { table.slot(ofID: id).map { table.position(of: $0) } }

    package func entry(id: UInt32) -> Entry? { position(of: id).map { entries[$0] } }

    /// In seconds; songs of unknown duration count nothing.
    package var totalDuration: Double { Double(totalMicroseconds) / 1e6 }

    /// Whether a client that knows the queue as of `known` has to be told of an entry.
    ///
    /// Everything is new to one whose version is not of this queue's past.
    package func hasChanged(_ position: Int, since known: UInt32) -> Bool {
        known > version || entries[position].version > known
    }

    /// The positions that a client has to ask for, of those in `range`.
    package func positions(changedSince known: UInt32, in range: Range<Int>? = nil) -> [Int] {
        (range ?? entries.indices).clamped(to: entries.indices).filter { hasChanged($0, since: known) }
    }

    // MARK: What is played

    /// The position of the song that is playing, or that `play` would go on with.
    package var current: Int? { currentSlot.map { table.position(of: $0) } }

    package var currentEntry: Entry? { current.map { entries[$0] } }

    /// The position of the song that will follow the current one when that ends.
    ///
    /// With `single`, playing pauses at its start.
    package func nextPosition() -> Int? { following(byItself: true).map { table.position(of: $0.slot) } }

    // MARK: What every change does

    /// Counts a change; entries are then marked with the new version.
    mutating func beginChange() {
        // Clients read it as a signed number of 32 bits.
        guard version < UInt32(Int32.max) else {
            version = 1
            for position in entries.indices { entries[position].version = version }
            return
        }
        version += 1
    }

    /// Marks entries as changed and notes where they are.
    mutating func settle(_ positions: Range<Int>) {
        for position in positions {
            entries[position].version = version
            table.setPosition(position, of: entries[position].slot)
        }
    }

    mutating func count(_ song: Song, _ sign: Int64) {
        guard let duration = song.duration, duration.isFinite, duration > 0 else { return }
        // Nothing lasts longer than a thousand years.
        totalMicroseconds += sign * Int64((min(duration, 3.2e10) * 1e6).rounded())
    }

    func priority(of slot: UInt32) -> UInt8 { entries[table.position(of: slot)].priority }
}
