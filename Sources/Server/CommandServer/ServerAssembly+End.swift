internal import ForeignAudio
internal import LibraryService
internal import Mixers
internal import NIOCore
internal import Playback
internal import ServerAnnouncements
internal import ServerBasics
internal import ServerMusic
internal import ServerNetwork
internal import ServerNowPlaying
internal import ServerPersistence
internal import ServerPicker
internal import ServerRequests
internal import ServerRights
internal import ServerRooms
internal import ServerSessions
internal import ServerTimers
internal import Threads
internal import Zones

/// The end of the services, in order: first those that could begin something new, then the state, as it is while music still
/// plays, then the sound, and the library last.
extension ServerAssembly {
    /// - Parameter server: The actor whose loop the services belong to.
    func end(on server: isolated Server) async {
        for connection in connections.all { connection.close() }
        visibility.close()
        mediaPlayers.close()
        machineSleep.close()
        alarms.close()
        work.cancelAll()
        await finish(on: .housekeeping, server) { [library = upkeep.library, moves = upkeep.followedMoves] in
            if let moves { library?.followed(moves) }
            library?.stop()
        }
        if let persistence {
            grants.writeUses()
            let isWritten = persistence.close()
            self.persistence = nil
            await finish(on: .state, within: .seconds(PersistenceService.patience + 1), server, isWritten)
        }
        await finish(server) { foreign.close(then: $0) }
        await finish(server) { closeRemotePlayers(then: $0) }
        await finish(server) { pickerNotifications.close(then: $0) }
        await finish(server) { playlistSync.syncAll(then: $0) }
        announcer.cancelAll()
        alarms.ringer.endAll()
        let players = rooms.zones.compactMap(\.player)
        await fadeOut(server)
        await finish(server) { done in
            Task {
                for player in players { await player.close() }
                done()
            }
        }
        if let library = upkeep.library { await finish(on: .housekeeping, server) { library.close() } }
    }

    /// Length of the fade at the end, in seconds, so that nothing ends with a click.
    private static let endFade = 0.3
    /// The end does not wait for outputs on which a fade is heard later than after so many seconds, such as files.
    private static let longestReach = 0.5

    /// Fades out and pauses the zones that play; their volumes do not change.
    private func fadeOut(_ server: isolated Server) async {
        let playing = rooms.all.filter { $0.zone.player?.status.timeControlStatus == .playing }
        guard !playing.isEmpty else { return }
        for room in playing { room.zone.fallSilent(over: Self.endFade) }
        let reach = playing.map(\.mixer.reach).filter { $0 < Self.longestReach }.max() ?? 0
        try? await Task.sleep(for: .seconds(saturating: Self.endFade + reach))
    }

    private static let patience = TimeAmount.seconds(3)

    /// Waits for pending work, but with a limit: a dead file system may block it, and the end of the process ends the
    /// threads that hang.
    private func finish(
        within limit: TimeAmount = patience,
        _ server: isolated Server,
        _ begin: (@escaping @Sendable () -> Void) -> Void
    ) async {
        let end = loop.makePromise(of: Void.self)
        let patience = loop.scheduleTask(in: limit) { end.succeed() }
        begin { end.succeed() }
        try? await end.futureResult.get()
        patience.cancel()
    }

    private func finish(
        on workQueue: WorkQueue,
        within limit: TimeAmount = patience,
        _ server: isolated Server,
        _ body: @escaping @Sendable () -> Void
    ) async {
        await finish(within: limit, server) { done in
            work.submit(to: workQueue) {
                body()
                done()
            }
        }
    }
}
