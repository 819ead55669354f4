import Foundation
import TestSupport

/// What clients see of a library, but for when its songs came into it.
enum LibraryPicture {
    static func of(_ server: Segued) throws -> [String] {
        try server.connect().order("listallinfo").filter { !$0.hasPrefix("Added: ") }
    }

    /// What a server sees that has never seen the music before.
    static func fresh(_ music: String) async throws -> [String] {
        let server = try await Segued.start(music: music)
        defer { server.process.end() }
        return try of(server)
    }

    /// The first lines that differ, for a report.
    static func difference(_ server: Segued, _ expected: [String]) throws -> String {
        let lines = try of(server).difference(from: expected).prefix(12)
        return lines.map { change in
            switch change {
            case .insert(let place, let line, _): "+\(place) \(line)"
            case .remove(let place, let line, _): "-\(place) \(line)"
            }
        }.joined(separator: "\n")
    }

    /// What SQLite finds wrong in the database of a server that was killed.
    static func integrity(_ database: String) throws -> String {
        // A copy, so that the server finds the log that it left.
        let folder = try TemporaryFolder()
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: database + suffix) {
            try FileManager.default.copyItem(atPath: database + suffix, toPath: folder.file("copy" + suffix))
        }
        let program =
            "import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute('PRAGMA integrity_check').fetchall())"
        return try ChildProcess.run(Tools.python, ["-c", program, folder.file("copy")]).outputText
    }

    static let missing =
        (try? ChildProcess.run(Tools.python, ["-c", "import sqlite3"])) == nil ? ["python3"] : []
}
