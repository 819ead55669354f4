internal import GRDB
internal import MediaHeaders
internal import Songs
internal import TextEncodings

/// Writes CUE sheets: a directory with the sheet's name, and a song for each track, made from the track's file.
///
/// In the sheet's own directory, its tracks replace those files, as in MPD.
final class SheetRows {
    private let db: Database
    private let files: FileRows
    private let hasAny: Bool
    private var hasNew = false
    private var unsettled: Set<Int> = []

    init(_ db: Database, _ files: FileRows) throws {
        self.db = db
        self.files = files
        hasAny = try Query(db, "SELECT 1 FROM track LIMIT 1").first { _ in true } ?? false
    }

    /// Writes a sheet's tracks; their songs are made at the end of the transaction, since their files may come later in
    /// it.
    func write(_ tracks: [ScannedFile.Track], of sheet: Int) throws {
        try forget(sheet)
        hasNew = true
        let insert = try Query(db, "INSERT INTO track (sheet, number, target, lines) VALUES (?, ?, ?, ?)")
        for track in tracks {
            var lines: [UInt8] = []
            Song(uri: track.file, range: track.range, tags: track.tags).append(to: &lines, tags: .all)
            insert.bind(1, sheet)
            insert.bind(2, track.number)
            insert.bind(3, track.file)
            insert.bind(4, lines)
            try insert.run()
        }
        unsettled.insert(sheet)
    }

    /// Deletes a sheet's tracks, and lists the files again that they replaced.
    func forget(_ sheet: Int) throws {
        guard hasAny || hasNew else { return }
        var targets: [String] = []
        try Query(db, "SELECT DISTINCT target FROM track WHERE sheet = ?", [.int(sheet)]).each {
            targets.append($0.text(0))
        }
        try Query(db, "DELETE FROM track WHERE sheet = ?", [.int(sheet)]).run()
        for target in targets { try settle(target) }
        guard
            let (directory, path) = try Query(db, "SELECT id, path FROM directory WHERE sheet = ?", [.int(sheet)])
                .first({ ($0.int(0), $0.text(1)) })
        else { return }
        for track in try tracks(in: directory) { try remove(track.number) }
        try files.directories.remove(directory, path: path)
    }

    /// Records that a file was added, changed or removed.
    func recordChange(of uri: String) throws {
        guard hasAny || hasNew else { return }
        try Query(db, "SELECT DISTINCT sheet FROM track WHERE target = ?", [.text(uri)]).each {
            unsettled.insert($0.int(0))
        }
    }

    /// Records a sheet's new number.
    func renumber(_ sheet: Int, to number: Int) {
        if unsettled.remove(sheet) != nil { unsettled.insert(number) }
    }

    /// Whether a sheet's tracks replace a file.
    func replaces(_ uri: String) throws -> Bool {
        guard hasAny || hasNew else { return false }
        let folder = parts(ofURI: uri).directory
        guard let directory = try files.directories.number(ifKnown: folder) else { return false }
        return try Query(
            db,
            """
            SELECT 1 FROM track JOIN file ON file.id = track.sheet
            WHERE track.target = ? AND file.directory = ? AND file.gone IS NULL
            """,
            [.text(uri), .int(directory)]
        ).first { _ in true } ?? false
    }

    /// Makes the songs of changed sheets; called before the transaction ends.
    func settle() throws {
        for sheet in unsettled.sorted() { try make(sheet) }
        unsettled = []
    }

    // MARK: - The songs

