import AudioTypes
import Mixers
import Outputs
import Playback
import TestSupport
import Testing

extension SoundTests {
    /// Music that makes way for something else, and comes back.
    ///
    /// The music is in the left channel and voices are in the right one.
    @Suite(.serialized, .enabled("pulseaudio is not installed") { PulseServer.missing.isEmpty })
    struct FadeTests {
        /// Fades out, and goes on at the very sample where the fade ended.
        @Test func aFadeAndBack() async throws {
            let stage = try await MixStage()
            let music = noise(4)
            await stage.play(try stage.file("music.wav", left: music))
            let start = try await stage.waitForSound(22_050)
            await stage.player.pause(fadingOver: 0.1)
            #expect(stage.player.status.timeControlStatus == .paused)
            let silence = try await stage.capture.waitForSilence(after: stage.capture.frames)
            let paused = stage.player.currentTime().seconds * 44_100
            // The fade is heard to its end before the mixer is told.
            try await waitForIdle(stage.mixer)
            await stage.player.play()
            try await stage.waitForEnd()
            let heard = try await stage.finish()
            let before = heard.samples(in: start..<silence)
            let again = try #require(heard.firstSound(after: silence))
            let after = heard.samples(in: again..<again + 8_192)
            let first = try #require(Analysis.find(before[4_000..<8_096], in: music)).offset - 4_000
            let back = try #require(Analysis.find(after[..<4_096], in: music))
            print("paused at \(paused), back at \(back.offset), the last sound was \(first + before.count)")
            #expect(abs(Double(back.offset) - paused) < 1.5 && back.likeness > 0.999)
            // The fade takes 100 ms, and its end is too quiet for 16 bits.
            #expect(first + before.count < back.offset && first + before.count > back.offset - 2_205)
            let levels = Analysis.levels(Array(before.suffix(5_000)), sampleRate: 44_100)
            #expect(zip(levels, levels.dropFirst()).allSatisfy { $1 < $0 + 1 })
        }

        /// The music is silent before a voice begins, and comes back at the same sample after it.
        @Test func anInterruptionAndBack() async throws {
            let stage = try await MixStage()
            let music = noise(5)
            let words = noise(0.5, seed: 2)
            let announcement = try stage.file("voice.wav", right: words)
            await stage.play(try stage.file("music.wav", left: music))
            let start = try await stage.waitForSound(22_050)
            await stage.player.pause(fadingOver: 0.1)
            let voice = await stage.say(announcement)
            try await voice.waitForEnd()
            let paused = stage.player.currentTime().seconds * 44_100
            await stage.player.play(fadingOver: 0.1)
            await voice.player.close()
            try await stage.waitForEnd()
            let heard = try await stage.finish()
            let (left, right) = (heard.samples(channel: 0), heard.samples(channel: 1))
            let first = try #require(right.firstIndex { $0 != 0 })
            let last = try #require(right.lastIndex { $0 != 0 }) + 1
            #expect(Array(right[first..<last]) == levelled(words, from: right[first]))
            let gap = try #require(left[start..<first].lastIndex { $0 != 0 })
            let back = try #require(left[first...].firstIndex { $0 != 0 })
            print(
                "silent for \(Double(first - gap) / 44.1) ms before the voice, \(Double(back - last) / 44.1) ms after it"
            )
            #expect(gap < first && first - gap < 44_100 / 4)
            #expect(back >= last && back - last < 44_100 / 4)
            let place = try #require(Analysis.find(left[back + 6_000..<back + 10_096], in: music))
            #expect(place.likeness > 0.999)
            // The fade in begins too quiet for 16 bits.
            let resumed = place.offset - 6_000
            #expect(Double(resumed) > paused - 1.5 && Double(resumed) < paused + 2_205)
            let beginning = try #require(Analysis.find(left[start + 4_000..<start + 8_096], in: music)).offset - 4_000
            #expect(Double(beginning + gap - start) < paused)
        }

        /// A voice in a player that plays nothing: it is just heard, and leaves everything as it was.
        @Test func aVoiceAlone() async throws {
            let stage = try await MixStage()
            let words = noise(0.4)
            let command = ContinuousClock.now
            let voice = await stage.say(try stage.file("voice.wav", left: words))
            try await voice.waitForEnd()
            #expect(stage.player.status == PlayerStatus() && stage.player.currentTime() == .zero)
            await voice.player.close()
            let heard = try await stage.finish()
            let first = try #require(heard.firstSound(after: 0))
            print("alone after \((heard.time(of: first) - command) / .milliseconds(1)) ms")
            #expect(Signal.integers(heard.samples(in: first..<heard.soundEnd)).isAllBut(0, of: Signal.integers(words)))
        }

        /// The music stays where it was while something is said twice, and then goes on there.
        @Test func voicesWhileTheMusicIsPaused() async throws {
            let stage = try await MixStage()
            let music = noise(4)
            let announcements = [
                try stage.file("1.wav", right: noise(0.3, seed: 2)),
                try stage.file("2.wav", right: noise(0.3, seed: 3)),
            ]
            await stage.play(try stage.file("music.wav", left: music))
            let start = try await stage.waitForSound(22_050)
            await stage.player.pause()
            let silence = try await stage.capture.waitForSilence(after: stage.capture.frames)
            let paused = stage.player.currentTime()
            for announcement in announcements {
                let voice = await stage.say(announcement)
                try await voice.waitForEnd()
                #expect(abs(stage.player.currentTime().seconds - paused.seconds) * 44_100 <= 1)
                await voice.player.close()
            }
            await stage.player.play()
            try await stage.waitForEnd()
            let heard = try await stage.finish()
            let (left, right) = (heard.samples(channel: 0), heard.samples(channel: 1))
            for seed in [2, 3] as [UInt64] {
                let words = noise(0.3, seed: seed)
                let place = try #require(Analysis.find(words[2_000..<6_096], in: right[silence...]))
                #expect(place.likeness > 0.9999)
            }
            let back = try #require(left[(silence + 1)...].firstIndex { $0 != 0 })
            let beginning = try #require(Analysis.find(left[start + 4_000..<start + 8_096], in: music)).offset - 4_000
            let resumed = try #require(Analysis.find(left[back..<back + 4_096], in: music)).offset
            let end = beginning + (try #require(left[..<silence].lastIndex { $0 != 0 })) + 1 - start
            print("paused at \(paused.seconds * 44_100), heard to \(end), back at \(resumed)")
            #expect(abs(Double(resumed) - paused.seconds * 44_100) <= 1)
            #expect(abs(resumed - end) <= 1)
        }

        // MARK: What was heard

        /// Words as a recording holds them.
        private func levelled(_ words: [Float], from first: Float) -> [Float] {
            let samples = Signal.integers(words).map { Float($0) / 32_768 }
            return Array(samples.drop { $0 == 0 }.reversed().drop { $0 == 0 }.reversed())
        }
    }
}

extension [Int16] {
    /// Whether these are the others but for the first few, which a server may drop, and silence at the end.
    func isAllBut(_ count: Int, of other: [Int16]) -> Bool {
        guard self.count + count >= other.count else { return false }
        return (0...count).contains { lost in
            let rest = other.dropFirst(lost)
            return rest.count >= self.count && rest.count - self.count < 64 && rest.starts(with: self)
        }
    }
}
