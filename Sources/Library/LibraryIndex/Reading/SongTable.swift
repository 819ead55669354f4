internal import GRDB
internal import Songs

/// Data on all songs for searches with many results, kept in memory until the library changes.
///
/// Takes about 55 bytes per song. Making it costs as much as one such search without it.
final class SongTable: Sendable {
    let texts: ValueTexts
    /// Songs in listing order.
    let songs: [UInt32]
    /// The duration of each song in milliseconds, at most 49 days.
    let durations: [UInt32]
    /// The tag set of each song.
    private let sets: [UInt32]
    /// By value number: the only song with that value, or 0 if none or several have it.
    private let owners: [UInt32]
    /// One above the highest numbers of songs and of tag sets.
    private let songLimit: Int
    private let setLimit: Int

    init(_ db: Database) throws {
        var (songs, setOfSong, durationOfSong): ([UInt32], [UInt32], [UInt32]) = ([], [], [])
        func put(_ value: Int, at place: Int, in array: inout [UInt32]) {
            if place >= array.count { array += repeatElement(0, count: max(place + 1 - array.count, array.count / 8)) }
            array[place] = UInt32(clamping: value)
        }
        // Each of these two queries reads only an index.
        var setLimit = 0
        try Query(db, "SELECT id, tagset, milliseconds FROM file WHERE tagset IS NOT NULL ORDER BY tagset").each {
            row in
            put(row.int(1), at: row.int(0), in: &setOfSong)
            put(row.int(2), at: row.int(0), in: &durationOfSong)
            setLimit = row.int(1) + 1
        }
        try Query(
            db,
            "SELECT file.id \(SongSearch.fromDirectory) WHERE file.tagset IS NOT NULL ORDER BY \(SongSearch.walkedOrder)"
        ).each { songs.append(UInt32(truncatingIfNeeded: $0.int(0))) }
        var owners: [UInt32] = []
        var last = 0
        try Query(db, "SELECT value, file FROM file_value ORDER BY value").each { row in
            let value = row.int(0)
            put(value == last ? 0 : row.int(1), at: value, in: &owners)
            last = value
        }
        texts = try ValueTexts(db)
        self.songs = songs
        sets = songs.map { setOfSong[Int($0)] }
        durations = songs.map { durationOfSong[Int($0)] }
        self.owners = owners
        songLimit = setOfSong.count
        self.setLimit = setLimit
    }

    /// Selects the existing songs among `numbers`, in listing order.
    func inOrder(_ numbers: [Int]) -> [Int] {
        var isFound = Bits(songLimit)
        for number in numbers { isFound.insert(number) }
        return songs.compactMap { isFound.contains(Int($0)) ? Int($0) : nil }
    }

    /// The places in listing order of the songs that have, of each list, one of the values.
    func places(having lists: [FilterCompiler.Values], _ db: Database) throws -> [Int] {
        var places = Array(songs.indices)
        // A list may be as long as the library, so there is one at a time.
        for list in lists where !places.isEmpty {
            let owners = try SongsOfValues(list.list(texts), self, db)
            places.removeAll { place in
                !owners.songs.contains(Int(songs[place])) && !owners.sets.contains(Int(sets[place]))
            }
        }
        return places
    }

    /// The songs, and the tag sets, that have one of the values.
    private struct SongsOfValues {
        var songs: Bits
        var sets: Bits

        init(_ values: [Int], _ table: SongTable, _ db: Database) throws {
            (songs, sets) = (Bits(table.songLimit), Bits(table.setLimit))
            let setsOfValue = try Query(db, "SELECT tagset FROM tagset_value WHERE value = ?")
            let filesOfValue = try Query(db, "SELECT file FROM file_value WHERE value = ?")
            for value in values {
                if value < table.owners.count, table.owners[value] != 0 {
                    songs.insert(Int(table.owners[value]))
                    continue
                }
                setsOfValue.bind(1, value)
                try setsOfValue.each { sets.insert($0.int(0)) }
                filesOfValue.bind(1, value)
                try filesOfValue.each { songs.insert($0.int(0)) }
            }
        }
    }
}

/// A set of small numbers.
struct Bits: Sendable {
    private var words: [UInt64]
    private let limit: Int

    var byteCount: Int { 8 * words.count }

    /// - Parameter limit: One above the highest number.
    init(_ limit: Int) {
        self.limit = limit
        words = [UInt64](repeating: 0, count: (limit + 63) / 64)
    }

    /// Ignores numbers above the limit, which were assigned later.
    mutating func insert(_ number: Int) {
        guard number >= 0, number < limit else { return }
        words[number >> 6] |= 1 << UInt64(number & 63)
    }

    func contains(_ number: Int) -> Bool {
        number >= 0 && number < limit && words[number >> 6] & 1 << UInt64(number & 63) != 0
    }
}
