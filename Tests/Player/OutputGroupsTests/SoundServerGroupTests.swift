import AudioTypes
import Foundation
import OutputGroups
import Outputs
import Playback
import TestSupport
import TestTiming
import Testing

/// What is heard from several sound servers' sinks at once.
@Suite(.serialized, .enabled("pulseaudio is not installed") { PulseServer.missing.isEmpty })
struct SoundServerGroupTests {
    /// Records both sinks of a server; each takes its time to begin.
    private func captures(_ server: PulseServer) async throws -> (MonitorCapture, MonitorCapture) {
        async let first = MonitorCapture(of: server, sink: server.sinks[0])
        async let second = MonitorCapture(of: server, sink: server.sinks[1])
        return (try await first, try await second)
    }

    @Test(.timed) func twoSinksPlayTheSameSamples() async throws {
        let server = try await PulseServer.start(NullSink("one"), NullSink("two"))
        let (one, two) = try await captures(server)
        let stage = try await GroupStage(
            .pulse("one", server, sink: "one"),
            .pulse("two", server, sink: "two", mixer: .none)
        )
        try await stage.waitForMember("two", "to be open") { $0.isOpen }
        try await stage.waitForMember("one", "to be open") { $0.isOpen }
        let begin = ContinuousClock.now
        try await stage.play(noise(2))
        try await stage.waitForEnd()
        await stage.player.close()
        let oneSound = try await one.stopInSilence().sound
        #expect(difference(oneSound, noise(2)) == nil)
        let twoSound = try await two.stopInSilence().sound
        #expect(difference(twoSound, noise(2)) == nil)
        let starts = [one, two].map { $0.current.time(of: $0.current.firstSound(after: 0) ?? 0) }
        try expect(starts[0] - starts[1], atMost: .milliseconds(200), since: begin)
    }

    /// The frames are the leader's; the other output gets them converted, also when it takes over.
    @Test func theFormatIsTheLeaders() async throws {
        let deep = AudioFormat(sampleFormat: .s32, sampleRate: 48_000, channels: .stereo)
        let (first, second) = (try await PulseServer.start(NullSink(format: deep)), try await PulseServer.start())
        let (one, two) = (try await MonitorCapture(of: first), try await MonitorCapture(of: second))
        let stage = try await GroupStage(.pulse("first", first))
        try await stage.waitForMember("first", "to be open") { $0.isOpen }
        stage.group.add(.pulse("second", second))
        try await stage.waitForMember("second", "to be open") { $0.isOpen }
        let signal = Signal.noise(frames: 48_000 * 6, seed: 3)
        try await stage.play(signal, sampleRate: 48_000)
        let start = try await one.waitForSound()
        let other = try await two.waitForSound()
        try await two.waitForFrames(44_100 * 2, after: other)
        #expect(stage.group.format == deep)
        let heard = one.current.integers(in: start..<start + 40_000).map { Int16($0 >> 16) }
        // As the recording finds the first sound: above a thousandth of full scale.
        let expected = Signal.integers(signal).drop { abs($0) < 33 }.flatMap { [$0, $0] }
        // PulseAudio may drop the first few samples of a stream.
        let begin = expected.indices.prefix(20_000).first { expected[$0...].starts(with: heard[..<64]) }
        #expect(expected[try #require(begin)...].starts(with: heard))
        first.kill()
        try await stage.waitForMember("first", "to be lost") { $0.error != nil }
        let lost = two.frames
        try await two.waitForSound(after: lost + 20_000)
        try await two.waitForFrames(30_000, after: lost + 20_000)
        #expect(stage.group.format == deep)
        #expect(abs(stage.player.currentTime().seconds - two.current.format.seconds(for: two.frames - other)) < 0.5)
        #expect(stage.player.status.timeControlStatus == .playing)
        await stage.player.close()
    }

    /// Where the leader is switched off, the frames are the next one's, from the heard one on.
    @Test(.timed) func theNextLeaderBringsItsFormat() async throws {
        let deep = AudioFormat(sampleFormat: .s32, sampleRate: 48_000, channels: .stereo)
        let (first, second) = (try await PulseServer.start(NullSink(format: deep)), try await PulseServer.start())
        let capture = try await MonitorCapture(of: second)
        let stage = try await GroupStage(.pulse("first", first))
        try await stage.waitForMember("first", "to be open") { $0.isOpen }
        stage.group.add(.pulse("second", second))
        try await stage.waitForMember("second", "to be open") { $0.isOpen }
        // Decoded to its end at once: a clock that told of a later frame, even for a moment, would end it.
        try await stage.play(noise(5))
        try await capture.waitForFrames(44_100, after: try await capture.waitForSound())
        let before = stage.timeNow()
        stage.group.setEnabled(false, "first")
        let switched = capture.frames
        try await capture.waitForFrames(44_100, after: try await capture.waitForSound(after: switched + 5_000))
        #expect(stage.group.format == .cd)
        let after = stage.timeNow()
        try expect(after.lead(over: before), atMost: .milliseconds(500), since: before.moments.lowerBound)
        #expect(stage.player.status.timeControlStatus == .playing)
        await stage.player.close()
    }

