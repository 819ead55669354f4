internal import GRDB
internal import MediaHeaders
package import Songs

extension LibraryReader {
    /// Appends the lines of songs to a reply, in the given order; songs that no longer exist are left out.
    package func appendLines(
        of numbers: some Sequence<Int>,
        tags: TagMask,
        to reply: inout [UInt8]
    ) throws(LibraryError) {
        try library.read { db in
            var blocks = try BlockReader(db)
            for number in Array(numbers) {
                guard let row = try blocks.row(of: number) else { continue }
                unsafe row.withBytes(1) { unsafe SongLines.append($0, to: &reply, tags: tags) }
            }
        }
    }

    /// Songs by number, in the given order; songs that no longer exist are left out.
    package func songs(_ numbers: some Sequence<Int>) throws(LibraryError) -> [Song] {
        try library.read { db in
            var blocks = try BlockReader(withPlaces: db)
            let folders = try Query(db, "SELECT path FROM directory WHERE id = ?")
            var folder = (number: 0, path: [UInt8]())
            var maker = SongMaker()
            var songs: [Song] = []
            songs.reserveCapacity(numbers.underestimatedCount)
            for number in numbers {
                guard let row = try blocks.row(of: number) else { continue }
                // Most songs are in the same directory as the one before.
                if row.int(2) != folder.number {
                    folders.bind(1, row.int(2))
                    folder = (row.int(2), try folders.first { $0.bytes(0) } ?? [])
                }
                songs.append(
                    unsafe folder.path.withUnsafeBytes { unsafe row.song(&maker, lines: 1, in: $0, name: 3) }
                )
            }
            return songs
        }
    }

    /// The song with a URI; `nil` when no song has it.
    package func song(_ uri: String) throws(LibraryError) -> Song? { try songs(uris: [uri])[0] }

    /// The songs with the given URIs; `nil` for each URI without a song.
    package func songs(uris: [String]) throws(LibraryError) -> [Song?] {
        try library.read { db in
            let query = try Query(
                db,
                """
                SELECT directory.path, file.name, lines FROM directory JOIN file ON file.directory = directory.id
                JOIN block ON block.id = file.id WHERE directory.path = ? AND file.name = ? AND tagset IS NOT NULL
                """
            )
            var maker = SongMaker()
            return try uris.map { uri in
                if visible?.contains(uri) == false { return nil }
                let (folder, name) = parts(ofURI: uri)
                query.bind(1, folder)
                query.bind(2, name)
                return try query.first { row in
                    unsafe row.withBytes(0) { unsafe row.song(&maker, lines: 2, in: $0, name: 1) }
                }
            }
        }
    }

    /// Whether each URI is a song's, including files that CUE tracks replace in listings.
    ///
    /// Fastest when URIs of one directory are queried together.
    package func hasSongs(_ uris: [String]) throws(LibraryError) -> [Bool] {
        try library.read { db in
            let folders = try Query(db, "SELECT id FROM directory WHERE path = ?")
            let songs = try Query(
                db,
                """
                SELECT 1 FROM file WHERE directory = ? AND name = ? AND problem IS NULL
                AND kind NOT IN (\(ScannedFile.Kind.image.number), \(ScannedFile.Kind.playlist.number))
                """
            )
            var last: (path: String, number: Int?)?
            return try uris.map { uri in
                if visible?.contains(uri) == false { return false }
                let (path, name) = parts(ofURI: uri)
                if last.map({ !isSame($0.path, path) }) ?? true {
                    folders.bind(1, path)
                    last = (path, try folders.first { $0.int(0) })
                }
                guard let folder = last?.number else { return false }
                songs.bind(1, folder)
                songs.bind(2, name)
                return try songs.first { _ in true } ?? false
            }
        }
    }

    /// The numbers of the songs at or below a URI, in listing order; `nil` when nothing has that URI.
    package func songs(below uri: String) throws(LibraryError) -> [Int]? {
        if let visible, !visible.contains(uri), !visible.containsDirectory(uri) { return nil }
        return try library.read { db in
            let (folder, name) = parts(ofURI: uri)
            let single = try Query(
                db,
                """
                SELECT file.id FROM directory JOIN file ON file.directory = directory.id
                WHERE directory.path = ? AND file.name = ? AND tagset IS NOT NULL
                """,
                [.text(folder), .text(name)]
            ).first { $0.int(0) }
            if let single { return [single] }
            let isThere =
                try Query(db, "SELECT 1 FROM directory WHERE path = ?", [.text(uri)]).first { _ in true } ?? false
            guard isThere else { return uri.isEmpty ? [] : nil }
            let key = directoryKey(uri)
            var numbers: [Int] = []
            try Query(
                db,
                """
                SELECT file.id \(SongSearch.fromDirectory)
                WHERE directory.key >= ? AND directory.key < ? AND file.tagset IS NOT NULL
                ORDER BY \(SongSearch.walkedOrder)
                """,
                [.bytes(key), .bytes(key + [0xff])]
            ).each { row in
                if visible?.contains(number: row.int(0)) != false { numbers.append(row.int(0)) }
            }
            return numbers
        }
    }
}

extension Query.Row {
    /// - Parameters:
    ///   - lines: The column with the song's lines.
    ///   - folder: The directory's path.
    ///   - name: The column with the file's name.
    fileprivate func song(
        _ maker: inout SongMaker,
        lines: Int,
        in folder: UnsafeRawBufferPointer,
        name: Int
    ) -> Song {
        unsafe withBytes(name) { name in unsafe withBytes(lines) { unsafe maker.song($0, in: folder, name) } }
    }
}
