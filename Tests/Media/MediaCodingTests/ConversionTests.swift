import AudioTypes
import Glibc
import HTTP
import MediaCoding
import TestSupport
import Testing
import Threads

/// What is done to samples on their way to an output.
@Suite(.enabled("ffmpeg or lame is not installed") { MediaFixtures.missing.isEmpty })
struct ConversionTests {
    private static let stereo = AudioFormat(sampleFormat: .f32, sampleRate: 44_100, channels: .stereo)

    private static func settings(
        gain: Gain = .unity,
        rate: Double = 1,
        keepsPitch: Bool = true
    ) -> AudioConverter.Settings {
        var settings = AudioConverter.Settings()
        settings.gain = gain
        settings.rate = rate
        settings.keepsPitch = keepsPitch
        return settings
    }

    private static func tone(channels: Int = 2) async throws -> String {
        try await MediaFixtures.audio("tone1000", .flac, channels: channels) {
            Signal.tone(1000, seconds: 2, sampleRate: 44_100)
        }
    }

    @Test(arguments: [SampleFormat.s16, .s32, .f32], [-6.0, -20, 3])
    func gainIsExact(_ sampleFormat: SampleFormat, _ decibels: Double) async throws {
        let path = try await Self.tone()
        let format = AudioFormat(sampleFormat: sampleFormat, sampleRate: 44_100, channels: .stereo)
        let gain = Gain(decibels: decibels)
        let plain = try MediaSound.of(path, as: format).samples
        let sound = try MediaSound.of(MediaEntry(location: path), as: format, Self.settings(gain: gain)).samples
        #expect(sound.count == plain.count)
        let step: Float = sampleFormat == .s16 ? 1.01 / 32_768 : 1e-6
        let worst = zip(plain, sound).map { abs($0 * gain.linear - $1) }.max() ?? 1
        #expect(worst <= step)
    }

    @Test func gainDoesNotWrap() async throws {
        let path = try await Self.tone()
        let format = AudioFormat(sampleFormat: .s16, sampleRate: 44_100, channels: .stereo)
        let sound = try MediaSound.of(MediaEntry(location: path), as: format, Self.settings(gain: Gain(linear: 4)))
        let plain = try MediaSound.of(path, as: format).integers(0)
        let expected = plain.map { Int16(clamping: Int($0) * 4) }
        let worst = zip(sound.integers(0), expected).map { abs(Int($0) - Int($1)) }.max() ?? 99
        #expect(worst <= 2)
    }

    @Test(arguments: [SampleFormat.s16, .f32], [44_100, 48_000])
    func monoKeepsItsLevel(_ sampleFormat: SampleFormat, _ rate: Int) async throws {
        let path = try await Self.tone(channels: 1)
        let format = AudioFormat(sampleFormat: sampleFormat, sampleRate: rate, channels: .stereo)
        for gain in [Gain.unity, Gain(decibels: -6)] {
            let sound = try MediaSound.of(MediaEntry(location: path), as: format, Self.settings(gain: gain))
            for channel in 0..<2 {
                let level = Analysis.level(sound.channel(channel)[2_000..<80_000])
                #expect(abs(level - (-9.03 + gain.decibels)) < 0.02)
            }
        }
    }

    @Test(arguments: [SampleFormat.s16, .s32, .f32], [44_100, 48_000])
    func downmixesNeverClip(_ sampleFormat: SampleFormat, _ rate: Int) async throws {
        // All channels at full scale and in phase: the worst there is.
        let path = try await MediaFixtures.audio("loud", .wav, channels: 6) {
            Signal.tone(300, seconds: 1, sampleRate: 44_100, amplitude: 0.999)
        }
        let format = AudioFormat(sampleFormat: sampleFormat, sampleRate: rate, channels: .stereo)
        let sound = try MediaSound.of(path, as: format)
        for channel in 0..<2 {
            let samples = sound.channel(channel)[2_000..<40_000]
            let peak = samples.map(abs).max() ?? 0
            #expect(peak <= 1 && peak > 0.9)
            // A clipped tone is not a tone: its crest would be flat.
            #expect(abs(Analysis.level(samples) - (20 * log10(Double(peak)) - 3.01)) < 0.05)
        }
    }

