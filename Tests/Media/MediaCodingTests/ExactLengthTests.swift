import AudioTypes
import HTTP
import MediaCoding
import TestSupport
import Testing
import Threads

/// Every codec gives exactly the samples that were put in: none added at the start or the end, none lost.
@Suite(.enabled("ffmpeg or lame is not installed") { MediaFixtures.missing.isEmpty })
struct ExactLengthTests {
    /// Lengths around the codecs' frame sizes and far from them.
    static let lengths = [40_003, 44_100, 46_080, 1]

    @Test(arguments: MediaFixtures.Codec.allCases, lengths)
    func everySampleIsThere(_ codec: MediaFixtures.Codec, _ length: Int) async throws {
        // FFmpeg writes neither an ADTS file nor a right LAME tag for a single sample.
        if length == 1, codec == .adts || codec == .mp3VBR { return }
        let rate = codec == .opus ? 48_000 : 44_100
        let signal = Signal.softNoise(frames: length, sampleRate: rate)
        let path = try await MediaFixtures.audio("exact\(length)", codec, sampleRate: rate) { signal }
        let sound = try MediaSound.of(path)
        let info = try MediaProbe.probe(path)
        #expect(info.hasExactEnd == codec.isExact)
        guard codec.isExact else {
            #expect(sound.frameCount >= length)
            return
        }
        #expect(sound.frameCount == length)
        #expect(info.duration?.sample(at: rate) == length)
        if codec.isLossless {
            #expect(sound.integers(0) == Signal.integers(signal))
            #expect(sound.integers(1) == sound.integers(0))
        } else if length > 40_000 {
            // Not a sample early or late, from the first to the last.
            for place in [0, 20_000, length - 4_096] {
                let window = place..<place + 4_096
                let around = max(0, place - 2_000)..<min(length, place + 6_096)
                let heard = sound.channel(0)
                let found = try #require(Analysis.find(signal[window], in: heard[around]))
                #expect(around.lowerBound + found.offset == place)
                #expect(found.likeness > 0.99)
            }
        }
    }

    @Test func twentyFourBitsAreKept() async throws {
        var generator = SplitMix(state: 24)
        let samples = (0..<10_007).map { _ in Int32.random(in: -8_388_608...8_388_607, using: &generator) }
        let path = try await MediaFixtures.file("bits24.flac") { path in
            let raw = "\(path).raw"
            let bytes = samples.flatMap { sample in
                let wide = sample << 8
                return [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: wide >> $0) }
            }
            try FileBytes.write(bytes, to: raw)
            try MediaFixtures.ffmpeg(
                ["-f", "s32le", "-ar", "96000", "-ac", "1", "-i", raw, "-bits_per_raw_sample", "24", path]
            )
        }
        let format = AudioFormat(sampleFormat: .s32, sampleRate: 96_000, channels: .mono)
        #expect(try MediaSound.of(path, as: format).longIntegers(0) == samples.map { $0 << 8 })
        #expect(try MediaProbe.probe(path).audioStreams.first?.bitsPerSample == 24)
    }

    /// A reader that asks for small pieces gets the same.
    @Test(arguments: [MediaFixtures.Codec.flac, .mp3, .m4a, .opus], [4_096, 5_000])
    func smallPiecesAreTheSame(_ codec: MediaFixtures.Codec, _ block: Int) async throws {
        let rate = codec == .opus ? 48_000 : 44_100
        let path = try await MediaFixtures.position(codec, seconds: 2, sampleRate: rate)
        let whole = try MediaSound.of(path)
        var reader = try MediaReader.open(MediaEntry(location: path), interrupt: Interrupt())
        var converter = AudioConverter(output: whole.format)
        var sound = MediaSound(format: whole.format)
        try sound.append(&reader, &converter, block: block)
        #expect(sound.bytes == whole.bytes)
    }
}
