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
    ///
    /// - Parameter isSong: Whether a single song is meant.
    func withSongs(
        _ uri: String,
        isSong: Bool = false,
        _ body: @escaping ([Song]) throws -> Outcome
    ) throws -> Outcome {
        let uri = server.uriInMusic(uri)
        if hasScheme(uri) || uri.hasPrefix("/") {
            let song = try foreignSong(uri)
            guard song.uri.hasPrefix("/") else {
                return isSong ? try body([song]) : try withSongs(ofURL: song, body)
            }
            let (music, finder, library) = (server.music, server.finder, server.completeLibrary)
            return server.perform(for: self) {
                // The music directory by another way, as through a link.
                guard let inside = music?.uri(ofPath: song.uri),
                    let found = finder?.find([inside], library).first,
                    case .success(let songs) = found.songs
                else { return [try examinedFile(song.uri)] }
                return songs
            } then: {
                try body($0)
            }
        }
        if let songs = resolved[ExactText(uri)] { return try body(isSong ? asSong(songs.get) : songs.get()) }
        guard let finder = server.finder else { throw AckError(.doesNotExist, "No music directory") }
        let library = server.completeLibrary
        let recent = library.map { finder.recent(uri, in: $0) } ?? finder.recent(uri)
        if let recent { return try body([recent]) }
        // What a command list is going to add is looked for in one go.
        let next = upcoming(["add", "addid"]).map(server.uriInMusic)
        let known = next.filter { !hasScheme($0) && !$0.hasPrefix("/") }
        let uris = Set((known + [uri]).map { ExactText($0) })
        return server.perform(for: self) {
            finder.find(uris.map(\.text), library)
        } then: { [unowned self] (found: [(uri: String, songs: SongFinder.Found)]) in
            resolved = Dictionary(found.map { (ExactText($0.uri), $0.songs) }) { first, _ in first }
            guard let songs = resolved[ExactText(uri)] else { return .done }
            return try body(isSong ? asSong(songs.get) : songs.get())
        }
    }

    /// A song of the network, or a file anywhere for the user who runs the server.
    func foreignSong(_ uri: String) throws(AckError) -> Song {
        guard hasScheme(uri), !uri.hasPrefix("file:") else {
            let path = uri.hasPrefix("file://") ? String(uri.dropFirst(7)) : uri
            guard path.hasPrefix("/"), peer.isSameUser else { throw AckError(.permission, "Access denied") }
            return Song(uri: path)
        }
        let scheme = uri.prefix { $0 != ":" }.lowercased() + "://"
        guard handlers.contains(scheme) else { throw AckError(.badArgument, "Unsupported URI scheme") }
        return Song(uri: uri)
    }
}

extension ServerState {
    /// What a client names, relative to the music directory where it lies in that; any client may name it so.
    func uriInMusic(_ uri: String) -> String {
        // The root, as old clients write it.
        uri == "/" ? "" : music?.uri(ofWritten: uri) ?? uri
    }
}

/// A file outside the music directory, with what it says of itself.
///
/// Blocks.
func examinedFile(_ path: String) throws(AckError) -> Song {
    let name = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8.index(after: $0) } ?? path.startIndex
    let music = MusicDirectory(root: String(path[..<name]), followsOutsideLinks: true)
    guard let song = try? music.song(String(path[name...])) else { throw AckError(.doesNotExist, "No such song") }
    return Song(
        uri: path,
        lastModified: song.lastModified,
        format: song.format,
        tags: song.tags,
        duration: song.duration,
        isExamined: true
    )
}

private let handlers = Set(urlHandlers())