    /// The one that sets the clock dies: the other one plays on as if nothing had been, and time goes on.
    @Test(.timed) func oneServerDiesAndComesBack() async throws {
        let (first, second) = (try await PulseServer.start(), try await PulseServer.start())
        let capture = try await MonitorCapture(of: second)
        let stage = try await GroupStage(.pulse("first", first), .pulse("second", second))
        try await stage.waitForMember("first", "to be open") { $0.isOpen }
        try await stage.waitForMember("second", "to be open") { $0.isOpen }
        try await stage.play(noise(10))
        let start = try await capture.waitForSound()
        try await capture.waitForFrames(44_100, after: start)
        let before = stage.timeNow()
        first.kill()
        try await stage.waitForMember("first", "to be lost") { $0.error?.contains("no sound server") == true }
        let lead = stage.timeNow().lead(over: before)
        try expect(lead, atMost: .milliseconds(200), since: before.moments.lowerBound)
        #expect(stage.player.status.timeControlStatus == .playing)
        try await first.restart()
        try await stage.waitForMember("first", "to be back") { $0.isOpen && $0.error == nil }
        let back = ContinuousClock.now
        let again = try await MonitorCapture(of: first)
        let sound = try await again.waitForSound()
        try await again.waitForFrames(8_192, after: sound)
        try await stage.waitForEnd()
        await stage.player.close()
        let (heard, heardAgain) = (try await capture.stopInSilence(), again.stop())
        #expect(difference(heard.sound, noise(10)) == nil)
        #expect(!stage.events.current.contains { if case .outputLost = $0 { true } else { false } })
        // Both are heard at the same place.
        let place = try #require(find(sound + 2_048..<sound + 6_144, in: heardAgain, of: noise(10)))
        let moment = heardAgain.time(of: sound + 2_048)
        let other = heard.time(of: start + place)
        try expect(moment - other, atMost: .milliseconds(250), since: back)
    }

    @Test(.timed) func membersComeAndGo() async throws {
        let server = try await PulseServer.start(NullSink("one"), NullSink("two"))
        let (one, two) = try await captures(server)
        let stage = try await GroupStage(
            .pulse("one", server, sink: "one"),
            .pulse("two", server, sink: "two", isEnabled: false)
        )
        try await stage.waitForMember("one", "to be open") { $0.isOpen }
        #expect(stage.group.members.map(\.isEnabled) == [true, false])
        let begin = ContinuousClock.now
        try await stage.play(noise(8))
        let start = try await one.waitForSound()
        try await one.waitForFrames(22_050, after: start)
        #expect(two.current.firstSound(after: 0) == nil)
        stage.group.setEnabled(true, "two")
        let sound = try await two.waitForSound()
        try await two.waitForFrames(22_050, after: sound)
        stage.group.setEnabled(false, "two")
        let end = try await two.waitForSilence(after: sound + 22_050)
        #expect(stage.group.members.map(\.isOpen) == [true, false])
        // It is heard before the music ends, so within seconds.
        stage.group.add(.pulse("three", server, sink: "two"))
        try await two.waitForSound(after: end)
        _ = try #require(stage.group.remove("three")).close()
        try await stage.waitForEnd()
        await stage.player.close()
        let (heard, other) = (try await one.stopInSilence(), two.stop())
        #expect(difference(heard.sound, noise(8)) == nil)
        let place = try #require(find(sound + 2_048..<sound + 6_144, in: other, of: noise(8)))
        let distance = other.time(of: sound + 2_048) - heard.time(of: start + place)
        try expect(distance, atMost: .milliseconds(200), since: begin)
    }

