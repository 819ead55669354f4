import AudioTypes
import HTTP
import TestSupport
import Testing
import Threads
import TimedText

@testable import MediaCoding

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

/// Subtitles of HTTP Live Streaming, which are fetched apart from the sound while they are shown.
@Suite(
    .enabled("nginx, ffmpeg or lame is not installed") { WebServer.missing.isEmpty && MediaFixtures.missing.isEmpty }
)
struct SubtitleRenditionTests {
    /// Five segments of twenty seconds.
    private static let segmentCount = 5

    /// A presentation of a hundred seconds whose timestamps begin at a few seconds, with English subtitles that name
    /// timestamps, German ones that do not, and ones of which a segment is missing.
    private func publish(on server: WebServer) async throws -> String {
        let folder = try TemporaryFolder()
        try await MediaFixtures.ffmpeg([
            "-f", "lavfi", "-i", "sine=d=100", "-c:a", "aac", "-muxdelay", "7", "-f", "hls", "-hls_time", "20",
            "-hls_list_size", "0", "-hls_playlist_type", "vod", folder.file("index.m3u8"),
        ])
        try server.publish(folder: folder.path, as: "film/sound")
        for language in ["en", "de", "fr"] {
            var list = "#EXTM3U\n#EXT-X-TARGETDURATION:20\n#EXT-X-PLAYLIST-TYPE:VOD\n"
            for number in 0..<Self.segmentCount {
                list += "#EXTINF:20,\n\(number).vtt\n"
                guard language != "fr" || number != 0 else { continue }
                // Timestamp 0 of the English ones is 3 seconds before the time that they call 0.
                let map = language == "en" ? "X-TIMESTAMP-MAP=LOCAL:00:00:03.000,MPEGTS:\(Self.firstTimestamp)\n" : ""
                let start = number * 20 + (language == "en" ? 3 : 0)
                func clock(_ seconds: Int) -> String {
                    "\(seconds / 60 < 10 ? "0" : "")\(seconds / 60):\(seconds % 60 < 10 ? "0" : "")\(seconds % 60).000"
                }
                try server.publish(
                    text: "WEBVTT\n\(map)\n\(clock(start + 2)) --> \(clock(start + 5))\n\(language) \(number)\n",
                    as: "film/\(language)/\(number).vtt"
                )
            }
            try server.publish(text: list + "#EXT-X-ENDLIST\n", as: "film/\(language)/index.m3u8")
        }
        return try server.publish(
            text: """
                #EXTM3U
                #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="s",NAME="English",LANGUAGE="en",URI="en/index.m3u8"
                #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="s",NAME="Deutsch",LANGUAGE="de",FORCED=YES,URI="de/index.m3u8"
                #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="s",NAME="Français",LANGUAGE="fr",URI="fr/index.m3u8"
                #EXT-X-STREAM-INF:BANDWIDTH=90000,CODECS="mp4a.40.2",SUBTITLES="s"
                sound/index.m3u8

                """,
            as: "film/index.m3u8"
        )
    }

    /// What ffmpeg gives the first packet, in ticks of 90 kHz: its delay, and a packet of the encoder's.
    private static let firstTimestamp = 1_260_000

    private func open(_ url: String, _ feed: SubtitleFeed) throws -> MediaReader {
        try MediaReader.open(
            MediaEntry(location: url),
            interrupt: Interrupt(),
            stream: StreamContext(subtitles: feed)
        )
    }

    @Test func areOptionsOfTheMedium() async throws {
        let server = try await WebServer.start()
        let reader = try open(try await publish(on: server), SubtitleFeed())
        let options = MediaSelectionGroup(.legible, of: reader.info).options
        #expect(options.map(\.language?.code) == ["en", "de", "fr"])
        #expect(options.map(\.title) == ["English", "Deutsch", "Français"])
        #expect(options.map(\.isForced) == [false, true, false])
        // None is fetched that is not shown.
        #expect(!server.requests.contains { $0.path.hasSuffix(".vtt") })
    }

