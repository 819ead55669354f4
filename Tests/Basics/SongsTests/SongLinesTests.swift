import Songs
import Testing

@Suite struct SongLinesTests {
    private static let songs = [
        Song(
            uri: "a/b.flac",
            range: Song.Range(start: 1.5, end: 61.5),
            lastModified: 1_600_000_000,
            added: 0,
            format: "44100:16:2",
            tags: [(.artist, "One: two"), (.title, "Time: 3"), (.artist, ""), (.musicBrainzTrack, "x-y")],
            duration: 60.25,
            isExamined: true
        ),
        Song(uri: "Time: 1/Artist: x", isExamined: true),
        Song(uri: "a", lastModified: 951_782_400, tags: [(.name, "N")], isExamined: true),
        Song(uri: "a", range: Song.Range(start: 3), duration: 7, isExamined: true),
        Song(uri: "é", tags: TagType.allCases.map { ($0, "value of \($0.name)") }, isExamined: true),
    ]

    private func lines(_ song: Song, _ mask: TagMask = .all) -> [UInt8] {
        var bytes: [UInt8] = []
        song.append(to: &bytes, tags: mask)
        return bytes
    }

    @Test(arguments: songs) func aSongComesBackFromItsLines(_ song: Song) {
        let back = Song.reading(lines(song), uri: song.uri)
        #expect(lines(back) == lines(song))
        #expect(back.tags.map(\.0) == song.tags.map(\.0) && back.tags.map(\.1) == song.tags.map(\.1))
        #expect(back.range == song.range)
        #expect(back.lastModified == song.lastModified)
        #expect(back.added == song.added)
        #expect(back.format == song.format)
        #expect(back.duration == song.duration)
    }

    @Test(arguments: songs) func aMaskLeavesOutTheSameLines(_ song: Song) {
        for mask in [TagMask.all, [], TagMask([.artist]), TagMask([.title, .musicBrainzTrack, .name])] {
            var bytes: [UInt8] = []
            unsafe lines(song).withUnsafeBytes { unsafe SongLines.append($0, to: &bytes, tags: mask) }
            #expect(bytes == lines(song, mask))
        }
    }

    /// A song that is a playlist as well says so in listings, and its own lines are those of any song.
    @Test(arguments: [[], [(TagType.title, "playlist: x")]])
    func sheetsAreKept(_ tags: [(TagType, String)]) {
        let plain = Song(uri: "a.flac", tags: tags, duration: 3, isExamined: true)
        let song = plain.with { $0.hasSheet = true }
        func lines(_ song: Song, isListed: Bool) -> [UInt8] {
            var lines: [UInt8] = []
            if isListed { song.appendListed(to: &lines, tags: .all) } else { song.append(to: &lines, tags: .all) }
            return lines
        }
        #expect(lines(song, isListed: true) == lines(plain, isListed: true) + Array("playlist: a.flac\n".utf8))
        #expect(lines(song, isListed: false) == lines(plain, isListed: false))
        let again = Song.reading(lines(song, isListed: true), uri: "a.flac")
        #expect(again.hasSheet && again.duration == 3)
        #expect(lines(again, isListed: true) == lines(song, isListed: true))
        #expect(!Song.reading(lines(plain, isListed: true), uri: "a.flac").hasSheet)
        #expect(!song.part(uri: "a.flac", range: .init(start: 1), tags: []).hasSheet)
    }
}
