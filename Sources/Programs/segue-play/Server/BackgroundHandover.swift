import AudioTypes
import Playback
import Threads

/// Hands playback over to the segued of this machine, at the sample where we stop.
///
/// The server opens the item and waits at a position a little ahead. When playback here reaches it, the server starts
/// and we pause.
struct BackgroundHandover: Sendable {
    /// How far ahead the server waits, in seconds: enough to open a file.
    private static let distance = 1.0

    let player: Player

    /// Hands the queue over; returns when playback here has stopped, and throws when it continues here.
    ///
    /// - Parameter leave: Called just before the server plays, so that it does not arbitrate us as another program.
    func run(leave: @escaping @MainActor @Sendable () async -> Void) async throws {
        let server = try await WorkThread.run(named: "segue-handover") { try ServerQueue() }
        let status = player.status
        guard let index = status.currentIndex, status.currentItem != nil else {
            throw HandoverProblem("nothing is playing that could be handed over")
        }
        let isPlaying = status.rate != 0
        var queue = HandedQueue(
            entries: await player.items.map(\.entry),
            index: index,
            time: player.currentTime(),
            repeating: Self.repeating(status.loopMode),
            speed: status.defaultRate,
            keepsPitch: status.timePitchAlgorithm == .timeDomain
        )
        if isPlaying { queue.time = try await target() }
        await leave()
        let first = queue
        try await WorkThread.run(named: "segue-handover") {
            try server.replace(with: first, plays: false)
            try server.waitUntilReady()
        }
        guard isPlaying else { return }
        for _ in 0..<3 {
            if try await meet(server, at: queue.time) { return }
            let time = try await target()
            queue.time = time
            try await WorkThread.run(named: "segue-handover") {
                try server.seek(to: time)
                try server.waitUntilReady()
            }
        }
        throw HandoverProblem("the server was not ready in time")
    }

    /// A position a little ahead in the current item.
    private func target() async throws -> MediaTime {
        let status = player.status
        let time = player.currentTime() + MediaTime(seconds: Self.distance * status.defaultRate)
        if let duration = status.currentItem?.duration, time + MediaTime(seconds: 0.25) > duration {
            throw HandoverProblem("the item ends in a moment; try again with the next one")
        }
        return time
    }

    /// Starts the server when playback reaches a time, and pauses there.
    ///
    /// - Returns: `false` if playback was already past that time.
    private func meet(_ server: ServerQueue, at time: MediaTime) async throws -> Bool {
        let (rate, item) = (player.status.rate, player.status.currentItem?.id)
        guard rate > 0, player.currentTime() < time - MediaTime(seconds: 0.02 * rate) else { return false }
        let ticks = await player.boundaryTimes(at: [time])
        // If the user pauses or seeks in the meantime, playback never reaches that time.
        let limit = (time - player.currentTime()).seconds / rate + 0.5
        guard await Self.ticks(ticks, within: limit), player.status.currentItem?.id == item else {
            throw HandoverProblem("the current item or position has changed meanwhile")
        }
        try await changeOver(to: server)
        return true
    }

    /// - Parameter limit: In seconds.
    private static func ticks(_ ticks: AsyncStream<MediaTime>, within limit: Double) async -> Bool {
        await withTaskGroup(of: Bool.self) { group in
            group.addTask { await ticks.contains { _ in true } }
            group.addTask {
                try? await Task.sleep(for: .seconds(saturating: limit), clock: .continuous)
                return false
            }
            let first = await group.next() ?? false
            group.cancelAll()
            return first
        }
    }

    /// Starts the server and pauses here, both at once; returns when the server has answered that it plays.
    private func changeOver(to server: ServerQueue) async throws {
        async let begun: Void = WorkThread.run(named: "segue-handover") { try server.begin() }
        await player.pause()
        do {
            try await begun
        } catch {
            await player.play()
            throw error
        }
    }

    private static func repeating(_ mode: LoopMode) -> HandedQueue.Repeating {
        switch mode {
        case .off: .nothing
        case .item: .item
        case .queue: .queue
        }
    }
}
