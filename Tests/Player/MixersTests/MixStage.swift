import AudioTypes
import Mixers
import Outputs
import Playback
import TestSupport

/// A player on a mixer on a private sound server, and a recording of what the server plays.
struct MixStage: Sendable {
    let server: any SoundServer
    let capture: MonitorCapture
    let mixer: Mixer
    let player: Player
    let events: Watched<[PlayerEvent]>
    let folder: TemporaryFolder

    init(on server: (any SoundServer)? = nil, format: AudioFormat = .cd) async throws {
        let used: any SoundServer
        if let server { used = server } else { used = try await PulseServer.start(NullSink(format: format)) }
        self.server = used
        capture = try await MonitorCapture(of: used)
        var options = PulseOutput.Options()
        options.server = used.address
        mixer = Mixer(try PulseOutput.open(options))
        player = Player(output: mixer.makeChannel())
        events = await log(player)
        folder = try TemporaryFolder()
    }

    /// A stereo file; a channel that is not given is silent.
    func file(_ name: String, left: [Float] = [], right: [Float] = []) throws -> MediaEntry {
        try stereoFile(folder.file(name), left: left, right: right)
    }

    func play(_ entries: MediaEntry...) async {
        await player.append(entries)
        await player.play()
    }

    /// Waits until the programme is heard for some frames.
    ///
    /// - Returns: Its first frame in the recording.
    func waitForSound(_ frames: Int = 0) async throws -> Int {
        let start = try await capture.waitForSound()
        try await capture.waitForFrames(frames, after: start)
        return start
    }

    /// Says something over what plays.
    func say(_ entry: MediaEntry) async -> Voice {
        let voice = Player(voiceOn: mixer)
        let events = await log(voice)
        await voice.append([entry])
        await voice.play()
        return Voice(player: voice, events: events)
    }

    /// Waits until all has been recorded that was played, and ends.
    func finish() async throws -> Recording {
        try await capture.waitForSilence(after: capture.frames)
        await player.close()
        return capture.stop()
    }

    func waitForEnd() async throws { try await wait(events, "the end") { $0 == .queueEnded } }
}

/// A voice, and what its player tells.
struct Voice: Sendable {
    let player: Player
    let events: Watched<[PlayerEvent]>

    func waitForEnd() async throws { try await wait(events, "the voice's end") { $0 == .queueEnded } }
}

func log(_ player: Player) async -> Watched<[PlayerEvent]> {
    let events = Watched<[PlayerEvent]>([])
    let stream = await player.events()
    Task { for await event in stream { events.withLock { $0.append(event) } } }
    return events
}

func wait(
    _ events: Watched<[PlayerEvent]>,
    _ what: String,
    after start: Int = 0,
    until condition: @escaping @Sendable (PlayerEvent) -> Bool
) async throws {
    let isThere = await events.wait(within: .patience) { $0.dropFirst(start).contains(where: condition) }
    if !isThere { throw Missing(what: what) }
}

/// Waits until a mixer has paused its output.
func waitForIdle(_ mixer: Mixer) async throws {
    let isIdle = Watched(false)
    Task {
        while !mixer.isIdle { await Task.yield() }
        isIdle.withLock { $0 = true }
    }
    if await !isIdle.wait(within: .patience, until: { $0 }) { throw Missing(what: "the mixer's pause") }
}

struct Missing: Error, CustomStringConvertible {
    let what: String
    var description: String { "waited in vain for \(what)" }
}

extension MediaEntry {
    init(_ path: String) { self.init(location: path) }
}

/// Noise that is the same in every test.
func noise(_ seconds: Double, seed: UInt64 = 1, amplitude: Float = 0.5) -> [Float] {
    Signal.noise(frames: Int(seconds * 44_100), seed: seed, amplitude: amplitude)
}