    /// The members' formats differ: each sink gets its own.
    @Test func aMemberOfAnotherRateIsConverted() async throws {
        let wide = AudioFormat(sampleFormat: .s32, sampleRate: 48_000, channels: .stereo)
        let server = try await PulseServer.start(NullSink("cd"), NullSink("wide", format: wide))
        let (one, two) = try await captures(server)
        let stage = try await GroupStage(.pulse("cd", server, sink: "cd"))
        try await stage.waitForMember("cd", "to be open") { $0.isOpen }
        stage.group.add(.pulse("wide", server, sink: "wide"))
        try await stage.waitForMember("wide", "to be open") { $0.isOpen }
        let signal = Signal.chorus(seconds: 2, sampleRate: 44_100)
        try await stage.play(signal)
        try await stage.waitForEnd()
        await stage.player.close()
        let oneSound = try await one.stopInSilence().sound
        #expect(difference(oneSound, signal) == nil)
        let heard = two.stop().samples()
        let expected = Signal.chorus(seconds: 2, sampleRate: 48_000)
        let found = try #require(Analysis.find(expected[4_800..<12_992], in: heard))
        let rest = heard.dropFirst(found.offset)
        #expect(Analysis.signalToNoise(expected[4_800..<90_000], rest) > 60)
    }

    /// Volumes, seeks and pauses reach all members, whatever they are fed by.
    @Test(.timed) func jumpsAreHeardFromAllMembers() async throws {
        let wide = AudioFormat(sampleFormat: .s16, sampleRate: 48_000, channels: .stereo)
        let server = try await PulseServer.start(NullSink("cd"), NullSink("wide", format: wide))
        let pair = try await captures(server)
        let captures = [pair.0, pair.1]
        let stage = try await GroupStage(.pulse("cd", server, sink: "cd"), .pulse("wide", server, sink: "wide"))
        try await stage.waitForMember("cd", "to be open") { $0.isOpen }
        try await stage.waitForMember("wide", "to be open") { $0.isOpen }
        try await stage.play(Signal.position(seconds: 20, sampleRate: 44_100))
        for capture in captures { try await capture.waitForSound() }
        let seek = ContinuousClock.now
        await stage.player.seek(to: MediaTime(seconds: 10))
        let jump = captures.map(\.frames)
        for (capture, place) in zip(captures, jump) {
            let rate = capture.current.format.sampleRate
            try await capture.waitForFrames(rate * 5 / 10, after: place)
            let heard = capture.current.samples(in: place + rate * 3 / 10..<place + rate * 5 / 10)
            let position = Analysis.position(heard, sampleRate: rate)
            // It is still 10 where the frames were counted half a second late.
            try expect(position == 10, unlessStalledFor: .milliseconds(250), since: seek, "\(position ?? -1) s")
        }
        await stage.player.pause()
        let paused = captures.map(\.frames)
        for (capture, place) in zip(captures, paused) {
            let silence = try await capture.waitForSilence(after: place)
            #expect(silence - place < capture.current.format.sampleRate / 2)
        }
        let time = stage.player.currentTime()
        await stage.player.play()
        for (capture, place) in zip(captures, captures.map(\.frames)) {
            let sound = try await capture.waitForSound(after: place)
            let rate = capture.current.format.sampleRate
            try await capture.waitForFrames(rate / 10, after: sound)
            let heard = capture.current.samples(in: sound..<sound + rate / 10)
            #expect(Analysis.position(heard, sampleRate: rate) == Int(time.seconds))
        }
        await stage.player.close()
    }

    /// A sink's stream moves to another zone as it is.
    @Test(.timed) func aStreamMovesToAnotherGroup() async throws {
        let server = try await PulseServer.start()
        let capture = try await MonitorCapture(of: server)
        let kitchen = try await GroupStage(.null(), .pulse("pulse", server))
        let parlour = try await GroupStage(.null())
        try await kitchen.waitForMember("pulse", "to be open") { $0.isOpen }
        try await kitchen.play(noise(8))
        try await parlour.play(noise(8, seed: 2))
        let sound = try await capture.waitForSound()
        try await capture.waitForFrames(8_192, after: sound)
        let streams = try server.control("list", "short", "sink-inputs")
        let begin = ContinuousClock.now
        let moved = try #require(kitchen.group.remove("pulse"))
        let place = capture.frames
        #expect(parlour.group.insert(moved))
        try await capture.waitForFrames(17_640, after: place)
        #expect(try server.control("list", "short", "sink-inputs") == streams)
        #expect(find(sound + 2_048..<sound + 6_144, in: capture.current, of: noise(8)) != nil)
        let found = try #require(find(place + 8_820..<place + 12_916, in: capture.current, of: noise(8, seed: 2)))
        let moment = capture.current.time(of: place + 8_820)
        let heard = Reading(Double(found) / 44_100, at: moment...moment)
        try expect(parlour.timeNow().lead(over: heard), atMost: .milliseconds(150), since: begin)
        #expect(kitchen.player.status.timeControlStatus == .playing)
        await kitchen.player.close()
        await parlour.player.close()
    }

