import AudioTypes
import Foundation
import Outputs
import Playback
import TestSupport
import TestTiming
import Testing

/// Sinks go away and come back while a player plays: nothing is heard where it was not asked for.
@Suite(
    .serialized,
    .enabled("ffmpeg or lame is not installed") { MediaFixtures.missing.isEmpty },
    .enabled("pulseaudio is not installed") { PulseServer.missing.isEmpty }
)
struct RouteTests {
    enum Kind: String, CaseIterable, Sendable {
        case pulseAudio, pipeWire

        static let installed = allCases.filter { $0 == .pulseAudio || PipeWireServer.missing.isEmpty }
    }

    /// A sink that is unloaded and loaded again beside one that stays.
    private struct Fixture {
        let server: any SoundServer
        let stays: NullSink
        let goes: NullSink

        init(_ kind: Kind, format: AudioFormat = .cd, rewinds: Bool = false) async throws {
            stays = NullSink("stays", rewinds: rewinds)
            goes = NullSink("goes", format: format)
            let stays = stays
            server =
                kind == .pulseAudio
                ? try await PulseServer.start(stays) : try await PipeWireServer.start(stays, quantum: 2048)
            try server.load(goes)
        }

        func player(
            _ device: String?,
            _ policy: LossPolicy? = nil,
            isMovable: Bool = false
        ) async throws -> (Player, EventLog) {
            var options = PulseOutput.Options()
            options.server = server.address
            options.sink = device
            options.whenLost = policy
            options.isMovable = isMovable
            options.formatWithoutSink = .cd
            let player = Player(output: try PulseOutput.open(options))
            return (player, await EventLog(player))
        }
    }

    private static let signal = noise(20).map { Float($0) / 32_768 }

    /// The second of the music that a recording has at a frame.
    ///
    /// - Parameter step: Where to look next, in frames, if a server that was late has left a gap in the piece there.
    private func second(_ recording: Recording, at frame: Int, step: Int = 1_024) throws -> Double {
        for distance in (0..<16).map({ $0 * step }) where frame + distance >= 0 {
            let piece = recording.samples(in: frame + distance..<frame + distance + 4_096)
            guard let found = Analysis.find(piece, in: Self.signal), found.likeness > 0.8 else { continue }
            return Double(found.offset - distance) / 44_100
        }
        throw Unlike(frame: frame)
    }

    private struct Unlike: Error {
        let frame: Int
    }

    /// A player whose named sink is unloaded waits in silence, and goes on at the frame where it stopped.
    @Test(.timed, arguments: Kind.installed)
    func aNamedSinkIsWaitedFor(_ kind: Kind) async throws {
        let fixture = try await Fixture(kind)
        let (player, log) = try await fixture.player("goes")
        let fallback = try await MonitorCapture(of: fixture.server, sink: fixture.stays)
        let first = try await MonitorCapture(of: fixture.server, sink: fixture.goes)
        await player.append([MediaEntry(try await noiseFile(20))])
        await player.play()
        let start = try await first.waitForSound()
        try await first.waitForFrames(44_100, after: start)
        let unplugged = ContinuousClock.now
        try fixture.server.unload(fixture.goes)
        try await log.wait("the loss") { $0 == .routeLost("the sink 'goes' is gone; waiting for it", pauses: false) }
        #expect(player.status.timeControlStatus == .waitingToPlayAtSpecifiedRate(.outputUnavailable))
        let heard = first.stop()
        let left = try self.second(heard, at: heard.soundEnd - 4_096, step: -1_024) + 4_096 / 44_100
        let kept = player.currentTime().seconds
        // What was lost on its way to the recorder: pieces of 5 ms, PipeWire's larger ones.
        try expect(.seconds(kept - left), atMost: .milliseconds(300), since: unplugged)
        let silent = fallback.frames
        try await fallback.waitForFrames(44_100, after: silent)
        #expect(player.currentTime().seconds == kept)
        let away = player.timeNow()
        try fixture.server.load(fixture.goes)
        try await log.wait("restored") { $0 == .outputRestored }
        // It goes on where it was.
        let restored = player.timeNow()
        // PipeWire counts a frame as soon as the block with it is passed on, as `AudioOutput.spread` says.
        let spread = kind == .pipeWire ? 0.25 : 0.01
        #expect(restored.value >= kept && restored.lead(over: away).seconds < spread)
        // A null sink without a listener works up to two seconds ahead: its monitor cannot tell when sound began.
        let second = try await MonitorCapture(of: fixture.server, sink: fixture.goes)
        let back = try await second.waitForSound()
        try await second.waitForFrames(22_050, after: back)
        let lead = try await second.lead(of: player.timeNow(), in: Self.signal)
        try expect(lead, atMost: .milliseconds(300), since: away.moments.upperBound)
        second.stop()
        await player.close()
        #expect(fallback.stop().soundEnd == 0, "it was heard elsewhere")
    }

