internal import GRDB
internal import Songs

/// One entry of `lsinfo`, `listall` or `listallinfo`.
package enum LibraryEntry: Sendable, Hashable {
    /// A directory, or a CUE sheet with its tracks. Times are in seconds since 1970.
    case directory(uri: String, lastModified: Int)
    /// A song's number.
    case song(Int)
    case playlist(uri: String, lastModified: Int)
}

extension LibraryReader {
    /// The listing of `lsinfo`: for a directory, its songs, playlists and subdirectories; for a song, the song itself.
    ///
    /// - Returns: `nil` when nothing has that URI.
    package func list(_ uri: String) throws(LibraryError) -> [LibraryEntry]? {
        if let visible, !visible.contains(uri), !visible.containsDirectory(uri) { return nil }
        return try library.read { db in
            guard
                let directory = try Query(db, "SELECT id FROM directory WHERE path = ?", [.text(uri)]).first({
                    $0.int(0)
                })
            else {
                if uri.isEmpty { return [] }
                return try self.number(of: uri, db).map { [.song($0)] }
            }
            var entries: [LibraryEntry] = []
            try Query(
                db,
                "SELECT id FROM file WHERE directory = ? AND tagset IS NOT NULL ORDER BY position, id",
                [.int(directory)]
            ).each { row in
                if visible?.contains(number: row.int(0)) != false { entries.append(.song(row.int(0))) }
            }
            if visible == nil { entries += try playlists(in: directory, uri, db) }
            try Query(
                db,
                "SELECT path, modified, id FROM directory WHERE parent = ? AND \(Self.isShown) ORDER BY key",
                [.int(directory)]
            ).each { row in
                if visible?.contains(directory: row.int(2)) == false { return }
                entries.append(.directory(uri: row.text(0), lastModified: row.int(1)))
            }
            return entries
        }
    }

    /// Whether a directory is listed: when it contains a song or a playlist at any depth.
    static let isShown = """
        (EXISTS (SELECT 1 FROM file WHERE file.directory = directory.id AND tagset IS NOT NULL)
            OR EXISTS (SELECT 1 \(fromBelow) file.tagset IS NOT NULL)
            OR EXISTS (SELECT 1 \(fromBelow) file.kind = 3 AND file.problem IS NULL))
        """
    private static let fromBelow = """
        FROM directory AS inside CROSS JOIN file ON file.directory = inside.id
        WHERE inside.key >= directory.key AND inside.key < CAST(directory.key || x'ff' AS BLOB) AND
        """

    private func number(of uri: String, _ db: Database) throws -> Int? {
        let (folder, name) = parts(ofURI: uri)
        return try Query(
            db,
            """
            SELECT file.id FROM directory JOIN file ON file.directory = directory.id
            WHERE directory.path = ? AND file.name = ? AND tagset IS NOT NULL
            """,
            [.text(folder), .text(name)]
        ).first { $0.int(0) }
    }

    private func playlists(in directory: Int, _ path: String, _ db: Database) throws -> [LibraryEntry] {
        var found: [(key: CollationKey, entry: LibraryEntry)] = []
        try Query(
            db,
            "SELECT name, modified / 1000000000 FROM file WHERE directory = ? AND kind = 3 AND problem IS NULL",
            [.int(directory)]
        ).each { row in
            let name = row.text(0)
            found.append((CollationKey(name), .playlist(uri: uri(name, in: path), lastModified: row.int(1))))
        }
        return found.sorted { $0.key < $1.key }.map(\.entry)
    }
}
