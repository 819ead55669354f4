package import Songs

/// The queue of songs and their playing order, by MPD's rules.
///
/// A value without effects: mutating methods return what to do about playback. Randomness comes only from the seed, so
/// the same calls give the same queue. Copies share their storage until one of them is changed.
package struct PlayQueue: Sendable {
    /// A song in the queue.
    package struct Entry: Sendable {
        // Largest first for a compact layout: there are hundreds of thousands.
        package internal(set) var song: Song
        /// Identifies the entry while it is in the queue; not reused later.
        package let id: UInt32
        /// The version of the queue in which this entry last changed, its position included.
        package internal(set) var version: UInt32
        let slot: UInt32
        /// 0 to 255; in random order, higher ones are played first.
        package internal(set) var priority: UInt8
        /// The owner, who added the entry, by the number of its name; 0 where that is not known.
        var owner: UInt16 = 0
    }

    /// Counts the changes of the entries; clients ask for changes since a version.
    package internal(set) var version: UInt32 = 1
    package internal(set) var modes = QueueModes()
    /// Whether the current song is being played or paused, rather than stopped.
    package internal(set) var isPlaying = false

    var entries: [Entry] = []
    var entryChanges = EntryChanges()
    /// The names of those who added entries.
    var owners: [String] = []
    var table = SlotTable()
    /// The playing order, if it is not that of the entries.
    var order: RandomOrder?
    /// The order of the next round, once the last song of a random round is current.
    var nextRound: [UInt32]?
    var currentSlot: UInt32?
    var generator: SeededGenerator
    var lastID: UInt32 = 0
    /// In whole microseconds, so that it stays exact through any number of changes.
    var totalMicroseconds: Int64 = 0

    /// The approximate memory used by the songs.
    package internal(set) var byteCount = 0

    /// Tells it from other queues, whose entries may have the same ids.
    package let seed: UInt64

    package init(seed: UInt64) {
        self.seed = seed
        generator = SeededGenerator(seed: seed)
    }

    // MARK: Contents

    package var count: Int { entries.count }
    package var isEmpty: Bool { entries.isEmpty }

    package subscript(position: Int) -> Entry { entries[position] }

    package func id(at position: Int) -> UInt32 { entries[position].id }

    package func position(of id: UInt32) -> Int? { table.slot(ofID: id).map { table.position(of: $0) } }

    package func entry(id: UInt32) -> Entry? { position(of: id).map { entries[$0] } }

    /// In seconds; songs of unknown duration count nothing.
    package var totalDuration: Double { Double(totalMicroseconds) / 1e6 }

    /// Whether an entry has changed for a client that has version `known` of the queue.
    ///
    /// Everything is new for a version that the queue never had.
    package func hasChanged(_ position: Int, since known: UInt32) -> Bool {
        known > version || entries[position].version > known
    }

    /// The changed positions within `range`.
    package func positions(changedSince known: UInt32, in range: Range<Int>? = nil) -> [Int] {
        (range ?? entries.indices).clamped(to: entries.indices).filter { hasChanged($0, since: known) }
    }

    // MARK: Playback

    /// The position of the playing song, or of the one that `play` would start with.
    package var current: Int? { currentSlot.map { table.position(of: $0) } }

    package var currentEntry: Entry? { current.map { entries[$0] } }

    /// The position of the song after the current one.
    ///
    /// With `single`, playback pauses at its start.
    package func nextPosition() -> Int? { following(byItself: true).map { table.position(of: $0.slot) } }

    // MARK: Changes

    /// Starts a change, whose entries are marked with the new version.
    mutating func beginChange() {
        // Clients parse it as a signed 32-bit number.
        guard version < UInt32(Int32.max) else {
            version = 1
            entryChanges.removeAll()
            for position in entries.indices { entries[position].version = version }
            return
        }
        version += 1
    }

    /// Marks entries as changed and records their positions.
    mutating func settle(_ positions: Range<Int>) {
        for position in positions {
            entries[position].version = version
            table.setPosition(position, of: entries[position].slot)
        }
    }

    mutating func count(_ song: Song, _ sign: Int64) {
        byteCount += Int(sign) * song.byteCount
        guard let duration = song.duration, duration.isFinite, duration > 0 else { return }
        // Limited to a thousand years.
        totalMicroseconds += sign * Int64(saturating: (min(duration, 3.2e10) * 1e6).rounded())
    }

    func priority(of slot: UInt32) -> UInt8 { entries[table.position(of: slot)].priority }
}
