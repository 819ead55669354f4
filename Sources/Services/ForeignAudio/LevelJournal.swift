internal import Outputs
internal import ServerRooms
internal import StateStore

/// The levels of other programs' streams that are held, as they are to be given back, for a file that outlives this process:
/// sound servers keep the level that a stream ends with for the next one of its name.
///
/// A pure value.
struct LevelJournal: Hashable {
    struct Entry: Hashable {
        var server: String
        /// The stream's name in the sound server's memory.
        var key: String
        /// The stream's number; `nil` for one that is gone.
        var index: UInt32?
        var level: StreamLevel
    }

    private(set) var entries: [Entry] = []

    /// Of the entries, and so of the streams that may be watched.
    static let limit = 1_024
    /// Of the file, in bytes.
    static let sizeLimit = limit * 4_096

    init() {}

    /// Records a stream's original level.
    ///
    /// - Returns: Whether that is news; `nil` where there is no room.
    mutating func record(_ level: StreamLevel, of key: String, _ index: UInt32, at server: String) -> Bool? {
        let entry = Entry(server: server, key: key, index: index, level: level)
        if let place = entries.firstIndex(where: { $0.server == server && $0.index == index }) {
            guard entries[place] != entry else { return false }
            entries[place] = entry
            return true
        }
        if entries.count >= Self.limit {
            guard let oldest = entries.firstIndex(where: { $0.index == nil }) else { return nil }
            entries.remove(at: oldest)
        }
        entries.append(entry)
        return true
    }

    /// Removes a stream that has its own level again, and with it those of its name that are gone: the server's memory has
    /// that level now.
    ///
    /// - Returns: Whether there was anything.
    mutating func forget(_ key: String, _ index: UInt32, at server: String) -> Bool {
        let count = entries.count
        entries.removeAll { $0.server == server && ($0.index == index || $0.key == key && $0.index == nil) }
        return entries.count != count
    }

    /// Removes those of a name that are gone.
    ///
    /// - Returns: Whether there was any.
    mutating func forgetGone(_ key: String, at server: String) -> Bool {
        let count = entries.count
        entries.removeAll { $0.server == server && $0.key == key && $0.index == nil }
        return entries.count != count
    }

    /// A stream is gone, with a level that is not its own.
    ///
    /// - Returns: The entry, if there is one.
    mutating func streamIsGone(_ index: UInt32, at server: String) -> Entry? {
        guard let place = entries.firstIndex(where: { $0.server == server && $0.index == index }) else { return nil }
        entries[place].index = nil
        return entries[place]
    }

    /// The level that a new stream is to get back: it has that of an earlier one of its name, which was held until its end.
    ///
    /// - Returns: `nil` for a stream that no earlier one has left its level, or whose user wants it as it is.
    func inheritance(of stream: PulseStream, at server: String) -> StreamLevel? {
        let entry = entries.last { $0.server == server && $0.key == stream.restoreKey && $0.index == nil }
        guard let level = entry?.level.fitted(to: stream.level.volumes.count) else { return nil }
        let isQuieter = stream.level.loudness <= level.loudness && !stream.level.isClose(to: level)
        return isQuieter ? level : nil
    }

    // MARK: The file

    /// Reads a file; what is not an entry in it is left out.
    init(parsing bytes: [UInt8]) {
        for line in bytes.split(separator: UInt8(ascii: "\n")).prefix(Self.limit) {
            guard let entry = Record(parsing: line).flatMap(Entry.init) else { continue }
            entries.append(entry)
        }
    }

    var bytes: [UInt8] { Array(entries.map { $0.record.text + "\n" }.joined().utf8) }
}

extension LevelJournal.Entry {
    /// An entry of an earlier process, whose streams may be gone.
    init?(_ record: Record) {
        let words = record.arguments
        guard record.verb == "level", words.count == 4, words[2] == "0" || words[2] == "1" else { return nil }
        let volumes = words[3].split(separator: ",").map { UInt32($0) }
        guard (1...StreamLevel.channelLimit).contains(volumes.count), !volumes.contains(nil) else { return nil }
        self.init(
            server: words[0],
            key: words[1],
            index: nil,
            level: StreamLevel(volumes.compactMap(\.self), isMuted: words[2] == "1")
        )
    }

    var record: Record {
        let volumes = level.volumes.map { String($0) }.joined(separator: ",")
        return Record("level", server, key, level.isMuted ? "1" : "0", volumes)
    }
}
