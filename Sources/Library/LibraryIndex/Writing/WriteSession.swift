internal import GRDB
internal import LibraryScan
internal import MediaHeaders
internal import Songs

/// The changes of one transaction.
final class WriteSession {
    private let db: Database
    private let files: FileRows
    private let sheets: SheetRows
    private let scan: Scanning
    private let unordered: Query
    private var disordered: Set<Int> = []
    private var outcome = LibraryOutcome()
    private let moves: MoveRows

    init(_ db: Database, now: Int) throws {
        self.db = db
        scan = Scanning(try ScanRecord.current(db), now: now)
        files = try FileRows(db)
        sheets = try SheetRows(db, files)
        moves = try MoveRows(db)
        unordered = try Query(db, "UPDATE directory SET unordered = 1 WHERE id = ? AND unordered = 0")
    }

    func apply(_ changes: [LibraryChange]) throws -> LibraryOutcome {
        for change in changes {
            switch change {
            case .file(let file): try put(file)
            case .removal(let uri): try remove(uri)
            case .directory(let seen): try see(seen)
            }
        }
        try sheets.settle()
        for case .directory(let seen) in changes {
            if let number = try files.directories.number(ifKnown: seen.uri) { try SongOrder.settle(number, db) }
        }
        try files.songs.sweep()
        return outcome
    }

    // MARK: - Files

    private func put(_ file: ScannedFile) throws {
        let (folder, name) = parts(ofURI: file.uri)
        let directory = try files.directories.number(folder)
        var known = try files.find(name, in: directory)
        // Every update tries to read it again, so an unchanged failure is not a change.
        if file.isUnread, let known, try files.hasProblem(file.problem, known.number) { return }
        // Different sound under the same name means a different file; the old file may be found elsewhere.
        if let old = known, let before = old.portable, let after = file.portableID, before != after {
            if try !move(old, from: file.uri) { try bury(old, uri: file.uri) }
            known = nil
        }
        var place = FileRows.Place(directory: directory, name: name, scan: scan.number, added: scan.now)
        var file = file
        if let known {
            outcome.changed += 1
            // Changed tags do not change the measured duration.
            if !file.isExactlyTimed, known.portable == file.portableID,
                let seconds = try files.measuredDuration(known.number)
            {
                (file.duration, file.isExactlyTimed) = (seconds, true)
            }
            try files.songs.hide(known.number)
            if known.isSheet { try sheets.forget(known.number) }
            (place.number, place.added) = (known.number, known.added)
        } else if let old = try files.buried(file, scan) {
            if try !isSame(old.was, file.uri) && isFree(old) {
                try move(old.number, .init(from: old.was, to: file.uri))
                if old.gone >= scan.started { outcome.removed -= 1 }
            } else {
                outcome.added += 1
            }
            (place.number, place.added) = (old.number, old.added)
        } else {
            outcome.added += 1
        }
        try write(file, at: place)
        try sheets.recordChange(of: file.uri)
    }

    private func write(_ file: ScannedFile, at place: FileRows.Place) throws {
        let song = file.song(added: place.added)
        let isReplaced = try file.tracks.contains { isSame($0.file, file.uri) } || sheets.replaces(file.uri)
        let number = try files.write(file, at: place, showing: isReplaced ? nil : song)
        try files.writeDetail(file, number, isSong: song != nil)
        if let song {
            try files.songs.keep(song, number)
        } else {
            try files.songs.removeLines(number)
        }
        if !file.tracks.isEmpty { try sheets.write(file.tracks, of: number) }
        guard song != nil, !isReplaced else { return }
        guard disordered.insert(place.directory).inserted else { return }
        unordered.bind(1, place.directory)
        try unordered.run()
    }

    private func bury(_ file: FileRows.Known, uri: String) throws {
        outcome.removed += 1
        if file.isSheet { try sheets.forget(file.number) }
        try files.bury(file.number, was: uri, at: scan.now)
        try sheets.recordChange(of: uri)
    }

    /// Removes a file; a moved file that was found in its new place keeps its number.
    private func remove(_ file: FileRows.Known, uri: String) throws {
        if try move(file, from: uri) { return }
        try bury(file, uri: uri)
    }

    // MARK: - Moves

    /// Moves a file's number to its new place, if that has been found already.
    private func move(_ file: FileRows.Known, from uri: String) throws -> Bool {
        guard let twin = try files.twin(of: file, at: uri, scan),
            let (place, isAdded) = try Query(
                db,
                """
                SELECT directory.path, name, added, scan FROM file JOIN directory ON directory.id = directory
                WHERE file.id = ?
                """,
                [.int(twin)]
            ).first({ (LibraryIndex.uri($0.text(1), in: $0.text(0)), scan.hasAdded($0.int(2), in: $0.int(3))) })
        else { return false }
        if isAdded { outcome.added -= 1 }
        if file.isSheet { try sheets.forget(file.number) }
        try renumber(twin, at: place, to: file.number, added: file.added)
        try sheets.recordChange(of: uri)
        try move(file.number, .init(from: uri, to: place, isToCopy: !isAdded))
        return true
    }