    @Test(arguments: ["en", "de"]) func areFetchedAroundWhatIsShown(_ language: String) async throws {
        let server = try await WebServer.start()
        let feed = SubtitleFeed()
        let reader = try open(try await publish(on: server), feed)
        let group = MediaSelectionGroup(.legible, of: reader.info)
        let stream = try #require(LanguageCode(language).flatMap { group.option(in: $0) }?.stream)
        try wait(for: "the first subtitles") { feed.track(ofStream: stream, at: .zero).cues.count == 3 }
        let cues = feed.track(ofStream: stream).cues
        #expect(cues.map(\.lines) == [["\(language) 0"], ["\(language) 1"], ["\(language) 2"]])
        for (cue, start) in zip(cues, [2.0, 22, 42]) { #expect(abs(cue.start.seconds - start) < 0.1, "\(cue)") }
        try wait(for: "the last subtitles") {
            feed.track(ofStream: stream, at: MediaTime(seconds: 30)).cues.count == 5
        }
        let asked = server.requests.map(\.path).filter { $0.hasSuffix(".vtt") }
        #expect(asked == (0..<Self.segmentCount).map { "/film/\(language)/\($0).vtt" })
        _ = reader.info
    }

    @Test func aMissingSegmentIsLeftOut() async throws {
        let server = try await WebServer.start()
        let feed = SubtitleFeed()
        let reader = try open(try await publish(on: server), feed)
        let stream = try #require(MediaSelectionGroup(.legible, of: reader.info).options.last?.stream)
        try wait(for: "the other subtitles") { feed.track(ofStream: stream, at: .zero).cues.count == 2 }
        #expect(feed.track(ofStream: stream).cues.map(\.lines) == [["fr 1"], ["fr 2"]])
        _ = reader.info
    }

    /// A segment that the server cannot give for now holds up none of those behind it, and comes when it is there.
    @Test func aFailingSegmentHoldsUpNoOther() async throws {
        let server = try await WebServer.start()
        let feed = SubtitleFeed()
        let url = try await publish(on: server)
        try server.fail("film/de/0.vtt", with: .tooMany)
        let reader = try open(url, feed)
        let stream = try #require(
            LanguageCode("de").flatMap {
                MediaSelectionGroup(.legible, of: reader.info).option(in: $0)
            }?.stream
        )
        try wait(for: "the later subtitles") { feed.track(ofStream: stream, at: .zero).cues.count == 2 }
        // What is shown meanwhile makes no further attempt.
        for second in stride(from: 0.0, to: 40, by: 11) { feed.show(stream, at: MediaTime(seconds: second)) }
        feed.show(stream, at: .zero)
        try wait(for: "the fourth subtitles") {
            feed.track(ofStream: stream, at: MediaTime(seconds: 15)).cues.count == 3
        }
        #expect(server.requests(of: "film/de/0.vtt").count <= 2)
        server.mend("film/de/0.vtt")
        try wait(for: "the first subtitles") { feed.track(ofStream: stream).cues.first?.lines == ["de 0"] }
        _ = reader.info
    }
}

@Suite struct SubtitleScheduleTests {
    private let start = HostTime.now

    @Test func whatHasFailedIsTriedMoreAndMoreRarelyAndThenLeftOut() {
        var schedule = SubtitleSchedule()
        var time = start
        for pause in [2.0, 4, 8, 16] {
            #expect(schedule.isDue(7, now: time))
            schedule.failed(7, isFinal: false, now: time)
            #expect(schedule.next(of: [6, 7]) == time + pause)
            #expect(!schedule.isDue(7, now: time + (pause - 0.1)))
            #expect(schedule.isDue(8, now: time))
            time = time + pause
        }
        schedule.failed(7, isFinal: false, now: time)
        #expect(!schedule.isDue(7, now: time + 1_000))
        #expect(schedule.next(of: [7]) == nil)
    }

    @Test func whatIsThereOrRefusedIsNotFetchedAgain() {
        var schedule = SubtitleSchedule()
        schedule.done(1)
        schedule.failed(2, isFinal: true, now: start)
        #expect(!schedule.isDue(1, now: start + 100))
        #expect(!schedule.isDue(2, now: start + 100))
        schedule.failed(3, isFinal: false, now: start)
        schedule.forget(before: 3)
        #expect(schedule.next(of: [3]) == start + 2)
        schedule.forget(before: 4)
        #expect(schedule.next(of: [3]) == nil)
        #expect(schedule.isDue(1, now: start))
    }

    @Test func aListIsTriedOnceAMinuteInTheEnd() {
        var retry = SubtitleRetry()
        #expect(retry.next == nil)
        #expect((0..<70).map { _ in retry.failed(now: start) - start }.max() == 64)
    }
}