    /// Nothing hangs or is lost for good, whatever is done in whatever order.
    @Test func anythingInAnyOrder() async throws {
        let server = try await PulseServer.start()
        let capture = try await MonitorCapture(of: server)
        let stage = try await GroupStage(.pulse("pulse", server), .pulse("soft", server, mixer: .software), .null())
        let names = ["pulse", "soft", "null", "fifo", "file"]
        let path = stage.folder.file("fifo")
        stage.group.add(.fifo(path, mixer: .software))
        stage.group.add(.recorder(stage.folder.file("out.flac")))
        try await stage.play(noise(20), noise(20, seed: 2))
        let reader = try ChildProcess("cat", [path], environment: ["PATH": "/usr/bin:/bin"]) { _ in }
        var generator = SplitMix(state: 1)
        for _ in 0..<100 {
            let name = names[Int.random(in: 0..<5, using: &generator)]
            switch Int.random(in: 0..<9, using: &generator) {
            case 0...2: stage.group.setEnabled(Bool.random(using: &generator), name)
            case 3: await stage.player.seek(to: MediaTime(seconds: Double.random(in: 0..<15, using: &generator)))
            case 4: await stage.player.pause()
            case 5: await stage.player.play()
            case 6: await stage.player.setVolume(Volume(percent: Double.random(in: 20..<100, using: &generator)))
            case 7:
                if let detached = stage.group.remove(name) { #expect(stage.group.insert(detached)) }
            default: try await capture.waitForFrames(1_323, after: capture.frames)
            }
        }
        for name in names { stage.group.setEnabled(true, name) }
        await stage.player.play()
        await stage.player.seek(to: MediaTime(seconds: 1))
        for name in names { try await stage.waitForMember(name, "to be open") { $0.isOpen } }
        try await capture.waitForSound(after: capture.frames)
        try await stage.waitForTime(stage.player.currentTime().seconds + 0.3)
        reader.end()
        await stage.player.close()
        #expect(try MediaSound.of(stage.folder.file("out.flac")).integers(0).count > 8_820)
    }

    /// A server that is not there yet is waited for, and plays from the first sample.
    @Test(.timed) func aServerMayStartLater() async throws {
        let server = try await PulseServer.start()
        server.kill()
        let stage = try await GroupStage(.pulse("late", server))
        try await stage.play(noise(2))
        try await stage.wait("the loss") {
            if case .outputLost(let reason) = $0 { reason.contains("late") } else { false }
        }
        #expect(stage.error(of: "late")?.contains("no sound server") == true)
        #expect(stage.player.currentTime() == .zero)
        try await server.restart()
        let begin = ContinuousClock.now
        try await stage.wait("sound") { $0 == .outputRestored }
        try expect(ContinuousClock.now - begin, atMost: .seconds(10), since: begin)
        try await stage.waitForEnd()
        await stage.player.close()
    }

    /// A volume is in the frames, also in those that the server has already.
    @Test func aSoftwareVolumeIsHeardAtOnce() async throws {
        let server = try await PulseServer.start()
        let capture = try await MonitorCapture(of: server)
        let stage = try await GroupStage(.pulse("soft", server, mixer: .software))
        try await stage.waitForMember("soft", "to be open") { $0.isOpen }
        try await stage.play(noise(6))
        let start = try await capture.waitForSound()
        try await capture.waitForFrames(33_075, after: start)
        let place = capture.frames
        await stage.player.setVolume(Volume(percent: 50))
        try await capture.waitForFrames(33_075, after: place)
        let again = capture.frames
        await stage.player.setVolume(.full)
        try await stage.waitForEnd()
        await stage.player.close()
        let heard = capture.stop().samples(in: start..<start + 6 * 44_100 - 4_410)
        let played = noise(6)
        let lost = try #require(Analysis.find(played[1_000..<5_096], in: heard)).offset - 1_000
        try #require(again + 6_615 + 441 - start <= heard.count, "the sound had ended when the volume was set")
        func gain(_ frame: Int) -> Float {
            let range = frame - start..<frame - start + 441
            let sum = range.reduce(Float(0)) { $0 + heard[$1] * played[$1 - lost] }
            return sum / range.reduce(Float(0)) { $0 + played[$1 - lost] * played[$1 - lost] }
        }
        // Nothing is skipped or repeated, and a volume of a half is a gain of an eighth.
        #expect(abs(gain(place - 2_205) - 1) < 0.001)
        #expect(abs(gain(place + 6_615) - 0.125) < 0.001)
        #expect(abs(gain(again - 2_205) - 0.125) < 0.001)
        #expect(abs(gain(again + 6_615) - 1) < 0.001)
        // Over some 20 ms, not at once.
        let steps = stride(from: place - 2_205, to: place + 6_615, by: 441).map(gain)
        #expect(steps.contains { $0 > 0.2 && $0 < 0.95 })
    }
}
