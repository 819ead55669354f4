package import Charsets
internal import GRDB
package import LibraryScan
package import Songs

/// Queries that a scan makes before it reads files.
extension LibraryReader {
    /// All directories by URI, without those that represent CUE sheets.
    package func folders() throws(LibraryError) -> [ExactText: KnownFolder] {
        try library.read { db in
            var folders: [ExactText: KnownFolder] = [:]
            try Query(db, "SELECT path, fingerprint, mount, modified FROM directory WHERE sheet IS NULL").each { row in
                let fingerprint = FolderFingerprint(rawValue: UInt64(UInt(bitPattern: row.int(1))))
                folders[ExactText(row.text(0))] = KnownFolder(
                    fingerprint: fingerprint,
                    isMountPoint: row.int(2) != 0,
                    modified: row.int(3)
                )
            }
            return folders
        }
    }

    /// The files in a directory by name, without tracks of CUE sheets.
    package func files(in directory: String) throws(LibraryError) -> [ExactText: KnownFile] {
        try library.read { db in
            var files: [ExactText: KnownFile] = [:]
            try Query(
                db,
                """
                SELECT name, size, file.modified, file.inode FROM directory JOIN file ON file.directory = directory.id
                WHERE directory.path = ? AND kind <> 4
                """,
                [.text(directory)]
            ).each { row in
                files[ExactText(row.text(0))] = KnownFile(
                    size: row.int(1),
                    modified: Int64(row.int(2)),
                    inode: UInt64(UInt(bitPattern: row.int(3)))
                )
            }
            return files
        }
    }

    /// The scan in progress, or the one that was interrupted by the server's end.
    package func unfinishedScan() throws(LibraryError) -> ScanRecord? {
        try library.read { db in try ScanRecord.current(db) }
    }

    /// The music directory that was last scanned completely; `nil` before the first scan has finished.
    package func completeRoot() throws(LibraryError) -> String? {
        try library.read { db in
            try Query(db, "SELECT value FROM property WHERE name = 'complete-root'").first { $0.text(0) }
        }
    }
}

extension LibraryWriter {
    /// Has the next update reread the files whose character sets are others by the rules now than when they were read.
    ///
    /// - Returns: Whether there may be any.
    package func read(in charsets: CharsetRules) throws(LibraryError) -> Bool {
        let before = try library.read { db in
            try Query(db, "SELECT value FROM property WHERE name = 'charsets'").first { $0.text(0) } ?? ""
        }
        let now = charsets.folderText
        guard before != now else { return false }
        let (old, new) = (Set(before.split(separator: "\n")), Set(now.split(separator: "\n")))
        try library.write { db in
            for line in old.symmetricDifference(new) {
                let place = String(line.prefix { $0 != "\t" })
                for statement in Schema.rereading(Self.below(place)) { try db.execute(sql: statement) }
            }
            try Query(db, "INSERT OR REPLACE INTO property (name, value) VALUES ('charsets', ?)", [.text(now)]).run()
        }
        return true
    }

    /// The condition for the files in a folder and those below it.
    private static func below(_ folder: String) -> String {
        guard !folder.isEmpty else { return "gone IS NULL" }
        // Letter by letter: a mark behind a quote does not make another letter of it here.
        let path = String(String.UnicodeScalarView(folder.unicodeScalars.flatMap { $0 == "'" ? [$0, $0] : [$0] }))
        return
            "gone IS NULL AND directory IN (SELECT id FROM directory WHERE path = '\(path)' OR substr(path, 1, \(folder.unicodeScalars.count + 1)) = '\(path)/')"
    }

    /// Stores which music directory was scanned completely.
    package func setCompleteRoot(_ root: String) throws(LibraryError) {
        try library.write { db in
            try Query(
                db,
                "INSERT OR REPLACE INTO property (name, value) VALUES ('complete-root', ?)",
                [.text(root)]
            ).run()
        }
    }
}

extension CharsetRules {
    /// The rules of folders, a line each; the empty folder stands for all.
    fileprivate var folderText: String {
        let folders = places.filter { !$0.key.contains("://") }
        let lines = folders.map { folder, charset in
            (folder.hasSuffix("/") ? String(folder.dropLast()) : folder) + "\t" + charset.name
        }
        return (lines + (everywhere.map { ["\t" + $0.name] } ?? [])).sorted().joined(separator: "\n")
    }
}
