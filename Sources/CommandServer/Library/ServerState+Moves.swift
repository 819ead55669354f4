internal import Configuration
internal import MediaLibrary
internal import MusicFiles
internal import MusicLibrary
internal import NIOCore
internal import NIOPosix
internal import Playlists
internal import Songs
internal import Stickers
internal import Synchronization
internal import Zones

/// All that names a song follows it to where it is now: stickers, queues, stored playlists.
extension ServerState {
    func follow(_ pending: PendingMoves) {
        let places = Dictionary(pending.moves.map { (ExactText($0.from), $0.to) }) { _, last in last }
        let moved = stickers.move(
            .song,
            pending.moves.map { StickerStore.Move(from: $0.from, to: $0.to, isMerged: $0.isToCopy) }
        )
        if let moved { stickersChanged(moved) }
        for zone in zones { zone.follow(places) }
        let (edits, log, playlists, hop) = (playlistEdits, parts.log, playlists, hop)
        pool.submit { _ in
            guard let playlists, !places.isEmpty else { return hop { $0.forgetLater(pending) } }
            let outcome = edits.lock.withLock { _ in playlists.replace(places) }
            for problem in outcome.problems { log(.error, "\(problem)") }
            hop { state in
                if outcome.changed > 0 { state.note(.storedPlaylist) }
                // What could not be written now may be at the next start.
                if outcome.problems.isEmpty { state.forgetLater(pending) }
            }
        }
    }

    /// Forgets moves when the journals of stickers and queues have surely been written, or when the server ends.
    private func forgetLater(_ pending: PendingMoves) {
        followedMoves = pending
        let (pool, library) = (pool, library)
        loop.scheduleTask(in: .seconds(2)) { pool.submit { _ in library?.followed(pending) } }
    }
}

extension Zone {
    /// Has entries name songs where they are now; what plays goes on.
    fileprivate func follow(_ places: [ExactText: String]) {
        var moved: [(id: UInt32, song: Song)] = []
        for position in 0..<queue.count {
            let entry = queue[position]
            if let place = places[ExactText(entry.song.uri)] {
                moved.append((id: entry.id, song: entry.song.with { $0.uri = place }))
            }
        }
        if !moved.isEmpty { replaceSongs(moved) }
    }
}
