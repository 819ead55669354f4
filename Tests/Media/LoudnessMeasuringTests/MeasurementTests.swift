import AudioTypes
import Foundation
import LoudnessMeasuring
import TestSupport
import TestThreads
import Testing
import Threads

/// Loudness and true peaks agree with those of FFmpeg's filter `ebur128`.
@Suite(.blocking, .enabled("ffmpeg is missing") { ChildProcess.missing("ffmpeg").isEmpty })
struct MeasurementTests {
    struct Material: Sendable, CustomTestStringConvertible {
        var name: String
        /// A source and filters of FFmpeg.
        var source: String
        var options: [String] = ["-c:a", "pcm_s16le"]
        var isSilent = false
        /// In dB, where it is known.
        var peak: Double?
        var testDescription: String { name }
    }

    private static let noise = "anoisesrc=d=8:c=pink:a=0.4:seed=7"
    /// Four seconds loud, four hardly audible.
    private static let uneven = "aevalsrc='0.5*sin(2*PI*997*t)*if(lt(mod(t,8),4),1,0.02)':d=16"

    @Test(arguments: [
        Material(name: "cd.wav", source: "\(noise):r=44100,aformat=channel_layouts=stereo"),
        Material(name: "dat.wav", source: "\(uneven):s=48000,aformat=channel_layouts=stereo"),
        Material(name: "mono.wav", source: "\(noise):r=22050"),
        Material(name: "high.flac", source: "\(noise):r=96000,pan=stereo|c0=c0|c1=0.3*c0", options: ["-c:a", "flac"]),
        Material(name: "low.wav", source: "\(noise):r=8000,pan=stereo|c0=0.1*c0|c1=0.1*c0"),
        Material(
            name: "surround.wav",
            source: "\(noise):r=48000,pan=5.1|FL=0.1*c0|FR=0.1*c0|FC=0.2*c0|LFE=c0|BL=0.5*c0|BR=0.5*c0"
        ),
        Material(name: "side.wav", source: "\(noise):r=48000,pan=5.1(side)|FL=0.1*c0|FC=0.2*c0|LFE=c0|SL=0.5*c0"),
        // A peak between the samples: a quarter of the rate, at its worst phase.
        Material(name: "between.wav", source: "aevalsrc='0.7*sin(2*PI*11025*t+PI/4)':s=44100:d=4", peak: -3.098),
        Material(name: "silent.wav", source: "anullsrc=r=44100:cl=stereo:d=3", isSilent: true),
        Material(name: "short.wav", source: "aevalsrc='0.5*sin(2*PI*997*t)':s=44100:d=0.3", isSilent: true),
        Material(name: "faint.wav", source: "aevalsrc='0.0002*sin(2*PI*997*t)':s=44100:d=3", isSilent: true),
    ])
    func agreesWithFFmpeg(_ material: Material) async throws {
        let path = try await MediaFixtures.file("loudness-\(material.name)") { path in
            try ChildProcess.run(
                "ffmpeg",
                ["-v", "error", "-f", "lavfi", "-i", material.source] + material.options + [path]
            )
        }
        let result = measureLoudness(of: MediaEntry(location: path), interrupt: Interrupt())
        guard case .measured(let loudness) = result else {
            Issue.record("\(result)")
            return
        }
        guard !material.isSilent else {
            #expect(loudness.blocks.integrated == nil)
            return
        }
        let expected = try Self.byFFmpeg(path)
        let integrated = try #require(loudness.blocks.integrated)
        #expect(abs(integrated - expected.integrated) <= 0.1, "\(integrated), FFmpeg: \(expected.integrated)")
        let peak = 20 * log10(loudness.truePeak)
        // FFmpeg's filter overshoots where a sound begins; EBU Tech 3341 allows 0.3 dB more, and 0.4 less.
        #expect(peak >= expected.peak - 0.7 && peak <= expected.peak + 0.3, "\(peak), FFmpeg: \(expected.peak)")
        if let known = material.peak { #expect(abs(peak - known) < 0.2) }
    }

    /// What FFmpeg's filter says, to a tenth; a single channel is heard from both speakers.
    private static func byFFmpeg(_ path: String) throws -> (integrated: Double, peak: Double) {
        let arguments = [
            "-nostats", "-i", path, "-af", "ebur128=peak=true:framelog=verbose:dualmono=true", "-f", "null", "-",
        ]
        let text = try ChildProcess.run("ffmpeg", arguments).errorText
        let summary = text[(text.range(of: "Summary:")?.upperBound ?? text.startIndex)...]
        func value(_ name: String) throws -> Double {
            let words = summary.split(whereSeparator: \.isWhitespace)
            let index = try #require(words.firstIndex(of: Substring(name)))
            return try #require(Double(words[index + 1]))
        }
        return (try value("I:"), try value("Peak:"))
    }

    @Test func whatIsNoSoundIsUnmeasurable() async throws {
        let path = try await MediaFixtures.file("loudness-damaged.flac") { path in
            try Data((0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }).write(to: URL(filePath: path))
        }
        #expect(measureLoudness(of: MediaEntry(location: path), interrupt: Interrupt()) == .unmeasurable)
    }

    @Test func budgetsAndInterruptsEndIt() async throws {
        let path = try await MediaFixtures.audio("loudness", .wav) {
            Signal.chorus(seconds: 4, sampleRate: 44_100, seed: 1)
        }
        var limits = LoudnessLimits()
        limits.soundSeconds = 2
        let entry = MediaEntry(location: path)
        #expect(measureLoudness(of: entry, limits: limits, interrupt: Interrupt()) == .unmeasurable)
        limits = LoudnessLimits()
        limits.processorSeconds = 0
        #expect(measureLoudness(of: entry, limits: limits, interrupt: Interrupt()) == .unmeasurable)
        let interrupt = Interrupt()
        interrupt.raise()
        #expect(measureLoudness(of: entry, interrupt: interrupt) == .isInterrupted)
    }
}
