import AudioTypes
import Encoding
import Mixers
import OutputGroups
import Outputs
import Playback
import TestSupport
import TestTiming
import Testing

extension SoundTests {
    /// Mixers before outputs that are no sound servers.
    @Suite(.serialized)
    struct OtherOutputTests {
        /// It is heard nowhere, but time passes as if it were.
        @Test func nobodyListens() async throws {
            let folder = try TemporaryFolder()
            let mixer = Mixer(NullOutput())
            let player = Player(output: mixer.makeChannel())
            let events = await log(player)
            await player.append([try stereoFile(folder.file("music.wav"), left: noise(3), right: [])])
            let times = await player.boundaryTimes(at: [MediaTime(seconds: 0.3)])
            await player.play()
            for await _ in times { break }
            await player.setDuck(Gain(decibels: -14), over: 0.1)
            let voice = Player(voiceOn: mixer)
            let voiceEvents = await log(voice)
            let before = Reading { player.currentTime().seconds }
            await voice.append([try stereoFile(folder.file("voice.wav"), left: [], right: noise(0.4, seed: 2))])
            await voice.play()
            try await wait(voiceEvents, "the voice's end") { $0 == .queueEnded }
            let after = Reading { player.currentTime().seconds }
            #expect(after.value - before.value > 0.39)
            #expect((-0.03...0.03).contains(after.lead(over: before).seconds))
            await voice.close()
            await player.pause(fadingOver: 0.1)
            try await waitForIdle(mixer)
            let paused = Reading { player.currentTime().seconds }
            #expect(paused.value - after.value > 0.09)
            await player.play()
            let playing = Reading { player.currentTime().seconds }
            #expect(playing.value >= paused.value && playing.lead(over: paused).seconds < 0.03)
            try await wait(events, "the end") { $0 == .queueEnded }
            await player.close()
        }

        /// A file takes what it is given at once: it has every sample of the music and of the voice, and the voice is at
        /// half its loudness where it is over music that is not ducked.
        @Test func aFileHasEverySample() async throws {
            let folder = try TemporaryFolder()
            let path = folder.file("out.wav")
            let format = try EncodingSink.format(for: path, wanted: .cd)
            let mixer = Mixer(SinkOutput(format: format, sink: try EncodingSink(path: path, format: format)))
            let player = Player(output: mixer.makeChannel())
            let events = await log(player)
            let (music, words) = (noise(120), [noise(0.5, seed: 2), noise(0.5, seed: 3)])
            await player.append([try stereoFile(folder.file("music.wav"), left: music, right: [])])
            for (index, words) in words.enumerated() {
                let voice = Player(voiceOn: mixer)
                let voiceEvents = await log(voice)
                await voice.append([try stereoFile(folder.file("\(index).wav"), left: [], right: words)])
                await voice.play()
                // The first one is alone.
                if index == 1 { await player.play() }
                try await wait(voiceEvents, "the voice's end") { $0 == .queueEnded }
                await voice.close()
            }
            try await wait(events, "the end") { $0 == .queueEnded }
            await player.close()
            let sound = try MediaSound.of(path)
            let left = sound.integers(0).drop { $0 == 0 }
            #expect(left.prefix(music.count).elementsEqual(Signal.integers(music).drop { $0 == 0 }.prefix(left.count)))
            let right = sound.integers(1)
            #expect(right.starts(with: Signal.integers(words[0])))
            let rest = right.dropFirst(words[0].count).map { Float($0) / 32_768 }
            let place = try #require(Analysis.find(words[1][13_000..<21_000], in: rest))
            #expect(place.likeness > 0.9999)
        }

