import AudioTypes
import Encoding
import OutputGroups
import Outputs
import Playback
import Synchronization
import TestSupport
import TestTiming

/// A player on a group of outputs, and what it tells.
struct GroupStage: Sendable {
    let group: OutputGroup
    let player: Player
    let folder: TemporaryFolder
    let events = Watched<[PlayerEvent]>([])
    /// Counts the changes of members.
    let changes: Watched<Int>

    init(format: AudioFormat = .cd, _ outputs: OutputDescription...) async throws {
        let changes = Watched(0)
        self.changes = changes
        folder = try TemporaryFolder()
        group = OutputGroup(format: format) { _ in changes.withLock { $0 += 1 } }
        for output in outputs { group.add(output) }
        player = Player(output: group)
        await Self.listen(to: player, events)
    }

    private static func listen(to player: Player, _ events: Watched<[PlayerEvent]>) async {
        let stream = await player.events()
        Task { for await event in stream { events.withLock { $0.append(event) } } }
    }

    /// What another listener is told from now on.
    func listen() async -> Watched<[PlayerEvent]> {
        let heard = Watched<[PlayerEvent]>([])
        await Self.listen(to: player, heard)
        return heard
    }

    /// Plays signals, one file each.
    func play(_ signals: [Float]..., sampleRate: Int = 44_100) async throws {
        for (index, signal) in signals.enumerated() {
            let path = folder.file("\(index).wav")
            try WaveFile.write(signal, sampleRate: sampleRate, to: path)
            await player.append([MediaEntry(location: path)])
        }
        await player.play()
    }

    func wait(_ what: String, until condition: @escaping @Sendable (PlayerEvent) -> Bool) async throws {
        let isThere = await events.wait(within: .patience) { $0.contains(where: condition) }
        if !isThere { throw Missing(what: what) }
    }

    func waitForEnd() async throws { try await wait("the end") { $0 == .queueEnded } }

    /// Waits for a member's state, which is told when it changes.
    func waitForMember(
        _ name: String,
        _ what: String,
        until condition: @escaping @Sendable (OutputState) -> Bool
    ) async throws {
        let isThere = await changes.wait(within: .patience) { [group] _ in
            group.members.contains { $0.name == name && condition($0) }
        }
        if !isThere { throw Missing(what: "\(name) \(what); it is \(group.members)") }
    }

    /// Waits until the player has come to a time.
    func waitForTime(_ seconds: Double) async throws {
        let times = await player.periodicTimes(every: MediaTime(seconds: 0.02))
        let isReached = Watched(false)
        let task = Task {
            for await time in times where time.seconds >= seconds { return isReached.withLock { $0 = true } }
        }
        defer { task.cancel() }
        if await isReached.wait(within: .patience, until: { $0 }) { return }
        let state = "it is at \(player.currentTime()), \(player.status), \(group.members)"
        throw Missing(what: "\(seconds) s; \(state)")
    }

    /// The player's time.
    func timeNow() -> Reading { Reading { player.currentTime().seconds } }

    func error(of name: String) -> String? { group.members.first { $0.name == name }?.error }
}

struct Missing: Error, CustomStringConvertible {
    let what: String
    var description: String { "waited in vain for \(what)" }
}

extension OutputDescription {
    /// A sink of a server, which need not run yet.
    static func pulse(
        _ name: String,
        _ server: any SoundServer,
        sink: String? = nil,
        mixer: MixerKind = .hardware,
        isEnabled: Bool = true
    ) -> OutputDescription {
        var options = PulseOutput.Options()
        options.server = server.address
        options.sink = sink
        return OutputDescription(name: name, plugin: .pulse, mixer: mixer, isEnabled: isEnabled) { [options] _ in
            try PulseOutput.open(options)
        }
    }

    static func null(_ name: String = "null", isEnabled: Bool = true) -> OutputDescription {
        OutputDescription(name: name, plugin: .null, mixer: .none, isEnabled: isEnabled) { NullOutput(format: $0) }
    }

    static func recorder(_ path: String) -> OutputDescription {
        OutputDescription(name: "file", plugin: .recorder) { format in
            let format = try EncodingSink.format(for: path, wanted: format)
            return SinkOutput(format: format, sink: try EncodingSink(path: path, format: format))
        }
    }

    static func fifo(_ path: String, mixer: MixerKind = .none) -> OutputDescription {
        OutputDescription(name: "fifo", plugin: .fifo, mixer: mixer) { try FIFOOutput(path: path, format: $0) }
    }
}

extension Recording {
    /// What was heard from the first to the last sound.
    var sound: [Int16] {
        let start = firstSound(after: 0) ?? frames
        return Signal.integers(samples(in: start..<max(start, soundEnd)))
    }
}

extension MonitorCapture {
    /// Ends the recording when all has been recorded that was played.
    func stopInSilence() async throws -> Recording {
        try await waitForSilence(after: frames)
        return stop()
    }
}

/// Noise that is the same in every test.
func noise(_ seconds: Double, seed: UInt64 = 1) -> [Float] {
    Signal.noise(frames: Int(seconds * 44_100), seed: seed)
}

/// Where samples begin to differ from those they should begin with the same as.
func firstDifference(_ heard: some Collection<Int16>, _ expected: some Collection<Int16>) -> Int? {
    zip(heard, expected).enumerated().first { $1.0 != $1.1 }?.offset
}

/// How what was heard differs from what was played, but for the silence at its ends and a few samples at the start that
/// a server mixed into a block it had begun.
func difference(_ heard: [Int16], _ played: [Float]) -> String? {
    let expected = Signal.integers(played)
    guard let lost = (0..<2_000).first(where: { expected.dropFirst($0).starts(with: heard.prefix(64)) }) else {
        return "it does not begin with what was played"
    }
    let rest = expected.dropFirst(lost)
    let place = zip(heard, rest).enumerated().first { $1.0 != $1.1 }?.offset
    if let place { return "differs from \(place) on" }
    // The end may be silent to the recorder.
    return rest.count - heard.count < 64 ? nil : "\(heard.count) samples of \(rest.count)"
}

/// Where a stretch of what was heard lies in what was played, in frames.
func find(_ frames: Range<Int>, in recording: Recording, of played: [Float]) -> Int? {
    let found = Analysis.find(recording.samples(in: frames), in: played)
    return found.flatMap { $0.likeness > 0.9 ? $0.offset : nil }
}
