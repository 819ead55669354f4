internal import AudioTypes
internal import HTTP
internal import LineProtocol
internal import MPRIS
internal import MediaExpansion
internal import MusicDirectories
internal import Playlists
internal import ServerBasics
internal import ServerCommands
internal import ServerMusic
internal import ServerNowPlaying
internal import ServerRequests
internal import ServerTimers
internal import ServerZones
internal import Settings
internal import Songs
internal import Threads
internal import Zones

extension ServerAssembly: NowPlayingDelegate {
    func nowPlayingChanged() { mediaPlayers.changed() }

    func sessionCoverMade() {
        mediaPlayers.changed()
        notify(.session)
    }
}

/// Zones and sessions as players on the user's message bus.
extension ServerAssembly: MediaPlayerDelegate {
    func silenceAlarm(in zone: Zone) -> Bool { alarms.silence(zone) }

    func play(playlist name: String, in zone: Zone, then: @escaping (_ problem: String?) -> Void) {
        let reader = PlaylistReader(
            music: media.directory,
            playlists: media.playlists,
            cache: media.cache,
            library: upkeep.completeLibrary.map { LibraryView($0) },
            isExamined: false,
            keepsMissing: false
        )
        busReads.perform(on: .playlists) {
            try reader.songs(of: name, .everything)
        } then: { [unowned self] result in
            then(
                problem {
                    let songs = try result.get()
                    zone.clear()
                    try append(songs, to: zone, at: nil)
                    zone.lastLoadedPlaylist = name
                    try zone.play()
                }
            )
        }
    }

    func add(
        _ uri: String,
        to zone: Zone,
        at place: @escaping () -> Int?,
        plays: Bool,
        then: @escaping (_ problem: String?) -> Void
    ) {
        find(uri, for: zone) { [unowned self] result in
            then(
                problem {
                    let id = try append(result.get(), to: zone, at: place())
                    if plays, let id { try zone.play(id: id) }
                }
            )
        }
    }

    private func problem(_ body: () throws -> Void) -> String? {
        do {
            try body()
            return nil
        } catch {
            return ackError(for: error).text
        }
    }

    /// The songs of an address: a file of the user, or a stream.
    private func find(_ uri: String, for zone: Zone, then: @escaping (Result<[Song], any Error>) -> Void) {
        guard uri.lowercased().hasPrefix("file:") else {
            guard isRemotePlaylist(uri) else { return then(.success([Song(uri: uri, reach: .anywhere)])) }
            return fetch(uri, for: zone, then: then)
        }
        guard let path = filePath(uri) else { return then(.failure(AckError(.badArgument, "bad address"))) }
        let (music, finder, library) = (
            media.directory, media.finder, upkeep.completeLibrary.map { LibraryView($0) }
        )
        busReads.perform(on: .files(path)) {
            guard let inside = music?.uri(ofPath: path), let found = finder?.find([inside], library).first,
                case .success(let songs) = found.songs
            else { return [try examinedFile(path)] }
            return songs
        } then: {
            then($0)
        }
    }

    /// How long the fetch of a playlist may take, in seconds.
    private static let fetchPatience = 30.0

    /// The songs of a playlist at a URL.
    private func fetch(_ url: String, for zone: Zone, then: @escaping (Result<[Song], any Error>) -> Void) {
        var options = configuration.streamOptions(ofZone: zone.name).http
        options.access = NetworkAccess(.anywhere, configuration.fetching)
        busReads.perform(on: .network) { [options] in
            let interrupt = Interrupt(after: Self.fetchPatience)
            let list = MediaList(arguments: [url], network: fetchingDocuments(options, interrupt: interrupt))
            guard !list.entries.isEmpty else { throw ackError(for: list.problems, whileFetching: url) }
            return list.entries.map(Song.init(ofNetwork:))
        } then: {
            then($0)
        }
    }

    /// Adds songs, and has the tags read that are not known.
    @discardableResult
    private func append(_ songs: [Song], to zone: Zone, at position: Int?) throws -> UInt32? {
        try requireRoom(for: songs)
        let first = position ?? zone.queue.count
        let id = try zone.add(songs, at: position)
        let unseen = songs.indices.filter { !songs[$0].isExamined && !hasScheme(songs[$0].uri) }
        arrivals.examine(unseen.map { (uri: songs[$0].uri, id: zone.queue[first + $0].id) }, in: zone)
        return id
    }
}