    /// Row 60: a player that named no sink pauses when its sink is unloaded, and plays elsewhere only when told to.
    @Test(.timed, arguments: Kind.installed)
    func headphonesThatAreGonePause(_ kind: Kind) async throws {
        let fixture = try await Fixture(kind)
        try fixture.server.control("set-default-sink", "goes")
        let (player, log) = try await fixture.player(nil)
        let fallback = try await MonitorCapture(of: fixture.server, sink: fixture.stays)
        let first = try await MonitorCapture(of: fixture.server, sink: fixture.goes)
        await player.append([MediaEntry(try await noiseFile(20))])
        await player.play()
        let start = try await first.waitForSound()
        try await first.waitForFrames(44_100, after: start)
        try fixture.server.unload(fixture.goes)
        try await log.wait("the loss") { if case .routeLost(_, pauses: true) = $0 { true } else { false } }
        try await log.waitForStatus("a pause") { $0.timeControlStatus == .paused }
        try await log.wait("restored") { $0 == .outputRestored }
        let time = player.currentTime().seconds
        let silent = fallback.frames
        try await fallback.waitForFrames(44_100, after: silent)
        #expect(fallback.current.soundEnd == 0, "it was heard elsewhere")
        #expect(player.currentTime().seconds == time)
        let begin = ContinuousClock.now
        await player.play()
        let sound = try await fallback.waitForSound()
        try await fallback.waitForFrames(8_192, after: sound)
        await player.close()
        // PipeWire skips blocks that it is late for.
        try expect(
            .seconds(try second(fallback.stop(), at: sound) - time),
            atMost: .milliseconds(kind == .pulseAudio ? 50 : 200),
            since: begin
        )
    }

    /// A paused player whose sink is unloaded stays paused and silent.
    @Test func aPausedPlayerStaysPaused() async throws {
        let fixture = try await Fixture(.pulseAudio)
        try fixture.server.control("set-default-sink", "goes")
        let (player, log) = try await fixture.player(nil)
        let fallback = try await MonitorCapture(of: fixture.server, sink: fixture.stays)
        let first = try await MonitorCapture(of: fixture.server, sink: fixture.goes)
        await player.append([MediaEntry(try await noiseFile(20))])
        await player.play()
        let start = try await first.waitForSound()
        try await first.waitForFrames(22_050, after: start)
        await player.pause()
        try fixture.server.unload(fixture.goes)
        try await log.wait("the loss") { if case .routeLost = $0 { true } else { false } }
        try await log.wait("restored") { $0 == .outputRestored }
        // The server may have told until then where it had paused.
        let time = player.currentTime().seconds
        let silent = fallback.frames
        try await fallback.waitForFrames(22_050, after: silent)
        #expect(fallback.current.soundEnd == 0)
        #expect(player.status.timeControlStatus == .paused)
        await player.play()
        let sound = try await fallback.waitForSound()
        try await fallback.waitForFrames(8_192, after: sound)
        await player.close()
        #expect(abs(try second(fallback.stop(), at: sound) - time) < 0.05)
    }

    /// With `fallback`, the music goes on at the default sink, and returns with the sink.
    @Test(arguments: Kind.installed)
    func aFallbackIsLeftAgain(_ kind: Kind) async throws {
        let fixture = try await Fixture(kind)
        let (player, _) = try await fixture.player("goes", .fallback)
        let fallback = try await MonitorCapture(of: fixture.server, sink: fixture.stays)
        await player.append([MediaEntry(try await noiseFile(20))])
        await player.play()
        let first = try await MonitorCapture(of: fixture.server, sink: fixture.goes)
        let start = try await first.waitForSound()
        try await first.waitForFrames(22_050, after: start)
        #expect(fallback.current.soundEnd == 0)
        try fixture.server.unload(fixture.goes)
        try await fallback.waitForSound()
        try fixture.server.load(fixture.goes)
        let second = try await MonitorCapture(of: fixture.server, sink: fixture.goes)
        let back = try await second.waitForSound()
        try await second.waitForFrames(22_050, after: back)
        try await fallback.waitForSilence()
        #expect(player.status.timeControlStatus == .playing)
        await player.close()
    }

