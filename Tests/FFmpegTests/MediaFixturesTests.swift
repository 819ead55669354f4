import TestSupport
import Testing

/// What the tests of decoding lean on: that the files are what they are said to be.
@Suite(.enabled("ffmpeg or lame is not installed") { MediaFixtures.missing.isEmpty })
struct MediaFixturesTests {
    @Test(arguments: MediaFixtures.Codec.allCases)
    func holdsItsSignal(_ codec: MediaFixtures.Codec) throws {
        let rate = codec == .opus ? 48_000 : 44_100
        let signal = Signal.softNoise(frames: 40_003, sampleRate: rate)
        let path = try MediaFixtures.audio("noise", codec, sampleRate: rate) { signal }
        let decoded = try MediaFixtures.decoded(path)
        let left = stride(from: 0, to: decoded.count, by: 2).map { decoded[$0] }
        if codec.isLossless {
            #expect(left == Signal.integers(signal))
        } else {
            let found = try #require(Analysis.find(signal[8000..<24_000], in: left.map { Float($0) / 32768 }))
            #expect(found.likeness > 0.99)
        }
    }

    @Test func albumIsCutAtOddPlaces() throws {
        let album = try MediaFixtures.album(.flac)
        #expect(album.joints.count == 7)
        #expect(album.joints.allSatisfy { $0 % 2 == 1 })
        let decoded = try album.tracks.flatMap { try MediaFixtures.decoded($0) }
        #expect(decoded.count == 2 * album.reference.count)
        let heard = stride(from: 0, to: decoded.count, by: 2).map { Float(decoded[$0]) / 32768 }
        #expect(Analysis.changes(at: album.joints, of: album.reference, in: heard) == Array(repeating: 0, count: 7))
        // And a change is seen: 40 samples lost at the third joint, 3 added at the fifth.
        var changed = heard
        changed.insert(contentsOf: [0, 0, 0], at: album.joints[4])
        changed.removeSubrange(album.joints[2]..<album.joints[2] + 40)
        let changes = Analysis.changes(at: album.joints, of: album.reference, in: changed)
        #expect(changes == [0, 0, -40, 0, 3, 0, 0])
    }

    @Test func iTunesTagIsRead() throws {
        let path = try MediaFixtures.position(.m4aITunes, seconds: 2)
        let tags = try probe(path, "format_tags=iTunSMPB")
        // Two seconds of 44,100 frames are 0x15888; 87 × 1,024 frames hold them after 1,024 of delay, and 888 remain.
        #expect(tags.contains("iTunSMPB= 00000000 00000400 00000378 0000000000015888"))
        // FFmpeg drops the delay only: the file still holds the padding.
        #expect(try MediaFixtures.decoded(path).count / 2 == 88_200 + 888)
    }

    @Test(arguments: ["mkv", "mp4"])
    func videoHasTwoLanguages(_ container: String) throws {
        let streams = try probe(try MediaFixtures.video(container), "stream=codec_type:stream_tags=language")
        #expect(streams.contains("video"))
        #expect(streams.contains("eng") && (streams.contains("deu") || streams.contains("ger")))
    }

    @Test(arguments: [MediaFixtures.Codec.flac, .mp3, .m4a])
    func taggedFileHasItsCover(_ codec: MediaFixtures.Codec) throws {
        let path = try MediaFixtures.tagged("tagged", codec, tags: ["title": "A Title", "artist": "Somebody"])
        let words = try probe(path, "stream_disposition=attached_pic:format_tags=title,artist")
        #expect(words.contains("attached_pic=1") && words.contains("A Title") && words.contains("Somebody"))
    }

    @Test(arguments: ["mp4", "mkv", "mp3"])
    func chaptersHaveTitles(_ container: String) throws {
        #expect(try probe(try MediaFixtures.chapters(container), "chapter_tags=title").contains("Chapter 4"))
    }

    private func probe(_ path: String, _ entries: String) throws -> String {
        try ChildProcess.run("ffprobe", ["-v", "error", "-show_entries", entries, path]).outputText
    }
}
