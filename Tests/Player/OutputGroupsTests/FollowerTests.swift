import AudioTypes
import Glibc
import OutputGroups
import Outputs
import Playback
import TestSupport
import TestTiming
import Testing

/// Files and pipes beside others, and by themselves.
@Suite(.serialized)
struct FollowerTests {
    /// A file by itself takes frames as fast as they are decoded.
    @Test(.timed, arguments: ["flac", "opus"])
    func aFileAloneIsNotInRealTime(_ ending: String) async throws {
        let stage = try await GroupStage()
        let path = stage.folder.file("out.\(ending)")
        stage.group.add(.recorder(path))
        let begin = ContinuousClock.now
        try await stage.play(noise(40))
        try await stage.waitForEnd()
        try expect(ContinuousClock.now - begin, atMost: .seconds(40), since: begin)
        await stage.player.close()
        let sound = try MediaSound.of(path)
        if ending == "flac" {
            #expect(sound.integers(0).count == 40 * 44_100)
            #expect(firstDifference(sound.integers(0), Signal.integers(noise(40))) == nil)
        } else {
            #expect(abs(sound.channel(0).count - 40 * 48_000) < 2_000)
        }
    }

    /// Beside a clock, a file gets what is heard: not what was skipped, and every sample of the rest.
    @Test func aFileHoldsWhatWasHeard() async throws {
        let stage = try await GroupStage(.null())
        let path = stage.folder.file("out.flac")
        stage.group.add(.recorder(path))
        try await stage.play(noise(40))
        try await stage.waitForTime(1)
        let seek = stage.timeNow()
        await stage.player.seek(to: MediaTime(seconds: 5))
        let seekMoments = seek.moments.lowerBound...ContinuousClock.now
        try await stage.waitForTime(5.4)
        await stage.player.pause()
        let time = stage.player.currentTime().seconds
        await stage.player.play()
        try await stage.waitForTime(time + 0.3)
        let end = stage.timeNow()
        stage.group.setEnabled(false, "file")
        let endMoments = end.moments.lowerBound...ContinuousClock.now
        await stage.player.close()
        let heard = try MediaSound.of(path).integers(0)
        let played = Signal.integers(noise(40))
        let jump = try #require(firstDifference(heard, played))
        let heardToSeek = Reading(Double(jump) / 44_100, at: seekMoments)
        #expect(jump >= 44_100 && abs(heardToSeek.lead(over: seek).seconds) < 0.1)
        #expect(firstDifference(heard.dropFirst(jump), played.dropFirst(5 * 44_100)) == nil)
        let heardToEnd = Reading(5 + Double(heard.count - jump) / 44_100, at: endMoments)
        #expect(abs(heardToEnd.lead(over: end).seconds) < 0.1)
    }

    /// What follows a clock does so twice a second, not frame by frame.
    @Test func aFollowerIsGivenLongStretches() async throws {
        let writes = Watched<[Int]>([])
        let stage = try await GroupStage(.null())
        stage.group.add(
            OutputDescription(name: "pipe", plugin: .pipe) { SinkOutput(format: $0, sink: CountingSink(writes)) }
        )
        try await stage.play(noise(3))
        try await stage.waitForTime(1.7)
        await stage.player.close()
        let sizes = writes.current
        #expect(sizes.reduce(0, +) > 66_150)
        // Three or four for each half second, and some at the start and the end.
        #expect(sizes.count < 30)
    }

    private final class CountingSink: FrameSink {
        let writes: Watched<[Int]>
        init(_ writes: Watched<[Int]>) { self.writes = writes }
        func write(_ bytes: UnsafeRawBufferPointer) { writes.withLock { $0.append(bytes.count / 4) } }
        func finish() {}
    }

    /// A file does not swallow the queue while a sound server is away: it goes on in real time.
    @Test(.timed) func aFileBesideALostServerStaysInRealTime() async throws {
        struct Away: Error, CustomStringConvertible { let description = "away" }
        let stage = try await GroupStage(OutputDescription(name: "away", plugin: .pulse) { _ in throw Away() })
        let path = stage.folder.file("out.flac")
        stage.group.add(.recorder(path))
        let begin = ContinuousClock.now
        try await stage.play(noise(1))
        try await stage.waitForEnd()
        let passed = ContinuousClock.now - begin
        #expect(passed > .milliseconds(950))
        try expect(passed, atMost: .seconds(3), since: begin)
        #expect(stage.error(of: "away") == "away")
        await stage.player.close()
        let heard = try MediaSound.of(path).integers(0)
        #expect(heard.count >= 44_100)
        #expect(firstDifference(heard.prefix(44_100), Signal.integers(noise(1))) == nil)
        // Until it is closed, silence follows.
        #expect(heard.dropFirst(44_100).allSatisfy { $0 == 0 }, "\(heard.count) samples")
    }

