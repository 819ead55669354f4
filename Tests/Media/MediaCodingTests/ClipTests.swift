import AudioTypes
import HTTP
import MediaCoding
import TestSupport
import Testing
import Threads

/// A part of a medium, as a cue sheet or `--start` and `--end` name it.
@Suite(.enabled("ffmpeg or lame is not installed") { MediaFixtures.missing.isEmpty })
struct ClipTests {
    private static let length = 5 * 44_100 + 7

    private static func path(_ codec: MediaFixtures.Codec) async throws -> String {
        try await MediaFixtures.audio("clip", codec, sampleRate: codec == .opus ? 48_000 : 44_100) {
            Signal.softNoise(frames: length, sampleRate: 44_100, seed: 4)
        }
    }

    /// The tracks of a cue sheet, whose times are in 75ths of a second, together are the file.
    @Test(arguments: [MediaFixtures.Codec.wav, .flac, .alac, .wavpack, .mp3, .mp3VBR, .vorbis])
    func tracksOfACueSheetJoin(_ codec: MediaFixtures.Codec) async throws {
        let path = try await Self.path(codec)
        let whole = try MediaSound.of(path)
        let cuts = [0, 75, 76, 151, 200, 301].map { MediaTime(seconds: Double($0) / 75) }
        var joined = MediaSound(format: whole.format)
        var converter = AudioConverter(output: whole.format)
        for (index, start) in cuts.enumerated() {
            let end = index + 1 < cuts.count ? cuts[index + 1] : nil
            let entry = MediaEntry(location: path, start: start, end: end)
            var reader = try MediaReader.open(entry, interrupt: Interrupt())
            let before = joined.frameCount
            #expect(reader.nextTime == .zero)
            try joined.append(&reader, &converter)
            let last = end?.sample(at: 44_100) ?? whole.frameCount
            #expect(joined.frameCount - before == last - start.sample(at: 44_100))
            #expect(reader.duration?.sample(at: 44_100) == joined.frameCount - before)
        }
        #expect(joined.bytes == whole.bytes)
    }

    @Test(arguments: [MediaFixtures.Codec.m4a, .m4aITunes, .opus, .adts])
    func lossyClipsAreAsLong(_ codec: MediaFixtures.Codec) async throws {
        let path = try await Self.path(codec)
        let rate = codec == .opus ? 48_000 : 44_100
        let whole = try MediaSound.of(path).channel(0)
        let (start, end) = (MediaTime(sample: 50_001, at: rate), MediaTime(sample: 100_006, at: rate))
        let clip = try MediaSound.of(MediaEntry(location: path, start: start, end: end)).channel(0)
        #expect(clip.count == 50_005)
        #expect(Analysis.signalToNoise(whole[50_001..<100_006], clip) > 20)
    }

    @Test func seeksCountFromTheClipsStart() async throws {
        let path = try await Self.path(.flac)
        let whole = try MediaSound.of(path)
        let entry = MediaEntry(
            location: path,
            start: MediaTime(sample: 44_100, at: 44_100),
            end: MediaTime(sample: 88_200, at: 44_100)
        )
        var reader = try MediaReader.open(entry, interrupt: Interrupt())
        var converter = AudioConverter(output: whole.format)
        #expect(try reader.seek(to: MediaTime(sample: 20_001, at: 44_100)).sample(at: 44_100) == 20_001)
        var sound = MediaSound(format: whole.format)
        try sound.append(&reader, &converter)
        #expect(sound.integers(0) == Array(whole.integers(0)[64_101..<88_200]))
        #expect(try reader.seek(to: MediaTime(seconds: 3)).sample(at: 44_100) >= 44_100)
        sound.bytes = []
        try sound.append(&reader, &converter)
        #expect(sound.frameCount == 0)
    }

    @Test func absurdClipsAreShortOrEmpty() async throws {
        let path = try await Self.path(.flac)
        func count(_ start: Double?, _ end: Double?) throws -> Int {
            let entry = MediaEntry(
                location: path,
                start: start.map(MediaTime.init(seconds:)),
                end: end.map(MediaTime.init(seconds:))
            )
            return try MediaSound.of(entry).frameCount
        }
        #expect(try count(4, nil) == Self.length - 4 * 44_100)
        #expect(try count(nil, 1_000) == Self.length)
        for (start, end) in [(3, 2), (100, nil)] as [(Double, Double?)] {
            #expect(throws: MediaError(location: path, reason: .noSamples)) { try count(start, end) }
        }
        #expect(try count(-1, 1) == 44_100)
    }
}
