internal import AudioTypes
package import LibraryIndex
package import LibraryService
package import LineProtocol
internal import MusicDirectories
package import NIOCore
internal import PlaylistStore
internal import Playlists
package import ServerBasics
package import ServerPersistence
package import ServerRooms
package import Settings
internal import Songs
internal import Stickers
package import Threads
internal import Zones

/// The server, as the upkeep of its library sees it.
package protocol LibraryDelegate: AnyObject {
    var log: @Sendable (LogLevel, String) -> Void { get }
    /// All clients are to be notified of changes.
    func libraryChanged(_ changes: Subsystems)
    /// The status of the library has changed, which only clients that watch it are told.
    func libraryStatusChanged()
    /// Songs in the library have changed.
    func songsChanged(in library: MusicLibrary)
}

/// The server's side of the library: opens it, reports its changes, and updates stickers, queues and stored playlists
/// when songs move.
///
/// Belongs to the server's event loop.
package final class LibraryUpkeep {
    /// `nil` without a music directory, or when no state is kept.
    package private(set) var library: MusicLibrary?
    /// The last moves that have been applied everywhere; the library may not have been told yet.
    package private(set) var followedMoves: PendingMoves?
    private let media: MusicAccess
    private let rooms: Rooms
    private let stickers: StickerService
    private let configuration: CurrentConfiguration
    private let work: WorkThreads
    private let loop: any EventLoop
    private unowned let delegate: any LibraryDelegate
    private lazy var onLoop = LoopExecutor(for: self, on: loop)

    package init(
        _ media: MusicAccess,
        _ rooms: Rooms,
        _ stickers: StickerService,
        _ configuration: CurrentConfiguration,
        _ work: WorkThreads,
        loop: any EventLoop,
        delegate: any LibraryDelegate
    ) {
        self.media = media
        self.rooms = rooms
        self.stickers = stickers
        self.configuration = configuration
        self.work = work
        self.loop = loop
        self.delegate = delegate
    }

    package func requireLibrary() throws(AckError) -> MusicLibrary {
        guard let library else { throw AckError(.doesNotExist, "No database") }
        return library
    }

    /// The library, once its first scan is complete; until then, and for songs that it lacks, the file system is asked.
    package var completeLibrary: MusicLibrary? { library?.isComplete == true ? library : nil }

    /// Opens the library and starts its first update.
    package func start() {
        guard let music = media.directory else { return }
        let (log, onLoop) = (delegate.log, onLoop)
        let configuration = configuration.value
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
            onLoop { $0.libraryTold(event) }
        }
        self.library = library
        media.gains.use(library)
        zonesChanged()
        library.start()
        if configuration.updatesAutomatically { lookAtUnwatchedLater() }
    }

    /// Decides whether loudness is measured now: when a zone evens it out, and none plays.
    ///
    /// Called whenever a zone's state or options have changed.
    package func zonesChanged() {
        let zones = rooms.zones
        library?.setMeasuresLoudness(
            configuration.value.measuresLoudness && zones.contains { $0.options.replayGain.mode != .off }
                && !zones.contains { $0.state == .play }
        )
    }

    private func libraryTold(_ event: LibraryEvent) {
        switch event {
        case .update: delegate.libraryChanged(.update)
        case .moved(let moves): apply(moves)
        case .changed:
            if let library { delegate.songsChanged(in: library) }
            delegate.libraryChanged(.database)
        case .loudness: delegate.libraryStatusChanged()
        case .failed(let pause):
            _ = onLoop(in: pause.seconds) { $0.library?.retry() }
        }
    }

    /// Rescans folders that cannot be watched, every 15 minutes.
    private func lookAtUnwatchedLater() {
        _ = onLoop(in: 15 * 60) { upkeep in
            upkeep.library?.updateUnwatched()
            upkeep.lookAtUnwatchedLater()
        }
    }

    // MARK: Songs that moved

    private func apply(_ pending: PendingMoves) {
        let places = Dictionary(pending.moves.map { (ExactText($0.from), $0.to) }) { _, last in last }
        let moves = pending.moves.map { StickerStore.Move(from: $0.from, to: $0.to, isMerged: $0.isToCopy) }
        stickers.change { $0.move(.song, moves) }
        for zone in rooms.zones { zone.apply(places) }
        let (log, playlists, onLoop) = (delegate.log, media.playlists, onLoop)
        work.submit(to: .playlistChanges) {
            guard let playlists, !places.isEmpty else { return onLoop { $0.forgetLater(pending) } }
            let outcome = playlists.replace(places)
            for problem in outcome.problems { log(.error, "\(problem)") }
            onLoop { upkeep in
                if outcome.changed > 0 { upkeep.delegate.libraryChanged(.storedPlaylist) }
                // Moves that could not be written are retried at the next start.
                if outcome.problems.isEmpty { upkeep.forgetLater(pending) }
            }
        }
    }

    /// Forgets moves once the journals of stickers and queues have been written, or when the server ends.
    private func forgetLater(_ pending: PendingMoves) {
        followedMoves = pending
        let (work, library) = (work, library)
        loop.scheduleTask(in: .seconds(2)) { work.submit(to: .housekeeping) { library?.followed(pending) } }
    }
}

extension Zone {
    /// Replaces the URIs of moved songs; playback continues.
    fileprivate func apply(_ places: [ExactText: String]) {
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
