import MediaLibrary
import MediaScan
import Songs
import Testing

/// Databases of earlier versions: what they did not know is found out by the next update, and nothing else is read again.
@Suite struct MigrationTests {
    private let library: TemporaryLibrary

    init() throws { library = try TemporaryLibrary() }

    /// Opens the database as if it had been made before a migration.
    private func reopen(before migration: Int, _ sql: [String]) throws {
        library.library.close()
        for statement in sql { try library.edit(statement) }
        try library.edit("DELETE FROM grdb_migrations WHERE CAST(identifier AS INTEGER) >= \(migration)")
        library.library = try Library(path: library.path)
    }

    private func unread(_ folder: String) throws -> [String] {
        try library.reader.files(in: folder).filter { $0.value.inode == 0 }.map(\.key.text).sorted()
    }

    @Test func sheetsThatHaveNoIdentityAreExaminedAgain() throws {
        var sheet = file("a/album.cue", inode: 3)
        sheet.kind = .playlist
        var list = file("a/list.m3u", inode: 4)
        list.kind = .playlist
        var (disc, song) = (
            file("b/disc.flac", duration: 3_000, inode: 5), file("b/song.flac", duration: 200, inode: 6)
        )
        for index in [0, 1] {
            var file = index == 0 ? disc : song
            (file.codec, file.cover) = ("flac", .embedded)
            if index == 0 { disc = file } else { song = file }
        }
        let plain = file("c/plain.mp3", duration: 3_000, inode: 7)
        try library.add([sheet, list, disc, song, plain])
        try library.edit("UPDATE directory SET fingerprint = 9")
        #expect(try unread("a") + unread("b") + unread("c") == [])
        try reopen(
            before: 5,
            [
                "DROP INDEX file_living", "DROP INDEX file_buried", "CREATE INDEX file_portable ON file (portable)",
                "DROP TABLE unsettled", "ALTER TABLE move DROP COLUMN scan", "ALTER TABLE move DROP COLUMN copy",
            ]
        )
        #expect(try unread("a") == ["album.cue"])
        #expect(try unread("b") == ["disc.flac"])
        #expect(try unread("c") == [])
        let folders = try library.reader.folders().filter { $0.value.fingerprint == .none }
        #expect(folders.keys.map(\.text).sorted() == ["a", "b"])
        // With an identity it is what it was.
        let number = try library.reader.identify(["a/album.cue"])
        sheet.portableID = "sheet"
        #expect(try library.add([sheet]).changed == 1)
        #expect(number == [.one(uri: "a/album.cue", portableID: nil)])
        #expect(try library.reader.identify(["sheet"]) == [.none(portableID: nil, was: [])])
        #expect(try library.reader.identify(["a/album.cue"]) == [.one(uri: "a/album.cue", portableID: "sheet")])
    }
}
