package import AudioTypes
internal import Files
internal import LibraryIndex
internal import LibraryService
internal import MediaExpansion
package import MusicDirectories
package import Songs
private import Synchronization

/// Finds the songs to add, with few file system accesses even for many songs.
///
/// If a client adds one song after another from the same directory, the whole directory is read once, and the next
/// songs are answered from memory without a thread that may block on the disk.
package final class SongFinder: Sendable {
    package typealias Found = Result<[Song], any Error>

    private let music: MusicDirectory
    private let cache: SongCache
    private let now: @Sendable () -> HostTime
    private let state = Mutex(State())

    private struct State {
        var folders: [ExactText: (songs: FolderSongs, readAt: HostTime)] = [:]
        /// A directory's songs by file name, from the library at that generation.
        var known: (folder: ExactText, songs: [ExactText: Song], generation: Int)?
        /// The directory of the last lookup, and the number of consecutive lookups in it.
        var lastFolder = ExactText("")
        var streak = 0
        /// Whether the streak in the previous directory reached `many`.
        var followsMany = false

        mutating func count(_ songs: Int, in folder: ExactText) {
            if lastFolder != folder {
                followsMany = streak >= SongFinder.many
                (lastFolder, streak) = (folder, 0)
            }
            streak += songs
        }
    }

    /// After this many lookups in one directory, the whole directory is read.
    private static let many = 8
    /// How long a directory's listing is used without reading it again, in seconds.
    private static let freshness = 2.0

    /// - Parameter now: This moment, by which listings are fresh.
    package init(_ music: MusicDirectory, _ cache: SongCache, now: @escaping @Sendable () -> HostTime = { .now }) {
        self.music = music
        self.cache = cache
        self.now = now
    }

    /// A song of a directory that was read recently; never blocks.
    package func recent(_ uri: String) -> Song? {
        let (folder, name) = parts(of: uri)
        let now = now()
        guard
            let found = state.withLock({ state -> FileStatus? in
                guard let known = state.folders[folder], now - known.readAt < Self.freshness,
                    let found = known.songs.state(of: name.text)
                else { return nil }
                state.count(1, in: folder)
                return found
            })
        else { return nil }
        return song(uri, found)
    }

    /// The same from the library, after many lookups in one directory.
    package func recent(_ uri: String, in library: LibraryView) -> Song? {
        // The cache may hold songs that a client with more rights has looked for.
        guard library.visible?.contains(uri) != false else { return nil }
        let (folder, name) = parts(of: uri)
        let generation = library.generation
        return state.withLock { state in
            guard let known = state.known, known.folder == folder, known.generation == generation,
                let song = known.songs[name]
            else { return nil }
            state.count(1, in: folder)
            return song
        }
    }

    /// The songs at or below each URI.
    ///
    /// Also reads tags when there are only a few URIs.
    ///
    /// Blocks.
    ///
    /// - Parameter library: Knows which files cannot be used; they are refused until they change.
    private func find(_ uris: [String], besides library: LibraryView?) -> [(uri: String, songs: Found)] {
        let counts = Dictionary(uris.map { (parts(of: $0).folder, 1) }, uniquingKeysWith: +)
        for (folder, count) in counts where isMany(count, in: folder) { read(folder) }
        let source = uris.count <= 2 * Self.many ? music.examining(cache) : music.remembering(cache)
        return uris.map { uri in
            if let song = recent(uri) { return (uri, Result { [try usable(song, library)] }) }
            return (uri, Result { try songs(uri, source).map { $0.uri == uri ? try usable($0, library) : $0 } })
        }
    }

    private func usable(_ song: Song, _ library: LibraryView?) throws -> Song {
        guard let problem = try? library?.read({ try $0.problem(ofFile: song.uri) }),
            problem.modified == song.lastModified
        else { return song }
        throw UnusableSong(uri: song.uri, reason: problem.reason)
    }

    /// The songs at or below each URI, from the library where that knows them.
    ///
    /// Blocks.
    package func find(_ uris: [String], _ library: LibraryView?) -> [(uri: String, songs: Found)] {
        let known = library.map { self.known(uris, $0) } ?? [:]
        let rest = uris.filter { known[ExactText($0)] == nil }
        let found = rest.isEmpty ? [] : find(rest, besides: library)
        var search = music.nameSearch()
        return known.map { (uri: $0.key.text, songs: .success($0.value)) }
            + found.map { ($0.uri, $0.songs.isMissing ? find(like: $0.uri, &search, library) ?? $0.songs : $0.songs) }
    }

    /// The songs of the only URI that another one may mean, which is spelled in another way; `nil` if there is none that the
    /// client may see.
    private func find(like uri: String, _ search: inout NameSearch, _ library: LibraryView?) -> Found? {
        guard let path = search.path(like: Array(uri.utf8)) else { return nil }
        let other = String(decoding: path, as: UTF8.self)
        if let library {
            if let songs = known([other], library)[ExactText(other)] { return .success(songs) }
            guard library.visible == nil else { return nil }
        }
        return find([other], besides: library).first?.songs
    }

    /// The songs at or below those URIs that the library knows.
    ///
    /// Blocks on the library only.
    package func known(_ uris: [String], _ library: LibraryView) -> [ExactText: [Song]] {
        guard let known = try? library.songs(at: uris) else { return [:] }
        // The next song is probably in the directory of the last one.
        guard let uri = uris.last, known[ExactText(uri)]?.first?.uri == uri else { return known }
        let folders = uris.map { parts(of: $0).folder }
        let last = parts(of: uri).folder
        let counts = Dictionary(folders.map { ($0, 1) }, uniquingKeysWith: +)
        for (folder, count) in counts where folder != last { _ = isMany(count, in: folder) }
        if isMany(counts[last, default: 0], in: last) { read(last, library) }
        return known
    }

    private func song(_ uri: String, _ state: FileStatus) -> Song { music.remembering(cache)(uri, state) }

    private func songs(_ uri: String, _ source: @escaping SongSource) throws -> [Song] {
        var songs: [Song] = []
        try music.walk(uri, song: source) { listing in
            if case .song(let song) = listing { songs.append(song) }
        }
        return songs
    }

    /// Counts lookups in a directory, and decides whether to read the whole directory.
    private func isMany(_ count: Int, in folder: ExactText) -> Bool {
        state.withLock { state in
            state.count(count, in: folder)
            return state.streak >= Self.many || state.followsMany
        }
    }

    private func read(_ folder: ExactText) {
        guard let songs = try? FolderSongs(music, folder.text) else { return }
        let now = now()
        state.withLock { state in
            state.folders = state.folders.filter { now - $0.value.readAt < Self.freshness }
            state.folders[folder] = (songs, now)
        }
    }

    private func read(_ folder: ExactText, _ library: LibraryView) {
        let generation = library.generation
        guard let songs = try? library.songs(in: folder.text) else { return }
        let known = Dictionary(songs.map { (parts(of: $0.uri).name, $0) }) { first, _ in first }
        state.withLock { $0.known = (folder: folder, songs: known, generation: generation) }
    }

    private func parts(of uri: String) -> (folder: ExactText, name: ExactText) {
        guard let slash = uri.utf8.lastIndex(of: UInt8(ascii: "/")) else { return (ExactText(""), ExactText(uri)) }
        return (ExactText(String(uri[..<slash])), ExactText(String(uri[uri.utf8.index(after: slash)...])))
    }
}

extension SongFinder.Found {
    fileprivate var isMissing: Bool {
        if case .failure(MusicDirectoryError.doesNotExist) = self { true } else { false }
    }
}

/// A file that the library lists as a problem.
package struct UnusableSong: Error, CustomStringConvertible {
    package let uri: String
    package let reason: String

    package var description: String { "\(uri): \(reason)" }
}

extension LibraryView {
    /// The songs directly in a directory.
    fileprivate func songs(in folder: String) throws -> [Song] {
        try read { reader in
            let numbers = try reader.list(folder)?.compactMap { entry -> Int? in
                if case .song(let number) = entry { number } else { nil }
            }
            return try reader.songs(numbers ?? [])
        }
    }

    /// The songs at or below each URI; URIs that the library does not know are left out.
    fileprivate func songs(at uris: [String]) throws -> [ExactText: [Song]] {
        try read { reader in
            var found: [ExactText: [Song]] = [:]
            for (uri, song) in zip(uris, try reader.songs(uris: uris)) {
                if let song {
                    found[ExactText(uri)] = [song]
                } else if let numbers = try reader.songs(below: uri) {
                    found[ExactText(uri)] = try reader.songs(numbers)
                }
            }
            return found
        }
    }
}
