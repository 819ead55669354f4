internal import LibraryIndex
internal import LibraryService
internal import LineProtocol
internal import MediaExpansion
package import MusicDirectories
package import PlaylistStore
internal import Playlists
internal import ServerBasics
package import ServerMusic
package import ServerRequests
internal import Settings
package import Songs
internal import Threads

extension Request<MusicServices> {
    /// Reads a stored playlist, a playlist file in the music directory, or a playlist at a URL, and passes its songs to
    /// `body`.
    ///
    /// - Parameters:
    ///   - range: The positions of the songs to return; `nil` for all.
    ///   - examined: Whether to read the tags of all songs that are not in the library.
    ///   - keepsMissing: Whether to return songs that do not exist.
    func withPlaylist(
        _ name: String,
        _ range: QueueRange? = nil,
        examined: Bool = false,
        keepsMissing: Bool = false,
        _ body: @escaping ([Song]) throws -> Outcome
    ) throws -> Outcome {
        let range = range ?? .everything
        if isWebURL(name) { return try withRemotePlaylist(name) { try body(range.of($0)) } }
        guard client.sees(playlist: name) else { throw AckError(.doesNotExist, "No such playlist") }
        let reader = PlaylistReader(
            music: services.media.directory,
            playlists: services.media.playlists,
            cache: services.media.cache,
            library: completeLibrary,
            isExamined: examined,
            keepsMissing: keepsMissing
        )
        return try perform(on: .playlists) { [visible = client.visible, outsideFiles = client.outsideFiles] in
            // Positions count what the client sees.
            guard let visible else { return outsideFiles.of(try reader.songs(of: name, range)) }
            return range.of(try reader.songs(of: name, .everything).filter { visible.contains($0.uri) })
        } then: {
            try body($0)
        }
    }
}

extension OutsideFiles {
    /// The songs of a playlist, which may name any file, without those that the client may not name itself; blocks.
    fileprivate func of(_ songs: [Song]) -> [Song] {
        switch self {
        case .all: songs
        case .none: songs.filter { outsideFile($0) == nil }
        case .publicOnly: songs.filter { outsideFile($0).map(isPublic) ?? true }
        }
    }
}

extension Request<MusicServices> {
    /// Ends a `load` that found no song: a list without entries is no error, one whose songs are all missing is.
    ///
    /// - Throws: `AckError`, for clients that may read lists with the first name and the number of names.
    func refuseMissing(_ name: String, _ range: QueueRange?) throws -> Outcome {
        if isWebURL(name) { return .done }
        let mayRead = permissions.contains(.read)
        return try withPlaylist(name, range, keepsMissing: true) { songs in
            guard let first = songs.first else { return .done }
            guard mayRead else { throw AckError(.doesNotExist, "No song of the playlist was found") }
            throw AckError(
                .doesNotExist,
                songs.count == 1
                    ? "The playlist's only song was not found: \(first.uri)"
                    : "None of the playlist's \(songs.count) songs was found, from \(first.uri) on"
            )
        }
    }
}

/// Reads playlists and looks up their songs.
package struct PlaylistReader: Sendable {
    private let music: MusicDirectory?
    private let playlists: StoredPlaylists?
    private let cache: SongCache
    private let library: LibraryView?
    private let isExamined: Bool
    private let keepsMissing: Bool

    package init(
        music: MusicDirectory?,
        playlists: StoredPlaylists?,
        cache: SongCache,
        library: LibraryView?,
        isExamined: Bool,
        keepsMissing: Bool
    ) {
        (self.music, self.playlists, self.cache, self.library) = (music, playlists, cache, library)
        (self.isExamined, self.keepsMissing) = (isExamined, keepsMissing)
    }

    /// Without `isExamined`, the tags of at most this many songs that are not in the library are read.
    private static let few = 16

    /// Blocks.
    package func songs(of name: String, _ range: QueueRange) throws -> [Song] {
        switch Result(catching: { () throws(StoredPlaylistError) in try playlists?.read(name) }) {
        case .success(let entries?): return songs(of: range.of(entries))
        case .failure(let error):
            // If no stored playlist has that name, a playlist in the music directory may.
            guard music != nil, error.isForMusicDirectory(name) else { throw error }
        case .success(nil): break
        }
        guard let music else { throw AckError(.doesNotExist, "No such playlist") }
        // A CUE sheet names few files, and the library may know those only by their tracks.
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
        var search = music?.nameSearch()
        return entries.map { entry in
            if let song = known[ExactText(entry.uri)] ?? nil { return song }
            guard isInMusic(entry.uri), let music, isExamined || examined < Self.few else { return entry.song }
            examined += 1
            if let song = try? music.song(entry.uri, in: cache) { return song }
            guard let path = search?.path(like: Array(entry.uri.utf8)) else { return entry.song }
            let other = String(decoding: path, as: UTF8.self)
            return (try? library?.read { try $0.song(other) }) ?? (try? music.song(other, in: cache)) ?? entry.song
        }
    }

    private func isInMusic(_ uri: String) -> Bool { !hasScheme(uri) && !uri.hasPrefix("/") }
}

extension QueueRange {
    /// The elements at the range's positions.
    fileprivate func of<Element>(_ elements: [Element]) -> [Element] { Array(elements[clamped(to: elements.count)]) }
}

extension StoredPlaylistError {
    /// Whether to look for the name in the music directory, where names are paths.
    fileprivate func isForMusicDirectory(_ name: String) -> Bool {
        switch self {
        case .doesNotExist: true
        case .badName: !name.contains("\n")
        default: false
        }
    }
}
