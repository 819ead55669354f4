internal import AudioSessions
internal import AudioTypes
internal import DBus
internal import HTTP
internal import LineProtocol
internal import MPRIS
internal import MediaExpansion
internal import MusicDirectories
internal import NowPlaying
internal import Playlists
internal import ServerBasics
internal import ServerMusic
internal import ServerRooms
internal import ServerSessions
internal import ServerTimers
internal import ServerZones
internal import Settings
internal import Songs
internal import Threads
internal import Zones

/// Zones and sessions as players on the user's message bus.
extension ServerState {
    /// Opens the players, or closes them, as the configuration has it.
    func openMediaPlayers() {
        guard configuration.isOnBus, let bus = parts.bus else {
            mediaPlayers?.close()
            mediaPlayers = nil
            return
        }
        guard mediaPlayers == nil else { return mediaPlayers?.changed() ?? () }
        mediaPlayers = MediaPlayers(
            rooms,
            bus,
            busThread,
            loop: loop,
            MediaPlayerSurroundings(
                zones: { [unowned self] in configuration.areZonesOnBus ? rooms.zones : [] },
                shown: { [unowned self] in shown($0) },
                shownElected: { [unowned self] in shownElected },
                perform: { [unowned self] in perform($0, in: $1, then: $2) },
                performOnElected: { [unowned self] in performOnElected($0, then: $1) },
                removed: { [unowned self] in covers.remove($0) },
                log: parts.log
            )
        )
        playlistNames.refresh()
        mediaPlayers?.changed()
    }

    private var traits: MediaPlayerTraits {
        let root = configuration.musicDirectory
        return MediaPlayerTraits(
            uriSchemes: (media.directory == nil ? [] : ["file"])
                + urlHandlers(configuration.network).map { String($0.dropLast(3)) },
            mimeTypes: Self.mimeTypes,
            playlistCount: playlistNames.names.count,
            address: { uri in
                if hasScheme(uri) { return withoutCredentials(uri) }
                return fileURL(uri.hasPrefix("/") ? uri : root + "/" + uri)
            }
        )
    }

    private static let mimeTypes = decoders().flatMap(\.mimeTypes)

    private func shown(_ zone: Zone) -> ShownPlayer { ShownPlayer(zone, traits, art: covers.address(of: zone)) }

    private var shownElected: ShownPlayer {
        switch nowPlaying.elected {
        case .zone(let zone): shown(zone)
        case .session(let session, let player):
            player.shown(session, art: sessionCovers.address(of: session.id, player.artwork))
        }
    }

    // MARK: Commands

    private func performOnElected(_ command: MediaPlayerCommand, then: @escaping (PlayerReply) -> Void) {
        switch nowPlaying.elected {
        case .zone(let zone): perform(command, in: zone, then: then)
        case .session(let session, let player): nowPlaying.perform(command, session, player, then: then)
        }
    }

    private func perform(_ command: MediaPlayerCommand, in zone: Zone, then: @escaping (PlayerReply) -> Void) {
        if command == .pause, rooms[zone]?.noteBusPause() == false { return then(.success([])) }
        desk.speaker = "a media key or panel"
        defer { desk.speaker = nil }
        if [.pause, .playPause, .stop].contains(command), alarms.silence(zone), command != .stop {
            return then(.success([]))
        }
        if let reply = zone.perform(command, traits) { return then(reply) }
        switch command {
        case .playlists(let first, let count, let isReversed):
            let names = isReversed ? playlistNames.names.reversed() : playlistNames.names
            let values = names.dropFirst(first).prefix(count).map { PlayerPlaylist(named: $0).value }
            then(.success([.array(values, of: "(oss)")]))
        case .activatePlaylist(let id):
            guard let name = PlayerPlaylist.name(of: id) else { return then(.failure(.failed("No such playlist"))) }
            activate(name, in: zone, then: then)
        case .open(let uri): add(uri, to: zone, after: nil, plays: true, atEnd: true, then: then)
        case .addTrack(let uri, let after, let isCurrent):
            add(uri, to: zone, after: after, plays: isCurrent, atEnd: false, then: then)
        default: then(.failure(.notSupported("the server cannot do that")))
        }
    }

    /// Puts a playlist in the queue's place, and plays it.
    private func activate(_ name: String, in zone: Zone, then: @escaping (PlayerReply) -> Void) {
        let reader = PlaylistReader(
            music: media.directory,
            playlists: media.playlists,
            cache: media.cache,
            library: upkeep.completeLibrary.map { LibraryView($0) },
            isExamined: false,
            keepsMissing: false
        )
        read(on: .playlists) {
            try reader.songs(of: name, .everything)
        } then: { [unowned self] result in
            then(
                reply {
                    let songs = try result.get()
                    zone.clear()
                    try append(songs, to: zone, at: nil)
                    zone.lastLoadedPlaylist = name
                    try zone.play()
                }
            )
        }
    }

    /// - Parameters:
    ///   - after: The track before it; `nil` for none.
    ///   - atEnd: Whether it comes after all tracks, when there is no track before it.
    private func add(
        _ uri: String,
        to zone: Zone,
        after: ObjectPath?,
        plays: Bool,
        atEnd: Bool,
        then: @escaping (PlayerReply) -> Void
    ) {
        guard uri.utf8.count <= limits.maxURIBytes else { return then(.failure(.invalid("the address is too long"))) }
        find(uri, for: zone) { [unowned self] result in
            then(
                reply {
                    let songs = try result.get()
                    let before = after.flatMap { zone.entry(ofTrack: $0)?.id }.flatMap { zone.queue.position(of: $0) }
                    let position = before.map { $0 + 1 } ?? (atEnd ? nil : 0)
                    let id = try append(songs, to: zone, at: position)
                    if plays, let id { try zone.play(id: id) }
                }
            )
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
        read(on: .files(path)) {
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
        var options = zones.streamOptions(of: zone).http
        options.access = NetworkAccess(.anywhere, configuration.fetching)
        read(on: .network) { [options] in
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

    private func reply(_ body: () throws -> Void) -> PlayerReply {
        do {
            try body()
            return .success([])
        } catch {
            return .failure(.failed(ackError(for: error).text))
        }
    }

    private func read<Value: Sendable>(
        on lane: WorkLane,
        _ body: @escaping @Sendable () throws -> Value,
        then: @escaping (Result<Value, any Error>) -> Void
    ) {
        busReads.perform(on: lane, body, then: then)
    }
}
