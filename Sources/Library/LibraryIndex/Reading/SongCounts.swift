internal import GRDB
package import SongFilters
package import Songs

/// A number of songs and their total duration.
package struct SongCount: Sendable, Hashable {
    /// The value of the tag that songs are grouped by; empty without grouping.
    package let value: String
    package let songs: Int
    package let milliseconds: Int
}

/// The library's part of `stats`.
package struct LibraryStats: Sendable, Hashable {
    package var artists = 0
    package var albums = 0
    package var songs = 0
    package var milliseconds = 0
    /// The end of the last scan, in seconds since 1970; `nil` before the first has finished.
    package var updated: Int?

    package init() {}
}

private struct Sum {
    var songs = 0
    var milliseconds = 0

    mutating func add(_ other: Self) {
        songs += other.songs
        milliseconds += other.milliseconds
    }
}

extension LibraryReader {
    /// The result of `count` and `searchcount`.
    package func count(_ filter: SongFilter?) throws(LibraryError) -> SongCount {
        let generation = library.generation
        return try library.read { db in
            switch try FilterCompiler.selection(filter, db, visible, limit: sortLimit) {
            case .clause(let clause): return try SongCount(count(clause, db))
            case .values(let lists):
                let table = try library.songTable(db, generation)
                var sum = Sum()
                for place in try table.places(having: lists, db)
                where visible?.contains(number: Int(table.songs[place])) != false {
                    sum.add(Sum(songs: 1, milliseconds: Int(table.durations[place])))
                }
                return SongCount(sum)
            }
        }
    }

    private func count(_ clause: Clause, _ db: Database) throws -> Sum {
        if let visible { return try visible.sum(clause, db) }
        return try Query(
            db,
            "SELECT count(*), sum(milliseconds) FROM file WHERE tagset IS NOT NULL AND \(clause.text)",
            clause.arguments
        ).first { Sum(songs: $0.int(0), milliseconds: $0.int(1)) } ?? Sum()
    }

    /// The result with `group`: one count for each value of a tag, sorted by the values' bytes.
    package func count(_ filter: SongFilter?, group tag: TagType) throws(LibraryError) -> [SongCount] {
        try library.read { db in
            var rows = TagRows([tag])
            var sums: [UInt32: Sum] = [:]
            let clause = try FilterCompiler.clause(filter, db, visible)
            let isGrouped = tag.isShared && visible == nil
            let columns = isGrouped ? "count(*), sum(milliseconds), NULL" : "1, milliseconds, file.own"
            try Query(
                db,
                """
                SELECT tagset.content, \(columns), file.id FROM file CROSS JOIN tagset ON tagset.id = file.tagset
                WHERE file.tagset IS NOT NULL AND \(clause.text) \(isGrouped ? "GROUP BY file.tagset" : "")
                """,
                clause.arguments
            ).each { row in
                if visible?.contains(number: row.int(4)) == false { return }
                unsafe row.withBytes(0) { unsafe rows.read($0) }
                unsafe row.withBytes(3) { unsafe rows.read($0) }
                rows.endSong()
                let sum = Sum(songs: row.int(1), milliseconds: row.int(2))
                for number in rows.numbers { sums[number, default: Sum()].add(sum) }
                rows.removeAll()
            }
            let ranks = try TextRanks(db, Array(sums.keys), of: [tag])
            var byText: [UInt32: Sum] = [:]
            for (number, sum) in sums { byText[ranks.rank(number), default: Sum()].add(sum) }
            return byText.sorted { $0.key < $1.key }.map { rank, sum in
                SongCount(
                    value: String(decoding: ranks.text(rank), as: UTF8.self),
                    songs: sum.songs,
                    milliseconds: sum.milliseconds
                )
            }
        }
    }

    /// The library's part of `stats`.
    package func stats() throws(LibraryError) -> LibraryStats {
        if let visible { return try stats(of: visible) }
        return try library.stats { db in
            var stats = LibraryStats()
            let values = try Query(db, "SELECT count(*) FROM value WHERE tag = ?")
            for (tag, target) in [(TagType.artist, \LibraryStats.artists), (.album, \.albums)] {
                values.bind(1, Int(tag.rawValue))
                stats[keyPath: target] = try values.first { $0.int(0) } ?? 0
            }
            _ = try Query(db, "SELECT count(*), sum(milliseconds) FROM file WHERE tagset IS NOT NULL").first { row in
                stats.songs = row.int(0)
                stats.milliseconds = row.int(1)
            }
            stats.updated = try Query(db, "SELECT max(ended) FROM scan").first { $0.optionalInt(0) } ?? nil
            return stats
        }
    }

    private func stats(of visible: VisibleSongs) throws(LibraryError) -> LibraryStats {
        try library.read { db in
            var stats = LibraryStats()
            var sum = Sum()
            let tags: [TagType] = [.artist, .album]
            var values: [Set<UInt32>] = tags.map { _ in [] }
            var rows = tags.map { TagRows([$0]) }
            try Query(
                db,
                """
                SELECT file.id, milliseconds, tagset.content, file.own FROM file
                CROSS JOIN tagset ON tagset.id = file.tagset WHERE file.tagset IS NOT NULL AND \(visible.clause.text)
                """,
                visible.clause.arguments
            ).each { row in
                guard visible.contains(number: row.int(0)) else { return }
                sum.add(Sum(songs: 1, milliseconds: row.int(1)))
                for index in rows.indices {
                    unsafe row.withBytes(2) { unsafe rows[index].read($0) }
                    unsafe row.withBytes(3) { unsafe rows[index].read($0) }
                    rows[index].endSong()
                    values[index].formUnion(rows[index].numbers)
                    rows[index].removeAll()
                }
            }
            // Zero stands for an absent tag.
            (stats.artists, stats.albums) = (values[0].subtracting([0]).count, values[1].subtracting([0]).count)
            (stats.songs, stats.milliseconds) = (sum.songs, sum.milliseconds)
            stats.updated = try Query(db, "SELECT max(ended) FROM scan").first { $0.optionalInt(0) } ?? nil
            return stats
        }
    }
}

extension SongCount {
    fileprivate init(_ sum: Sum) { self.init(value: "", songs: sum.songs, milliseconds: sum.milliseconds) }
}

extension VisibleSongs {
    /// Counts the songs that a clause selects.
    fileprivate func sum(_ clause: Clause, _ db: Database) throws -> Sum {
        var sum = Sum()
        try Query(
            db,
            "SELECT id, milliseconds FROM file WHERE tagset IS NOT NULL AND \(clause.text)",
            clause.arguments
        ).each { row in
            if contains(number: row.int(0)) { sum.add(Sum(songs: 1, milliseconds: row.int(1))) }
        }
        return sum
    }
}
