import AudioTypes
import Foundation
import Mixers
import Outputs
import Playback
import TestSupport
import TestTiming
import Testing

extension SoundTests {
    /// What is heard when music is made quieter and something is said over it.
    ///
    /// The music is in the left channel and voices are in the right one, so that each can be compared with its file.
    @Suite(.serialized, .enabled("pulseaudio is not installed") { PulseServer.missing.isEmpty })
    struct DuckTests {
        private static let duck = Gain(decibels: -14)

        /// The music goes on sample by sample under a voice, 14 dB quieter, and comes back.
        ///
        /// The limits of time are a multiple of those that `make bench` holds announcements to.
        @Test(.timed) func aVoiceOverDuckedMusic() async throws {
            let stage = try await MixStage()
            let music = noise(5, amplitude: 0.9)
            let words = noise(0.6, seed: 2, amplitude: 0.9)
            let announcement = try stage.file("voice.wav", right: words)
            await stage.play(try stage.file("music.wav", left: music))
            let start = try await stage.waitForSound(44_100)
            let command = ContinuousClock.now
            await stage.player.setDuck(Self.duck, over: 0.12)
            let voice = await stage.say(announcement)
            let speaking = ContinuousClock.now
            try await voice.waitForEnd()
            let ended = ContinuousClock.now
            await stage.player.setDuck(.unity, over: 0.15)
            await voice.player.close()
            try await stage.waitForEnd()
            let heard = try await stage.finish()
            let left = heard.samples(channel: 0, in: start..<heard.frames)
            let right = heard.samples(channel: 1, in: 0..<heard.frames)

            // The voice.
            let first = try #require(right.firstIndex { abs($0) > 0.001 })
            let last = try #require(right.lastIndex { abs($0) > 0.001 }) + 1
            let latency = heard.time(of: first) - command
            print("voice after \(latency), \(last - first) of \(words.count) samples")
            try expect(latency, atMost: .milliseconds(300), since: command)
            try expect(abs(last - first - words.count) < 100, unlessStalledFor: .replacing, since: command)
            let limit = 1 - Self.duck.linear
            let settled = first + 12_000
            let offset = try #require(Analysis.find(words[12_000..<16_000], in: right[settled - 200..<settled + 4_400]))
                .offset
            let place = settled - 200 + offset
            let worst = zip(words[12_000...], right[place...]).map { abs($0 * limit - $1) }.max() ?? 1
            try expect(worst < 2 / 32_768, unlessStalledFor: .replacing, since: command, "off by \(worst)")

            // The music: not one sample lost or repeated, and its gain as it was to be.
            let lost = try #require(lostSamples(left, of: music))
            let pairs = zip(music.dropFirst(lost), left)
            let envelope = gains(music.dropFirst(lost), left)
            let floor = envelope.min() ?? 0
            print("duck \(floor) dB, lost \(lost) at the start")
            #expect(abs(floor + 14) < 0.2)
            let deviation = zip(pairs, smooth(envelope, count: left.count)).map { pair, gain in
                abs(pair.0 * Float(pow(10, gain / 20)) - pair.1)
            }
            let largest = deviation.prefix(music.count - lost - 400).max() ?? 1
            try expect(largest < 0.02, unlessStalledFor: .replacing, since: command, "off by \(largest)")
            // Down once and up once, evenly.
            let turn = try #require(envelope.firstIndex { $0 < -13.9 })
            let ramp = envelope[..<turn].drop { $0 > -0.2 }
            print("down over \(ramp.count) windows of \(window) samples")
            let fallsEvenly = zip(ramp, ramp.dropFirst()).allSatisfy { $1 <= $0 + 0.05 && $0 - $1 < 1.5 }
            try expect(fallsEvenly, unlessStalledFor: .replacing, since: command, "\(ramp)")
            let back = try #require(envelope.lastIndex { $0 < -13.9 })
            let rise = envelope[(back + 1)...].prefix { $0 < -0.2 }
            let risesEvenly = zip(rise, rise.dropFirst()).allSatisfy { $0 <= $1 + 0.05 }
            try expect(risesEvenly, unlessStalledFor: .replacing, since: speaking, "\(rise)")
            let top = (back + 1 + rise.count) * window + start
            print("music back \(Double(top - last) / 44.1) ms after the voice, up over \(rise.count) windows")
            try expect(heard.time(of: top) - ended, atMost: .seconds(1), since: ended)
            #expect(left.allSatisfy { abs($0) < 0.92 })
        }

        /// A voice in the same channels, both at full scale: nothing is clipped at any moment of the ramps.
        @Test func nothingIsClipped() async throws {
            let stage = try await MixStage()
            let music = [Float](repeating: 0.999, count: 4 * 44_100)
            let words = [Float](repeating: 0.999, count: 22_050)
            let announcement = try stage.file("voice.wav", left: words)
            await stage.play(try stage.file("music.wav", left: music))
            _ = try await stage.waitForSound(22_050)
            await stage.player.setDuck(Self.duck, over: 0.2)
            let voice = await stage.say(announcement)
            try await voice.waitForEnd()
            await stage.player.setDuck(.unity, over: 0.2)
            await voice.player.close()
            try await stage.waitForEnd()
            let heard = try await stage.finish().samples()
            #expect((heard.max() ?? 1) <= 0.9992)
        }

