import AudioTypes
import MediaCoding
import MusicDirectories
import Songs
import TestSupport
import Testing

/// Songs as a real MPD knows them.
@Suite(.enabled("mpd, ffmpeg or lame is not installed") { MediaFixtures.missing.isEmpty && !ReferenceMPD.isMissing })
struct SongTests {
    /// What a codec's song has otherwise than MPD 0.23.12, and why.
    private static let differences: [MediaFixtures.Codec: Set<String>] = [
        // libsndfile shows only some of RIFF's and AIFF's tags.
        .wav: ["Track", "Comment", "AlbumArtist", "Disc"],
        .aiff: ["Artist", "Album", "Date", "Genre", "Track", "Comment"],
        // FFmpeg's APE item is `album_artist`, which MPD does not know.
        .wavpack: ["AlbumArtist"],
        // MPD counts the encoder's delay and padding in.
        .mp3: ["duration"], .mp3VBR: ["duration"], .opus: ["duration"], .m4a: ["duration"],
        .adts: ["Format", "duration"],
    ]

    @Test(arguments: [
        MediaFixtures.Codec.flac, .flac24, .mp3, .mp3VBR, .m4a, .alac, .opus, .vorbis, .wav, .aiff, .wavpack, .adts,
    ])
    func songsAreAsInMPD(_ codec: MediaFixtures.Codec) async throws {
        let music = try MusicFixture()
        let name = "song." + codec.fileExtension
        try music.copy(try await MusicFixture.song(codec), to: name)
        let mpd = try ReferenceMPD(music: music.path)
        let different = Self.differences[codec, default: []]
        func relevant(_ lines: [String]) -> [String] {
            lines.filter { line in !different.contains(String(line.prefix { $0 != ":" })) }.sorted()
        }
        var bytes: [UInt8] = []
        try music.directory.song(name).append(to: &bytes, tags: .all)
        let found = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
        let (ours, expected) = (relevant(found), relevant(mpd.command("lsinfo \(name)")))
        #expect(ours == expected)
        #expect(try #require(music.directory.song(name).duration) > 1.9)
    }

    @Test(arguments: [
        ("pcm_u8", 8000, 1), ("pcm_s16le", 44_100, 2), ("pcm_s24le", 48_000, 1), ("pcm_s32le", 96_000, 2),
        ("pcm_f32le", 48_000, 1), ("pcm_f64le", 48_000, 1),
    ])
    func formatsOfWaves(_ codec: String, _ rate: Int, _ channels: Int) async throws {
        let music = try MusicFixture()
        let path = music.path + "/x.wav"
        try await MediaFixtures.ffmpeg(
            ["-f", "lavfi", "-i", "sine=440:duration=1:sample_rate=\(rate)", "-ac", "\(channels)", "-c:a", codec, path]
        )
        let mpd = try ReferenceMPD(music: music.path)
        let expected = mpd.command("lsinfo x.wav").first { $0.hasPrefix("Format: ") }
        #expect(try music.directory.song("x.wav").format.map { "Format: " + $0 } == expected)
    }

    @Test func repeatedTagsRepeat() async throws {
        let music = try MusicFixture()
        let flac = try await MusicFixture.song(.flac)
        try music.copy(flac, to: "plain.flac")
        var bytes = try FileBytes.read(flac)
        let comments = [
            "ARTIST=One", "artist=Two; Three", "Title=T", "GENRE=G1", "GENRE=G2", "COMMENT=c", "x=y", "TRACKNUMBER=007",
        ]
        bytes = withVorbisComments(bytes, comments)
        try FileBytes.write(bytes, to: music.path + "/many.flac")
        let mp3 = try FileBytes.read(try await MusicFixture.song(.mp3))
        let frames =
            id3Frame("TPE1", "One\0Two; Three") + id3Frame("TIT2", "T") + id3Frame("TCON", "G1\0G2")
            + id3Frame("TRCK", "007/12") + id3Frame("TXXX", "x\0y") + id3Frame("TXXX", "MusicBrainz Artist Id\0id")
        try FileBytes.write(id3(frames) + mp3, to: music.path + "/many.mp3")
        let mpd = try ReferenceMPD(music: music.path)
        for name in ["many.flac", "many.mp3"] {
            let song = try music.directory.song(name)
            let expected = mpd.command("lsinfo \(name)").filter { line in
                TagType(name: String(line.prefix { $0 != ":" })) != nil
            }
            #expect(song.tags.map { "\($0.0.name): \($0.1)" }.sorted() == expected.sorted(), "\(name)")
            #expect(song.values(of: .artist) == ["One", "Two; Three"])
        }
        #expect(try music.directory.song("many.flac").values(of: .comment) == [])
        #expect(try music.directory.song("many.flac", keepsComments: true).values(of: .comment) == ["c"])
        let stored = try music.directory.readComments("many.flac").map { $0.0 + "=" + $0.1 }
        #expect(stored == comments)
        let shown = try music.directory.readComments("many.flac").map { $0.0 + ": " + $0.1 }
        #expect(shown == mpd.command("readcomments many.flac"))
        let frames3 = try music.directory.readComments("many.mp3").map { $0.0 + ": " + $0.1 }
        let expectedFrames = mpd.command("readcomments many.mp3")
        // MPD leaves out what it has shown as a tag.
        #expect(frames3 == expectedFrames + ["MusicBrainz Artist Id: id"])
    }

