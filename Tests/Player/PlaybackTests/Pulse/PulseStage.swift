import AudioTypes
import Outputs
import Playback
import TestSupport

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
        let recording = capture.stop()
        let start = recording.firstSound(after: 0) ?? recording.frames
        return Signal.integers(recording.samples(in: start..<max(start, recording.soundEnd)))
    }
}