    private func renumber(_ twin: Int, at uri: String, to number: Int, added: Int) throws {
        try files.renumber(twin, to: number)
        sheets.renumber(twin, to: number)
        try files.setAdded(number, uri: uri, to: added)
    }

    /// Makes the deferred matches once the scan has seen all files.
    func settleMoves() throws -> LibraryOutcome {
        for (old, new) in try files.settled(scan) {
            try renumber(new.number, at: new.uri, to: old.number, added: old.added)
            guard !isSame(old.was, new.uri), try isFree(old) else { continue }
            try move(old.number, .init(from: old.was, to: new.uri, isToCopy: !new.isAdded))
            if new.isAdded { outcome.added -= 1 }
            if old.gone >= scan.started { outcome.removed -= 1 }
        }
        try sheets.settle()
        try files.songs.sweep()
        return outcome
    }

    private func move(_ number: Int, _ move: LibraryOutcome.Move) throws {
        outcome.moves.append(move)
        try moves.add(number, move, scan)
        try files.record(number, was: move.from)
    }

    /// Whether no other file has taken a file's old place, so that names of that place still mean this file.
    private func isFree(_ file: FileRows.Buried) throws -> Bool {
        // Two files that swapped places may still be in between.
        if file.gone >= scan.started { return true }
        let (folder, name) = parts(ofURI: file.was)
        guard let directory = try files.directories.number(ifKnown: folder) else { return true }
        return try files.find(name, in: directory) == nil
    }

    // MARK: - Directories

    private func see(_ seen: SeenDirectory) throws {
        let number = try files.directories.number(seen.uri)
        try Query(
            db,
            """
            UPDATE directory SET modified = ?, inode = ?, fingerprint = ?, mount = ?, cover = ?, problem = ? WHERE id = ?
            """,
            [
                .int(seen.modified), .int(Int(bitPattern: UInt(seen.inode))),
                .int(Int(bitPattern: UInt(seen.fingerprint.rawValue))), .int(seen.isMountPoint ? 1 : 0),
                seen.cover.map { .text($0) } ?? .null, seen.problem.map { .text($0) } ?? .null, .int(number),
            ]
        ).run()
        guard let contents = seen.contents else { return }
        for (name, file) in try files(in: number) where !contents.contains(ExactText(name)) {
            try remove(file, uri: uri(name, in: seen.uri))
        }
        var gone: [String] = []
        try Query(db, "SELECT path FROM directory WHERE parent = ? AND sheet IS NULL", [.int(number)]).each {
            let path = $0.text(0)
            if !contents.contains(ExactText(parts(ofURI: path).name)) { gone.append(path) }
        }
        for path in gone { try removeDirectory(path) }
    }

    private func remove(_ uri: String) throws {
        let (folder, name) = parts(ofURI: uri)
        if let directory = try files.directories.number(ifKnown: folder), let file = try files.find(name, in: directory)
        {
            try remove(file, uri: uri)
        }
        try removeDirectory(uri)
    }

    private func removeDirectory(_ path: String) throws {
        let directories = try files.directories.all(below: path)
        for directory in directories {
            for (name, file) in try files(in: directory.number) {
                // Removing a sheet has already removed its tracks.
                guard try files.find(name, in: directory.number) != nil else { continue }
                try remove(file, uri: uri(name, in: directory.path))
            }
        }
        for directory in directories { try files.directories.remove(directory.number, path: directory.path) }
    }

    private func files(in directory: Int) throws -> [(name: String, file: FileRows.Known)] {
        var found: [(name: String, file: FileRows.Known)] = []
        try Query(
            db,
            """
            SELECT name, id, portable, added, EXISTS (SELECT 1 FROM track WHERE sheet = file.id), scan FROM file
            WHERE directory = ? AND kind <> 4
            """,
            [.int(directory)]
        ).each { row in
            let file = FileRows.Known(
                number: row.int(1),
                portable: row.optionalText(2),
                isSheet: row.int(4) != 0,
                added: row.int(3),
                scan: row.int(5)
            )
            found.append((row.text(0), file))
        }
        return found
    }
}

extension ScannedFile {
    /// The song that MPD's clients see; `nil` for files that are not songs.
    func song(added: Int) -> Song? {
        guard problem == nil, kind == .audio || kind == .video && hasSound else { return nil }
        return Song(
            uri: uri,
            lastModified: Int(modified / 1_000_000_000),
            added: added,
            format: format,
            tags: tags.compactMap { tag, value in
                let value = value.utf8.contains(0) ? value.filter { $0 != "\0" } : value
                return value.isEmpty ? nil : (tag, value)
            },
            duration: duration,
            isExamined: true,
            hasSheet: cueSheet != nil
        )
    }
}
