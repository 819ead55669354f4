import AudioTypes
import HTTP
import MediaCoding
import TestSupport
import Testing
import Threads

/// A seek goes to the very sample, wherever it comes from and goes to.
@Suite(.enabled("ffmpeg or lame is not installed") { MediaFixtures.missing.isEmpty })
struct SeekTests {
    private static func noise(_ codec: MediaFixtures.Codec, seconds: Double = 9.3) async throws -> String {
        let rate = codec == .opus ? 48_000 : 44_100
        return try await MediaFixtures.audio("seek\(seconds)", codec, sampleRate: rate) {
            Signal.softNoise(frames: Int(seconds * Double(rate)) | 1, sampleRate: rate, seed: 11)
        }
    }

    @Test(
        arguments: MediaFixtures.Codec.allCases,
        [SeekTolerance.exact, .within(before: .init(seconds: 0.5), after: .zero)]
    )
    func landsWhereItSays(_ codec: MediaFixtures.Codec, _ tolerance: SeekTolerance) async throws {
        // A short file too, which in Ogg has a single page.
        for seconds in [9.3, 0.7] {
            let path = try await Self.noise(codec, seconds: seconds)
            var reader = try MediaReader.open(MediaEntry(location: path), interrupt: Interrupt())
            let rate = reader.sampleRate
            let format = AudioFormat(sampleFormat: .f32, sampleRate: rate, channels: .stereo)
            let linear = try MediaSound.of(path, as: format)
            let expected = linear.channel(0)
            let frames = linear.frameCount
            var generator = SplitMix(state: 77)
            var places = (0..<24).map { _ in Int.random(in: 0..<frames, using: &generator) }
            // Around the beginning, the codecs' frames and the end; near and far from the place before.
            places += [0, 1, 1_151, 1_152, 1_153, 4_096, frames - 1, 0, frames - 1_000, frames - 2_000, 576, 2_400]
            var converter = AudioConverter(output: format)
            var worst = (ratio: Double.infinity, place: 0)
            for place in places {
                let time = MediaTime(sample: place, at: rate)
                let landed: Int
                do {
                    landed = try reader.seek(to: time, tolerance: tolerance).sample(at: rate)
                } catch {
                    Issue.record("\(codec) at \(place) of \(frames): \(error)")
                    continue
                }
                if case .within(let before, _) = tolerance {
                    #expect(landed <= place && landed >= place - before.sample(at: rate))
                } else {
                    #expect(landed == place)
                }
                #expect(reader.nextTime.sample(at: rate) == landed)
                converter.reset()
                var sound = MediaSound(format: format)
                try sound.append(&reader, &converter, upTo: 5_000)
                let heard = sound.channel(0)
                let wanted = expected[landed..<min(landed + 5_000, frames)]
                guard heard.count == wanted.count else {
                    Issue.record("\(codec) at \(place): \(heard.count) frames, not \(wanted.count)")
                    continue
                }
                let ratio = Analysis.signalToNoise(wanted, heard)
                if ratio < worst.ratio { worst = (ratio, place) }
            }
            #expect(worst.ratio >= Self.leastRatio(codec), "at \(worst.place) of \(frames)")
        }
    }

    /// How alike a codec's samples are when it is decoded from another place, in dB.
    static func leastRatio(_ codec: MediaFixtures.Codec) -> Double {
        switch codec {
        // AAC puts noise of its own in the place of noise, other noise every time (ISO 14496-3, section 4.6.13).
        case .m4a, .m4aITunes, .adts: 20
        // Opus converges in the 80 ms before the place (RFC 7845, section 4.6).
        case .opus: 25
        default: .infinity
        }
    }

    @Test(arguments: [MediaFixtures.Codec.flac, .mp3, .m4a, .vorbis, .opus])
    func behindTheEndIsTheEnd(_ codec: MediaFixtures.Codec) async throws {
        let path = try await Self.noise(codec)
        var reader = try MediaReader.open(MediaEntry(location: path), interrupt: Interrupt())
        let format = AudioFormat(sampleFormat: .s16, sampleRate: reader.sampleRate, channels: .stereo)
        var converter = AudioConverter(output: format)
        for seconds in [9.4, 10, 1_000, 1e9] {
            _ = try reader.seek(to: MediaTime(seconds: seconds))
            var sound = MediaSound(format: format)
            try sound.append(&reader, &converter)
            #expect(sound.frameCount == 0)
        }
        // And back again.
        #expect(try reader.seek(to: MediaTime(seconds: -5)) == .zero)
        var sound = MediaSound(format: format)
        try sound.append(&reader, &converter)
        let whole = try MediaSound.of(path, as: format)
        #expect(sound.frameCount == whole.frameCount)
        #expect(Analysis.signalToNoise(whole.channel(0), sound.channel(0)) >= Self.leastRatio(codec))
    }

    @Test(arguments: ["mkv", "mp4"])
    func videosSoundIsFound(_ container: String) async throws {
        let path = try await MediaFixtures.video(container)
        var reader = try MediaReader.open(MediaEntry(location: path), interrupt: Interrupt())
        let format = AudioFormat(sampleFormat: .f32, sampleRate: reader.sampleRate, channels: .stereo)
        let linear = try MediaSound.of(path, as: format).channel(0)
        var converter = AudioConverter(output: format)
        for place in [100_001, 1, 44_100, 60_007, 130_000] {
            let landed = try reader.seek(to: MediaTime(sample: place, at: reader.sampleRate))
            #expect(landed.sample(at: reader.sampleRate) == place)
            converter.reset()
            var sound = MediaSound(format: format)
            try sound.append(&reader, &converter, upTo: 2_000)
            #expect(Analysis.signalToNoise(linear[place..<place + 2_000], sound.channel(0)) > 40, "at \(place)")
        }
    }
}
