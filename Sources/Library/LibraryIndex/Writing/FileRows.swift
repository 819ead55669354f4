internal import AudioTypes
internal import GRDB
internal import MediaHeaders
internal import PictureValues
internal import Songs

/// Writes files and their data, and remembers files that are gone.
final class FileRows {
    /// An existing file.
    struct Known {
        let number: Int
        let portable: String?
        let isSheet: Bool
        let added: Int
        /// The scan that last read it.
        let scan: Int
    }

    let db: Database
    let directories: DirectoryRows
    let songs: SongRows
    private let find: Query
    private let put: Query
    private let insert: Query
    private let putDetail: Query
    private let findLoudness: Query
    private(set) var hasBuried: Bool

    init(_ db: Database) throws {
        self.db = db
        directories = try DirectoryRows(db)
        songs = try SongRows(db)
        find = try Query(
            db,
            """
            SELECT id, portable, added, EXISTS (SELECT 1 FROM track WHERE sheet = file.id), scan FROM file
            WHERE directory = ? AND name = ?
            """
        )
        put = try Query(
            db,
            """
            UPDATE file SET directory = ?1, name = ?2, kind = ?3, size = ?4, modified = ?5, inode = ?6, scan = ?7, added = ?8,
                portable = ?9, problem = ?10, tagset = ?11, own = ?12, mask = ?13, format = ?14, milliseconds = ?15,
                position = ?16, folded = ?17, was = CASE WHEN gone IS NULL THEN was END, gone = NULL WHERE id = ?18
            """
        )
        insert = try Query(
            db,
            """
            INSERT INTO file (
                directory, name, kind, size, modified, inode, scan, added, portable, problem, tagset, own, mask, format,
                milliseconds, position, folded
            ) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)
            """
        )
        hasBuried = try Query(db, "SELECT 1 FROM file WHERE gone IS NOT NULL LIMIT 1").first { _ in true } ?? false
        putDetail = try Query(
            db,
            "INSERT OR REPLACE INTO detail VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        )
        findLoudness = try Query(db, "SELECT 1 FROM loudness WHERE sound = ?")
    }

    /// Whether the loudness of a song is to be measured: neither its file nor the library has one.
    private func isUnmeasured(_ file: ScannedFile) throws -> Bool {
        guard file.replayGain.isEmpty, let sound = file.portableID else { return false }
        findLoudness.bind(1, sound)
        return try findLoudness.first { _ in true } == nil
    }

    func find(_ name: String, in directory: Int) throws -> Known? {
        find.bind(1, directory)
        find.bind(2, name)
        return try find.first {
            Known(
                number: $0.int(0),
                portable: $0.optionalText(1),
                isSheet: $0.int(3) != 0,
                added: $0.int(2),
                scan: $0.int(4)
            )
        }
    }

    /// The place of a file's row, and the values that do not come from the file.
    struct Place {
        var directory: Int
        var name: String
        var scan: Int
        var added: Int
        /// The number of the existing row; `nil` for a new file.
        var number: Int?
    }

    /// Writes a file's row, either a new one or an existing one that is hidden.
    ///
    /// - Parameter song: The song to list; `nil` for other files, and for songs that are hidden.
    func write(_ file: ScannedFile, at place: Place, showing song: Song?) throws -> Int {
        let shown = try song.map { try songs.values(of: $0, in: place.directory) }
        let query = place.number == nil ? insert : put
        query.bind(1, place.directory)
        query.bind(2, place.name)
        query.bind(3, song?.hasSheet == true ? ScannedFile.Kind.withSheet : file.kind.number)
        query.bind(4, file.size)
        query.bind(5, Int(file.modified))
        query.bind(6, Int(bitPattern: UInt(file.inode)))
        query.bind(7, place.scan)
        query.bind(8, place.added)
        query.bind(9, file.portableID)
        query.bind(10, file.problem)
        query.bind(11, shown?.tagset)
        query.bind(12, shown.map { .bytes($0.own.bytes) } ?? .null)
        query.bind(13, shown?.mask ?? 0)
        query.bind(14, shown?.format)
        query.bind(15, song == nil ? file.silentMilliseconds : shown?.milliseconds)
        query.bind(16, shown?.position ?? 0)
        query.bind(17, foldedUnlessASCII(place.name))
        if let number = place.number { query.bind(18, number) }
        try query.run()
        let number = place.number ?? insert.lastInsertedID
        if let shown { try songs.link(shown.own, to: number) }
        return number
    }

    /// Whether a file already has this problem.
    func hasProblem(_ problem: String?, _ number: Int) throws -> Bool {
        guard let problem else { return false }
        let same = try Query(db, "SELECT 1 FROM file WHERE id = ? AND problem = ?", [.int(number), .text(problem)])
        return try same.first { _ in true } ?? false
    }

    /// A file's measured duration, in seconds.
    func measuredDuration(_ number: Int) throws -> Double? {
        guard let lines = try songs.song(number, uri: ""), let duration = lines.duration else { return nil }
        let isMeasured =
            try Query(
                db,
                "SELECT 1 FROM detail WHERE id = ? AND codec = 'mp3' AND is_exact = \(DurationKind.exact.rawValue)",
                [.int(number)]
            ).first { _ in true } ?? false
        return isMeasured ? duration : nil
    }

    /// Writes the data that is queried rarely.
    func writeDetail(_ file: ScannedFile, _ number: Int, isSong: Bool) throws {
        let gain = file.replayGain
        putDetail.bind(1, number)
        putDetail.bind(2, file.codec)
        putDetail.bind(3, file.bitRate)
        putDetail.bind(4, (file.isExactlyTimed ? DurationKind.exact : .estimated).rawValue)
        putDetail.bind(5, file.cover.number)
        for (index, value) in [gain.trackGain, gain.trackPeak, gain.albumGain, gain.albumPeak].enumerated() {
            putDetail.bind(6 + index, value)
        }
        putDetail.bind(10, file.width)
        putDetail.bind(11, file.height)
        putDetail.bind(12, file.orientation)
        putDetail.bind(13, file.captured.map { Int($0.seconds) })
        putDetail.bind(14, ChapterText.encode(file.chapters))
        putDetail.bind(15, file.cueSheet)
        putDetail.bind(16, file.captured?.zone)
        putDetail.bind(17, try isSong && isUnmeasured(file) ? 1 : 0)
        putDetail.bind(18, file.subtypes.rawValue)
        putDetail.bind(19, file.contentIdentifier?.text)
        try putDetail.run()
    }

    // MARK: - Disappearance and return

    /// Marks a file as gone, and keeps its URI.
    func bury(_ number: Int, was uri: String, at now: Int) throws {
        hasBuried = true
        try songs.hide(number)
        try songs.removeLines(number)
        try Query(db, "DELETE FROM detail WHERE id = ?", [.int(number)]).run()
        try Query(
            db,
            "UPDATE file SET directory = 0, name = ?1, gone = ?2, was = ?3, problem = NULL WHERE id = ?1",
            [.int(number), .int(now), .text(uri)]
        ).run()
    }

    /// Stores a file's former URI.
    func record(_ number: Int, was uri: String) throws {
        try Query(db, "UPDATE file SET was = ? WHERE id = ? AND gone IS NULL", [.text(uri), .int(number)]).run()
    }

    /// Gives a file's row another number; the row that had the number is deleted.
    func renumber(_ twin: Int, to number: Int) throws {
        try songs.hide(number)
        let own = try Query(db, "SELECT own FROM file WHERE id = ?", [.int(twin)]).first {
            PackedTags(bytes: $0.bytes(0))
        }
        for tag in own ?? PackedTags() {
            try Query(
                db,
                "UPDATE OR REPLACE file_value SET file = ? WHERE value = ? AND file = ?",
                [.int(number), .int(tag.value), .int(twin)]
            ).run()
        }
        for table in ["block", "detail", "file"] {
            try Query(db, "DELETE FROM \(table) WHERE id = ?", [.int(number)]).run()
            try Query(db, "UPDATE \(table) SET id = ? WHERE id = ?", [.int(number), .int(twin)]).run()
        }
        try Query(db, "DELETE FROM track WHERE sheet = ?", [.int(number)]).run()
        try Query(db, "UPDATE track SET sheet = ? WHERE sheet = ?", [.int(number), .int(twin)]).run()
        try Query(db, "UPDATE directory SET sheet = ? WHERE sheet = ?", [.int(number), .int(twin)]).run()
    }

    /// Sets when a song was added to the library, once that turns out to be earlier.
    func setAdded(_ number: Int, uri: String, to added: Int) throws {
        try Query(db, "UPDATE file SET added = ? WHERE id = ?", [.int(added), .int(number)]).run()
        guard let song = try songs.song(number, uri: uri) else { return }
        try songs.keep(song.with { $0.added = added }, number)
    }
}

extension ScannedFile {
    /// The length of a video that is no song.
    fileprivate var silentMilliseconds: Int? {
        kind == .video && !hasSound ? duration.map { Int(saturating: ($0 * 1000).rounded()) } : nil
    }
}

extension Query {
    fileprivate func bind(_ index: Int, _ value: Double?) {
        if let value { bind(index, value) } else { bind(index, .null) }
    }
}

extension ScannedFile.Kind {
    /// The number in the database; 4 is a CUE sheet's track, 5 a song with an embedded CUE sheet.
    var number: Int {
        switch self {
        case .audio: 0
        case .video: 1
        case .image: 2
        case .playlist: 3
        }
    }

    static let track = 4
    static let withSheet = 5

    init?(number: Int) {
        switch number {
        case 0, 4, 5: self = .audio
        case 1: self = .video
        case 2: self = .image
        case 3: self = .playlist
        default: return nil
        }
    }
}

extension ScannedFile.Cover {
    var number: Int {
        switch self {
        case .none: 0
        case .embedded: 1
        case .file: 2
        }
    }

    init(number: Int) {
        switch number {
        case 1: self = .embedded
        case 2: self = .file
        default: self = .none
        }
    }
}
