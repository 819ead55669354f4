import AudioTypes
import FFmpeg
import HTTP
import TestSupport
import Testing
import Threads
import TimedText

/// Subtitles in films come with the audio that is read.
@Suite(.enabled("ffmpeg is not installed") { MediaFixtures.missing.isEmpty })
struct SubtitleTests {
    private static let text = """
        1
        00:00:00,500 --> 00:00:02,000
        <i>One</i>

        2
        00:00:20,000 --> 00:00:22,000
        Two
        lines

        3
        00:00:40,000 --> 00:00:41,000
        Three

        """

    /// A film of 45 seconds with two streams of subtitles.
    private func film(_ name: String, _ codec: String, in folder: TemporaryFolder) async throws -> String {
        let srt = try folder.write("film.srt", Self.text)
        let path = folder.file(name)
        try await MediaFixtures.ffmpeg([
            "-f", "lavfi", "-i", "testsrc=size=64x48:rate=5", "-f", "lavfi", "-i", "sine", "-i", srt, "-i", srt,
            "-map", "0", "-map", "1", "-map", "2", "-map", "3", "-c:s", codec, "-t", "45", path,
        ])
        return path
    }

    private func read(_ reader: inout MediaReader, frames: Int = .max) throws {
        var converter = AudioConverter(output: AudioFormat(sampleFormat: .f32, sampleRate: 44_100, channels: .mono))
        var sound = MediaSound(format: AudioFormat(sampleFormat: .f32, sampleRate: 44_100, channels: .mono))
        try sound.append(&reader, &converter, upTo: frames)
    }

    @Test(arguments: [
        ("film.mkv", "subrip"), ("film.mkv", "ass"), ("film.mkv", "webvtt"), ("film.mp4", "mov_text"),
        ("film.mov", "mov_text"),
    ])
    func textsHaveTheirTimes(_ name: String, _ codec: String) async throws {
        let folder = try TemporaryFolder()
        let path = try await film(name, codec, in: folder)
        let feed = SubtitleFeed()
        var reader = try MediaReader.open(
            MediaEntry(location: path),
            interrupt: Interrupt(),
            stream: StreamContext(subtitles: feed)
        )
        let streams = MediaSelectionGroup(.legible, of: reader.info).options.map(\.stream)
        try #require(streams.count == 2)
        try read(&reader)
        for stream in streams {
            let cues = feed.track(ofStream: stream).cues
            #expect(cues.map(\.lines) == [["One"], ["Two", "lines"], ["Three"]])
            for (cue, (start, end)) in zip(cues, [(0.5, 2.0), (20, 22), (40, 41)]) {
                #expect(abs(cue.start.seconds - start) < 0.05 && abs(cue.end.seconds - end) < 0.05)
            }
        }
    }

    @Test func aSeekAddsWhatIsThere() async throws {
        let folder = try TemporaryFolder()
        let path = try await film("film.mkv", "subrip", in: folder)
        let feed = SubtitleFeed()
        var reader = try MediaReader.open(
            MediaEntry(location: path),
            interrupt: Interrupt(),
            stream: StreamContext(subtitles: feed)
        )
        for seconds in [38.0, 18, 38, 0] {
            _ = try reader.seek(to: MediaTime(seconds: seconds))
            try read(&reader, frames: 4 * 44_100)
        }
        #expect(feed.track(ofStream: 2).cues.map(\.lines) == [["One"], ["Two", "lines"], ["Three"]])
    }

    @Test func withoutAFeedTheyAreLeft() async throws {
        let folder = try TemporaryFolder()
        let path = try await film("film.mkv", "subrip", in: folder)
        var reader = try MediaReader.open(MediaEntry(location: path), interrupt: Interrupt())
        try read(&reader)
        #expect(reader.damage.isEmpty)
        #expect(SubtitleFeed().track(ofStream: 2).isEmpty)
    }
}
