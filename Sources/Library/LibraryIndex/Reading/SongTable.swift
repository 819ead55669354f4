internal import GRDB
internal import Songs

/// What a search that finds much needs of all songs, kept in memory until the library changes.
///
/// Some 50 bytes a song. To make it costs as much as such a search without it.
final class SongTable: Sendable {
    let texts: ValueTexts
    /// Songs in the order of a listing.
    let songs: [UInt32]
    /// The tag set of each.
    private let sets: [UInt32]
    /// By the number of a value: the song that alone has it, 0 where none or several have.
    private let owners: [UInt32]
    /// Behind the highest number of a song, and of a tag set.
    private let songLimit: Int
    private let setLimit: Int

    init(_ db: Database) throws {
        var (songs, setOfSong): ([UInt32], [UInt32]) = ([], [])
        func put(_ value: Int, at place: Int, in array: inout [UInt32]) {
            if place >= array.count { array += repeatElement(0, count: max(place + 1 - array.count, array.count / 8)) }
            array[place] = UInt32(truncatingIfNeeded: value)
        }
        // Both of these read an index alone.
        var setLimit = 0
        try Query(db, "SELECT id, tagset FROM file WHERE tagset IS NOT NULL ORDER BY tagset").each { row in
            put(row.int(1), at: row.int(0), in: &setOfSong)
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
        self.owners = owners
        songLimit = setOfSong.count
        self.setLimit = setLimit
    }

    /// Those of some songs that are, in the order of a listing.
    func inOrder(_ numbers: [Int]) -> [Int] {
        var isFound = Bits(songLimit)
        for number in numbers { isFound.insert(number) }
        return songs.compactMap { isFound.contains(Int($0)) ? Int($0) : nil }
    }

    /// The songs with any of some values, in the order of a listing.
    func songs(withAnyOf values: [Int], _ db: Database) throws -> [Int] {
        var (isFound, isSet) = (Bits(songLimit), Bits(setLimit))
        let sets = try Query(db, "SELECT tagset FROM tagset_value WHERE value = ?")
        let files = try Query(db, "SELECT file FROM file_value WHERE value = ?")
        for value in values {
            if value < owners.count, owners[value] != 0 {
                isFound.insert(Int(owners[value]))
                continue
            }
            sets.bind(1, value)
            try sets.each { isSet.insert($0.int(0)) }
            files.bind(1, value)
            try files.each { isFound.insert($0.int(0)) }
        }
        var found: [Int] = []
        for (song, set) in zip(songs, self.sets) where isFound.contains(Int(song)) || isSet.contains(Int(set)) {
            found.append(Int(song))
        }
        return found
    }
}

/// A set of small numbers.
private struct Bits {
    private var words: [UInt64]
    private let limit: Int

    init(_ limit: Int) {
        self.limit = limit
        words = [UInt64](repeating: 0, count: (limit + 63) / 64)
    }

    /// Numbers beyond the limit, which came later, are left out.
    mutating func insert(_ number: Int) {
        guard number >= 0, number < limit else { return }
        words[number >> 6] |= 1 << UInt64(number & 63)
    }

    func contains(_ number: Int) -> Bool {
        number < limit && words[number >> 6] & 1 << UInt64(number & 63) != 0
    }
}
