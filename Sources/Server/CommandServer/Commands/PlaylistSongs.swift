internal import LineProtocol
internal import MediaLibrary
internal import MusicFiles
internal import MusicLibrary
internal import Playlists
internal import Songs

extension Client {
    /// Reads a stored playlist, a playlist file in the music directory, or one that a URL names, and goes on with its songs.
    ///
    /// - Parameters:
    ///   - range: The places whose songs are wanted; `nil` is all.
    ///   - examined: Whether all songs are looked into that the library does not know.
    ///   - keepsMissing: Whether songs are wanted that are not there.
    func withPlaylist(
        _ name: String,
        _ range: QueueRange? = nil,
        examined: Bool = false,
        keepsMissing: Bool = false,
        _ body: @escaping ([Song]) throws -> Outcome
    ) throws -> Outcome {
        let range = range ?? .everything
        if isWebURL(name) { return try withRemotePlaylist(name) { try body(range.of($0)) } }
        let reader = PlaylistReader(
            music: server.music,
            playlists: server.playlists,
            cache: server.cache,
            library: server.completeLibrary,
            isExamined: examined,
            keepsMissing: keepsMissing
        )
        return server.perform(for: self) {
            try reader.songs(of: name, range)
        } then: { [unowned self] songs in
            // A playlist may name any file; only the user who runs the server may have those outside the music directory.
            try body(songs.filter { !$0.uri.hasPrefix("/") || peer.isSameUser })
        }
    }
}

/// Reads playlists, and what is known of their songs.
private struct PlaylistReader: Sendable {
    let music: MusicDirectory?
    let playlists: StoredPlaylists?
    let cache: SongCache
    let library: MusicLibrary?
    let isExamined: Bool
    let keepsMissing: Bool

    /// Without `isExamined`, so many songs that the library does not know are looked into.
    private static let few = 16

    /// Blocks.
    func songs(of name: String, _ range: QueueRange) throws -> [Song] {
        switch Result(catching: { () throws(StoredPlaylistError) in try playlists?.read(name) }) {
        case .success(let entries?): return songs(of: range.of(entries))
        case .failure(let error):
            // Where there is none of that name, it may be one in the music directory.
            guard music != nil, error.isForMusicDirectory(name) else { throw error }
        case .success(nil): break
        }
        guard let music else { throw AckError(.doesNotExist, "No such playlist") }
        // A CUE sheet is about few files, which the library may know by their tracks alone.
        let isSheet = PlaylistFormat(nameOf: name) ?? .cue == .cue
        let other = isSheet ? music.examining(cache) : music.remembering(cache)
        let songs = try? music.playlist(name, keepsMissing: keepsMissing) { uri, state in
            (try? library?.read { try $0.song(uri) }) ?? other(uri, state)
        }
        guard let songs else { throw AckError(.doesNotExist, "No such playlist") }
        return range.of(songs)
    }

    private func songs(of entries: [StoredPlaylists.Entry]) -> [Song] {
        let uris = Set(entries.map(\.uri).filter(isInMusic).map { ExactText($0) })
        let found = try? library?.read { try $0.songs(uris: uris.map(\.text)) }
        let known = Dictionary(zip(uris, found ?? [])) { first, _ in first }
        var examined = 0
        return entries.map { entry in
            if let song = known[ExactText(entry.uri)] ?? nil { return song }
            guard isInMusic(entry.uri), let music, isExamined || examined < Self.few else { return entry.song }
            examined += 1
            return (try? music.song(entry.uri, in: cache)) ?? entry.song
        }
    }

    private func isInMusic(_ uri: String) -> Bool { !hasScheme(uri) && !uri.hasPrefix("/") }
}

extension QueueRange {
    /// The elements in its places.
    fileprivate func of<Element>(_ elements: [Element]) -> [Element] { Array(elements[clamped(to: elements.count)]) }
}

extension StoredPlaylistError {
    /// Whether a name that is no stored playlist's may be one in the music directory: those have paths.
    fileprivate func isForMusicDirectory(_ name: String) -> Bool {
        switch self {
        case .doesNotExist: true
        case .badName: !name.contains("\n")
        default: false
        }
    }
}