        /// A duck is ready before music is, and has nothing to do with the volume.
        @Test func aDuckIsSetWhilePaused() async throws {
            let stage = try await MixStage()
            let music = noise(3)
            await stage.player.append([try stage.file("music.wav", left: music)])
            await stage.play()
            let start = try await stage.waitForSound(22_050)
            await stage.player.pause()
            try await stage.capture.waitForSilence(after: stage.capture.frames)
            let pause = stage.capture.frames
            await stage.player.setDuck(Self.duck, over: 0)
            #expect(stage.player.status.volume == .full)
            await stage.player.play()
            try await stage.waitForEnd()
            let heard = try await stage.finish()
            let before = heard.samples(in: start..<start + 11_025)
            let again = try #require(heard.firstSound(after: pause))
            let after = heard.samples(in: again + 4_410..<again + 15_435)
            #expect(abs(Analysis.level(after) - Analysis.level(before) + 14) < 0.3)
            // Nothing was lost at the pause.
            let sound = heard.samples(in: start..<pause).reversed().drop { $0 == 0 }.count
            let rest = heard.soundEnd - again
            #expect(sound + rest == music.count)
        }

        /// Changes in quick succession, to a server whose sink takes as much at once as it may: nothing is skipped.
        ///
        /// Who is held up between two parts of a change for more than 10 ms may let the server run out of frames.
        @Test(.timed) func manyChangesSkipNothing() async throws {
            let begin = ContinuousClock.now
            let server = try await PulseServer.start(NullSink(rewinds: true))
            // A recorder that asks for less would make the sink take less.
            let capture = try await MonitorCapture(of: server, latency: 2_000)
            var options = PulseOutput.Options()
            options.server = server.address
            let player = Player(output: Mixer(try PulseOutput.open(options)).makeChannel())
            let folder = try TemporaryFolder()
            let music = noise(60)
            await player.append([try stereoFile(folder.file("music.wav"), left: music, right: [])])
            await player.play()
            // The recorder has up to two seconds of silence already in place of what begins now.
            for await _ in await player.boundaryTimes(at: [MediaTime(seconds: 3)]) { break }
            var generator = SplitMix(state: 1)
            for _ in 1...150 {
                await player.setDuck(Gain(decibels: -Double.random(in: 0...14, using: &generator)), over: 0.02)
                // Changes at any distance are the subject here.
                try await Task.sleep(for: .milliseconds(Int.random(in: 0...30, using: &generator)))
            }
            let last = player.currentTime()
            for await _ in await player.boundaryTimes(at: [last + MediaTime(seconds: 0.5)]) { break }
            await player.close()
            try await capture.waitForSilence(after: capture.frames)
            let heard = capture.stop().samples()
            // What the sink takes back is recorded as it was before: the gain may be wrong, the place is not.
            let joints = Array(stride(from: 120_000, to: min(Int(last.seconds * 44_100), music.count), by: 2_048))
            let changes = Analysis.changes(at: joints, of: music, in: heard, window: 4_096, reach: 120_000)
            let skips = zip(joints, changes).filter { $1 != 0 }.map { "\($1.map(String.init) ?? "lost") at \($0)" }
            #expect(joints.count > 50)
            try expect(skips.isEmpty, unlessStalledFor: .milliseconds(10), since: begin, "\(skips)")
        }

        // MARK: Measures

        private var window: Int { 220 }

        /// How many samples at the start were lost, before all that is heard follows without a gap.
        private func lostSamples(_ heard: [Float], of music: [Float]) -> Int? {
            let place = Analysis.find(heard[2_000..<6_096], in: music[..<20_000])
            return place.map { $0.offset - 2_000 }
        }

        /// The gains of windows, in dB.
        private func gains(_ music: ArraySlice<Float>, _ heard: [Float]) -> [Double] {
            let music = Array(music)
            return stride(from: 0, to: min(music.count, heard.count) - 2 * window, by: window).map { start in
                let range = start..<start + window
                let product = range.reduce(0.0) { $0 + Double(music[$1]) * Double(heard[$1]) }
                let power = range.reduce(0.0) { $0 + Double(music[$1]) * Double(music[$1]) }
                return 20 * log10(max(product / power, 1e-9))
            }
        }

        /// A gain for each sample, between those of windows.
        private func smooth(_ gains: [Double], count: Int) -> [Double] {
            (0..<count).map { index in
                let place = max(0, (Double(index) - Double(window) / 2) / Double(window))
                let low = min(Int(place), gains.count - 1)
                let high = min(low + 1, gains.count - 1)
                return gains[low] + (gains[high] - gains[low]) * (place - Double(Int(place)))
            }
        }
    }
}
