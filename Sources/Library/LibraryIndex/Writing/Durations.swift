internal import GRDB
internal import Songs

/// A song whose duration is estimated and can be measured.
package struct EstimatedSong: Sendable, Hashable {
    let number: Int
    package let uri: String
    /// In bytes.
    package let size: Int
    /// Nanoseconds since 1970.
    package let modified: Int64
}

/// The result of measuring a song.
package struct MeasuredSong: Sendable, Hashable {
    let song: EstimatedSong
    let seconds: Double?

    /// - Parameter seconds: `nil` when the song cannot be measured; it is not tried again.
    package init(_ song: EstimatedSong, seconds: Double?) {
        self.song = song
        self.seconds = seconds
    }
}

/// Whether a song's duration is exact, as stored in the database.
enum DurationKind: Int {
    case estimated = 0
    case exact = 1
    /// An estimate that cannot be improved.
    case unmeasurable = 2
}

extension LibraryReader {
    /// Songs to measure in idle time.
    ///
    /// - Parameter limit: The largest number of songs.
    package func estimatedSongs(limit: Int) throws(LibraryError) -> [EstimatedSong] {
        try library.read { db in
            var songs: [EstimatedSong] = []
            try Query(
                db,
                """
                SELECT file.id, path, name, size, file.modified FROM detail CROSS JOIN file ON file.id = detail.id
                JOIN directory ON directory.id = directory WHERE is_exact = 0 AND codec = 'mp3' LIMIT ?
                """,
                [.int(limit)]
            ).each { row in
                songs.append(
                    EstimatedSong(
                        number: row.int(0),
                        uri: uri(row.text(2), in: row.text(1)),
                        size: row.int(3),
                        modified: Int64(row.int(4))
                    )
                )
            }
            return songs
        }
    }
}

extension LibraryWriter {
    /// Stores durations, unless the files have changed since they were queried.
    ///
    /// - Returns: How many songs now look different to clients.
    package func setDurations(_ songs: [MeasuredSong]) throws(LibraryError) -> Int {
        try library.write { db in
            let durations = try DurationRows(db)
            var changed = 0
            for song in songs { if try durations.write(song) { changed += 1 } }
            try durations.end()
            return changed
        }
    }
}

/// Writes durations of songs, and of CUE tracks that end with their file.
private final class DurationRows {
    private let files: FileRows
    private let sheets: SheetRows
    private let check: Query
    private let setKind: Query
    private let setMilliseconds: Query

    init(_ db: Database) throws {
        files = try FileRows(db)
        sheets = try SheetRows(db, files)
        check = try Query(
            db,
            """
            SELECT path, name FROM file JOIN directory ON directory.id = directory JOIN detail ON detail.id = file.id
            WHERE file.id = ? AND size = ? AND file.modified = ? AND is_exact = 0
            """
        )
        setKind = try Query(db, "UPDATE detail SET is_exact = ? WHERE id = ?")
        setMilliseconds = try Query(db, "UPDATE file SET milliseconds = ? WHERE id = ? AND tagset IS NOT NULL")
    }

    /// - Returns: Whether clients see a different duration.
    func write(_ measured: MeasuredSong) throws -> Bool {
        let file = measured.song
        check.bind(1, file.number)
        check.bind(2, file.size)
        check.bind(3, Int(file.modified))
        guard let uri = try check.first({ LibraryIndex.uri($0.text(1), in: $0.text(0)) }) else { return false }
        setKind.bind(1, (measured.seconds == nil ? DurationKind.unmeasurable : .exact).rawValue)
        setKind.bind(2, file.number)
        try setKind.run()
        guard let seconds = measured.seconds, let song = try files.songs.song(file.number, uri: uri) else {
            return false
        }
        let milliseconds = Int(saturating: (seconds * 1000).rounded())
        if let old = song.duration, Int(saturating: (old * 1000).rounded()) == milliseconds { return false }
        try files.songs.keep(song.with(range: song.range, mediumDuration: seconds), file.number)
        setMilliseconds.bind(1, milliseconds)
        setMilliseconds.bind(2, file.number)
        try setMilliseconds.run()
        try sheets.recordChange(of: uri)
        return true
    }

    func end() throws {
        try sheets.settle()
        try files.songs.sweep()
    }
}
