internal import Configuration
internal import MediaLibrary
internal import MusicLibrary
internal import NIOCore
internal import NIOPosix
internal import Playlists
internal import Songs
internal import Zones

/// The library's side of the server.
extension ServerState {
    /// Opens the library, and begins to bring it up to date.
    func startLibrary() {
        guard let music, parts.keepsState else { return }
        let (log, hop) = (parts.log, hop)
        let options = MusicLibrary.Options(
            music: music,
            path: configuration.libraryPath,
            followsChanges: configuration.updatesAutomatically
        )
        let library = MusicLibrary(options) { severity, text in
            switch severity {
            case .info: log(.info, text)
            case .warning: log(.warning, text)
            case .error: log(.error, text)
            }
        } report: { event in
            hop { $0.libraryTold(event) }
        }
        self.library = library
        library.start()
        if configuration.updatesAutomatically { lookAtUnwatchedLater() }
    }

    private func libraryTold(_ event: LibraryEvent) {
        switch event {
        case .update: note(.update)
        case .moved(let moves): follow(moves)
        case .changed:
            refreshQueues()
            note(.database)
        case .failed(let pause):
            loop.scheduleTask(in: .nanoseconds(Int64(pause / .nanoseconds(1)))) { [hop] in hop { $0.library?.retry() } }
        }
    }

    /// What cannot be watched is looked at every so often.
    private func lookAtUnwatchedLater() {
        loop.scheduleTask(in: .minutes(15)) { [hop] in
            hop { state in
                state.library?.updateUnwatched()
                state.lookAtUnwatchedLater()
            }
        }
    }

    // MARK: - Songs that changed

    /// Shows what is known now of the songs in the queues.
    private func refreshQueues() {
        guard let library else { return }
        for zone in zones where zone.queue.count > 0 {
            let queue = zone.queue
            let name = zone.name
            let hop = hop
            pool.submit { _ in
                let changed = Self.changedSongs(in: queue, library)
                if changed.isEmpty { return }
                hop { $0.refresh(changed, inZone: name) }
            }
        }
    }

    private static func changedSongs(in queue: PlayQueue, _ library: MusicLibrary) -> [(id: UInt32, song: Song)] {
        let entries = (0..<queue.count).map { queue[$0] }.filter { entry in
            !entry.song.uri.hasPrefix("/") && !hasScheme(entry.song.uri)
        }
        guard let songs = try? library.read({ try $0.songs(uris: entries.map(\.song.uri)) }) else { return [] }
        return zip(entries, songs).compactMap { entry, song in
            // A part of a file that somebody chose stays; one that is a track of a sheet is as that says.
            guard let song, entry.song.range == nil || song.range != nil, !song.isSame(as: entry.song) else {
                return nil
            }
            return (id: entry.id, song: song)
        }
    }
}

extension Song {
    /// Whether clients are shown the same of another one.
    fileprivate func isSame(as other: Song) -> Bool {
        var (mine, others): ([UInt8], [UInt8]) = ([], [])
        append(to: &mine, tags: .all)
        other.append(to: &others, tags: .all)
        return mine == others
    }
}
