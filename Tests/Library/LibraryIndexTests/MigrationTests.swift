import AudioTypes
import Charsets
import LibraryIndex
import LibraryScan
import MediaHeaders
import PictureValues
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

    /// What is taken back for the databases before.
    private static let twelfth =
        [
            "DROP INDEX detail_unmeasured", "ALTER TABLE detail DROP COLUMN unmeasured", "DROP TABLE loudness",
        ] + sixteenth
    private static let sixteenth = [
        "DROP INDEX detail_content", "ALTER TABLE detail DROP COLUMN content",
        "ALTER TABLE detail DROP COLUMN subtypes",
    ]
    private static let tenth = ["DROP INDEX file_media", "ALTER TABLE detail DROP COLUMN zone"] + twelfth

    @Test func songsWithoutGainAreMeasured() throws {
        var tagged = file("b.flac", portable: "two")
        tagged.replayGain.albumGain = -1
        var picture = file("c.jpg", portable: "three")
        picture.kind = .image
        try library.add([file("a.flac", portable: "one"), tagged, picture])
        try reopen(before: 12, Self.twelfth)
        #expect(try library.reader.unmeasuredSongs(after: 0, limit: 9).map(\.uri) == ["a.flac"])
        try library.add([file("d.flac", portable: "four")])
        #expect(try library.reader.loudnessCounts().unmeasured == 2)
    }

    /// Dates without zones, kinds of pictures that were not read, and videos that may have no sound.
    @Test func picturesAndVideosOfWhichMoreIsKnownNowAreExaminedAgain() throws {
        var files: [ScannedFile] = []
        for (uri, kind, width, date) in [
            ("a/1.jpg", .image, 10, "2024:05:17 18:30:00"), ("a/2.jpg", .image, 10, nil),
            ("a/3.heic", .image, nil, nil),
            ("b/1.mp4", .video, 10, nil), ("c/1.mp3", .audio, nil, nil), ("c/cover.jpg", .image, 10, nil),
        ] as [(String, ScannedFile.Kind, Int?, String?)] {
            var file = file(uri, inode: UInt64(files.count + 3))
            (file.kind, file.width, file.height) = (kind, width, width)
            (file.codec, file.duration, file.portableID) = ("alac", 200, uri)
            file.captured = date.flatMap { CaptureDate($0) }
            files.append(file)
        }
        try library.add(files)
        try library.edit("UPDATE directory SET fingerprint = 9")
        try reopen(before: 10, Self.tenth)
        // A later version examines all of them.
        #expect(try unread("a") == ["1.jpg", "2.jpg", "3.heic"])
        #expect(try unread("b") == ["1.mp4"])
        #expect(try unread("c") == ["cover.jpg"])
        var cursor = try #require(try MediaCursor(library.reader, "c"))
        #expect(try cursor.nextPage(limit: 10).map(\.uri) == ["c/cover.jpg"])
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
            file("b/disc.flac", duration: 3_000, portable: "disc", inode: 5),
            file("b/song.flac", duration: 200, portable: "song", inode: 6)
        )
        for index in [0, 1] {
            var file = index == 0 ? disc : song
            (file.codec, file.cover) = ("flac", .embedded)
            if index == 0 { disc = file } else { song = file }
        }
        var plain = file("c/plain.ogg", duration: 3_000, portable: "plain", inode: 7)
        plain.codec = "vorbis"
        try library.add([sheet, list, disc, song, plain])
        try library.edit("UPDATE directory SET fingerprint = 9")
        #expect(try unread("a") + unread("b") + unread("c") == [])
        try reopen(
            before: 5,
            [
                "DROP INDEX file_living", "DROP INDEX file_buried", "CREATE INDEX file_portable ON file (portable)",
                "DROP TABLE unsettled", "ALTER TABLE move DROP COLUMN scan", "ALTER TABLE move DROP COLUMN copy",
            ] + Self.tenth
        )
        #expect(try unread("a") == ["album.cue"])
        // A later version examines all FLAC and Ogg.
        #expect(try unread("b") == ["disc.flac", "song.flac"])
        #expect(try unread("c") == ["plain.ogg"])
        let folders = try library.reader.folders().filter { $0.value.fingerprint == .none }
        #expect(folders.keys.map(\.text).sorted() == ["a", "b", "c"])
        // With an identity it is what it was.
        let number = try library.reader.identify(["a/album.cue"])
        sheet.portableID = "sheet"
        #expect(try library.add([sheet]).changed == 1)
        #expect(number == [.one(uri: "a/album.cue", portableID: nil)])
        #expect(try library.reader.identify(["sheet"]) == [.none(portableID: nil, was: [])])
        #expect(try library.reader.identify(["a/album.cue"]) == [.one(uri: "a/album.cue", portableID: "sheet")])
    }

    /// Whatever may have ID3v2 or iTunes' tags, and what has several dates of one kind.
    @Test func filesWhoseTagsAreUnderstoodBetterAreExaminedAgain() throws {
        var files: [ScannedFile] = []
        for (name, codec, tags) in [
            ("a/1.mp3", "mp3", []), ("a/2.m4a", "aac", []), ("b/1.flac", "flac", [(.date, "2001"), (.title, "T")]),
            ("b/2.flac", "flac", [(.date, "2001"), (.date, "2001-02-03")]),
            ("b/3.ogg", "vorbis", [(.originalDate, "1999"), (.originalDate, "1999-05")]),
            ("c/1.flac", "flac", [(.artist, "A"), (.artist, "B")]), ("c/2.opus", "opus", []),
        ] as [(String, String, [(TagType, String)])] {
            var file = file(name, tags, duration: 200, portable: name, inode: UInt64(files.count + 3))
            file.codec = codec
            files.append(file)
        }
        try library.add(files)
        try library.edit("UPDATE directory SET fingerprint = 9")
        try reopen(before: 9, Self.tenth)
        #expect(try unread("a") == ["1.mp3", "2.m4a"])
        // A later version examines all of these.
        #expect(try unread("b") == ["1.flac", "2.flac", "3.ogg"])
        #expect(try unread("c") == ["1.flac", "2.opus"])
        let folders = try library.reader.folders().filter { $0.value.fingerprint == .none }
        #expect(folders.keys.map(\.text).sorted() == ["a", "b", "c"])
    }

    /// Tags that may have been another character set's, and those of Windows Media.
    @Test func textsInOtherCharacterSetsAreReadAgain() throws {
        var files: [ScannedFile] = []
        for (name, codec, title, album) in [
            ("a/1.mp3", "mp3", "Îäà", "A"), ("a/2.mp3", "mp3", "Ода", "A"), ("a/3.mp3", "mp3", "Ode", "A"),
            ("a/4.flac", "flac", "Îäà", "A"), ("b/5.wav", "pcm_s16le", "Ode", "Îäà"), ("c/6.mp3", "mp3", "Ode", "B"),
            ("b/7.wma", "wmav2", "Ode", "B"),
        ] {
            var file = file(name, duration: 200, portable: name, inode: UInt64(files.count + 3))
            file.codec = codec
            file.tags = [(.title, title), (.album, album)]
            files.append(file)
        }
        try library.add(files)
        try library.edit("UPDATE directory SET fingerprint = 9")
        try reopen(before: 15, Self.sixteenth)
        #expect(try unread("a") == ["1.mp3"])
        #expect(try unread("b") == ["5.wav", "7.wma"])
        #expect(try unread("c") == [])
    }

    /// A folder whose character set is another one by the configuration is read again, and no other.
    @Test func foldersWithAnotherCharacterSetAreReadAgain() throws {
        let names = ["Kino/1.mp3", "Kino/1988/2.mp3", "Kinoteka/3.mp3", "It's/4.mp3"]
        try library.add(names.enumerated().map { file($1, portable: $1, inode: UInt64($0 + 3)) })
        func changed(_ places: [String: String]) throws -> [String] {
            try library.edit("UPDATE directory SET fingerprint = 9")
            try library.edit("UPDATE file SET inode = 7")
            let charsets = places.compactMapValues { Charset(named: $0) }
            let isChange = try library.library.writer.read(in: CharsetRules(places: charsets))
            let folders = ["Kino", "Kino/1988", "Kinoteka", "It's"]
            let found = try folders.filter { try !unread($0).isEmpty }
            #expect(isChange || found.isEmpty)
            return found
        }
        #expect(try changed([:]) == [])
        #expect(try changed(["Kino/": "koi8-r", "http://radio.example": "koi8-r"]) == ["Kino", "Kino/1988"])
        #expect(try changed(["Kino": "koi8-r"]) == [])
        #expect(try changed(["Kino": "windows-1251", "It's": "koi8-r"]) == ["Kino", "Kino/1988", "It's"])
        #expect(try changed(["It's": "koi8-r"]) == ["Kino", "Kino/1988"])
        let all = CharsetRules(everywhere: Charset(named: "koi8-r"))
        try library.edit("UPDATE file SET inode = 7")
        #expect(try library.library.writer.read(in: all))
        #expect(try unread("Kinoteka") == ["3.mp3"])
    }

    /// Pictures and videos, which tell how they were made.
    @Test func picturesAndVideosAreExaminedAgain() throws {
        var files: [ScannedFile] = []
        for (name, kind) in [("a/1.jpg", .image), ("a/2.mp4", .video), ("a/3.flac", .audio), ("a/4.m3u", .playlist)]
            as [(String, ScannedFile.Kind)]
        {
            var file = file(name, inode: UInt64(files.count + 3))
            (file.kind, file.codec, file.subtypes) = (kind, "alac", .panorama)
            files.append(file)
        }
        try library.add(files)
        try library.edit("UPDATE directory SET fingerprint = 9")
        try reopen(before: 16, Self.sixteenth)
        #expect(try unread("a") == ["1.jpg", "2.mp4"])
        var cursor = try #require(try MediaCursor(library.reader, "", .kind(.panoramas)))
        #expect(try cursor.nextPage(limit: 9) == [])
        try library.add(files)
        cursor = try #require(try MediaCursor(library.reader, "", .kind(.panoramas)))
        #expect(try cursor.nextPage(limit: 9).map(\.uri) == ["a/1.jpg"])
    }

    /// MP3, FLAC without a length, WAV beyond 4 GiB, Ogg that was left to libavformat, and Opus with a gain.
    @Test func filesWhoseLengthsAreReadBetterAreExaminedAgain() throws {
        var files: [ScannedFile] = []
        for (name, codec, duration, portable, size) in [
            ("a/1.mp3", "mp3", 200, "1", 9), ("a/2.flac", "flac", nil, "2", 9), ("a/3.flac", "flac", 200, "3", 9),
            ("a/4.wav", "pcm_s16le", 200, "4", 5_000_000_000), ("a/5.wav", "pcm_s16le", 200, "5", 9),
            ("b/6.ogg", "vorbis", 200, nil, 9), ("c/7.ogg", "vorbis", 200, "7", 9), ("c/8.m4a", "aac", 200, "8", 9),
            ("b/9.opus", "opus", 200, "9", 9), ("c/10.opus", "opus", 200, "10", 9),
        ] as [(String, String, Double?, String?, Int)] {
            var file = file(name, duration: duration, portable: portable, inode: UInt64(files.count + 3))
            (file.codec, file.size) = (codec, size)
            if name == "b/9.opus" { file.replayGain.trackGain = -3 }
            files.append(file)
        }
        try library.add(files)
        try library.edit("UPDATE directory SET fingerprint = 9")
        try reopen(before: 13, Self.sixteenth)
        // A later version examines all FLAC and Ogg.
        #expect(try unread("a") == ["1.mp3", "2.flac", "3.flac", "4.wav"])
        #expect(try unread("b") == ["6.ogg", "9.opus"])
        #expect(try unread("c") == ["10.opus", "7.ogg"])
    }

    /// FLAC, Ogg and short MP3, which may be no songs.
    @Test func filesThatMayNotBePlayedAreExaminedAgain() throws {
        var files: [ScannedFile] = []
        for (name, codec, duration) in [
            ("a/1.mp3", "mp3", 200), ("a/2.mp3", "mp3", 0), ("a/3.mp3", "mp3", 0.5), ("a/4.flac", "flac", 200),
            ("a/5.ogg", "vorbis", 200), ("a/6.opus", "opus", 200), ("b/7.wav", "pcm_s16le", 0.5),
            ("b/8.m4a", "aac", 200), ("b/9.spx", "speex", 200),
        ] as [(String, String, Double)] {
            var file = file(name, duration: duration, portable: name, inode: UInt64(files.count + 3))
            file.codec = codec
            files.append(file)
        }
        try library.add(files)
        try library.edit("UPDATE directory SET fingerprint = 9")
        try reopen(before: 14, Self.sixteenth)
        #expect(try unread("a") == ["2.mp3", "3.mp3", "4.flac", "5.ogg", "6.opus"])
        #expect(try unread("b") == [])
    }
}
