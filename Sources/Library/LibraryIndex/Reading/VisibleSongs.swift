internal import GRDB
package import SongFilters
internal import Songs

/// The songs that a client with a limited library sees, in one state of the library.
///
/// A reader with such a set answers as if there were no other songs. Whether a URI is in the set is told without asking the
/// database, so an event loop may ask. Takes 8 bytes for each song and folder, and a bit for each number.
package final class VisibleSongs: Sendable {
    /// The library's generation when the set was made.
    package let generation: Int
    package let count: Int
    private let songs: Bits
    private let directories: Bits
    /// Hashes of the songs' URIs and of the paths of the folders that lead to them, sorted.
    ///
    /// The hash has 64 bits and a
    /// random key of the process, so two texts that are alike by chance need not be expected.
    private let uris, folders: [UInt64]
    /// Selects the songs in SQL, where they are few.
    let clause: Clause

    /// Up to this many songs are found by their numbers; more are left out of what else is found.
    private static let few = 2_000

    fileprivate init(
        generation: Int,
        songs: Bits,
        directories: Bits,
        uris: [UInt64],
        folders: [UInt64],
        numbers: [Int]
    ) {
        self.generation = generation
        (self.songs, self.directories) = (songs, directories)
        self.uris = uris.sorted()
        self.folders = folders.sorted()
        count = uris.count
        clause =
            switch numbers.count {
            case 0: .never
            case ...Self.few:
                .sql("file.id IN (SELECT value FROM json_each(?))", [.text(json(numbers))], isSelective: true)
            default: .always
            }
    }

    /// None at all.
    package static let none = VisibleSongs(
        generation: 0,
        songs: Bits(0),
        directories: Bits(0),
        uris: [],
        folders: [],
        numbers: []
    )

    /// Whether a song of the set has the URI.
    package func contains(_ uri: String) -> Bool { uris.containsSorted(hash(of: Array(uri.utf8))) }

    /// Whether a folder leads to songs of the set; the root always counts.
    package func containsDirectory(_ uri: String) -> Bool {
        uri.isEmpty || folders.containsSorted(hash(of: Array(uri.utf8)))
    }

    /// The memory that the set takes.
    package var byteCount: Int { 8 * (uris.count + folders.count) + songs.byteCount + directories.byteCount }

    func contains(number: Int) -> Bool { songs.contains(number) }

    func contains(directory: Int) -> Bool { directories.contains(directory) }

    /// Throws unless a folder leads to songs, or a song is one.
    func checkThere(_ uri: String) throws {
        if uri == "/" || containsDirectory(uri) || contains(uri) { return }
        throw LibraryError.nothingThere(uri)
    }
}

/// A part of a library: what is in one of several parts is visible.
package enum LibraryPart: Sendable {
    /// The songs at and below a URI.
    case folder(String)
    case filter(SongFilter)
    /// The songs with a sound, by its portable identifier.
    case item(String)
    case songs([String])
}

extension LibraryReader {
    /// The songs of some parts of the library; parts that are not there add nothing.
    package func visibleSongs(of parts: [LibraryPart]) throws(LibraryError) -> VisibleSongs {
        var all = LibraryReader(library)
        all.sortLimit = sortLimit
        // While a scan changes the library, another look is needed; what changes even then is looked at again soon.
        for _ in 0..<3 {
            let generation = library.generation
            var numbers: Set<Int> = []
            for part in parts { numbers.formUnion(try all.numbers(of: part)) }
            let visible = try all.visibleSongs(numbers, generation)
            if library.generation == generation { return visible }
        }
        return .none
    }

    private func numbers(of part: LibraryPart) throws(LibraryError) -> [Int] {
        switch part {
        case .folder(let uri): return try songs(below: uri) ?? []
        case .filter(let filter):
            do throws(LibraryError) { return try find(filter) } catch .nothingThere { return [] }
        case .item(let identifier):
            let uris: [String] =
                switch try identify([identifier]).first {
                case .one(let uri, portableID: _): [uri]
                case .several(portableID: _, let uris): uris
                default: []
                }
            return try numbers(of: .songs(uris))
        case .songs(let uris):
            var numbers: [Int] = []
            try library.read { db in
                let query = try Query(
                    db,
                    """
                    SELECT file.id FROM directory JOIN file ON file.directory = directory.id
                    WHERE directory.path = ? AND file.name = ? AND tagset IS NOT NULL
                    """
                )
                for uri in uris {
                    let (folder, name) = LibraryIndex.parts(ofURI: uri)
                    query.bind(1, folder)
                    query.bind(2, name)
                    if let number = try query.first({ $0.int(0) }) { numbers.append(number) }
                }
            }
            return numbers
        }
    }

    private func visibleSongs(_ numbers: Set<Int>, _ generation: Int) throws(LibraryError) -> VisibleSongs {
        try library.read { db in
            var found: [Int] = []
            found.reserveCapacity(numbers.count)
            let limit = (numbers.max() ?? -1) + 1
            var songs = Bits(limit)
            var uris: [UInt64] = []
            uris.reserveCapacity(numbers.count)
            var inside: Set<Int> = []
            let places = try Query(
                db,
                """
                SELECT directory.id, path, name FROM file JOIN directory ON directory.id = file.directory
                WHERE file.id = ? AND tagset IS NOT NULL
                """
            )
            var uri: [UInt8] = []
            for number in numbers.sorted() {
                places.bind(1, number)
                _ = try places.first { row in
                    uri.removeAll(keepingCapacity: true)
                    unsafe row.withBytes(1) { unsafe uri.append(contentsOf: $0) }
                    if !uri.isEmpty { uri.append(UInt8(ascii: "/")) }
                    unsafe row.withBytes(2) { unsafe uri.append(contentsOf: $0) }
                    found.append(number)
                    songs.insert(number)
                    uris.append(hash(of: uri))
                    inside.insert(row.int(0))
                }
            }
            let folders = try Folders(leadingTo: inside, db)
            return VisibleSongs(
                generation: generation,
                songs: songs,
                directories: folders.numbers,
                uris: uris,
                folders: folders.paths,
                numbers: found
            )
        }
    }
}

/// Folders, and all above them.
private struct Folders {
    private(set) var numbers = Bits(0)
    private(set) var paths: [UInt64] = []

    init(leadingTo folders: Set<Int>, _ db: Database) throws {
        let query = try Query(db, "SELECT parent, path FROM directory WHERE id = ?")
        var known: Set<Int> = []
        for folder in folders {
            var next: Int? = folder
            while let number = next, known.insert(number).inserted {
                query.bind(1, number)
                next =
                    try query.first { row -> Int? in
                        paths.append(hash(of: row.bytes(1)))
                        return row.optionalInt(0)
                    } ?? nil
            }
        }
        numbers = Bits((known.max() ?? -1) + 1)
        for number in known { numbers.insert(number) }
    }
}

private func hash(of bytes: [UInt8]) -> UInt64 {
    var hasher = Hasher()
    unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    return UInt64(bitPattern: Int64(hasher.finalize()))
}

extension [UInt64] {
    fileprivate func containsSorted(_ value: UInt64) -> Bool {
        var (low, high) = (0, count)
        while low < high {
            let middle = low + (high - low) / 2
            if self[middle] == value { return true }
            if self[middle] < value { low = middle + 1 } else { high = middle }
        }
        return false
    }
}
