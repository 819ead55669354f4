internal import AudioTypes
internal import MediaExpansion
internal import NIOCore
internal import PlaylistStore
internal import Playlists
internal import ServerBasics
internal import ServerCommands
internal import ServerMusic
internal import ServerRequests
internal import ServerTimers
internal import Settings
internal import Songs
internal import Threads
internal import Zones

/// The songs that the URIs of alarms stand for, and their place in queues.
extension ServerAssembly {
    /// Finds the songs of a URI: a URL, a playlist at a URL, a path, or the name of a stored playlist.
    func findSongs(_ uri: String, _ reach: NetworkReach, then: @escaping ([Song]) -> Void) {
        let uri = media.uriInMusic(uri)
        if uri.hasPrefix("/") { return then([Song(uri: uri)]) }
        let isNetwork = hasScheme(uri)
        if isNetwork, !isRemotePlaylist(uri) { return then([Song(uri: uri, reach: reach)]) }
        nextSearch += 1
        let (number, onLoop) = (nextSearch, LoopExecutor(for: self, on: loop))
        searches[number] = then
        let found: @Sendable ([Song]) -> Void = { songs in
            let songs = Array(songs.prefix(Self.mostAlarmSongs))
            onLoop { $0.searches.removeValue(forKey: number)?(songs) }
        }
        if isNetwork { return fetch(playlist: uri, reach, found) }
        let (finder, playlists) = (media.finder, media.playlists)
        let library = upkeep.completeLibrary.map { LibraryView($0) }
        work.submit(to: .alarms(uri)) {
            if case .success(let songs)? = finder?.find([uri], library).first?.songs, !songs.isEmpty {
                return found(songs)
            }
            // A playlist may name any file; an alarm plays those outside the music directory only by its own URI.
            found(((try? playlists?.read(uri)) ?? []).map(\.song).filter { !$0.uri.hasPrefix("/") })
        }
    }

    /// How many songs an alarm has.
    private static let mostAlarmSongs = 1_000

    private func fetch(playlist url: String, _ reach: NetworkReach, _ found: @escaping @Sendable ([Song]) -> Void) {
        var options = configuration.stream.http
        options.access = NetworkAccess(reach, configuration.fetching)
        let (http, loop) = (options, loop)
        work.submit(to: .network) {
            let interrupt = Interrupt()
            let deadline = loop.scheduleTask(in: .seconds(9)) { interrupt.raise() }
            defer { deadline.cancel() }
            let list = MediaList(arguments: [url], network: fetchingDocuments(http, interrupt: interrupt))
            found(list.entries.map(Song.init(ofNetwork:)).map { $0.narrowed(to: reach) })
        }
    }

    /// Replaces a zone's queue, and plays it.
    func playInstead(_ songs: [Song], in zone: Zone) {
        guard !songs.isEmpty else { return }
        zone.clear()
        do {
            try requireRoom(for: songs)
            _ = try zone.add(songs)
            try zone.play()
        } catch {
            parts.log(.warning, "zone \(zone.name): \(error)")
        }
        arrivals.examine(
            (0..<zone.queue.count).map { (uri: zone.queue[$0].song.uri, id: zone.queue[$0].id) },
            in: zone
        )
    }
}
