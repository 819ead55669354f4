private import Cryptography
internal import GRDB
private import Songs
private import TextEncodings

/// The tables, and the migrations from older versions.
///
/// A song is a file with a tag set. Tags that are common to the songs of an album are stored once for all of them as a
/// `tagset`; the others are the song's own (`TagType.isShared`). Each value is stored once, with its folded form.
enum Schema {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { db in
            for statement in first { try db.execute(sql: statement) }
        }
        migrator.registerMigration("2") { db in
            for statement in second { try db.execute(sql: statement) }
        }
        migrator.registerMigration("3") { db in
            // Estimated durations, which are measured in idle time.
            try db.execute(sql: "CREATE INDEX detail_estimated ON detail (id) WHERE is_exact = 0 AND codec = 'mp3'")
        }
        migrator.registerMigration("4") { db in
            for statement in fourth { try db.execute(sql: statement) }
        }
        migrator.registerMigration("5") { db in
            for statement in fifth { try db.execute(sql: statement) }
        }
        migrator.registerMigration("6") { db in
            for statement in sixth { try db.execute(sql: statement) }
        }
        migrator.registerMigration("7") { db in
            // Whether the file was moved onto a copy that had existed before.
            try db.execute(sql: "ALTER TABLE move ADD COLUMN copy INTEGER NOT NULL DEFAULT 0")
        }
        migrator.registerMigration("8") { db in
            // Also set for existing files: their former place, before they were moved.
            try db.execute(sql: "DROP INDEX file_was")
            try db.execute(sql: "CREATE INDEX file_was ON file (was) WHERE was IS NOT NULL")
        }
        migrator.registerMigration("9") { db in
            for statement in ninth { try db.execute(sql: statement) }
        }
        migrator.registerMigration("10") { db in
            for statement in tenth { try db.execute(sql: statement) }
        }
        migrator.registerMigration("11") { db in
            // With what `listall` shows, which then reads only the index.
            try db.execute(sql: "DROP INDEX file_position")
            try db.execute(
                sql: "CREATE INDEX file_position ON file (directory, position, id, name, kind) WHERE tagset IS NOT NULL"
            )
        }
        migrator.registerMigration("12") { db in
            for statement in twelfth { try db.execute(sql: statement) }
        }
        migrator.registerMigration("13") { db in
            for statement in thirteenth { try db.execute(sql: statement) }
        }
        migrator.registerMigration("14") { db in
            for statement in fourteenth { try db.execute(sql: statement) }
        }
        migrator.registerMigration("15") { db in
            for statement in fifteenth { try db.execute(sql: statement) }
        }
        migrator.registerMigration("16") { db in
            for statement in sixteenth { try db.execute(sql: statement) }
            // The secret of which clients' names for items are made.
            let key = [UInt8].random(count: 32).hexadecimal
            try db.execute(sql: "INSERT OR IGNORE INTO property VALUES ('asset-key', ?)", arguments: [key])
        }
        return migrator
    }

    /// How loud sounds are, whatever files they are in; and which songs have no loudness that is known or can be.
    private static let twelfth = [
        // `blocks` as `LoudnessBlocks.bytes`; `lufs` is NULL for silence.
        "CREATE TABLE loudness (sound TEXT PRIMARY KEY, lufs REAL, peak REAL NOT NULL, blocks BLOB NOT NULL)",
        "ALTER TABLE detail ADD COLUMN unmeasured INTEGER NOT NULL DEFAULT 0",
        """
        UPDATE detail SET unmeasured = 1 WHERE track_gain IS NULL AND album_gain IS NULL AND id IN (
            SELECT file.id FROM file JOIN block ON block.id = file.id WHERE portable IS NOT NULL AND gone IS NULL
        )
        """,
        "CREATE INDEX detail_unmeasured ON detail (id) WHERE unmeasured = 1",
    ]

    /// Lengths are read better: of MP3 files that were joined, of FLAC without a length, of WAV beyond 4 GiB, and of Ogg with
    /// several streams, which libavformat had read and which have no identity; and the gain of Opus.
    private static let thirteenth = rereading(
        """
        kind = 0 AND gone IS NULL AND id IN (
            SELECT detail.id FROM detail JOIN file ON file.id = detail.id WHERE codec = 'mp3'
            OR codec = 'flac' AND milliseconds IS NULL
            OR codec LIKE 'pcm%' AND size >= 4294967295
            OR codec IN ('vorbis', 'opus', 'speex', 'flac') AND portable IS NULL
            OR codec = 'opus' AND track_gain IS NOT NULL
        )
        """
    )

    /// FLAC, Ogg and very short MP3 files are songs only if they can be played.
    private static let fourteenth = rereading(
        """
        kind = 0 AND gone IS NULL AND id IN (
            SELECT detail.id FROM detail JOIN file ON file.id = detail.id
            WHERE codec IN ('flac', 'vorbis', 'opus') OR codec = 'mp3' AND milliseconds < 1000
        )
        """
    )

    /// Texts in other character sets are read: tags that were taken for Latin-1, and CUE sheets; and all values of Windows
    /// Media's tags.
    private static let fifteenth = rereading(
        """
        gone IS NULL AND (
            kind = 3 AND name LIKE '%.cue'
            OR kind = 0 AND id IN (SELECT id FROM detail WHERE codec LIKE 'wma%')
            OR kind = 0 AND id IN (SELECT id FROM detail WHERE codec = 'mp3' OR codec LIKE 'pcm%') AND (
                tagset IN (SELECT tagset FROM tagset_value JOIN value ON value.id = value WHERE \(isLatin1))
                OR id IN (SELECT file FROM file_value JOIN value ON value.id = value WHERE \(isLatin1))
            )
        )
        """
    )

    /// Pictures and videos tell how they were made, in numbers of `MediaSubtypes`; and which of them are a Live Photo.
    private static let sixteenth =
        [
            "ALTER TABLE detail ADD COLUMN subtypes INTEGER NOT NULL DEFAULT 0",
            "ALTER TABLE detail ADD COLUMN content TEXT",
            "CREATE INDEX detail_content ON detail (content) WHERE content IS NOT NULL",
        ] + rereading("kind IN (1, 2) AND gone IS NULL")

    /// Whether a text has characters beyond ASCII, all of which are Latin-1's.
    private static let isLatin1 = "text GLOB '*[\u{80}-\u{ff}]*' AND NOT text GLOB '*[\u{100}-\u{10ffff}]*'"

    private static let second = [
        // Moved files, until everything that names them has been updated. Numbers are never reused.
        "CREATE TABLE move (id INTEGER PRIMARY KEY AUTOINCREMENT, file INTEGER NOT NULL, old TEXT NOT NULL, new TEXT NOT NULL)",
        "CREATE INDEX file_gone ON file (gone, id) WHERE gone IS NOT NULL",
    ]

    private static let first = [
        // `folded` is the folded path or name, or NULL if that is ASCII.
        // `rank` never falls where `key` rises; among equal ranks, the keys decide. `modified` is in seconds.
        """
        CREATE TABLE directory (
            id INTEGER PRIMARY KEY, parent INTEGER, path TEXT NOT NULL UNIQUE, key BLOB NOT NULL, rank INTEGER NOT NULL,
            modified INTEGER NOT NULL DEFAULT 0, inode INTEGER NOT NULL DEFAULT 0, sheet INTEGER,
            unordered INTEGER NOT NULL DEFAULT 0, folded TEXT, fingerprint INTEGER NOT NULL DEFAULT 0,
            mount INTEGER NOT NULL DEFAULT 0, cover TEXT, problem TEXT
        )
        """,
        "CREATE INDEX directory_key ON directory (key)",
        "CREATE INDEX directory_parent ON directory (parent)",

        "CREATE TABLE format (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE)",

        // `modified` in nanoseconds, `added` and `gone` in seconds. A song has a tag set. A file that is gone is in no
        // directory, and keeps its last URI.
        """
        CREATE TABLE file (
            id INTEGER PRIMARY KEY, directory INTEGER NOT NULL, name TEXT NOT NULL, folded TEXT, kind INTEGER NOT NULL,
            size INTEGER NOT NULL, modified INTEGER NOT NULL, inode INTEGER NOT NULL, scan INTEGER NOT NULL,
            added INTEGER NOT NULL, gone INTEGER, was TEXT, portable TEXT, problem TEXT,
            tagset INTEGER, own BLOB, mask INTEGER NOT NULL DEFAULT 0, format INTEGER, milliseconds INTEGER,
            position INTEGER NOT NULL DEFAULT 0
        )
        """,
        "CREATE UNIQUE INDEX file_name ON file (directory, name)",
        "CREATE INDEX file_position ON file (directory, position) WHERE tagset IS NOT NULL",
        "CREATE INDEX file_tagset ON file (tagset, milliseconds) WHERE tagset IS NOT NULL",
        "CREATE INDEX file_added ON file (added) WHERE tagset IS NOT NULL",
        "CREATE INDEX file_modified ON file (modified / 1000000000) WHERE tagset IS NOT NULL",
        "CREATE INDEX file_mask ON file (mask) WHERE tagset IS NOT NULL",
        "CREATE INDEX file_portable ON file (portable) WHERE portable IS NOT NULL",
        "CREATE INDEX file_playlist ON file (directory) WHERE kind = 3",
        "CREATE INDEX file_problem ON file (directory) WHERE problem IS NOT NULL",
        "CREATE INDEX file_was ON file (was) WHERE gone IS NOT NULL",

        // A song's lines in the protocol's form.
        "CREATE TABLE block (id INTEGER PRIMARY KEY, lines BLOB NOT NULL)",
        """
        CREATE TABLE detail (
            id INTEGER PRIMARY KEY, codec TEXT, bit_rate INTEGER, is_exact INTEGER NOT NULL, cover INTEGER NOT NULL,
            track_gain REAL, track_peak REAL, album_gain REAL, album_peak REAL, width INTEGER, height INTEGER,
            orientation INTEGER, captured INTEGER, chapters BLOB, cue_sheet TEXT
        )
        """,
        // The tracks of CUE sheets, as in the sheets.
        """
        CREATE TABLE track (
            sheet INTEGER NOT NULL, number INTEGER NOT NULL, target TEXT NOT NULL, lines BLOB NOT NULL,
            PRIMARY KEY (sheet, number)
        ) WITHOUT ROWID
        """,
        "CREATE INDEX track_target ON track (target)",

        "CREATE TABLE value (id INTEGER PRIMARY KEY, tag INTEGER NOT NULL, text TEXT NOT NULL, folded TEXT NOT NULL)",
        "CREATE UNIQUE INDEX value_text ON value (tag, text)",
        "CREATE INDEX value_folded ON value (tag, folded)",
        """
        CREATE VIRTUAL TABLE value_trigram USING fts5 (
            folded, content = '', detail = none, columnsize = 0, tokenize = 'trigram case_sensitive 1'
        )
        """,
        "CREATE TABLE tagset (id INTEGER PRIMARY KEY, content BLOB NOT NULL UNIQUE, mask INTEGER NOT NULL)",
        // `is_first`: the first value of its tag in the song.
        """
        CREATE TABLE tagset_value (
            value INTEGER NOT NULL, tagset INTEGER NOT NULL, is_first INTEGER NOT NULL, PRIMARY KEY (value, tagset)
        ) WITHOUT ROWID
        """,
        """
        CREATE TABLE file_value (
            value INTEGER NOT NULL, file INTEGER NOT NULL, is_first INTEGER NOT NULL, PRIMARY KEY (value, file)
        ) WITHOUT ROWID
        """,

        // Properties of the library itself.
        "CREATE TABLE property (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",

        // At most one row: the scan in progress, or one that was interrupted by the server's end.
        """
        CREATE TABLE scan (
            number INTEGER PRIMARY KEY, uri TEXT NOT NULL, rereads INTEGER NOT NULL, started INTEGER NOT NULL, ended INTEGER
        )
        """,
    ]

    /// Rereads files with embedded CUE sheets, which are now also listed as playlists.
    private static let fourth = [
        """
        UPDATE directory SET fingerprint = 0 WHERE id IN (
            SELECT directory FROM file JOIN detail ON detail.id = file.id WHERE cue_sheet IS NOT NULL AND kind < 2
        )
        """,
        "UPDATE file SET modified = 0 WHERE kind < 2 AND id IN (SELECT id FROM detail WHERE cue_sheet IS NOT NULL)",
    ]

    private static let fifth =
        [
            // Sounds whose files are matched with each other at the end of the scan.
            "CREATE TABLE unsettled (portable TEXT PRIMARY KEY) WITHOUT ROWID",
            "ALTER TABLE move ADD COLUMN scan INTEGER NOT NULL DEFAULT 0",
        ] + rereading("kind = 3 AND portable IS NULL AND name LIKE '%.cue'")
        // FLAC's own CUE sheet was missed after a picture; a file that has one is a whole disc.
        + rereading(
            """
            kind = 0 AND milliseconds > 600000
            AND id IN (SELECT id FROM detail WHERE codec = 'flac' AND cover = 1 AND cue_sheet IS NULL)
            """
        )

    /// Separate indexes of existing files and of files that are gone, by sound: one sound may have thousands of files.
    private static let sixth = [
        "DROP INDEX file_portable",
        "CREATE INDEX file_living ON file (portable, inode) WHERE portable IS NOT NULL AND gone IS NULL",
        "CREATE INDEX file_buried ON file (portable, inode) WHERE portable IS NOT NULL AND gone IS NOT NULL",
    ]

    /// Tags are parsed better: those of ID3v2 and iTunes, so files without Vorbis comments are reread; and years beside
    /// dates, in any file.
    private static let ninth = rereading(
        """
        kind IN (0, 1, 5) AND gone IS NULL AND tagset IS NOT NULL AND (
            id IN (SELECT id FROM detail WHERE codec IS NULL OR codec NOT IN ('flac', 'vorbis', 'opus'))
            OR tagset IN (
                SELECT tagset FROM tagset_value JOIN value ON value.id = value
                WHERE tag IN (\(TagType.date.rawValue), \(TagType.originalDate.rawValue)) GROUP BY tagset, tag
                HAVING count(*) > 1
            )
        )
        """
    )

    /// Pictures and videos are listed: each folder's by name.
    ///
    /// Pictures of kinds whose headers are read now are reread, and so is what has a date, for its zone, and videos, of
    /// which those without sound are no songs.
    private static let tenth =
        [
            // Minutes east of UTC; NULL when unknown.
            "ALTER TABLE detail ADD COLUMN zone INTEGER",
            "CREATE INDEX file_media ON file (directory, name, kind) WHERE kind IN (1, 2) AND problem IS NULL",
        ]
        + rereading(
            """
            gone IS NULL AND (
                kind = 1
                OR kind = 2 AND id IN (SELECT id FROM detail WHERE width IS NULL OR captured IS NOT NULL)
            )
            """
        )

    /// Marks files for the next update to reread.
    static func rereading(_ condition: String) -> [String] {
        [
            "UPDATE directory SET fingerprint = 0 WHERE id IN (SELECT directory FROM file WHERE \(condition))",
            // No existing file has inode 0.
            "UPDATE file SET inode = 0 WHERE \(condition)",
        ]
    }
}
