import TestSupport
import Testing

/// What the tests of decoding lean on: that the files are what they are said to be.
@Suite(.enabled("ffmpeg or lame is not installed") { MediaFixtures.missing.isEmpty })
struct MediaFixturesTests {
    @Test(arguments: MediaFixtures.Codec.allCases)
    func holdsItsSignal(_ codec: MediaFixtures.Codec) async throws {
        let rate = codec == .opus ? 48_000 : 44_100
        let signal = Signal.softNoise(frames: 40_003, sampleRate: rate)
        let path = try await MediaFixtures.audio("noise", codec, sampleRate: rate) { signal }
        let decoded = try await MediaFixtures.decoded(path)
        let left = stride(from: 0, to: decoded.count, by: 2).map { decoded[$0] }
        if codec.isLossless {
            #expect(left == Signal.integers(signal))
        } else {
            let found = try #require(Analysis.find(signal[8000..<24_000], in: left.map { Float($0) / 32768 }))
            #expect(found.likeness > 0.99)
        }
    }

    @Test func albumIsCutAtOddPlaces() async throws {
        let album = try await MediaFixtures.album(.flac)
        let reference = album.reference(at: 44_100)
        let joints = album.joints(at: 44_100)
        #expect(joints.count == 7)
        #expect(joints.allSatisfy { $0 % 2 == 1 })
        var decoded: [Int16] = []
        for track in album.tracks { decoded += try await MediaFixtures.decoded(track) }
        #expect(decoded.count == 2 * reference.count)
        let heard = stride(from: 0, to: decoded.count, by: 2).map { Float(decoded[$0]) / 32768 }
        #expect(Analysis.changes(at: joints, of: reference, in: heard) == Array(repeating: 0, count: 7))
        // And a change is seen: 40 samples lost at the third joint, 3 added at the fifth.
        var changed = heard
        changed.insert(contentsOf: [0, 0, 0], at: joints[4])
        changed.removeSubrange(joints[2]..<joints[2] + 40)
        let changes = Analysis.changes(at: joints, of: reference, in: changed)
        #expect(changes == [0, 0, -40, 0, 3, 0, 0])
    }

    @Test func albumOfTwoRatesIsOneSignal() async throws {
        let album = try await MediaFixtures.album(.flac, rates: [44_100, 48_000])
        #expect(album.rates.prefix(2) == [44_100, 48_000])
        var heard: [Float] = []
        for track in album.tracks {
            let decoded = try await MediaFixtures.decoded(track, sampleRate: 48_000)
            heard += stride(from: 0, to: decoded.count, by: 2).map { Float(decoded[$0]) / 32768 }
        }
        let joints = album.joints(at: 48_000)
        // A resampler that starts again at every track may be a sample or two off; nothing more.
        let changes = Analysis.changes(at: joints, of: album.reference(at: 48_000), in: heard)
        #expect(changes.allSatisfy { abs($0 ?? 9999) <= 2 })
    }

    @Test func iTunesTagIsRead() async throws {
        let path = try await MediaFixtures.position(.m4aITunes, seconds: 2)
        let tags = try await probe(path, "format_tags=iTunSMPB")
        // Two seconds of 44,100 frames are 0x15888; 87 × 1,024 frames hold them after 1,024 of delay, and 888 remain.
        #expect(tags.contains("iTunSMPB= 00000000 00000400 00000378 0000000000015888"))
        // FFmpeg drops the delay only: the file still holds the padding.
        #expect(try await MediaFixtures.decoded(path).count / 2 == 88_200 + 888)
    }

    @Test(arguments: ["mkv", "mp4"])
    func videoHasTwoLanguages(_ container: String) async throws {
        let streams = try await probe(await MediaFixtures.video(container), "stream=codec_type:stream_tags=language")
        #expect(streams.contains("video"))
        #expect(streams.contains("eng") && (streams.contains("deu") || streams.contains("ger")))
    }

    @Test(arguments: [MediaFixtures.Codec.flac, .mp3, .m4a])
    func taggedFileHasItsCover(_ codec: MediaFixtures.Codec) async throws {
        let path = try await MediaFixtures.tagged("tagged", codec, tags: ["title": "A Title", "artist": "Somebody"])
        let words = try await probe(path, "stream_disposition=attached_pic:format_tags=title,artist")
        #expect(words.contains("attached_pic=1") && words.contains("A Title") && words.contains("Somebody"))
    }

    @Test(arguments: ["mp4", "mkv", "mp3"])
    func chaptersHaveTitles(_ container: String) async throws {
        #expect(try await probe(await MediaFixtures.chapters(container), "chapter_tags=title").contains("Chapter 4"))
    }

    private func probe(_ path: String, _ entries: String) async throws -> String {
        try await ChildProcess("ffprobe", ["-v", "error", "-show_entries", entries, path]).wait().outputText
    }
}
