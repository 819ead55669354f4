import AudioTypes
import Foundation
import Outputs
import Playback
import TestSupport
import TestTiming
import Testing

/// What a listener hears of streams that come late, through a real sound server.
@Suite(
    .enabled("ffmpeg or lame is not installed") { MediaFixtures.missing.isEmpty },
    .enabled("pulseaudio is not installed") { PulseServer.missing.isEmpty }
)
struct StreamSoundTests {
    private static let second = 24_000

    private static func song(_ seconds: Int) async throws -> String {
        try await MediaFixtures.stream(seconds: seconds)
    }

    private static func heard(_ stage: PulseStage) async -> SecondsHeard {
        await stage.player.close()
        let recording = stage.capture.stop()
        return SecondsHeard(recording, from: recording.firstSound(after: 0) ?? recording.frames)
    }

    /// Every second is heard once and in order, whatever is missing in between and for how long.
    @Test(arguments: [0.3, 3])
    func whatComesLateIsHeardOnce(_ pause: Double) async throws {
        let server = try PacedServer(try await Self.song(12), limit: 5 * Self.second)
        let stage = try await PulseStage()
        await stage.play(server.url)
        try await stage.log.wait("a stall") { if case .playbackStalled = $0 { true } else { false } }
        // The length of the silence is the subject here, not a condition.
        try await Task.sleep(for: .seconds(pause))
        server.release()
        try await stage.log.waitForEnd()
        let heard = await Self.heard(stage)
        #expect(heard.faults().isEmpty, "\(heard.faults()) in \(heard.text)")
        #expect(heard.order.last == 11, "\(heard.text)")
        #expect(heard.silences.count <= 1, "\(heard.text)")
    }

    /// More comes just before what is there has been heard, when the sound server has taken all of it.
    @Test(.timed, arguments: [0.2, 0.8, 1.6])
    func whatComesInTimeIsNoStall(_ rest: Double) async throws {
        let server = try PacedServer(try await Self.song(12), limit: 5 * Self.second)
        let stage = try await PulseStage()
        await stage.play(server.url)
        let ticks = await stage.player.boundaryTimes(at: [MediaTime(seconds: 5 - rest - 0.1)])
        for await _ in ticks { break }
        let release = ContinuousClock.now
        server.release()
        try await stage.log.waitForEnd()
        let heard = await Self.heard(stage)
        #expect(heard.faults().isEmpty, "\(heard.faults()) in \(heard.text)")
        #expect(heard.order.last == 11, "\(heard.text)")
        // It may be too late for the sound server; then nothing is lost all the same.
        let silence = heard.silences.reduce(0) { $0 + $1.duration }
        try expect(silence < 0.5, unlessStalledFor: .milliseconds(50), since: release, "\(heard.text)")
    }

    /// A sink that holds seconds of silence when the stream comes only begins late.
    @Test func aSinkThatIsSlowToBeginIsNoStall() async throws {
        let server = try PacedServer(try await Self.song(12), limit: 5 * Self.second)
        let sound = try await PulseServer.start(NullSink())
        var options = PulseOutput.Options()
        options.server = sound.address
        let player = Player(output: try PulseOutput.open(options))
        let log = await EventLog(player)
        await player.append([MediaEntry(server.url)])
        await player.play()
        let capture = try await MonitorCapture(of: sound)
        try await log.wait("a stall") { if case .playbackStalled = $0 { true } else { false } }
        let time = player.currentTime().seconds
        #expect(time > 4.7 && time < 5.1)
        await player.close()
        _ = capture.stop()
    }

    @Test func aSlowStreamIsHeardInOrder() async throws {
        let server = try PacedServer(try await Self.song(30), rate: 16_000)
        let stage = try await PulseStage()
        await stage.play(server.url)
        try await stage.log.waitForEnd(within: .seconds(120))
        let heard = await Self.heard(stage)
        #expect(heard.faults().isEmpty, "\(heard.faults()) in \(heard.text)")
        #expect(heard.order.last == 29)
        for (silence, next) in zip(heard.silences, heard.silences.dropFirst()) {
            #expect(next.start - silence.end >= 14, "\(heard.text)")
        }
    }
}
