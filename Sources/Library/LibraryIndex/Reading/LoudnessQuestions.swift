package import AudioTypes
internal import GRDB
internal import Songs

/// A song's loudness, as far as the library knows it.
package struct LoudnessFacts: Sendable, Hashable {
    package enum Source: String, Sendable {
        /// The file's own corrections, which are used.
        case tags
        case measured
        /// It is still to be measured.
        case unmeasured
        /// It cannot be measured.
        case unmeasurable
    }

    package var source: Source
    /// The corrections: the file's own, else as they were measured, with true peaks.
    package var gain = ReplayGain()
    /// As measured, in LUFS; `nil` for silence.
    package var integrated: Double?
    /// As measured, of the album's songs without own corrections together, in LUFS; `nil` until all of them are measured.
    package var albumIntegrated: Double?

    package init(_ source: Source) { self.source = source }
}

extension LibraryReader {
    /// How loud a song is; `nil` when the library has no such file.
    ///
    /// - Parameter uri: A file's.
    package func loudness(_ uri: String) throws(LibraryError) -> LoudnessFacts? {
        try library.read { db in
            let (folder, name) = parts(ofURI: uri)
            let song = try Query(
                db,
                """
                SELECT file.id, track_gain, track_peak, album_gain, album_peak, unmeasured, lufs, peak
                FROM directory CROSS JOIN file ON file.directory = directory.id JOIN detail ON detail.id = file.id
                LEFT JOIN loudness ON sound = portable WHERE path = ? AND name = ?
                """,
                [.text(folder), .text(name)]
            )
            let found = try song.first { row in
                var facts = LoudnessFacts(row.int(5) != 0 ? .unmeasured : .unmeasurable)
                facts.gain = ReplayGain(
                    trackGain: row.optionalDouble(1),
                    trackPeak: row.optionalDouble(2),
                    albumGain: row.optionalDouble(3),
                    albumPeak: row.optionalDouble(4)
                )
                if !facts.gain.isEmpty {
                    facts.source = .tags
                } else if let peak = row.optionalDouble(7) {
                    facts.source = .measured
                    facts.integrated = row.optionalDouble(6)
                    facts.gain = ReplayGain(trackGain: facts.integrated.map(Loudness.gain), trackPeak: peak)
                }
                return (number: row.int(0), facts: facts)
            }
            guard let found else { return nil }
            var facts = found.facts
            if facts.source == .measured, let album = try AlbumLoudness(db).loudness(ofAlbumWith: found.number) {
                facts.albumIntegrated = album.blocks.integrated
                facts.gain.albumGain = facts.albumIntegrated.map(Loudness.gain)
                facts.gain.albumPeak = album.truePeak
            }
            return facts
        }
    }
}

/// Puts the loudness of an album together.
private struct AlbumLoudness {
    private let db: Database

    /// More songs are no album.
    private static let mostSongs = 1_000

    init(_ db: Database) { self.db = db }

    /// The loudness of the album that a song is of; `nil` when it is of none, or when songs of it are unmeasured.
    func loudness(ofAlbumWith number: Int) throws -> Loudness? {
        let song = try Query(
            db,
            "SELECT directory, content FROM file JOIN tagset ON tagset.id = tagset WHERE file.id = ?",
            [.int(number)]
        ).first { (directory: $0.int(0), album: AlbumName(PackedTags(bytes: $0.bytes(1)))) }
        guard let song, let album = song.album else { return nil }
        var sets: [Int] = []
        try Query(
            db,
            "SELECT id, content FROM tagset_value JOIN tagset ON id = tagset WHERE value = ?",
            [.int(album.value)]
        ).each { row in
            if AlbumName(PackedTags(bytes: row.bytes(1))) == album { sets.append(row.int(0)) }
        }
        let songs = try Query(
            db,
            """
            SELECT directory, unmeasured, peak, blocks FROM file JOIN detail ON detail.id = file.id
            LEFT JOIN loudness ON sound = portable WHERE tagset = ? AND track_gain IS NULL AND album_gain IS NULL
            """
        )
        var sum = Loudness(blocks: LoudnessBlocks(), truePeak: 0)
        var (count, isComplete) = (0, true)
        for set in sets where isComplete {
            songs.bind(1, set)
            try songs.each { row in
                guard album.hasOwner || row.int(0) == song.directory else { return }
                count += 1
                if row.int(1) != 0 || count > Self.mostSongs { isComplete = false }
                guard isComplete, let peak = row.optionalDouble(2), let blocks = LoudnessBlocks(bytes: row.bytes(3))
                else { return }
                sum.blocks.add(blocks)
                sum.truePeak = max(sum.truePeak, peak)
            }
        }
        return isComplete ? sum : nil
    }
}

/// The key that songs of one album share: MusicBrainz's number of it, else its name and its artists.
///
/// Albums of the same name without album artists are one only in the same directory.
private struct AlbumName: Hashable {
    /// The number of the value that is looked for.
    let value: Int
    private let artists: [Int]
    /// Whether the value or the artists tell the album from others of its name.
    let hasOwner: Bool

    init?(_ tags: PackedTags) {
        func values(_ tag: TagType) -> [Int] { tags.filter { $0.tag == tag }.map(\.value) }
        if let number = values(.musicBrainzAlbum).first {
            (value, artists, hasOwner) = (number, [], true)
        } else if let name = values(.album).first {
            (value, artists) = (name, values(.albumArtist))
            hasOwner = !artists.isEmpty
        } else {
            return nil
        }
    }
}