    /// The FIFO has no reader, then one, then none again: the output beside it does not notice.
    @Test(.enabled("pulseaudio is not installed") { PulseServer.missing.isEmpty })
    func aFIFOWithoutAReaderHoldsNobodyUp() async throws {
        let server = try await PulseServer.start()
        let capture = try await MonitorCapture(of: server)
        let stage = try await GroupStage(.pulse("pulse", server))
        try await stage.waitForMember("pulse", "to be open") { $0.isOpen }
        let path = stage.folder.file("fifo")
        stage.group.add(.fifo(path))
        try await stage.waitForMember("fifo", "to have no reader") { $0.error?.contains("no process") == true }
        try await stage.play(noise(8))
        let start = try await capture.waitForSound()
        try await capture.waitForFrames(22_050, after: start)
        let bytes = Watched<[UInt8]>([])
        let reader = try ChildProcess("cat", [path], environment: ["PATH": "/usr/bin:/bin"]) { piece in
            bytes.withLock { $0 += piece }
        }
        #expect(await bytes.wait(within: .patience) { $0.count > 4 * 44_100 })
        reader.end()
        try await stage.waitForMember("fifo", "to have lost its reader") { $0.error?.contains("no process") == true }
        let heardMeanwhile = capture.frames - start
        try await stage.waitForEnd()
        await stage.player.close()
        let captureSound = try await capture.stopInSilence().sound
        #expect(difference(captureSound, noise(8)) == nil)
        let read = bytes.current
        let samples = stride(from: 0, to: read.count - 3, by: 4).map {
            Int16(truncatingIfNeeded: Int(read[$0]) | Int(read[$0 + 1]) << 8)
        }
        // What the reader got is one stretch without a hole, from where it came.
        let played = Signal.integers(noise(8))
        let place = try #require(played.firstRange(of: samples.prefix(32))?.lowerBound)
        // A second of it had come by then, and a FIFO is a tenth of a second ahead.
        #expect(place > 20_000 && place < heardMeanwhile - 44_100 + 8_820)
        #expect(firstDifference(samples, played[place...]) == nil)
        #expect(unsafe access(path, F_OK) != 0)
    }

    /// By itself a FIFO is in real time, whether anybody reads it or not.
    @Test(.timed) func aFIFOAloneGoesOnInRealTime() async throws {
        let stage = try await GroupStage()
        stage.group.add(.fifo(stage.folder.file("fifo")))
        let begin = ContinuousClock.now
        try await stage.play(noise(1))
        try await stage.waitForEnd()
        let passed = ContinuousClock.now - begin
        #expect(passed > .milliseconds(950))
        try expect(passed, atMost: .seconds(3), since: begin)
        await stage.player.close()
    }

    @Test func whatIsThereAndNoFIFOIsRefused() async throws {
        let stage = try await GroupStage()
        let path = try stage.folder.write("file", "text")
        stage.group.add(.fifo(path))
        try await stage.waitForMember("fifo", "to fail") { $0.error != nil }
        #expect(
            stage.error(of: "fifo")
                == "\(path): exists and is not a FIFO; remove it, or name another path"
        )
        await stage.player.close()
    }

    /// An open file moves from one zone to another and holds what was heard in both.
    @Test func anOutputMovesToAnotherGroup() async throws {
        let kitchen = try await GroupStage(.null())
        let parlour = try await GroupStage(.null())
        let path = kitchen.folder.file("out.flac")
        kitchen.group.add(.recorder(path))
        try await kitchen.play(noise(20))
        try await parlour.play(noise(20, seed: 2))
        try await kitchen.waitForTime(0.6)
        try await parlour.waitForTime(0.6)
        let moved = try #require(kitchen.group.remove("file"))
        #expect(kitchen.group.members.map(\.name) == ["null"])
        let place = parlour.timeNow()
        #expect(parlour.group.insert(moved))
        let placeMoments = place.moments.lowerBound...ContinuousClock.now
        #expect(!parlour.group.insert(moved))
        try await parlour.waitForTime(place.value + 0.5)
        let end = parlour.timeNow()
        await parlour.player.close()
        let endMoments = end.moments.lowerBound...ContinuousClock.now
        await kitchen.player.close()
        let heard = try MediaSound.of(path).integers(0)
        let (first, second) = (Signal.integers(noise(20)), Signal.integers(noise(20, seed: 2)))
        let joint = try #require(firstDifference(heard, first))
        #expect(joint >= 26_000)
        let start = try #require(
            second.firstRange(of: heard[joint..<joint + 32])?.lowerBound,
            "\(heard[joint - 4..<joint + 32]) at \(joint) of \(heard.count)"
        )
        #expect(abs(Reading(Double(start) / 44_100, at: placeMoments).lead(over: place).seconds) < 0.1)
        #expect(firstDifference(heard[joint...], second[start...]) == nil)
        let heardToEnd = Reading(Double(heard.count - joint + start) / 44_100, at: endMoments)
        #expect(abs(heardToEnd.lead(over: end).seconds) < 0.1)
    }
}
