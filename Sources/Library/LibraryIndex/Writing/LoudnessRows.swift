package import AudioTypes
internal import GRDB

/// A song whose loudness is to be measured.
package struct UnmeasuredSong: Sendable, Hashable {
    package let number: Int
    package let uri: String
    /// In bytes.
    package let size: Int
    /// Nanoseconds since 1970.
    package let modified: Int64
    /// The identity of its sound, for which the result is kept.
    package let sound: String
}

/// A song whose loudness was measured.
package struct SongLoudness: Sendable, Hashable {
    let song: UnmeasuredSong
    let loudness: Loudness?

    /// - Parameter loudness: `nil` when it cannot be measured; it is not tried again until the file changes.
    package init(_ song: UnmeasuredSong, _ loudness: Loudness?) { (self.song, self.loudness) = (song, loudness) }
}

/// How many sounds of the library have been measured.
package struct LoudnessCounts: Sendable, Hashable {
    /// Sounds whose loudness is known.
    package var measured = 0
    /// Songs that are still to be measured.
    package var unmeasured = 0

    package init() {}
}

extension LibraryReader {
    /// Songs to be measured in idle time, in the order in which they were found, so that those of an album follow each
    /// other.
    ///
    /// - Parameters:
    ///   - number: The last song of the part before; 0 to begin.
    ///   - limit: The largest number of songs.
    package func unmeasuredSongs(after number: Int, limit: Int) throws(LibraryError) -> [UnmeasuredSong] {
        try library.read { db in
            var songs: [UnmeasuredSong] = []
            try Query(
                db,
                """
                SELECT detail.id, path, name, size, file.modified, portable FROM detail CROSS JOIN file
                ON file.id = detail.id JOIN directory ON directory.id = directory
                WHERE unmeasured = 1 AND detail.id > ? AND portable IS NOT NULL ORDER BY detail.id LIMIT ?
                """,
                [.int(number), .int(limit)]
            ).each { row in
                songs.append(
                    UnmeasuredSong(
                        number: row.int(0),
                        uri: uri(row.text(2), in: row.text(1)),
                        size: row.int(3),
                        modified: Int64(row.int(4)),
                        sound: row.text(5)
                    )
                )
            }
            return songs
        }
    }

    package func loudnessCounts() throws(LibraryError) -> LoudnessCounts {
        try library.read { db in
            var counts = LoudnessCounts()
            counts.measured = try Query(db, "SELECT count(*) FROM loudness").first { $0.int(0) } ?? 0
            counts.unmeasured =
                try Query(db, "SELECT count(*) FROM detail WHERE unmeasured = 1").first { $0.int(0) } ?? 0
            return counts
        }
    }
}

extension LibraryWriter {
    /// Stores how loud songs are, for all files of the same sound; one that has changed meanwhile stays unmeasured.
    package func setLoudness(_ songs: [SongLoudness]) throws(LibraryError) {
        try library.writeUnseen { db in
            let rows = try LoudnessRows(db)
            for song in songs { try rows.write(song) }
        }
    }
}

/// Writes the loudness of sounds.
struct LoudnessRows {
    private let check: Query
    private let put: Query
    private let endOne: Query
    private let endAll: Query

    init(_ db: Database) throws {
        check = try Query(db, "SELECT 1 FROM file WHERE id = ? AND size = ? AND modified = ? AND portable = ?")
        put = try Query(db, "INSERT OR REPLACE INTO loudness (sound, lufs, peak, blocks) VALUES (?, ?, ?, ?)")
        endOne = try Query(db, "UPDATE detail SET unmeasured = 0 WHERE id = ?")
        endAll = try Query(
            db,
            "UPDATE detail SET unmeasured = 0 WHERE id IN (SELECT id FROM file WHERE portable = ? AND gone IS NULL)"
        )
    }

    func write(_ result: SongLoudness) throws {
        let song = result.song
        check.bind(1, song.number)
        check.bind(2, song.size)
        check.bind(3, Int(song.modified))
        check.bind(4, song.sound)
        guard try check.first({ _ in true }) != nil else { return }
        guard let loudness = result.loudness else {
            endOne.bind(1, song.number)
            return try endOne.run()
        }
        put.bind(1, song.sound)
        if let integrated = loudness.blocks.integrated { put.bind(2, integrated) } else { put.bind(2, .null) }
        put.bind(3, loudness.truePeak)
        put.bind(4, loudness.blocks.bytes)
        try put.run()
        endAll.bind(1, song.sound)
        try endAll.run()
    }

    /// Deletes the loudness of sounds of which no file is remembered any more.
    static func forget(_ db: Database) throws {
        try Query(
            db,
            """
            DELETE FROM loudness WHERE NOT EXISTS (
                SELECT 1 FROM file WHERE portable = sound AND gone IS NULL
                UNION ALL SELECT 1 FROM file WHERE portable = sound AND gone IS NOT NULL
            )
            """
        ).run()
    }
}
