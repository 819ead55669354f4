import AudioTypes
import Outputs
import Playback
import TestSupport
import TestTiming
import Testing

/// A player on a private sound server, and a recording of what the server plays.
struct PulseStage: Sendable {
    let server: any SoundServer
    let capture: MonitorCapture
    let player: Player
    let log: EventLog

    init(
        on server: (any SoundServer)? = nil,
        format: AudioFormat = .cd,
        configuration: PlayerConfiguration = PlayerConfiguration()
    ) async throws {
        let used: any SoundServer
        if let server { used = server } else { used = try await PulseServer.start(NullSink(format: format)) }
        self.server = used
        capture = try await MonitorCapture(of: used)
        var options = PulseOutput.Options()
        options.server = used.address
        player = Player(output: try PulseOutput.open(options), configuration: configuration)
        log = await EventLog(player)
    }

    func play(_ paths: String...) async {
        await player.append(paths.map { MediaEntry($0) })
        await player.play()
    }

    /// Ends the player, and gives what was heard from the first sound on.
    func heard() async throws -> [Int16] {
        await player.close()
        // The recorder may be behind.
        try await capture.waitForSilence(of: .milliseconds(50), after: capture.frames)
        let recording = capture.stop()
        let start = recording.firstSound(after: 0) ?? recording.frames
        return Signal.integers(recording.samples(in: start..<max(start, recording.soundEnd)))
    }
}

extension MonitorCapture {
    /// How far a player's time, when it was read, was ahead of what was heard then of a signal of 44.1 kHz.
    func lead(of time: Reading, in signal: [Float]) async throws -> Duration {
        let moment = time.moments.lowerBound
        try await wait("what was heard") { $0.time(of: max($0.frames - 2_048, 0)) > moment }
        let recording = current
        let place = try #require((0..<recording.frames).partition { recording.time(of: $0) >= moment })
        let found = try #require(Analysis.find(recording.samples(in: place..<place + 2_048), in: signal))
        #expect(found.likeness > 0.9)
        let heard = recording.time(of: place)
        return time.lead(over: Reading(Double(found.offset) / 44_100, at: heard...heard))
    }
}

extension Player {
    /// The current time, and when it was read.
    nonisolated func timeNow() -> Reading { Reading { currentTime().seconds } }
}