        /// What a sound server and a file get is the same, also when it changes after it was sent.
        ///
        /// A change is made some 30 ms ahead of what is heard. A server that gets its processor later than that plays on
        /// what it has, and runs dry when it takes the frames that came too late; the file has what was to be heard.
        @Test(.timed, .enabled("pulseaudio is not installed") { PulseServer.missing.isEmpty })
        func aGroupHearsTheSame() async throws {
            let server = try await PulseServer.start()
            let capture = try await MonitorCapture(of: server)
            let folder = try TemporaryFolder()
            let path = folder.file("out.wav")
            let changes = Watched(0)
            let group = OutputGroup { _ in changes.withLock { $0 += 1 } }
            var options = PulseOutput.Options()
            options.server = server.address
            group.add(OutputDescription(name: "pulse", plugin: .pulse) { [options] _ in try PulseOutput.open(options) })
            group.add(
                OutputDescription(name: "file", plugin: .recorder) { _ in
                    let format = try EncodingSink.format(for: path, wanted: .cd)
                    return SinkOutput(format: format, sink: try EncodingSink(path: path, format: format))
                }
            )
            let isOpen = await changes.wait(within: .patience) { _ in group.members.first?.isOpen == true }
            try #require(isOpen)
            let mixer = Mixer(group)
            let player = Player(output: mixer.makeChannel())
            let events = await log(player)
            await player.append([try stereoFile(folder.file("music.wav"), left: noise(4), right: [])])
            await player.play()
            let start = try await capture.waitForSound()
            try await capture.waitForFrames(44_100, after: start)
            let change = ContinuousClock.now
            await player.setDuck(Gain(decibels: -14), over: 0.1)
            let voice = Player(voiceOn: mixer)
            let voiceEvents = await log(voice)
            await voice.append([try stereoFile(folder.file("voice.wav"), left: [], right: noise(0.4, seed: 2))])
            await voice.play()
            try await wait(voiceEvents, "the voice's end") { $0 == .queueEnded }
            await player.setDuck(.unity, over: 0.1)
            await voice.close()
            try await wait(events, "the end") { $0 == .queueEnded }
            await player.close()
            try await capture.waitForSilence(after: capture.frames)
            let heard = capture.stop()
            let file = try MediaSound.of(path)
            for channel in 0..<2 {
                let played = Signal.integers(heard.samples(channel: channel, in: start..<start + 150_000))
                let written = file.integers(channel)
                let floats = written.map { Float($0) / 32_768 }
                let pattern = noise(4)[10_000..<14_096]
                guard channel == 0 || written.contains(where: { $0 != 0 }) else {
                    return #expect(Bool(false), "no voice")
                }
                let inFile = try #require(Analysis.find(pattern, in: file.integers(0).map { Float($0) / 32_768 }))
                    .offset
                let inSound = try #require(Analysis.find(pattern, in: heard.samples(in: start..<start + 60_000))).offset
                let differences = zip(played.dropFirst(inSound), written.dropFirst(inFile)).map { Int($0) - Int($1) }
                let wrong = differences.indices.filter { abs(differences[$0]) > 2 }
                let stretch = "\(wrong.count) of \(differences.count), from \(wrong.first ?? 0) to \(wrong.last ?? 0)"
                try expect(wrong.count < 4_410, unlessStalledFor: .replacing, since: change, "\(stretch)")
                #expect(floats.count > 150_000)
            }
        }
    }

    /// A mixer on PipeWire's PulseAudio server, which takes large blocks and calls none of them back.
    @Suite(.serialized, .enabled("pipewire is not installed") { PipeWireServer.missing.isEmpty })
    struct PipeWireMixTests {
        @Test func aVoiceOverDuckedMusic() async throws {
            let stage = try await MixStage(on: try await PipeWireServer.start())
            let (music, words) = (noise(6), noise(0.8, seed: 2))
            let announcement = try stage.file("voice.wav", right: words)
            await stage.play(try stage.file("music.wav", left: music))
            let start = try await stage.waitForSound(44_100)
            let command = ContinuousClock.now
            await stage.player.setDuck(Gain(decibels: -14), over: 0.1)
            let voice = await stage.say(announcement)
            try await voice.waitForEnd()
            await stage.player.setDuck(.unity, over: 0.1)
            await voice.player.close()
            try await stage.waitForEnd()
            let heard = try await stage.finish()
            let (left, right) = (heard.samples(channel: 0), heard.samples(channel: 1))
            let first = try #require(right.firstIndex { abs($0) > 0.001 })
            let latency = (heard.time(of: first) - command) / .milliseconds(1)
            let last = try #require(right.lastIndex { abs($0) > 0.001 })
            print("on PipeWire after \(latency) ms, \(last - first) of \(words.count) samples")
            #expect(abs(last - first - words.count) < 4_410)
            let before = Analysis.level(left[start + 4_410..<start + 26_460])
            let under = Analysis.level(left[first + 8_820..<first + 26_460])
            #expect(abs(under - before + 14) < 1)
            let after = Analysis.level(left[last + 35_280..<last + 52_920])
            #expect(abs(after - before) < 1)
            // Nothing was lost or doubled but what PipeWire itself skips on a busy machine.
            let found = try #require(Analysis.find(music[200_000..<204_096], in: left[start...]))
            #expect(abs(found.offset - 200_000) < 4_410, "\(found.offset)")
        }
    }
}
