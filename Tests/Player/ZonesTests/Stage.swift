import AudioTypes
import Dispatch
import Glibc
import Outputs
import Playback
import Playlists
import Songs
import TestSupport

@testable import Zones

/// A zone on a thread of its own, as in the server, with a player on an output that can be held.
actor Stage {
    /// What can be seen of the zone after something happened in it.
    struct Sight: Sendable {
        var state = PlayState.stop
        /// The current song.
        var song: String?
        var queue: [String] = []
        var error: String?
        /// What was played or paused, one after another: `a`, `b!` for paused, `-` for stopped.
        var history: [String] = []
        /// All that the zone has told the change of.
        var changes: ZoneChanges = []
    }

    nonisolated let gate: StepOutput
    nonisolated let player: Player
    nonisolated let folder: TemporaryFolder
    nonisolated let sight = Watched(Sight())
    private let received = Watched(0)
    private nonisolated let thread = ThreadExecutor()
    private let changes = Changes()
    private let zone: Zone

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

    /// What the zone told, in the zone's own isolation.
    private final class Changes {
        var all: ZoneChanges = []
    }

    /// - Parameters:
    ///   - songs: Each is a file of 0.1 s; one that begins with `x` is missing, and with `no` may not be played.
    ///   - limit: How many frames are heard before the output is held.
    ///   - output: Another one, which cannot be held.
    init(_ songs: [String], limit: Int = .max, output: (any AudioOutput)? = nil) async throws {
        let folder = try TemporaryFolder()
        for song in Set(songs) where !song.hasPrefix("x") { try folder.write(song, songFile) }
        self.folder = folder
        gate = StepOutput(limit: limit)
        player = Player(output: output ?? gate)
        let changes = changes
        zone = Zone(
            name: "z",
            capacity: 1_000,
            seed: 1,
            ZoneDependencies(
                medium: { $0.uri.hasPrefix("no") ? nil : MediaEntry(location: folder.file($0.uri)) },
                changed: { _, change in changes.all.formUnion(change) }
            )
        )
        try begin(songs)
    }

    private func begin(_ songs: [String]) throws {
        zone.connect(player) { [weak self] news in await self?.receive(news) }
        try zone.add(songs.map { Song(uri: $0) })
        look()
    }

    private func receive(_ news: ZoneEvent) {
        zone.receive(news)
        look()
        received.withLock { $0 += 1 }
    }

    /// Does something on the zone's thread.
    @discardableResult
    func act<Value: Sendable>(_ body: (Zone) throws -> Value) rethrows -> Value {
        defer { look() }
        return try body(zone)
    }

    private func look() {
        let (zone, changes) = (zone, changes)
        let song = zone.queue.currentEntry?.song.uri
        let queue = (0..<zone.queue.count).map { zone.queue[$0].song.uri }
        let (state, error, changed) = (zone.state, zone.error, changes.all)
        sight.withLock { sight in
            sight.state = state
            sight.song = song
            sight.queue = queue
            sight.error = error
            sight.changes = changed
            let word = state == .stop ? "-" : (song ?? "?") + (state == .pause ? "!" : "")
            if sight.history.last != word { sight.history.append(word) }
        }
    }

    // MARK: Waiting

    nonisolated func wait(_ what: String, until condition: @escaping @Sendable (Sight) -> Bool) async throws {
        if await sight.wait(within: deadline, until: { condition($0) }) { return }
        let sight = sight.current
        throw Missing("\(what); there was \(sight.history.suffix(20)), error \(sight.error ?? "none")")
    }

    /// Waits until the zone has stopped by itself, and says what it had played.
    nonisolated func waitForEnd() async throws -> [String] {
        try await wait("the end") { $0.history.count > 1 && $0.state == .stop }
        return sight.current.history.filter { $0 != "-" }
    }

    /// Waits until the player has carried out what it was told, and the zone has heard what came of that.
    func settle() async throws {
        var count = -1
        while await player.eventCount != count {
            let isDone = Watched(false)
            zone.link?.send { player in
                player.catchUp()
                isDone.withLock { $0 = true }
            }
            guard await isDone.wait(within: deadline, until: { $0 }) else { throw Missing("the last order") }
            let told = await player.eventCount
            guard await received.wait(within: deadline, until: { $0 >= told }) else { throw Missing("\(told) events") }
            count = told
        }
    }

    func close() async { await zone.close() }
}

/// The frames of each song.
let songFrames = 4_410

/// Some sound at 44.1 kHz.
let songFile: [UInt8] = {
    let samples = (0..<songFrames).map { Int16(truncatingIfNeeded: $0 &* 31) }
    return WaveFile.bytes([samples, samples], sampleRate: 44_100)
}()

/// An executor on a dispatch queue, so that a test may block it without holding up the player.
final class ThreadExecutor: SerialExecutor {
    private let queue = DispatchQueue(label: "zone")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}

extension Zone {
    /// Waits on the zone's own thread, where nothing that the player tells arrives meanwhile.
    func block(_ what: String, until condition: () -> Bool) throws {
        let end = ContinuousClock.now + deadline
        while !condition() {
            guard ContinuousClock.now < end else { throw Missing(what) }
            sched_yield()
        }
    }

    /// Lets the player go on to another item, which the zone has not heard of.
    func letGoOn(_ gate: StepOutput) throws {
        guard let player else { throw Missing("a player") }
        let item = player.status.currentItem?.id
        gate.release(to: gate.frames + songFrames)
        try block("the next item") { player.status.currentItem?.id != item }
    }
}
