internal import GRDB
internal import Songs

/// Stores moves of files until everything that names them has been updated, even across restarts.
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

/// Moves that stickers, queues and playlists have to follow.
package struct PendingMoves: Sendable, Hashable {
    /// From a file's old URI to its current one; the tracks of a CUE sheet move with it.
    ///
    /// The moves are simultaneous: a file's old place may be another one's new place.
    package let moves: [LibraryOutcome.Move]
    /// The argument for `forgetMoves` once they have been followed.
    package let last: Int
}

extension LibraryReader {
    /// The moves that have not been followed, after number `last`.
    ///
    /// Moves of an unfinished scan are left out, since their matches may still change.
    ///
    /// - Parameter isRepeated: Whether they may have been followed before. Then data about a place that another file
    ///   occupies now belongs to that file, unless it has just moved there itself.
    package func moves(after last: Int, isRepeated: Bool = false) throws(LibraryError) -> PendingMoves {
        try library.read { db in
            var end = last
            var steps: [(id: Int, file: Int, from: String)] = []
            var places: [Int: (uri: String, isCopy: Bool)] = [:]
            // Each file's last move onto a copy of itself: data about its places before that is merged with the copy's.
            var copies: [Int: Int] = [:]
            try Query(
                db,
                "SELECT id, file, old, new, copy FROM move WHERE id > ? AND scan <> ? ORDER BY id",
                [.int(last), .int(ScanRecord.current(db)?.number ?? -1)]
            ).each { row in
                end = row.int(0)
                let file = row.int(1)
                // Each user of the names may have followed any number of these moves; a copy may have data of its own.
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
    /// Deletes moves that have been followed.
    package func forgetMoves(through last: Int) throws(LibraryError) {
        try library.write { db in try Query(db, "DELETE FROM move WHERE id <= ?", [.int(last)]).run() }
    }
}