    /// When the user chooses another default sink, the music is heard there, without a jump.
    @Test(.timed, arguments: Kind.installed)
    func theDefaultSinkIsFollowed(_ kind: Kind) async throws {
        let fixture = try await Fixture(kind)
        let (player, log) = try await fixture.player(nil)
        // Recorders of the default source, which is the default sink's monitor, would be moved too; PipeWire's are.
        try fixture.server.control("set-default-source", fixture.stays.monitor)
        let old = try await MonitorCapture(of: fixture.server, sink: fixture.stays)
        let new = try await MonitorCapture(of: fixture.server, sink: fixture.goes)
        await player.append([MediaEntry(try await noiseFile(20))])
        await player.play()
        let first = try await old.waitForSound()
        try await old.waitForFrames(44_100, after: first)
        let before = ContinuousClock.now
        try fixture.server.control("set-default-sink", "goes")
        let sound = try await new.waitForSound()
        try await new.waitForFrames(22_050, after: sound)
        let (left, came) = (old.stop(), new.stop())
        let delay = came.time(of: sound) - before
        try expect(delay, atMost: .seconds(kind == .pulseAudio ? 1 : 2), since: before)
        let start = came.time(of: sound)
        let stay = (0..<left.frames / 441).map { $0 * 441 }.last { left.time(of: $0) < start - .milliseconds(20) } ?? 0
        let loud = left.samples(in: 0..<stay).lastIndex { abs($0) > 0.001 } ?? 0
        let end = try second(left, at: loud - 4_096, step: -1_024) + 4_096 / 44_100
        let begin = try second(came, at: sound)
        // The recorder loses some milliseconds itself; PipeWire repeats a little rather than skip.
        try expect(.seconds(begin - end), atMost: .milliseconds(kind == .pulseAudio ? 100 : 200), since: before)
        #expect(player.status.timeControlStatus == .playing)
        #expect(!log.all.contains { if case .routeLost = $0 { true } else { false } })
        await player.close()
    }

    /// A stream that the user ends in the desktop's mixer stays ended until play is pressed.
    @Test func anEndedStreamPauses() async throws {
        let fixture = try await Fixture(.pulseAudio)
        let (player, log) = try await fixture.player(nil)
        let capture = try await MonitorCapture(of: fixture.server, sink: fixture.stays)
        await player.append([MediaEntry(try await noiseFile(20))])
        await player.play()
        try await capture.waitForSound()
        try fixture.server.endStreams(try fixture.server.streams().map(\.number))
        try await log.wait("the loss") { if case .routeLost(_, pauses: true) = $0 { true } else { false } }
        try await log.waitForStatus("a pause") { $0.timeControlStatus == .paused }
        let silence = try await capture.waitForSilence()
        await player.play()
        try await capture.waitForSound(after: silence)
        await player.close()
    }

    /// A movable stream is heard where the user moves it, in that sink's format; where that sink goes, it does not go
    /// back to another one unasked.
    @Test(.timed, arguments: Kind.installed)
    func aMovableStreamIsMoved(_ kind: Kind) async throws {
        let fixture = try await Fixture(
            kind,
            format: AudioFormat(sampleFormat: .s16, sampleRate: 48_000, channels: .stereo),
            rewinds: true
        )
        let (player, log) = try await fixture.player("stays", isMovable: true)
        try fixture.server.control("set-default-source", fixture.stays.monitor)
        let old = try await MonitorCapture(of: fixture.server, sink: fixture.stays)
        let new = try await MonitorCapture(of: fixture.server, sink: fixture.goes)
        await player.append([MediaEntry(try await noiseFile(20))])
        await player.play()
        try await old.waitForSound()
        let stream = try #require(try fixture.server.streams().first)
        try fixture.server.move(stream, to: fixture.goes)
        let sound = try await new.waitForSound()
        try await new.waitForFrames(48_000, after: sound)
        #expect(try fixture.server.control("list", "sink-inputs").contains(" 2ch 48000Hz"))
        #expect(player.status.timeControlStatus == .playing)
        let silent = try await old.waitForSilence(after: old.frames)
        let unplugged = ContinuousClock.now
        try fixture.server.unload(fixture.goes)
        try await log.wait("the loss") { $0 == .routeLost("the sink 'goes' is gone; waiting for it", pauses: false) }
        try await old.waitForFrames(44_100, after: old.frames)
        let heard = max(old.current.soundEnd - silent, 0)
        // It is held as soon as the move is known; a recorder gets all that the sink had mixed by then.
        try expect(.seconds(Double(heard) / 44_100), atMost: .milliseconds(800), since: unplugged, "heard elsewhere")
        let lost = old.frames
        // Play is pressed: what there is will do.
        await player.pause()
        await player.play()
        try await old.waitForSound(after: lost)
        await player.close()
    }

    /// A movable stream whose sink is missing is not heard elsewhere: PipeWire would play it at the default sink.
    @Test(arguments: Kind.installed)
    func aMovableStreamWaitsForItsSink(_ kind: Kind) async throws {
        let fixture = try await Fixture(kind)
        try fixture.server.unload(fixture.goes)
        let (player, log) = try await fixture.player("goes", isMovable: true)
        let fallback = try await MonitorCapture(of: fixture.server, sink: fixture.stays)
        await player.append([MediaEntry(try await noiseFile(20))])
        await player.play()
        try await log.wait("the loss") { if case .routeLost(_, pauses: false) = $0 { true } else { false } }
        try await fallback.waitForFrames(44_100, after: fallback.frames)
        #expect(fallback.current.soundEnd == 0, "it was heard elsewhere")
        try fixture.server.load(fixture.goes)
        let capture = try await MonitorCapture(of: fixture.server, sink: fixture.goes)
        try await capture.waitForSound()
        await player.close()
    }
}