    private func make(_ sheet: Int) throws {
        let find = try Query(
            db,
            """
            SELECT directory.path, file.name, file.modified, file.scan, file.added FROM file
            JOIN directory ON directory.id = file.directory WHERE file.id = ? AND gone IS NULL
            """,
            [.int(sheet)]
        )
        guard
            let (path, modified, scan, added) = try find.first({
                (uri($0.text(1), in: $0.text(0)), $0.int(2), $0.int(3), $0.int(4))
            })
        else { return }
        var wanted: [WantedTrack] = []
        try Query(db, "SELECT number, target, lines FROM track WHERE sheet = ? ORDER BY number", [.int(sheet)]).each {
            let target = $0.text(1)
            wanted.append(
                WantedTrack(number: $0.int(0), target: target, lines: Song.reading($0.bytes(2), uri: target))
            )
        }
        guard !wanted.isEmpty else { return }
        let directory = try files.directories.number(path)
        try Query(
            db,
            "UPDATE directory SET sheet = ?, modified = ?, unordered = 0 WHERE id = ?",
            [.int(sheet), .int(modified / 1_000_000_000), .int(directory)]
        ).run()
        var old = Dictionary(try tracks(in: directory).map { ($0.name, $0.number) }) { first, _ in first }
        for track in wanted {
            let name = trackName(track.number)
            guard let whole = try song(at: track.target) else { continue }
            let song = track.song(of: whole, uri: uri(name, in: path))
            var row = ScannedFile(
                uri: song.uri,
                size: 0,
                modified: Int64(song.lastModified ?? 0) * 1_000_000_000,
                inode: 0
            )
            row.duration = song.duration
            let place = FileRows.Place(
                directory: directory,
                name: name,
                scan: scan,
                added: song.added ?? added,
                number: old.removeValue(forKey: name)
            )
            if let known = place.number { try files.songs.hide(known) }
            let number = try files.write(row, at: place, showing: song)
            try files.songs.keep(song, number)
            try Query(
                db,
                "UPDATE file SET kind = ?, position = ? WHERE id = ?",
                [.int(ScannedFile.Kind.track), .int(track.number - 1), .int(number)]
            ).run()
        }
        for number in old.values { try remove(number) }
        for target in Set(wanted.map { ExactText($0.target) }) { try settle(target.text) }
    }

    private func song(at uri: String) throws -> Song? {
        let (folder, name) = parts(ofURI: uri)
        guard let directory = try files.directories.number(ifKnown: folder),
            let file = try files.find(name, in: directory)
        else { return nil }
        return try files.songs.song(file.number, uri: uri)
    }

    /// Lists or hides a file, depending on the sheets.
    private func settle(_ uri: String) throws {
        let (folder, name) = parts(ofURI: uri)
        guard let directory = try files.directories.number(ifKnown: folder),
            let file = try files.find(name, in: directory)
        else { return }
        let isShown =
            try Query(db, "SELECT tagset IS NOT NULL FROM file WHERE id = ?", [.int(file.number)]).first {
                $0.int(0) != 0
            }
            ?? false
        let isReplaced = try replaces(uri)
        if isReplaced, isShown {
            try files.songs.hide(file.number)
        } else if !isReplaced, !isShown, let song = try files.songs.song(file.number, uri: uri) {
            try files.songs.show(song, file.number, in: directory)
            try Query(db, "UPDATE directory SET unordered = 1 WHERE id = ?", [.int(directory)]).run()
        }
    }

    private func tracks(in directory: Int) throws -> [(number: Int, name: String)] {
        var found: [(number: Int, name: String)] = []
        try Query(db, "SELECT id, name FROM file WHERE directory = ?", [.int(directory)]).each {
            found.append(($0.int(0), $0.text(1)))
        }
        return found
    }

    private func remove(_ number: Int) throws {
        try files.songs.hide(number)
        try files.songs.removeLines(number)
        try Query(db, "DELETE FROM file WHERE id = ?", [.int(number)]).run()
    }
}

/// The data of a track in a sheet.
private struct WantedTrack {
    let number: Int
    let target: String
    let lines: Song

    /// The track as a song, made from the song of the whole file.
    func song(of whole: Song, uri: String) -> Song { whole.track(uri: uri, range: lines.range, tags: lines.tags) }
}

/// The name of a track below its sheet, as in MPD.
func trackName(_ number: Int) -> String {
    "track" + String(number, digits: 4)
}
