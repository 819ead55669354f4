internal import MusicFiles
internal import Songs
private import Synchronization

/// Finds songs that are to be added, with few looks at the disk when there are many.
///
/// Whoever adds one song after another from a directory has the directory read, and gets the next ones from what was
/// read, without waiting for a thread that may wait for a disk.
final class SongFinder: Sendable {
    typealias Found = Result<[Song], any Error>

    private let music: MusicDirectory
    private let cache: SongCache
    private let state = Mutex(State())

    private struct State {
        var folders: [String: (songs: FolderSongs, readAt: ContinuousClock.Instant)] = [:]
        /// The directory of the song that was looked for last, and how many in a row were in it.
        var lastFolder = ""
        var streak = 0
        /// Whether as many were in the directory before.
        var followsMany = false

        mutating func count(_ songs: Int, in folder: String) {
            if lastFolder != folder {
                followsMany = streak >= SongFinder.many
                (lastFolder, streak) = (folder, 0)
            }
            streak += songs
        }
    }

    /// So many songs of one directory are found by reading it.
    private static let many = 8
    /// For so long a directory is taken to be as it was.
    private static let freshness = Duration.seconds(2)

    init(_ music: MusicDirectory, _ cache: SongCache) {
        self.music = music
        self.cache = cache
    }

    /// A song of a directory that was read just now; never blocks.
    func recent(_ uri: String) -> Song? {
        let (folder, name) = parts(of: uri)
        guard
            let found = state.withLock({ state -> FileState? in
                guard let known = state.folders[folder], .now - known.readAt < Self.freshness,
                    let found = known.songs.state(of: name)
                else { return nil }
                state.count(1, in: folder)
                return found
            })
        else { return nil }
        return song(uri, found)
    }

    /// The songs at or below each of some URIs.
    ///
    /// One that is looked for alone is looked into, too.
    ///
    /// Blocks.
    func find(_ uris: [String]) -> [(uri: String, songs: Found)] {
        let counts = Dictionary(uris.map { (parts(of: $0).folder, 1) }, uniquingKeysWith: +)
        for (folder, count) in counts where isMany(count, in: folder) { read(folder) }
        let source = uris.count <= 2 * Self.many ? music.examining(cache) : music.remembering(cache)
        return uris.map { uri in
            if let song = recent(uri) { return (uri, .success([song])) }
            return (uri, Result { try songs(uri, source) })
        }
    }

    private func song(_ uri: String, _ state: FileState) -> Song { music.remembering(cache)(uri, state) }

    private func songs(_ uri: String, _ source: @escaping SongSource) throws -> [Song] {
        var songs: [Song] = []
        try music.walk(uri, song: source) { listing in
            if case .song(let song) = listing { songs.append(song) }
        }
        return songs
    }

    /// Whether a directory is to be read, after `count` more songs of it were asked for.
    private func isMany(_ count: Int, in folder: String) -> Bool {
        state.withLock { state in
            state.count(count, in: folder)
            return state.streak >= Self.many || state.followsMany
        }
    }

    private func read(_ folder: String) {
        guard let songs = try? FolderSongs(music, folder) else { return }
        state.withLock { state in
            let now = ContinuousClock.now
            state.folders = state.folders.filter { now - $0.value.readAt < Self.freshness }
            state.folders[folder] = (songs, now)
        }
    }

    private func parts(of uri: String) -> (folder: String, name: String) {
        guard let slash = uri.utf8.lastIndex(of: UInt8(ascii: "/")) else { return ("", uri) }
        return (String(uri[..<slash]), String(uri[uri.utf8.index(after: slash)...]))
    }
}
