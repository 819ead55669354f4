import AudioTypes
import Playback
import TestSupport
import TestTiming
import Testing

/// How what a listener hears from a real sound server sounds: loudness, speed, and every bit.
@Suite(
    .serialized,
    .enabled("ffmpeg or lame is not installed") { MediaFixtures.missing.isEmpty },
    .enabled("pulseaudio is not installed") { PulseServer.missing.isEmpty }
)
struct PulseSoundTests {
    @Test func volumeChangesAtOnceAndTimeGoesOn() async throws {
        let stage = try await PulseStage()
        await stage.play(try await noiseFile(8))
        let start = try await stage.capture.waitForSound()
        try await stage.capture.waitForFrames(22_050, after: start)
        let before = stage.player.currentTime().seconds
        let muted = stage.capture.frames
        await stage.player.setMuted(true)
        let silence = try await stage.capture.waitForSilence(after: muted)
        #expect(silence - muted < 4_410)
        #expect(stage.player.currentTime().seconds > before + 0.15)
        #expect(stage.player.status.timeControlStatus == .playing)
        let loud = stage.capture.frames
        await stage.player.setMuted(false)
        #expect(try await stage.capture.waitForSound(after: loud) - loud < 4_410)
        let quiet = stage.capture.frames
        await stage.player.setVolume(Volume(percent: 50))
        try await stage.capture.waitForFrames(13_230, after: quiet)
        let level = Analysis.level(stage.capture.current.samples(in: quiet + 4_410..<quiet + 13_230))
        let full = Analysis.level(stage.capture.current.samples(in: start..<start + 8_820))
        #expect(abs(full - level - 18.06) < 0.3)
        await stage.player.close()
    }

    /// Changing the volume when all was sent already takes nothing away.
    @Test func volumeChangesInTheLastSecond() async throws {
        let stage = try await PulseStage()
        await stage.play(try await noiseFile(2))
        let start = try await stage.capture.waitForSound()
        try await stage.capture.waitForFrames(60_000, after: start)
        await stage.player.setVolume(Volume(percent: 50))
        try await stage.log.waitForEnd()
        let heard = try await stage.heard()
        let expected = noise(2).droppingSilence
        #expect(heard.count == expected.count)
        // Half a second for the order to be late in.
        let (loud, quiet) = (heard.prefix(50_000), heard.suffix(4_000))
        let change = Analysis.level(loud.map { Float($0) }) - Analysis.level(quiet.map { Float($0) })
        #expect(abs(change - 18.06) < 0.3)
    }

    /// 24 bits of a FLAC file come out of a 24-bit sink as they are.
    @Test func bitsAreKept() async throws {
        let source = try await MediaFixtures.file("bits24.raw") { path in
            var generator = SplitMix(state: 24)
            let bytes = (0..<2 * 44_100 * 2).flatMap { _ -> [UInt8] in
                let sample = Int32.random(in: -4_000_000...4_000_000, using: &generator) << 8
                return (0..<4).map { UInt8(truncatingIfNeeded: sample >> ($0 * 8)) }
            }
            try FileBytes.write(bytes, to: path)
        }
        let path = try await MediaFixtures.file("bits24.flac") { path in
            try MediaFixtures.ffmpeg(
                ["-f", "s32le", "-ar", "44100", "-ac", "2", "-i", source, "-c:a", "flac", "-sample_fmt", "s32"]
                    + ["-bits_per_raw_sample", "24", path]
            )
        }
        let format = AudioFormat(sampleFormat: .s32, sampleRate: 44_100, channels: .stereo)
        let stage = try await PulseStage(format: format)
        await stage.play(path)
        try await stage.capture.waitForSound()
        #expect(stage.player.status.currentItem?.sourceFormat?.description == "44100:24:2")
        try await stage.log.waitForEnd()
        await stage.player.close()
        let recording = stage.capture.stop()
        let start = try #require(recording.firstSound(after: 0))
        let heard = Array(recording.bytes[(start * 8)..<(recording.soundEnd * 8)])
        let expected = try FileBytes.read(source)
        // PulseAudio may drop the first few samples.
        let offset = try #require((0..<1_000).first { expected.dropFirst($0 * 8).starts(with: heard.prefix(800)) })
        #expect(heard.elementsEqual(expected.dropFirst(offset * 8).prefix(heard.count)))
        #expect(heard.count > 8 * 87_000)
    }

    @Test(.timed) func rateIsHeardAtOnce() async throws {
        let stage = try await PulseStage()
        await stage.play(
            try await MediaFixtures.audio("tone440", .flac) {
                Signal.tone(440, seconds: 20, sampleRate: 44_100)
            }
        )
        let start = try await stage.capture.waitForSound()
        try await stage.capture.waitForFrames(22_050, after: start)
        await stage.player.setTimePitchAlgorithm(.varispeed)
        let begin = ContinuousClock.now
        let now = stage.capture.frames
        let before = stage.player.currentTime().seconds
        try await stage.player.setRate(2)
        try await stage.capture.waitForFrames(22_050, after: now)
        let samples = stage.capture.current.samples(in: now + 4_410..<now + 13_230)
        #expect(abs(Analysis.frequency(samples, sampleRate: 44_100) - 880) < 2)
        let passed = stage.player.currentTime().seconds - before
        try expect(passed > 0.8 && passed < 1.4, unlessStalledFor: .milliseconds(100), since: begin, "\(passed) s")
        await stage.player.close()
    }
}
