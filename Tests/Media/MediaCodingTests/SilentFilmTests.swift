import AudioTypes
import MediaCoding
import TestSupport
import Testing
import Threads
import TimedText

/// Films without sound last as long as with it, as silence, where their pictures are shown.
@Suite(.enabled("ffmpeg or lame is not installed") { MediaFixtures.missing.isEmpty })
struct SilentFilmTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func film(_ name: String, _ inputs: [String] = []) async throws -> String {
        let path = folder.file(name)
        try await MediaFixtures.ffmpeg(
            ["-f", "lavfi", "-i", "testsrc2=size=64x48:rate=25:duration=5"] + inputs
                + ["-c:v", "libx264", "-g", "25", path]
        )
        return path
    }

    private func open(_ path: String, subtitles: SubtitleFeed? = nil) throws -> MediaReader {
        try MediaReader.open(
            MediaEntry(location: path),
            interrupt: Interrupt(),
            stream: StreamContext(subtitles: subtitles, playsSilentFilms: true)
        )
    }

    @Test(arguments: ["film.mp4", "film.mkv", "film.ts", "film.avi"])
    func silenceLastsAsLongAsTheFilm(_ name: String) async throws {
        var reader = try open(try await film(name))
        #expect(reader.info.videoStream != nil && reader.info.audioStreams.isEmpty)
        let format = AudioFormat(sampleFormat: .s16, sampleRate: reader.sampleRate, channels: .stereo)
        var converter = AudioConverter(output: format)
        var sound = MediaSound(format: format)
        try sound.append(&reader, &converter, upTo: .max)
        #expect(abs(Double(sound.frameCount) / Double(reader.sampleRate) - 5) < 0.05)
        #expect(sound.bytes.allSatisfy { $0 == 0 } && reader.damage.isEmpty)
        // To the sample, and from there to the end.
        let place = 2 * reader.sampleRate + 12_345
        #expect(try reader.seek(to: MediaTime(sample: place, at: reader.sampleRate)).sample(at: 48_000) == place)
        var rest = MediaSound(format: format)
        converter.reset()
        try rest.append(&reader, &converter, upTo: .max)
        #expect(rest.frameCount == sound.frameCount - place)
    }

    @Test func subtitlesComeInTime() async throws {
        let text = try folder.write("a.srt", "1\n00:00:02,000 --> 00:00:03,000\nHello\n")
        let path = try await film("film.mkv", ["-i", text])
        let feed = SubtitleFeed()
        var reader = try open(path, subtitles: feed)
        let format = AudioFormat(sampleFormat: .s16, sampleRate: reader.sampleRate, channels: .stereo)
        var converter = AudioConverter(output: format)
        var sound = MediaSound(format: format)
        try sound.append(&reader, &converter, upTo: 3 * reader.sampleRate)
        let cues = feed.track(ofStream: 1).cues
        #expect(cues.map(\.lines) == [["Hello"]])
        #expect(abs((cues.first?.start.seconds ?? 0) - 2) < 0.05)
    }

    @Test func aSinglePictureIsNoFilm() async throws {
        let path = folder.file("picture.png")
        try await MediaFixtures.ffmpeg(["-f", "lavfi", "-i", "color=c=red:size=16x16", "-frames:v", "1", path])
        #expect(throws: MediaError.self) { _ = try open(path) }
    }
}
