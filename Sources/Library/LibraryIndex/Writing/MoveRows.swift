internal import GRDB
internal import Songs

/// Remembers which files were moved until all that names them has followed, whatever ends the server meanwhile.
struct MoveRows {
    private let insert: Query

    init(_ db: Database) throws {
        insert = try Query(db, "INSERT INTO move (file, old, new, scan, copy) VALUES (?, ?, ?, ?, ?)")
    }

    func add(_ number: Int, _ move: LibraryOutcome.Move, _ scan: Scanning) throws {
        insert.bind(1, number)
        insert.bind(2, move.from)
        insert.bind(3, move.to)
        insert.bind(4, scan.number)
        insert.bind(5, move.isToCopy ? 1 : 0)
        try insert.run()
    }
}

/// Moves that stickers, queues and playlists are to follow.
package struct PendingMoves: Sendable, Hashable {
    /// From where a file was to where it is now; the tracks of a CUE sheet move with it.
    ///
    /// All at the same time: where one was, another one may be now.
    package let moves: [LibraryOutcome.Move]
    /// What `forgetMoves` is to be told when they were followed.
    package let last: Int
}

extension LibraryReader {
    /// The moves that were not followed, but for those up to `last`.
    ///
    /// Those of a scan that has not ended are not told yet: where one file has gone to, another one may still be thought to be.
    ///
    /// - Parameter isRepeated: Whether they may have been followed all the same. Then what is said of a place where another
    ///   file is now is that one's, unless it has just come there itself.
    package func moves(after last: Int, isRepeated: Bool = false) throws(LibraryError) -> PendingMoves {
        try library.read { db in
            var end = last
            var steps: [(id: Int, file: Int, from: String)] = []
            var places: [Int: (uri: String, isCopy: Bool)] = [:]
            // The last move of a file to a copy of it: what is said of its places before is merged with what is said of that.
            var copies: [Int: Int] = [:]
            try Query(
                db,
                "SELECT id, file, old, new, copy FROM move WHERE id > ? AND scan <> ? ORDER BY id",
                [.int(last), .int(ScanRecord.current(db)?.number ?? -1)]
            ).each { row in
                end = row.int(0)
                let file = row.int(1)
                // What has followed none or all of a file's moves may have followed some as well; of a copy something may be said.
                if isRepeated || places[file]?.isCopy != false { steps.append((end, file, row.text(2))) }
                places[file] = (row.text(3), row.int(4) != 0)
                if row.int(4) != 0 { copies[file] = end }
            }
            if isRepeated {
                let targets = Set(places.values.map { ExactText($0.uri) })
                try steps.removeAll { step in
                    try !targets.contains(ExactText(step.from)) && number(ofFile: step.from, db) != nil
                }
            }
            let tracks = try Query(db, "SELECT max(number) FROM track WHERE sheet = ?")
            var moves: [LibraryOutcome.Move] = []
            for (id, file, from) in steps {
                guard let to = places[file]?.uri, !isSame(from, to) else { continue }
                let isToCopy = copies[file].map { id <= $0 } ?? false
                moves.append(.init(from: from, to: to, isToCopy: isToCopy))
                tracks.bind(1, file)
                let count = try tracks.first { $0.int(0) } ?? 0
                moves += (0..<count).map { index in
                    let name = trackName(index + 1)
                    return .init(from: uri(name, in: from), to: uri(name, in: to), isToCopy: isToCopy)
                }
            }
            return PendingMoves(moves: moves, last: end)
        }
    }

    private func number(ofFile uri: String, _ db: Database) throws -> Int? {
        let (folder, name) = parts(ofURI: uri)
        return try Query(
            db,
            "SELECT file.id FROM directory CROSS JOIN file ON file.directory = directory.id WHERE path = ? AND name = ?",
            [.text(folder), .text(name)]
        ).first { $0.int(0) }
    }
}

extension LibraryWriter {
    /// Notes that moves were followed.
    package func forgetMoves(through last: Int) throws(LibraryError) {
        try library.write { db in try Query(db, "DELETE FROM move WHERE id <= ?", [.int(last)]).run() }
    }
}