    @Test(arguments: [MediaFixtures.Codec.flac, .opus, .vorbis])
    func commentsAreAsStored(_ codec: MediaFixtures.Codec) async throws {
        let music = try MusicFixture()
        let name = "x." + codec.fileExtension
        try music.copy(try await MusicFixture.song(codec), to: name)
        let mpd = try ReferenceMPD(music: music.path)
        let found = try music.directory.readComments(name).map { "\($0.0): \($0.1)" }
        #expect(found == mpd.command("readcomments \(name)"))
        #expect(found.count > 5)
    }

    @Test(arguments: [MediaFixtures.Codec.flac, .mp3, .m4a])
    func picturesAreWhatWasPutIn(_ codec: MediaFixtures.Codec) async throws {
        let music = try MusicFixture()
        let name = "x." + codec.fileExtension
        try music.copy(try await MediaFixtures.tagged("covered", codec, tags: [:]), to: name)
        try music.copy(try await MusicFixture.song(codec), to: "plain." + codec.fileExtension)
        let picture = try #require(try music.directory.picture(name))
        #expect(picture.mimeType == "image/png")
        #expect(picture.bytes.starts(with: [0x89, 0x50, 0x4e, 0x47]))
        let mpd = try ReferenceMPD(music: music.path)
        #expect(mpd.command("readpicture \(name) 0").contains("size: \(picture.bytes.count)"))
        #expect(try music.directory.picture("plain." + codec.fileExtension) == nil)
        #expect(throws: MusicDirectoryError.doesNotExist("no.flac")) { try music.directory.picture("no.flac") }
    }

    /// FFmpeg passes over pictures of which it is not told what they are.
    @Test(arguments: [
        [0] + [0, 3, 0], [1] + [0, 3, 0xff, 0xfe, 0x41, 0, 0, 0], [3] + Array("JPG\0".utf8) + [3, 0x41, 0],
    ])
    func picturesWithoutATypeAreKnownByTheirBytes(_ start: [UInt8]) async throws {
        let music = try MusicFixture()
        let sound = try FileBytes.read(try await MusicFixture.song(.mp3))
        let jpeg = [0xff, 0xd8, 0xff, 0xe0] + [UInt8](repeating: 7, count: 40)
        let back: [UInt8] = [0, 0, 4, 0, 0xff, 0xd8, 0xff, 0xe0, 1]
        let link = [0] + Array("-->\0".utf8) + [3, 0] + Array("http://x/y.jpg".utf8)
        let frames = id3Frame("APIC", link) + id3Frame("APIC", back) + id3Frame("APIC", start + jpeg)
        try FileBytes.write(id3(frames) + sound, to: music.path + "/x.mp3")
        try FileBytes.write(id3(id3Frame("APIC", link)) + sound, to: music.path + "/link.mp3")
        let picture = try #require(try music.directory.picture("x.mp3"))
        #expect(picture.mimeType == "image/jpeg")
        #expect(picture.bytes == jpeg)
        #expect(try music.directory.picture("link.mp3") == nil)
    }

    @Test func aYearCountsOnlyWithoutADate() async throws {
        let music = try MusicFixture()
        let flac = try FileBytes.read(try await MusicFixture.song(.flac))
        let both = withVorbisComments(flac, ["YEAR=2001", "DATE=2001-02-03", "ORIGINALYEAR=1999"])
        try FileBytes.write(both, to: music.path + "/both.flac")
        let song = try music.directory.song("both.flac")
        #expect(song.values(of: .date) == ["2001-02-03"])
        #expect(song.values(of: .originalDate) == ["1999"])
    }

    @Test(arguments: ["note.txt", "empty.flac", "noise.mp3", "sub", "text.flac"])
    func whatIsNoSongIsSaid(_ name: String) throws {
        let music = try MusicFixture()
        try music.write("note.txt")
        try music.write("empty.flac", "")
        try music.write("noise.mp3", String(repeating: "q", count: 5000))
        try music.write("text.flac", "fLaC")
        try music.makeDirectory("sub")
        #expect(throws: MusicDirectoryError.notPlayable(name)) { try music.directory.song(name) }
    }

