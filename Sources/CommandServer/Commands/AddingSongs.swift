internal import LineProtocol
internal import MusicFiles
internal import Playlists
internal import Songs
internal import Zones

/// From a URI to songs in the queue.
extension Client {
    /// Adds songs and has those looked into that were not yet.
    ///
    /// - Returns: The id of the first.
    func add(_ songs: [Song], at position: Int?) throws(ZoneError) -> UInt32? {
        let first = position ?? zone.queue.count
        let id = try zone.add(songs, at: position)
        var unseen: [(uri: String, id: UInt32)] = []
        for index in songs.indices where !songs[index].isExamined && !hasScheme(songs[index].uri) {
            unseen.append((uri: songs[index].uri, id: zone.queue[first + index].id))
        }
        server.examine(unseen, in: zone)
        return id
    }

    /// Finds the songs that a URI means, which may take a look at the disk, and goes on with them.
    func withSongs(_ uri: String, _ body: @escaping ([Song]) throws -> Outcome) throws -> Outcome {
        if hasScheme(uri) || uri.hasPrefix("/") { return try body([try foreignSong(uri)]) }
        if let songs = resolved[uri] {
            resolved[uri] = nil
            return try body(songs.get())
        }
        guard let music = server.music else { throw AckError(.doesNotExist, "No music directory") }
        // What a command list is going to add is looked for in one go.
        let uris = [uri] + upcoming(["add", "addid"]).filter { !hasScheme($0) && !$0.hasPrefix("/") }
        let cache = server.cache
        return server.perform(for: self) {
            let source = uris.count <= 16 ? music.examining(cache) : music.remembering(cache)
            return uris.map { uri in (uri, Result { try songs(uri, in: music, source) }) }
        } then: { [unowned self] (found: [(String, Result<[Song], any Error>)]) in
            resolved = Dictionary(found) { first, _ in first }
            guard let songs = resolved.removeValue(forKey: uri) else { return .done }
            return try body(songs.get())
        }
    }

    /// A song of the network, or a file anywhere for the user who runs the server.
    func foreignSong(_ uri: String) throws(AckError) -> Song {
        guard hasScheme(uri), !uri.hasPrefix("file:") else {
            let path = uri.hasPrefix("file://") ? String(uri.dropFirst(7)) : uri
            guard path.hasPrefix("/"), peer.isSameUser else { throw AckError(.permission, "Access denied") }
            return Song(uri: server.music?.uri(ofPath: path) ?? path)
        }
        let scheme = uri.prefix { $0 != ":" }.lowercased() + "://"
        guard handlers.contains(scheme) else { throw AckError(.doesNotExist, "Unsupported URI scheme") }
        return Song(uri: uri)
    }
}

private let handlers = Set(urlHandlers())

/// All songs at or below a URI.
private func songs(_ uri: String, in music: MusicDirectory, _ source: @escaping SongSource) throws -> [Song] {
    var songs: [Song] = []
    try music.walk(uri, song: source) { listing in
        if case .song(let song) = listing { songs.append(song) }
    }
    return songs
}