    @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 20], [1, 2, 6])
    func everyLayoutIsPlayed(_ from: Int, _ to: Int) async throws {
        let path = try await MediaFixtures.audio("layouts", .wav, channels: from) {
            Signal.tone(440, seconds: 0.3, sampleRate: 44_100)
        }
        let layout: ChannelLayout = to == 1 ? .mono : to == 2 ? .stereo : .surround51
        let format = AudioFormat(sampleFormat: .f32, sampleRate: 44_100, channels: layout)
        for gain in [Gain.unity, Gain(decibels: -3)] {
            let sound = try MediaSound.of(MediaEntry(location: path), as: format, Self.settings(gain: gain))
            #expect(sound.frameCount == 13_230)
            #expect(Analysis.level(sound.samples) > -30)
            #expect((sound.samples.map(abs).max() ?? 2) <= 1)
        }
    }

    @Test(arguments: [0.25, 0.5, 0.8, 1.25, 2, 4])
    func varispeedMovesThePitch(_ rate: Double) async throws {
        let path = try await Self.tone()
        let sound = try MediaSound.of(
            MediaEntry(location: path),
            as: Self.stereo,
            Self.settings(rate: rate, keepsPitch: false)
        )
        #expect(abs(Double(sound.frameCount) - 88_200 / rate) <= 2)
        let middle = sound.channel(0)[(sound.frameCount / 4)..<(sound.frameCount / 2)]
        #expect(abs(Analysis.frequency(middle, sampleRate: 44_100) - 1000 * rate) < 1 + rate)
        #expect(abs(Analysis.level(middle) + 9.03) < 0.1)
    }

    @Test(arguments: [0.25, 0.5, 0.8, 1.25, 2, 4], [SampleFormat.s16, .f32])
    func timeDomainKeepsThePitch(_ rate: Double, _ sampleFormat: SampleFormat) async throws {
        let path = try await Self.tone()
        let format = AudioFormat(sampleFormat: sampleFormat, sampleRate: 44_100, channels: .stereo)
        let sound = try MediaSound.of(MediaEntry(location: path), as: format, Self.settings(rate: rate))
        #expect(abs(Double(sound.frameCount) - 88_200 / rate) <= 2)
        // Whole periods are left out or repeated, rounded to samples.
        let middle = sound.channel(1)[(sound.frameCount / 4)..<(sound.frameCount / 2)]
        #expect(abs(Analysis.frequency(middle, sampleRate: 44_100) - 1000) < 10)
        #expect(abs(Analysis.level(middle) + 9.03) < 1)
    }

    /// A rate that changes on the way gives what both parts give.
    @Test(arguments: [true, false])
    func ratesMayChangeOnTheWay(_ keepsPitch: Bool) async throws {
        let path = try await Self.tone()
        var reader = try MediaReader.open(MediaEntry(location: path), interrupt: Interrupt())
        var converter = AudioConverter(output: Self.stereo)
        var sound = MediaSound(format: Self.stereo)
        for rate in [1, 2, 0.5, 1] {
            let before = reader.nextTime.seconds
            let frames = sound.frameCount
            try sound.append(
                &reader,
                &converter,
                Self.settings(rate: rate, keepsPitch: keepsPitch),
                upTo: 10_000,
                block: 4_096
            )
            try sound.append(&converter)
            let played = (reader.nextTime.seconds - before) / rate * 44_100
            #expect(abs(Double(sound.frameCount - frames) - played) < 4_097, "at rate \(rate)")
        }
    }

    /// A sample may become more than there is room for.
    @Test func lowRatesComeThrough() async throws {
        let path = try await MediaFixtures.audio("low", .wav, sampleRate: 1_000) {
            Signal.tone(50, seconds: 1, sampleRate: 1_000)
        }
        let format = AudioFormat(sampleFormat: .f32, sampleRate: 192_000, channels: .surround71)
        var reader = try MediaReader.open(MediaEntry(location: path), interrupt: Interrupt())
        var converter = AudioConverter(output: format)
        var sound = MediaSound(format: format)
        try sound.append(&reader, &converter, block: 4_096)
        try sound.append(&converter)
        #expect(abs(sound.frameCount - 192_000) <= 192)
        let middle = sound.channel(0)[40_000..<150_000]
        #expect(abs(Analysis.frequency(middle, sampleRate: 192_000) - 50) < 0.5)
    }

    @Test(arguments: [(96_000, 44_100), (22_050, 48_000), (8_000, 192_000)])
    func resamplingKeepsLengthAndPitch(_ rates: (from: Int, to: Int)) async throws {
        let path = try await MediaFixtures.audio("resample", .flac, sampleRate: rates.from) {
            Signal.tone(1000, seconds: 1, sampleRate: rates.from)
        }
        let format = AudioFormat(sampleFormat: .f32, sampleRate: rates.to, channels: .stereo)
        let sound = try MediaSound.of(path, as: format)
        #expect(abs(sound.frameCount - rates.to) <= 1)
        let middle = sound.channel(0)[(rates.to / 4)..<(rates.to * 3 / 4)]
        #expect(abs(Analysis.frequency(middle, sampleRate: rates.to) - 1000) < 0.5)
        #expect(abs(Analysis.level(middle) + 9.03) < 0.02)
    }
}
