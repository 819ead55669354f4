internal import AudioTypes
internal import LibraryService
internal import LineProtocol
internal import MusicDirectories
internal import Playlists
internal import ServerBasics
internal import ServerMusic
internal import ServerRequests
internal import ServerRights
internal import ServerTimers
internal import Settings
internal import Songs
internal import Threads
internal import Zones

/// Resolving a URI to songs and adding them to the queue.
extension Request<MusicServices> {
    /// Adds songs, and schedules the reading of tags that have not been read yet.
    ///
    /// - Returns: The id of the first song.
    func add(_ songs: [Song], at position: Int?) throws -> UInt32? {
        try rooms.requireRoom(for: songs, limits)
        try services.quotas.requireSongs(songs.count, for: client)
        let position = position ?? client.fairPosition
        let first = position ?? zone.queue.count
        let isLimited = client.reach != .anywhere || client.outsideFiles == .publicOnly
        let songs = isLimited ? songs.map(client.narrowed) : songs
        let id = try zone.add(songs, at: position)
        services.quotas.songsAdded(songs.count, by: client)
        let hasFiles = isLimited && songs.contains { $0.reach == .publicOnly && outsideFile($0) != nil }
        if client.isOwnerKept || hasFiles { zone.setOwner(client.identity.name, of: first..<first + songs.count) }
        var unseen: [(uri: String, id: UInt32)] = []
        for index in songs.indices where !songs[index].isExamined && !hasScheme(songs[index].uri) {
            unseen.append((uri: songs[index].uri, id: zone.queue[first + index].id))
        }
        services.arrivals.examine(unseen, in: zone)
        return id
    }

    /// Resolves a URI to its songs and passes them to `body`; may read the disk on another thread.
    ///
    /// - Parameter isSong: Whether the URI must name a single song.
    func withSongs(
        _ uri: String,
        isSong: Bool = false,
        _ body: @escaping ([Song]) throws -> Outcome
    ) throws -> Outcome {
        let uri = services.media.uriInMusic(uri)
        if hasScheme(uri) || uri.hasPrefix("/") {
            let song = try foreignSong(uri, opensPublicFiles: true)
            guard song.uri.hasPrefix("/") else {
                return isSong ? try body([song]) : try withSongs(ofURL: song, body)
            }
            let (music, finder, library) = (services.media.directory, services.media.finder, completeLibrary)
            let limit = configuration.limits.maxPlaylistLength
            return try perform(on: .files(uri)) {
                if song.reach != .anywhere { return [try publicFile(song.uri)] }
                // A path outside the music directory may still lead into it, for example through a link.
                guard let inside = music?.uri(ofPath: song.uri),
                    let found = finder?.find([inside], library).first,
                    case .success(let songs) = found.songs
                else { return try outsideSongs(song.uri, isSong: isSong, limit: limit) }
                return songs
            } then: {
                try body($0)
            }
        }
        if let songs = context.resolved[ExactText(uri)] { return try body(isSong ? asSong(songs.get) : songs.get()) }
        guard let finder = services.media.finder else { throw AckError(.doesNotExist, "No music directory") }
        let library = completeLibrary
        let recent = library.map { finder.recent(uri, in: $0) } ?? finder.recent(uri)
        if let recent { return try body([recent]) }
        // Look up all songs that the rest of the command list adds at once.
        let next = connection.upcoming(["add", "addid"]).map(services.media.uriInMusic)
        let known = next.filter { !hasScheme($0) && !$0.hasPrefix("/") && client.sees(place: $0) }
        let uris = Set((known + [uri]).map { ExactText($0) }).map(\.text)
        return try look(for: uris, finder, library) {
            guard let songs = context.resolved[ExactText(uri)] else { return .done }
            return try body(isSong ? asSong(songs.get) : songs.get())
        }
    }

    /// Finds songs for `resolved`: in the library first, then on the disk.
    private func look(
        for uris: [String],
        _ finder: SongFinder,
        _ library: LibraryView?,
        then: @escaping () throws -> Outcome
    ) throws -> Outcome {
        guard let library else { return try look(onDiskFor: uris, finder, nil, then: then) }
        return try perform(on: .index) {
            finder.known(uris, library)
        } then: { known in
            context.resolved = known.mapValues { .success($0) }
            let rest = uris.filter { known[ExactText($0)] == nil }
            return rest.isEmpty ? try then() : try look(onDiskFor: rest, finder, library, then: then)
        }
    }

    private func look(
        onDiskFor uris: [String],
        _ finder: SongFinder,
        _ library: LibraryView?,
        then: @escaping () throws -> Outcome
    ) throws -> Outcome {
        try perform(on: .files(uris[0])) {
            finder.find(uris, library)
        } then: { (found: [(uri: String, songs: SongFinder.Found)]) in
            for (uri, songs) in found { context.resolved[ExactText(uri)] = songs }
            return try then()
        }
    }
}

extension Client {
    /// Restricts a network song to the addresses that this client can reach, and a file outside of the music directory to
    /// what everybody may read; songs of the music directory stay as they are.
    func narrowed(_ song: Song) -> Song {
        if outsideFiles != .all, outsideFile(song) != nil { return song.narrowed(to: .publicOnly) }
        return hasScheme(song.uri) ? song.narrowed(to: reach) : song
    }
}

extension Request {
    /// A network song, or, for the user who runs the server, any file.
    ///
    /// - Parameter opensPublicFiles: Whether the caller opens what has the reach `publicOnly` only if everybody may read it:
    ///   then other local users may name files as well.
    func foreignSong(_ uri: String, opensPublicFiles: Bool = false) throws(AckError) -> Song {
        guard hasScheme(uri), !uri.hasPrefix("file:") else {
            let path = uri.hasPrefix("file://") ? String(uri.dropFirst(7)) : uri
            let files = path.hasPrefix("/") ? client.outsideFiles : .none
            guard files == .all || files == .publicOnly && opensPublicFiles else {
                throw AckError(.permission, "Access denied")
            }
            return Song(uri: path, reach: files == .all ? .anywhere : .publicOnly)
        }
        guard canOpen(scheme: uri.prefix { $0 != ":" }.lowercased(), configuration.network) else {
            throw AckError(.badArgument, "Unsupported URI scheme")
        }
        return Song(uri: uri, reach: client.reach)
    }
}
