internal import GRDB
package import LibraryScan
internal import MediaHeaders

/// Locations of pictures, as of the last scan.
extension LibraryReader {
    /// Whether a file has an embedded picture, and the file's state then; `nil` when the library does not know.
    package func picture(inFile uri: String) throws(LibraryError) -> (file: KnownFile, hasPicture: Bool)? {
        try library.read { db in
            let (folder, name) = parts(ofURI: uri)
            return try Query(
                db,
                """
                SELECT file.size, file.modified, file.inode, detail.cover FROM directory
                JOIN file ON file.directory = directory.id JOIN detail ON detail.id = file.id
                WHERE directory.path = ? AND file.name = ? AND file.problem IS NULL
                """,
                [.text(folder), .text(name)]
            ).first { row in
                let file = KnownFile(
                    size: row.int(0),
                    modified: Int64(row.int(1)),
                    inode: UInt64(UInt(bitPattern: row.int(2)))
                )
                return (file, ScannedFile.Cover(number: row.int(3)) == .embedded)
            }
        }
    }

    /// The name of the picture that stands for a directory's songs without pictures, and the directory's modification
    /// time in seconds since 1970; `nil` when there is none.
    package func cover(inDirectory uri: String) throws(LibraryError) -> (name: String, modified: Int)? {
        try library.read { db in
            try Query(
                db,
                "SELECT cover, modified FROM directory WHERE path = ? AND cover IS NOT NULL",
                [.text(uri)]
            ).first { ($0.text(0), $0.int(1)) }
        }
    }
}
