import AudioTypes
import Foundation
import Mixers
import Mixing
import Outputs
import Playback
import TestSupport
import TestTiming
import Testing

extension SoundTests {
    /// Voices over music that is jumped in, stalls, or is cut off with its server.
    ///
    /// The music is in the left channel and voices are in the right one.
    @Suite(.serialized, .enabled("pulseaudio is not installed") { PulseServer.missing.isEmpty })
    struct VoiceTests {
        /// One after another, one cut short, one in the midst of a jump: each is heard at once and whole, and so is the music.
        ///
        /// `make bench` holds announcements to a fraction of the limits of time.
        @Test(.timed) func manyVoices() async throws {
            let stage = try await MixStage()
            let music = noise(12)
            let words = (0..<4).map { noise(0.3, seed: UInt64($0) + 2) }
            let files = try words.enumerated().map { try stage.file("\($0).wav", right: $1) }
            let long = try stage.file("long.wav", right: noise(5, seed: 9))
            await stage.play(try stage.file("music.wav", left: music))
            let start = try await stage.waitForSound(22_050)
            var commands: [ContinuousClock.Instant] = []
            await stage.player.setDuck(Gain(decibels: -14), over: 0.1)
            for (index, file) in files.enumerated() {
                commands.append(.now)
                let voice = await stage.say(file)
                if index == 2 { #expect(await stage.player.seek(to: MediaTime(seconds: 8))) }
                try await voice.waitForEnd()
                await voice.player.close()
            }
            let cut = await stage.say(long)
            try await stage.capture.waitForFrames(22_050, after: stage.capture.frames)
            let command = ContinuousClock.now
            await cut.player.close()
            try await stage.capture.waitForFrames(22_050, after: stage.capture.frames)
            await stage.player.setDuck(.unity, over: 0.1)
            try await stage.waitForEnd()
            let heard = try await stage.finish()
            let (left, right) = (heard.samples(channel: 0), heard.samples(channel: 1))
            var latencies: [Duration] = []
            var place = start
            for (words, command) in zip(words, commands) {
                let found = try #require(Analysis.find(words[6_000..<10_096], in: right[place..<right.count]))
                #expect(found.likeness > 0.99)
                let first = try #require(right[(place + 1)...].firstIndex { $0 != 0 })
                latencies.append(heard.time(of: first) - command)
                // From its first sample to its last one.
                #expect(abs(place + found.offset - 6_000 - first) < 100)
                place += found.offset + words.count - 6_000
                #expect(abs((right[..<place].lastIndex { $0 != 0 } ?? 0) - place) < 10)
            }
            print("voices after \(latencies)")
            try expect(latencies.min() ?? .zero, atMost: .milliseconds(300), since: commands[0])
            let end = try #require(right.lastIndex { $0 != 0 })
            print("cut off \(heard.time(of: end) - command) after the command")
            try expect(heard.time(of: end) - command, atMost: .milliseconds(500), since: command)
            // The music jumped once, and is where it should be from there on.
            let last = try #require(left.lastIndex { $0 != 0 }) + 1
            let rest = Int(4 * 44_100) - 1_000
            let tail = try #require(Analysis.find(left[last - 8_192..<last - 4_096], in: music)).offset
            #expect(abs(tail - (music.count - 8_192)) <= 4)
            let mid = try #require(Analysis.find(left[last - rest..<last - rest + 4_096], in: music)).offset
            #expect(abs(mid - (music.count - rest)) <= 4)
        }

        /// A stream that stalls while a voice is heard goes on where it was, when it can.
        @Test(.timed) func musicStallsUnderAVoice() async throws {
            let server = try await PulseServer.start()
            let capture = try await MonitorCapture(of: server)
            var options = PulseOutput.Options()
            options.server = server.address
            let mixer = Mixer(try PulseOutput.open(options))
            let channel = mixer.makeChannel()
            let ring = FrameRing(format: .cd, capacity: 600_000)
            channel.attach(ring) { _ in }
            let music = noise(6)
            let samples = Signal.integers(music)
            func write(_ range: Range<Int>) {
                var place = range.lowerBound
                while place < range.upperBound {
                    place += unsafe ring.write { bytes in
                        let count = min(range.upperBound - place, bytes.count / 4)
                        for index in 0..<count {
                            unsafe bytes.storeBytes(of: samples[place + index], toByteOffset: 4 * index, as: Int16.self)
                            unsafe bytes.storeBytes(of: 0, toByteOffset: 4 * index + 2, as: Int16.self)
                        }
                        return count
                    }
                }
                channel.framesAvailable()
            }
            let stall = 110_250
            write(0..<stall)
            channel.start()
            let start = try await capture.waitForSound()
            try await capture.waitForFrames(44_100, after: start)
            let folder = try TemporaryFolder()
            let words = noise(4, seed: 2)
            let voice = Player(voiceOn: mixer)
            let events = await log(voice)
            await voice.append([try stereoFile(folder.file("voice.wav"), left: [], right: words)])
            await voice.play()
            // The voice goes on without the music, whose clock stands.
            try await capture.waitForFrames(stall + 2_205, after: start)
            #expect(channel.clock.rate == 0 && abs(channel.clock.frame - Double(stall)) < 1)
            let command = ContinuousClock.now
            write(stall..<music.count)
            #expect(channel.clock.rate == 44_100)
            try await wait(events, "the voice's end") { $0 == .queueEnded }
            await voice.close()
            try await capture.waitForSilence(after: capture.frames)
            channel.close()
            let heard = capture.stop()
            let (left, right) = (heard.samples(channel: 0), heard.samples(channel: 1))
            let first = try #require(right.firstIndex { $0 != 0 })
            let voiced = Array(right[first..<(right.lastIndex { $0 != 0 } ?? first) + 1])
            #expect(abs(voiced.count - words.count) < 4)
            let place = try #require(Analysis.find(words[20_000..<24_096], in: voiced))
            #expect(place.offset == 20_000 && place.likeness > 0.99)
            let sounding = left.indices.filter { left[$0] != 0 }
            let gap = try #require(zip(sounding, sounding.dropFirst()).max { $0.1 - $0.0 < $1.1 - $1.0 })
            print("back \(heard.time(of: gap.1) - command) after there were frames")
            #expect(gap.1 - gap.0 > 500)
            try expect(heard.time(of: gap.1) - command, atMost: .milliseconds(500), since: command)
            // What was heard of it, put together, is all of it but for what the server drops at its start.
            let whole = Array(left[start...gap.0]) + Array(left[gap.1...(sounding.last ?? 0)])
            let lost = "\(whole.count) of \(music.count)"
            try expect(abs(whole.count - music.count) < 400, unlessStalledFor: .replacing, since: command, "\(lost)")
            for place in [20_000, 100_000, 108_000, 112_000, 200_000] {
                let found = try #require(Analysis.find(music[place..<place + 2_048], in: whole))
                let shift = music.count - whole.count - (place - found.offset)
                let isThere = abs(shift) < 8 && found.likeness > 0.99
                try expect(isThere, unlessStalledFor: .replacing, since: command, "\(place): off by \(shift)")
            }
        }

        /// A lost server comes back as quiet as it went, with music and voice where they were.
        @Test func theServerIsLostUnderAVoice() async throws {
            let server = try await PulseServer.start()
            let stage = try await MixStage(on: server)
            let (music, words) = (noise(20), noise(8, seed: 2))
            let announcement = try stage.file("voice.wav", right: words)
            await stage.play(try stage.file("music.wav", left: music))
            _ = try await stage.waitForSound(22_050)
            await stage.player.setDuck(Gain(decibels: -14), over: 0.1)
            let voice = await stage.say(announcement)
            try await stage.capture.waitForFrames(44_100, after: stage.capture.frames)
            server.kill()
            try await wait(stage.events, "the loss") { if case .outputLost = $0 { true } else { false } }
            let (lostMusic, lostVoice) = (stage.player.currentTime().seconds, voice.player.currentTime().seconds)
            try await server.restart()
            let capture = try await MonitorCapture(of: server)
            try await wait(voice.events, "the return") { $0 == .outputRestored }
            let start = try await capture.waitForSound()
            try await capture.waitForFrames(22_050, after: start)
            let heard = capture.stop()
            let left = heard.samples(channel: 0, in: start..<start + 8_192)
            let right = heard.samples(channel: 1, in: start..<start + 8_192)
            #expect(abs(Analysis.level(left) - Analysis.level(music[..<8_192]) + 14) < 0.5)
            let places = [(left, music, lostMusic), (right, words, lostVoice)]
            for (sound, signal, time) in places {
                let found = try #require(Analysis.find(sound[..<4_096], in: signal))
                #expect(found.likeness > 0.99)
                // The capture needs a moment after the restart.
                #expect(Double(found.offset) / 44_100 > time - 0.05 && Double(found.offset) / 44_100 < time + 3)
            }
            await voice.player.close()
            await stage.player.close()
        }
    }
}
