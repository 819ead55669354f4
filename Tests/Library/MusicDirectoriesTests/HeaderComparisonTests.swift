import Foundation
import MediaHeaders
import MusicDirectories
import Songs
import TestSupport
import Testing

/// What the library's own readers find, beside what libavformat and a real MPD find in the same files.
@Suite(
    .enabled("ffmpeg, flac, lame, oggenc or opusenc is not installed") {
        ChildProcess.missing("ffmpeg", "flac", "lame", "oggenc", "opusenc").isEmpty
    }
)
struct HeaderComparisonTests {
    /// How a file is made.
    ///
    /// `%o` is the file, `%i` the sound it is made from, `%p` a picture, `%w` what it says of itself.
    struct Recipe: Sendable, CustomTestStringConvertible {
        let name: String
        let command: [String]
        var testDescription: String { name }

        init(_ name: String, _ words: String, tags: [String] = []) {
            self.name = name
            command = words.split(separator: " ").flatMap { $0 == "%w" ? tags : [String($0)] }
        }
    }

    private static let words = [
        "ARTIST=Ünï & One", "ARTIST=Zwei", "ALBUM=The Album", "ALBUMARTIST=Various", "TITLE=Ein Stück",
        "TRACKNUMBER=03",
        "DISCNUMBER=1/2", "DATE=2001-02-03", "GENRE=Rock", "GENRE=Pop", "COMPOSER=C. Omposer", "PERFORMER=P1",
        "PERFORMER=P2", "CONDUCTOR=Con", "LABEL=Lbl", "ARTISTSORT=One", "ALBUMARTISTSORT=VA", "WORK=W", "GROUPING=G",
        "MUSICBRAINZ_ARTISTID=aa", "MUSICBRAINZ_ARTISTID=bb", "MUSICBRAINZ_ALBUMID=x1", "MUSICBRAINZ_TRACKID=x2",
        "ORIGINALDATE=1999", "NAME=Nm", "ENCODED-BY=nobody", "REPLAYGAIN_TRACK_GAIN=-7.03 dB",
        "REPLAYGAIN_TRACK_PEAK=0.98",
    ]
    private static func words(_ option: String) -> [String] { words.flatMap { [option, $0] } }
    private static let metadata = [
        "title=Ein Stück", "artist=Ünï", "album_artist=Various", "album=Alb", "track=3/12", "disc=1/2", "date=2001",
        "genre=Rock", "composer=Co", "sort_artist=SA", "grouping=Gr",
    ].flatMap { ["-metadata", $0] }

    static let recipes = [
        Recipe("plain.flac", "flac -s -f %i -o %o"),
        Recipe("tags.flac", "flac -s -f %w %i -o %o", tags: words.map { "--tag=\($0)" }),
        Recipe("picture.flac", "flac -s -f --picture=%p %w %i -o %o", tags: words.map { "--tag=\($0)" }),
        Recipe("padding.flac", "flac -s -f --padding=300000 --no-seektable %w %i -o %o", tags: ["--tag=TITLE=x"]),
        Recipe("24.flac", "ffmpeg -y -i %i -c:a flac -sample_fmt s32 -bits_per_raw_sample 24 -ar 96000 %o"),
        Recipe("mono.flac", "ffmpeg -y -i %i -ac 1 -c:a flac %o"),
        Recipe("six.flac", "ffmpeg -y -i %i -ac 6 -c:a flac %o"),
        Recipe("ogg.oga", "flac -s -f --ogg %w %i -o %o", tags: words.map { "--tag=\($0)" }),
        Recipe("plain.ogg", "oggenc -Q %i -o %o"),
        Recipe("tags.ogg", "oggenc -Q -q 6 %w %i -o %o", tags: words("-c")),
        Recipe("ffmpeg.ogg", "ffmpeg -y -i %i -c:a libvorbis %o"),
        Recipe("mono.ogg", "oggenc -Q --downmix --resample 22050 %i -o %o"),
        Recipe("plain.opus", "opusenc --quiet %i %o"),
        Recipe("tags.opus", "opusenc --quiet %w %i %o", tags: words("--comment")),
        Recipe("picture.opus", "opusenc --quiet --picture %p %w %i %o", tags: words("--comment")),
        Recipe("short.opus", "opusenc --quiet --framesize 2.5 %i %o"),
        Recipe("long.opus", "opusenc --quiet --framesize 60 --bitrate 320 %i %o"),
        Recipe("ffmpeg.opus", "ffmpeg -y -i %i -c:a libopus %o"),
        Recipe("cbr.mp3", "lame --quiet -b 128 %i %o"),
        Recipe("v2.mp3", "lame --quiet -V 2 %i %o"),
        Recipe("abr.mp3", "lame --quiet --abr 150 %i %o"),
        Recipe("mono.mp3", "lame --quiet -m m -b 64 --resample 22.05 %i %o"),
        Recipe("low.mp3", "lame --quiet -m m -b 16 --resample 8 %i %o"),
        Recipe("id3v1.mp3", "lame --quiet --id3v1-only --tt Title --ta Artist --tn 4 --tg Rock --ty 2003 %i %o"),
        Recipe("id3v2.mp3", "lame --quiet --id3v2-only --tt Títle --ta Artíst --tn 4/9 --tg 17 --ti %p %i %o"),
        Recipe("ffmpeg4.mp3", "ffmpeg -y -i %i -c:a libmp3lame -q:a 3 %w %o", tags: metadata),
        Recipe("ffmpeg3.mp3", "ffmpeg -y -i %i -id3v2_version 3 -c:a libmp3lame -b:a 192k %w %o", tags: metadata),
        Recipe("plain.m4a", "ffmpeg -y -i %i -c:a aac %o"),
        Recipe("tags.m4a", "ffmpeg -y -i %i -c:a aac -movflags +faststart %w %o", tags: metadata),
        Recipe("itunes.m4a", "ffmpeg -y -i %i -c:a aac -use_editlist 0 %o"),
        Recipe("six.m4a", "ffmpeg -y -i %i -ac 6 -c:a aac %o"),
        Recipe("alac.m4a", "ffmpeg -y -i %i -c:a alac %o"),
        Recipe("alac24.m4a", "ffmpeg -y -i %i -c:a alac -sample_fmt s32p %o"),
        Recipe("info.wav", "ffmpeg -y -i %i %w %o", tags: ["-metadata", "title=T", "-metadata", "artist=A"]),
        Recipe("24.wav", "ffmpeg -y -i %i -c:a pcm_s24le %o"),
        Recipe("float.wav", "ffmpeg -y -i %i -c:a pcm_f32le %o"),
        Recipe("8.wav", "ffmpeg -y -i %i -c:a pcm_u8 %o"),
        Recipe("plain.aiff", "ffmpeg -y -i %i %o"),
        Recipe("id3.aiff", "ffmpeg -y -i %i -write_id3v2 1 %w %o", tags: metadata),
    ]

