import Foundation
import TestSupport

/// What is played: music is on the left only and voices are on the right only, so that neither hides the other.
enum Songs {
    static let music = SignCode(seconds: 40, seed: 1)
    static let second = SignCode(seconds: 40, seed: 2)
    static let voice = SignCode(seconds: 0.8, seed: 3)
    static let otherVoice = SignCode(seconds: 0.6, seed: 4)
    static let alarm = SignCode(seconds: 0.5, seed: 5)
    static let longVoice = SignCode(seconds: 3, seed: 6)
    /// Full scale on both sides, as its voice is.
    static let loudMusic = SignCode(seconds: 20, seed: 7, amplitude: 32_767)
    static let loudVoice = SignCode(seconds: 1, seed: 8, amplitude: 32_767)
    /// A low tone, whose own steps are small.
    static let tone = Signal.tone(110, seconds: 20, sampleRate: Stage.sampleRate, amplitude: 0.95)

    private static let files: [String: [UInt8]] = {
        func wave(_ left: [Int16], _ right: [Int16]) -> [UInt8] {
            WaveFile.bytes([left, right], sampleRate: Stage.sampleRate)
        }
        func left(_ samples: [Int16]) -> [UInt8] { wave(samples, Array(repeating: 0, count: samples.count)) }
        func right(_ samples: [Int16]) -> [UInt8] { wave(Array(repeating: 0, count: samples.count), samples) }
        return [
            "music.wav": left(music.samples), "second.wav": left(second.samples),
            "tone.wav": left(Signal.integers(tone)), "voice.wav": right(voice.samples),
            "other.wav": right(otherVoice.samples), "alarm.wav": right(alarm.samples),
            "long.wav": right(longVoice.samples), "loud.wav": wave(loudMusic.samples, loudMusic.samples),
            "loud-voice.wav": wave(loudVoice.samples, loudVoice.samples),
        ]
    }()

    static func write(to folder: TemporaryFolder) throws {
        _ = try folder.makeFolder("music")
        for (name, bytes) in files { try folder.write("music/\(name)", bytes) }
    }
}
