import AudioTypes
import LibraryIndex
import MediaHeaders
import Songs
import Testing

/// How loud songs are is kept for their sound, and put together for albums.
@Suite struct LoudnessTests {
    private let library: TemporaryLibrary

    init() throws { library = try TemporaryLibrary() }

    private func song(
        _ uri: String,
        album: String? = nil,
        artist: String? = nil,
        sound: String? = nil,
        gain: Double? = nil
    ) -> ScannedFile {
        var tags: [(TagType, String)] = [(.title, uri)]
        if let album { tags.append((.album, album)) }
        if let artist { tags.append((.albumArtist, artist)) }
        var file = file(uri, tags, duration: 10, portable: sound ?? uri)
        file.replayGain.trackGain = gain
        return file
    }

    private func unmeasured() throws -> [String] {
        try library.reader.unmeasuredSongs(after: 0, limit: 100).map(\.uri)
    }

    /// Gives songs a loudness in LUFS, silence for `nil`.
    private func measure(_ loudness: [String: Double?], peak: Double = 0.5) throws {
        let songs = try library.reader.unmeasuredSongs(after: 0, limit: 100)
        try library.writer.setLoudness(
            songs.compactMap { song in
                guard let value = loudness[song.uri] else { return nil }
                var blocks = LoudnessBlocks()
                if let value { for _ in 0..<100 { blocks.add(value) } }
                return SongLoudness(song, Loudness(blocks: blocks, truePeak: peak))
            }
        )
    }

    private func gain(_ uri: String) throws -> ReplayGain? { try library.reader.loudness(uri)?.gain }

    @Test func onlySongsWithoutGainAreMeasured() throws {
        try library.add([song("a.flac"), song("b.flac", gain: -3), song("c.flac"), file("d.jpg", [])])
        #expect(try unmeasured() == ["a.flac", "c.flac"])
        #expect(try library.reader.loudnessCounts().unmeasured == 2)
        #expect(try library.reader.loudness("b.flac")?.source == .tags)
        #expect(try library.reader.loudness("b.flac")?.gain.trackGain == -3)
        #expect(try library.reader.loudness("a.flac")?.source == .unmeasured)
        try measure(["a.flac": -10])
        #expect(try unmeasured() == ["c.flac"])
        #expect(try library.reader.loudnessCounts().measured == 1)
        let facts = try #require(try library.reader.loudness("a.flac"))
        #expect(facts.source == .measured)
        #expect(abs(try #require(facts.integrated) - -10) < 0.001)
        #expect(abs(try #require(facts.gain.trackGain) - -8) < 0.001)
        #expect(facts.gain.trackPeak == 0.5)
        #expect(facts.gain.albumGain == nil)
    }

    @Test func otherNamesAndTagsKeepIt() throws {
        try library.add([song("a.flac", sound: "one")])
        try measure(["a.flac": -10])
        try library.add([song("a.flac", album: "New", sound: "one")])
        #expect(try library.reader.loudness("a.flac")?.source == .measured)
        _ = try library.writer.apply([.removal(uri: "a.flac"), .file(song("d/b.flac", sound: "one"))])
        #expect(try library.reader.loudness("d/b.flac")?.source == .measured)
        #expect(try unmeasured() == [])
        try library.add([song("d/b.flac", sound: "another")])
        #expect(try unmeasured() == ["d/b.flac"])
    }

    @Test func filesOfOneSoundAreMeasuredOnce() throws {
        try library.add([song("a.flac", sound: "one"), song("b.flac", sound: "one")])
        let songs = try library.reader.unmeasuredSongs(after: 0, limit: 1)
        try library.writer.setLoudness(songs.map { SongLoudness($0, Loudness(blocks: LoudnessBlocks(), truePeak: 0)) })
        #expect(try unmeasured() == [])
        #expect(try library.reader.loudness("b.flac")?.source == .measured)
        #expect(try gain("b.flac")?.isEmpty == true, "silence has no gain")
    }

    @Test func whatCannotBeMeasuredIsNotTriedAgain() throws {
        try library.add([song("a.flac"), song("b.flac")])
        let songs = try library.reader.unmeasuredSongs(after: 0, limit: 2)
        var changed = song("b.flac")
        changed.size = 7_777
        try library.add([changed])
        try library.writer.setLoudness(songs.map { SongLoudness($0, nil) })
        #expect(try unmeasured() == ["b.flac"], "it has changed meanwhile")
        #expect(try library.reader.loudness("a.flac")?.source == .unmeasurable)
    }

    @Test func anAlbumIsMeasuredAsAWhole() throws {
        try library.add([
            song("a/1.flac", album: "Blue", artist: "X"), song("a/2.flac", album: "Blue", artist: "X"),
            song("b/1.flac", album: "Blue", artist: "Y"), song("a/3.flac", album: "Blue", artist: "X", gain: 1),
        ])
        try measure(["a/1.flac": -10, "b/1.flac": -30], peak: 0.25)
        #expect(try gain("a/1.flac")?.albumGain == nil, "one song is missing")
        try measure(["a/2.flac": -13.0103], peak: 0.75)
        let first = try #require(try gain("a/1.flac"))
        // The mean of the energies is 1.249 dB below the louder one.
        #expect(abs(try #require(first.albumGain) - -6.751) < 0.05)
        #expect(first.albumPeak == 0.75)
        #expect(first.trackPeak == 0.25)
        #expect(try gain("a/2.flac")?.albumGain == first.albumGain)
        #expect(abs(try #require(try gain("b/1.flac")?.albumGain) - 12) < 0.06)
    }

    @Test func albumsWithoutArtistsAreOfOneDirectory() throws {
        try library.add([
            song("a/1.flac", album: "Hits"), song("a/2.flac", album: "Hits"), song("b/1.flac", album: "Hits"),
        ])
        try measure(["a/1.flac": -10, "a/2.flac": -10])
        #expect(abs(try #require(try gain("a/1.flac")?.albumGain) - -8) < 0.06)
        #expect(try gain("b/1.flac")?.albumGain == nil)
    }

    /// Storing what songs do not show leaves what is remembered of them valid.
    @Test func measuringChangesNoSongs() throws {
        try library.add([song("a.flac")])
        let generation = library.library.generation
        try measure(["a.flac": -10])
        #expect(library.library.generation == generation)
    }
}
