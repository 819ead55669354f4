internal import GRDB

/// A file or directory that cannot be used.
package struct LibraryProblem: Sendable, Hashable {
    package let uri: String
    /// A clause for messages.
    package let reason: String
}

extension LibraryReader {
    /// Why a file cannot be used, and its modification time in seconds when that was found.
    package func problem(ofFile uri: String) throws(LibraryError) -> (reason: String, modified: Int)? {
        try library.read { db in
            let query = try Query(
                db,
                """
                SELECT file.problem, file.modified / 1000000000 FROM directory JOIN file ON file.directory = directory.id
                WHERE directory.path = ? AND file.name = ? AND file.problem IS NOT NULL AND file.gone IS NULL
                """
            )
            let (folder, name) = parts(ofURI: uri)
            query.bind(1, folder)
            query.bind(2, name)
            return try query.first { row in (reason: row.text(0), modified: row.int(1)) }
        }
    }

    /// All files and directories that cannot be used, sorted by URI.
    ///
    /// None of them are visible songs.
    package func problems() throws(LibraryError) -> [LibraryProblem] {
        if visible != nil { return [] }
        return try library.read { db in
            var problems: [LibraryProblem] = []
            try Query(db, "SELECT path, problem FROM directory WHERE problem IS NOT NULL").each { row in
                problems.append(LibraryProblem(uri: row.text(0), reason: row.text(1)))
            }
            try Query(
                db,
                """
                SELECT path, name, file.problem FROM file JOIN directory ON directory.id = file.directory
                WHERE file.problem IS NOT NULL
                """
            ).each { row in
                problems.append(LibraryProblem(uri: uri(row.text(1), in: row.text(0)), reason: row.text(2)))
            }
            return problems.sorted { $0.uri < $1.uri }
        }
    }

    /// Files with the same sound, regardless of tags and names; each group sorted by URI.
    package func duplicates() throws(LibraryError) -> [[String]] {
        try library.read { db in
            var groups: [[String]] = []
            var last: String?
            try Query(
                db,
                """
                SELECT portable, path, name FROM file JOIN directory ON directory.id = file.directory
                WHERE gone IS NULL AND kind <> 3 AND portable IN (
                    SELECT portable FROM file WHERE portable IS NOT NULL AND gone IS NULL GROUP BY portable HAVING count(*) > 1
                ) ORDER BY portable, path, name
                """
            ).each { row in
                if last != row.text(0) { groups.append([]) }
                last = row.text(0)
                groups[groups.count - 1].append(uri(row.text(2), in: row.text(1)))
            }
            if let visible {
                groups = groups.map { $0.filter(visible.contains) }.filter { $0.count > 1 }
            }
            return groups.sorted { ($0.first ?? "") < ($1.first ?? "") }
        }
    }
}
