private import Glibc
import TestSupport

/// What is played: made once, by real encoders.
enum Material {
    /// The codecs whose costs are measured.
    enum Codec: String, CaseIterable, Sendable {
        case flac
        case mp3
        case aac
        case opus

        fileprivate var file: (extension: String, options: [String]) {
            switch self {
            case .flac: ("flac", ["-c:a", "flac", "-sample_fmt", "s16"])
            case .mp3: ("mp3", ["-c:a", "libmp3lame", "-q:a", "2"])
            case .aac: ("m4a", ["-c:a", "aac", "-b:a", "192k"])
            case .opus: ("opus", ["-c:a", "libopus", "-b:a", "128k"])
            }
        }
    }

    static let sampleRate = 44_100

    /// Two channels of a hundred tones each, with noise, that swell and fade: as hard to encode as music.
    static func music(_ codec: Codec, seconds: Int) async throws -> String {
        try await encoded("music\(seconds)", codec) {
            let channels = [UInt64(1), 2].map { seed in
                let chorus = Signal.chorus(seconds: Double(seconds), sampleRate: sampleRate, seed: seed)
                let noise = Signal.noise(frames: chorus.count, seed: seed, amplitude: 0.02)
                return chorus.indices.map { index in
                    let swell = abs(sinf(Float(index) * 0.45 / Float(sampleRate)))
                    return chorus[index] * (0.2 + 0.8 * swell) + noise[index] * swell
                }
            }
            return channels
        }
    }

    /// A steady tone.
    static func tone(_ frequency: Double, _ codec: Codec = .flac, seconds: Double = 30) async throws -> String {
        try await encoded("tone\(Int(frequency))x\(Int(seconds))", codec) {
            let tone = Signal.tone(frequency, seconds: seconds, sampleRate: sampleRate)
            return [tone, tone]
        }
    }

    /// Where to seek in: every other second a tone, one in the first half and another in the second; noise between.
    static func landmarks(_ codec: Codec, seconds: Int) async throws -> String {
        try await encoded("landmarks\(seconds)", codec) {
            let samples = (0..<seconds).flatMap { second in
                if second % 2 == 1 { return Signal.noise(frames: sampleRate, seed: UInt64(second), amplitude: 0.3) }
                let frequency = Landmark.frequency(inSecondHalf: second >= seconds / 2)
                return Signal.tone(frequency, seconds: 1, sampleRate: sampleRate)
            }
            return [samples, samples]
        }
    }

    /// A tone that rises evenly; by its frequency the place is known to some milliseconds.
    static func sweep(_ sweep: Sweep) async throws -> String {
        try await encoded("sweep\(Int(sweep.base))", .flac) {
            var phase = 0.0
            let samples = (0..<Int(sweep.seconds) * sampleRate).map { frame in
                let frequency = sweep.base + sweep.slope * Double(frame) / Double(sampleRate)
                phase = (phase + 2 * .pi * frequency / Double(sampleRate)).truncatingRemainder(dividingBy: 2 * .pi)
                return Float(0.5 * sin(phase))
            }
            return [samples, samples]
        }
    }

    /// A file of its own for two channels of samples.
    static func encoded(
        _ name: String,
        _ codec: Codec,
        channels: @Sendable () -> [[Float]]
    ) async throws -> String {
        let (suffix, options) = codec.file
        return try await MediaFixtures.file("bench-\(name).\(suffix)") { path in
            let wave = try TemporaryFolder()
            let source = try wave.write(
                "source.wav",
                WaveFile.bytes(channels().map(Signal.integers), sampleRate: sampleRate)
            )
            try MediaFixtures.ffmpeg(["-i", source] + options + [path])
        }
    }
}

/// The two tones that tell before from after.
enum Landmark {
    static let first = 1_000.0
    static let second = 3_000.0

    static func frequency(inSecondHalf: Bool) -> Double { inSecondHalf ? second : first }
}

/// A tone of `base` + `slope` × *seconds* Hz.
struct Sweep: Sendable {
    var base: Double
    var slope = 60.0
    var seconds = 60.0

    /// The time that a frequency stands for; `nil` for one outside the sweep.
    func time(of frequency: Double) -> Double? {
        let time = (frequency - base) / slope
        return (-0.1...seconds + 0.1).contains(time) ? time : nil
    }
}

/// Finds a steady tone to the sample.
///
/// Consecutive samples of a tone fulfil x₂ = 2 cos ω · x₁ − x₀; no other tone's do, and noise's neither.
struct ToneFinder: Sendable {
    private let factor: Float
    /// A millisecond.
    private let window = Material.sampleRate / 1000
    /// What may be left of a tone's power, as a codec's noise.
    private static let remainder: Float = 0.04 * 0.04
    /// −20 dB: quieter than any of the tones, and louder than their codec's noise.
    private static let level: Float = 0.1 * 0.1

    init(_ frequency: Double) { factor = Float(2 * cos(2 * .pi * frequency / Double(Material.sampleRate))) }

    /// The first frame from which on there is a millisecond of nothing but the tone.
    func first(in samples: [Float]) -> Int? {
        guard samples.count > window + 2 else { return nil }
        let rest = [0, 0] + (2..<samples.count).map { samples[$0] - factor * samples[$0 - 1] + samples[$0 - 2] }
        for start in 2..<samples.count - window where abs(samples[start]) > 0.001 {
            var (power, error): (Float, Float) = (0, 0)
            for index in start..<start + window {
                power += samples[index] * samples[index]
                error += rest[index] * rest[index]
            }
            if power > Self.level * Float(window), error < Self.remainder * power { return start }
        }
        return nil
    }
}
