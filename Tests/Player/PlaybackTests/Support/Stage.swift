import AudioTypes
import Outputs
import Playback
import TestSupport

/// A player on a recording sink, and what it tells.
struct Stage: Sendable {
    let player: Player
    let recorder: SinkRecorder
    let output: WatchedOutput
    let log: EventLog

    init(
        format: AudioFormat = .cd,
        limit: Int = .max,
        configuration: PlayerConfiguration = PlayerConfiguration()
    ) async {
        recorder = SinkRecorder(format: format, limit: limit)
        output = WatchedOutput(SinkOutput(format: format, sink: recorder.sink()))
        player = Player(output: output, configuration: configuration)
        log = await EventLog(player)
    }

    /// Plays files from the first to the last and returns what was heard.
    static func heard(
        _ entries: [MediaEntry],
        format: AudioFormat = .cd,
        configuration: PlayerConfiguration = PlayerConfiguration(),
        prepare: (Player) async -> Void = { _ in }
    ) async throws -> SinkRecorder {
        let stage = await Stage(format: format, configuration: configuration)
        await prepare(stage.player)
        await stage.player.append(entries)
        await stage.player.play()
        try await stage.log.waitForEnd()
        await stage.player.close()
        return stage.recorder
    }
}

/// A player on a clock, and what it tells.
struct ClockStage: Sendable {
    let player: Player
    let log: EventLog

    init(configuration: PlayerConfiguration = PlayerConfiguration()) async {
        player = Player(output: NullOutput(), configuration: configuration)
        log = await EventLog(player)
    }
}

extension MediaEntry {
    init(_ path: String, from start: Double? = nil, to end: Double? = nil) {
        self.init(
            location: path,
            start: start.map { MediaTime(seconds: $0) },
            end: end.map { MediaTime(seconds: $0) }
        )
    }
}

extension MediaTime: ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral {
    public init(floatLiteral value: Double) { self.init(seconds: value) }
    public init(integerLiteral value: Int) { self.init(seconds: Double(value)) }
}

/// Noise that is the same in every test, `seconds` of it at 44.1 kHz, as lossless files hold it.
func noise(_ seconds: Double, seed: UInt64 = 1) -> [Int16] {
    Signal.integers(Signal.noise(frames: Int(seconds * 44_100), seed: seed))
}

/// A file with that noise.
func noiseFile(
    _ seconds: Double,
    _ codec: MediaFixtures.Codec = .flac,
    seed: UInt64 = 1
) async throws -> String {
    try await MediaFixtures.audio("noise\(seconds)x\(seed)", codec) {
        Signal.noise(frames: Int(seconds * 44_100), seed: seed)
    }
}

/// Where two runs of samples begin to differ, in words; `nil` when they are the same.
func difference(_ heard: some Collection<Int16>, _ expected: some Collection<Int16>) -> String? {
    if heard.elementsEqual(expected) { return nil }
    let place = zip(heard, expected).enumerated().first { $1.0 != $1.1 }?.offset
    return "\(heard.count) samples for \(expected.count), different from \(place.map(String.init) ?? "the end") on"
}
