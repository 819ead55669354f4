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