    /// Where MPD sees less: FFmpeg's own name for the artist's sort name, and ID3 in AIFF but for the title.
    private static let richer = ["ffmpeg4.mp3", "ffmpeg3.mp3", "id3.aiff"]

    private func make(_ recipe: Recipe, in folder: String) async throws -> String {
        let sound = try await MediaFixtures.audio("headers", .wav) {
            Signal.chorus(seconds: 4.123, sampleRate: 44_100, seed: 3)
        }
        let picture = try await MediaFixtures.file("headers.jpg") { path in
            try MediaFixtures.ffmpeg(["-f", "lavfi", "-i", "mandelbrot=s=400x400", "-frames:v", "1", "-q:v", "1", path])
        }
        let path = folder + "/" + recipe.name
        let command = recipe.command.map {
            $0.replacing("%i", with: sound).replacing("%p", with: picture).replacing("%o", with: path)
        }
        _ = try ChildProcess.run(command[0], Array(command.dropFirst()))
        return path
    }

    @Test(arguments: recipes) func readersFindWhatLibavformatFinds(recipe: Recipe) async throws {
        let music = try MusicFixture()
        let path = try await make(recipe, in: music.path)
        let (result, file) = MediaHeader.read(try FileBytes.read(path), recipe.name)
        let song = try music.directory.song(recipe.name, keepsComments: true)
        #expect(result == .complete)
        #expect(file.format == song.format)
        #expect(file.duration.map(milliseconds) == song.duration.map(milliseconds))
        #expect(file.isExactlyTimed)
        var other = ScannedFile(uri: recipe.name, size: file.size, modified: 0, inode: 0)
        LibavformatExaminer().examine(try music.directory.resolve(recipe.name), into: &other)
        #expect(other.problem == nil)
        for tag in TagType.allCases {
            let values = file.tags.filter { $0.0 == tag }.map(\.1)
            #expect(values == other.tags.filter { $0.0 == tag }.map(\.1), "\(tag.name)")
            #expect(values == song.values(of: tag), "\(tag.name), which the library does not know")
        }
        #expect(file.codec == other.codec)
        #expect(file.replayGain == other.replayGain)
        #expect(file.cover == other.cover)
    }

    @Test(.enabled("mpd is not installed") { !ReferenceMPD.isMissing })
    func readersFindWhatMPDFinds() async throws {
        let music = try MusicFixture()
        for recipe in Self.recipes { _ = try await make(recipe, in: music.path) }
        let mpd = try ReferenceMPD(music: music.path)
        let known = Set(mpd.command("tagtypes").compactMap { TagType(name: $0.dropFirst(9)) })
        var songs: [String: [String]] = [:]
        var uri = ""
        for line in mpd.command("lsinfo") {
            if line.hasPrefix("file: ") { uri = String(line.dropFirst(6)) }
            songs[uri, default: []].append(line)
        }
        #expect(songs.count == Self.recipes.count)
        for recipe in Self.recipes {
            let file = MediaHeader.read(try FileBytes.read(music.path + "/" + recipe.name), recipe.name).1
            let lines = try #require(songs[recipe.name], "mpd does not list \(recipe.name)")
            func value(_ key: String) -> String? {
                lines.first { $0.hasPrefix(key + ": ") }.map { String($0.dropFirst(key.count + 2)) }
            }
            #expect(file.format == value("Format"), "\(recipe.name)")
            let length = value("duration").flatMap(Double.init) ?? -1
            #expect(abs((file.duration ?? -1) - length) < 0.06, "\(recipe.name): \(file.duration ?? -1), mpd \(length)")
            let tags = file.tags.filter { known.contains($0.0) }.map { "\($0.0.name): \($0.1)" }.sorted()
            let theirs = lines.filter { line in known.contains { line.hasPrefix($0.name + ": ") } }.sorted()
            if Self.richer.contains(recipe.name) {
                #expect(Set(tags).isStrictSuperset(of: theirs), "\(recipe.name)")
            } else {
                #expect(tags == theirs, "\(recipe.name)")
            }
        }
    }
}

private enum MediaHeader {
    static func read(_ bytes: [UInt8], _ name: String) -> (HeaderReader.Result, ScannedFile) {
        var reader = HeaderReader()
        var file = ScannedFile(uri: name, size: bytes.count, modified: 0, inode: 0)
        let result = reader.read(bytes, into: &file)
        return (result, file)
    }
}
