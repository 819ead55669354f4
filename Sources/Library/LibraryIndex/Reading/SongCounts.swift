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
        try library.read { db in
            let clause = try FilterCompiler.clause(filter, db)
            let found = try Query(
                db,
                "SELECT count(*), sum(milliseconds) FROM file WHERE tagset IS NOT NULL AND \(clause.text)",
                clause.arguments
            ).first { SongCount(value: "", songs: $0.int(0), milliseconds: $0.int(1)) }
            return found ?? SongCount(value: "", songs: 0, milliseconds: 0)
        }
    }

    /// The result with `group`: one count for each value of a tag, sorted by the values' bytes.
    package func count(_ filter: SongFilter?, group tag: TagType) throws(LibraryError) -> [SongCount] {
        try library.read { db in
            var rows = TagRows([tag])
            var sums: [UInt32: Sum] = [:]
            let clause = try FilterCompiler.clause(filter, db)
            let columns = tag.isShared ? "count(*), sum(milliseconds), NULL" : "1, milliseconds, file.own"
            try Query(
                db,
                """
                SELECT tagset.content, \(columns) FROM file CROSS JOIN tagset ON tagset.id = file.tagset
                WHERE file.tagset IS NOT NULL AND \(clause.text) \(tag.isShared ? "GROUP BY file.tagset" : "")
                """,
                clause.arguments
            ).each { row in
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
        try library.read { db in
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
}