    @Test func coversBesideSongs() throws {
        let music = try MusicFixture()
        for (file, expected) in [
            ("album.jpg", "album.jpg"), ("Folder.JPG", "Folder.JPG"), ("cover.webp", "cover.webp"),
            ("cover.jxl", "cover.jxl"), ("Cover.jpg", "Cover.jpg"), ("cover.jpg", "cover.jpg"),
            ("cover.png", "cover.png"),
        ] {
            try music.write("a/" + file, file + "!")
            #expect(try music.directory.coverFile("a/none.flac")?.uri == "a/" + expected)
        }
        let cover = try #require(try music.directory.coverFile("a/none.flac"))
        #expect(cover.size == 10)
        #expect(try cover.bytes(at: 6, count: 100) == Array("png!".utf8))
        #expect(try cover.bytes(at: 10, count: 1) == [])
        #expect(try music.directory.coverFile("b/none.flac") == nil)
        #expect(try music.directory.coverFile("none.flac") == nil)
    }

    /// A group's number precedes the content of its frames.
    @Test func commentsOfGroupedFramesAreShown() throws {
        let music = try MusicFixture()
        let content = [3] + Array("x\0y".utf8)
        let body =
            MadeMedia.frame("TXXX", [7] + content, version: 3, flags: [0, 0x20])
            + MadeMedia.frame("TXXX", content, version: 3)
        try FileBytes.write(MadeMedia.id3(version: 3, body) + MadeMedia.mp3(), to: music.path + "/x.mp3")
        #expect(try music.directory.readComments("x.mp3").map { "\($0.0): \($0.1)" } == ["x: y", "x: y"])
    }

    /// Tags cut off or changed anywhere are read as far as they go.
    @Test func damagedTagsAreNoHarm() async throws {
        let music = try MusicFixture()
        let id3 = id3(id3Frame("TPE1", "One\0Two") + id3Frame("COMM", "engx\0y") + id3Frame("TXXX", "a\0b"))
        var generator = SystemRandomNumberGenerator()
        for (name, original) in [
            ("x.flac", try FileBytes.read(try await MusicFixture.song(.flac))),
            ("x.opus", try FileBytes.read(try await MusicFixture.song(.opus))), ("x.mp3", id3 + [0xff, 0xfb, 0x90, 0]),
            (
                "x.wv",
                Array("APETAGEX".utf8) + [0xd0, 7, 0, 0, 80, 0, 0, 0, 9, 0, 0, 0] + [UInt8](repeating: 3, count: 12)
            ),
        ] {
            for round in 0..<90 {
                var bytes = Array(original.prefix(4000))
                if round.isMultiple(of: 3) {
                    bytes = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &generator)))
                }
                for _ in 0..<round % 7 where !bytes.isEmpty {
                    bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(in: 0...255, using: &generator)
                }
                try FileBytes.write(bytes, to: music.path + "/" + name)
                _ = try? music.directory.readComments(name)
            }
        }
    }
}

/// A FLAC file with other comments: its first block stays, the others make room for one.
private func withVorbisComments(_ file: [UInt8], _ comments: [String]) -> [UInt8] {
    func little(_ number: Int) -> [UInt8] { [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: number >> $0) } }
    var block = little(4) + Array("test".utf8) + little(comments.count)
    for comment in comments { block += little(comment.utf8.count) + Array(comment.utf8) }
    var place = 4 + 4 + 34
    var isLast = file[4] & 0x80 != 0
    while !isLast {
        isLast = file[place] & 0x80 != 0
        place += 4 + (Int(file[place + 1]) << 16 | Int(file[place + 2]) << 8 | Int(file[place + 3]))
    }
    let header: [UInt8] = [0x84, UInt8(block.count >> 16), UInt8(block.count >> 8 & 0xff), UInt8(block.count & 0xff)]
    var start = Array(file[..<42])
    start[4] &= 0x7f
    return start + header + block + file[place...]
}

/// An ID3v2.4 frame of UTF-8.
func id3Frame(_ id: String, _ text: String) -> [UInt8] { id3Frame(id, [3] + Array(text.utf8)) }

/// An ID3v2.4 frame of few bytes.
func id3Frame(_ id: String, _ content: [UInt8]) -> [UInt8] {
    Array(id.utf8) + [0, 0, 0, UInt8(content.count)] + [0, 0] + content
}

func id3(_ frames: [UInt8]) -> [UInt8] {
    Array("ID3".utf8) + [4, 0, 0, 0, 0, UInt8(frames.count >> 7), UInt8(frames.count & 0x7f)] + frames
}
