internal import GRDB
internal import Playlists
internal import Songs

/// The order of the songs in a directory.
enum SongOrder {
    /// Renumbers a directory's songs if their order has changed.
    static func settle(_ directory: Int, _ db: Database) throws {
        let isSettled =
            try Query(db, "SELECT unordered = 0 FROM directory WHERE id = ?", [.int(directory)]).first {
                $0.int(0) != 0
            }
        guard isSettled == false else { return }
        var keys: [String: CollationKey] = [:]
        var songs: [(order: AlbumOrder, number: Int, position: Int)] = []
        try Query(
            db,
            """
            SELECT file.id, name, position, lines FROM file JOIN block ON block.id = file.id
            WHERE directory = ? AND tagset IS NOT NULL
            """,
            [.int(directory)]
        ).each { row in
            var order = AlbumOrder(name: row.text(1))
            unsafe row.withBytes(3) { lines in
                unsafe SongLines.forEachTag(lines) { tag, value in
                    order.take(tag, unsafe String(decoding: value, as: UTF8.self)) { album in
                        let key = keys[album] ?? CollationKey(album)
                        keys[album] = key
                        return key
                    }
                }
            }
            songs.append((order, row.int(0), row.int(2)))
        }
        songs.sort { $0.order < $1.order }
        let update = try Query(db, "UPDATE file SET position = ? WHERE id = ?")
        for (position, song) in songs.enumerated() where song.position != position {
            update.bind(1, position)
            update.bind(2, song.number)
            try update.run()
        }
        try Query(db, "UPDATE directory SET unordered = 0 WHERE id = ?", [.int(directory)]).run()
    }
}
