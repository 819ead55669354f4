internal import GRDB
internal import MediaHeaders
internal import Songs

/// Finds the former or new place of a file by its sound.
///
/// During a scan, only certain matches are made at once: a file with the same inode, or one in its old place. The
/// others are matched at the end of the scan, when all files are known; otherwise copies could be confused.
extension FileRows {
    /// A file that is gone.
    struct Buried {
        let number: Int
        let was: String
        let added: Int
        /// When it disappeared, in seconds since 1970.
        let gone: Int
        fileprivate let inode: Int
        /// The scan that last read it.
        fileprivate let scan: Int
    }

    /// An existing file.
    fileprivate struct Living {
        let number: Int
        let uri: String
        let added: Int
        let inode: Int
        let scan: Int
    }

    /// How many files of one sound are compared at most.
    private static let mostTwins = 1_000

    /// The file among those that are gone that this one is, preferably the one that had its URI.
    func buried(_ file: ScannedFile, _ scan: Scanning) throws -> Buried? {
        guard hasBuried else { return nil }
        guard let portable = file.portableID else {
            return try Query(
                db,
                """
                SELECT id, was, added, gone, inode, scan FROM file
                WHERE was = ? AND gone IS NOT NULL AND portable IS NULL ORDER BY gone DESC, id DESC
                """,
                [.text(file.uri)]
            ).first(Buried.init)
        }
        // Silence may have thousands of files: they are compared only if nothing else decides.
        let inode = Int(bitPattern: UInt(file.inode))
        if inode != 0, let same = try buried("portable = ? AND inode = ?", [.text(portable), .int(inode)]).first {
            return same
        }
        if let same = try buried("was = ? AND portable = ?", [.text(file.uri), .text(portable)]).first { return same }
        guard scan.isRunning else {
            let this = TwinMatch.File(uri: file.uri, inode: 0)
            let found = try buried("portable = ?", [.text(portable)])
            return TwinMatch.pairs(found.map(\.match), [this]) { _, _ in true }.first.map { found[$0.old] }
        }
        let isAny = "SELECT 1 FROM file WHERE portable = ? AND gone IS NOT NULL LIMIT 1"
        if try Query(db, isAny, [.text(portable)]).first({ _ in true }) != nil { try settleLater(portable) }
        return nil
    }

    /// The new place of a file that is being removed: a file with its sound that has just appeared and is not matched
    /// yet.
    func twin(of file: Known, at uri: String, _ scan: Scanning) throws -> Int? {
        guard let portable = file.portable else { return nil }
        let inode = try Query(db, "SELECT inode FROM file WHERE id = ?", [.int(file.number)]).first { $0.int(0) } ?? 0
        let gone = Buried(
            number: file.number,
            was: uri,
            added: file.added,
            gone: scan.now,
            inode: inode,
            scan: file.scan
        )
        func mayBe(_ new: Living) -> Bool { new.number != file.number && Self.mayBe(gone, new, scan) }
        if inode != 0 {
            let same = try living("portable = ? AND file.inode = ?", [.text(portable), .int(inode)]).first(where: mayBe)
            if let same { return same.number }
        }
        guard scan.isRunning else {
            let found = try living("portable = ?", [.text(portable)]).filter(mayBe)
            return TwinMatch.pairs([gone.match], found.map(\.match)) { _, _ in true }.first.map { found[$0.new].number }
        }
        let isAny = "SELECT 1 FROM file WHERE portable = ? AND gone IS NULL AND id <> ? LIMIT 1"
        if try Query(db, isAny, [.text(portable), .int(file.number)]).first({ _ in true }) != nil {
            try settleLater(portable)
        }
        return nil
    }

    /// The longest time, in seconds, for which a moved file may exist in both places before its removal.
    private static let longestMove = 3_600

    /// Whether a file that is gone may be an existing one.
    private static func mayBe(_ old: Buried, _ new: Living, _ scan: Scanning) -> Bool {
        if scan.hasAdded(new.added, in: new.scan) { return true }
        // A file moved between file systems exists twice for a while, and an earlier scan may have seen both.
        return old.gone >= scan.started && new.scan > old.scan && new.added >= max(old.added, scan.now - longestMove)
    }

    private func buried(_ condition: String, _ arguments: [Query.Argument]) throws -> [Buried] {
        var found: [Buried] = []
        try Query(
            db,
            """
            SELECT id, was, added, gone, inode, scan FROM file WHERE \(condition) AND gone IS NOT NULL
            ORDER BY gone DESC, id DESC LIMIT \(Self.mostTwins)
            """,
            arguments
        ).each { found.append(Buried($0)) }
        return found
    }

    private func living(_ condition: String, _ arguments: [Query.Argument]) throws -> [Living] {
        var found: [Living] = []
        try Query(
            db,
            """
            SELECT file.id, path, name, added, file.inode, scan \(SongSearch.fromFile) WHERE \(condition) AND gone IS NULL
            ORDER BY added DESC, file.id DESC LIMIT \(Self.mostTwins)
            """,
            arguments
        ).each { row in
            let uri = uri(row.text(2), in: row.text(1))
            found.append(
                Living(number: row.int(0), uri: uri, added: row.int(3), inode: row.int(4), scan: row.int(5))
            )
        }
        return found
    }

    // MARK: - At the end of a scan

    private func settleLater(_ portable: String) throws {
        try Query(db, "INSERT OR IGNORE INTO unsettled (portable) VALUES (?)", [.text(portable)]).run()
    }

    /// The matches that were deferred to the end of a scan: files that are gone, and their new numbers.
    ///
    /// - Returns: For each match, also whether the scan has counted the new file as added.
    func settled(_ scan: Scanning) throws -> [(old: Buried, new: (number: Int, uri: String, isAdded: Bool))] {
        var portables: [String] = []
        try Query(db, "SELECT portable FROM unsettled").each { portables.append($0.text(0)) }
        if portables.isEmpty { return [] }
        try Query(db, "DELETE FROM unsettled").run()
        return try portables.flatMap { portable in
            let (gone, there) = try (
                buried("portable = ?", [.text(portable)]), living("portable = ?", [.text(portable)])
            )
            let pairs = TwinMatch.pairs(gone.map(\.match), there.map(\.match)) {
                Self.mayBe(gone[$0], there[$1], scan)
            }
            return pairs.map { pair in
                let new = there[pair.new]
                return (gone[pair.old], (new.number, new.uri, scan.hasAdded(new.added, in: new.scan)))
            }
        }
    }
}

extension FileRows.Buried {
    fileprivate init(_ row: Query.Row) {
        self.init(
            number: row.int(0),
            was: row.text(1),
            added: row.int(2),
            gone: row.int(3),
            inode: row.int(4),
            scan: row.int(5)
        )
    }

    fileprivate var match: TwinMatch.File { .init(uri: was, inode: inode) }
}

extension FileRows.Living {
    fileprivate var match: TwinMatch.File { .init(uri: uri, inode: inode) }
}

/// The scan that a transaction belongs to.
struct Scanning {
    let isRunning: Bool
    let number: Int
    /// Files that appeared or disappeared since then may have been moved; in seconds since 1970.
    let started: Int
    /// Seconds since 1970.
    let now: Int

    /// Whether a file is new in this scan, given when it was added and which scan last read it.
    func hasAdded(_ added: Int, in scan: Int) -> Bool { scan == number && added >= started }

    /// - Parameter scan: `nil` when no scan is running.
    init(_ scan: ScanRecord?, now: Int) {
        isRunning = scan != nil
        number = scan?.number ?? 0
        started = scan?.started ?? now - 60
        self.now = now
    }
}
