private import Caching
package import Files
package import Songs
private import Synchronization

/// The songs that were examined last, for as long as their files do not change.
///
/// May be used from any thread and never blocks for longer than a look into a dictionary.
package final class SongCache: Sendable {
    private struct Entry {
        let song: Song
        let lastModified: Int
        let size: Int
    }

    private let entries: Mutex<BoundedCache<ExactText, Entry>>

    /// - Parameter capacity: How many songs are kept.
    package init(capacity: Int = 4096) { entries = Mutex(BoundedCache(capacity: capacity)) }

    /// The song of a file as it was when it was examined; `nil` when it is not kept or the file is another one now.
    package func song(_ uri: String, _ state: FileStatus) -> Song? {
        guard let entry = entries.withLock({ $0.value(for: ExactText(uri)) }), entry.lastModified == state.lastModified,
            entry.size == state.size
        else { return nil }
        return entry.song
    }

    package func insert(_ song: Song, _ state: FileStatus) {
        let entry = Entry(song: song, lastModified: state.lastModified, size: state.size)
        entries.withLock { $0.keep(entry, for: ExactText(song.uri)) }
    }
}

extension MusicDirectory {
    /// A song with all that its file says of it, from the cache where it can be.
    ///
    /// Blocks.
    package func song(_ uri: String, in cache: SongCache) throws(MusicDirectoryError) -> Song {
        guard try cueSheet(of: uri) == nil else { return try song(uri) }
        let state = try state(of: uri)
        if let song = cache.song(uri, state) { return song }
        let song = try song(uri)
        cache.insert(song, state)
        return song
    }

    /// Gives a listing examined songs, for as long as a client may be kept waiting for that; what cannot be examined, and
    /// all that comes later, as it is.
    package func examining(_ cache: SongCache, for patience: Duration = .seconds(1)) -> SongSource {
        let end = ContinuousClock.now + patience
        return { uri, state in
            if let song = cache.song(uri, state) { return song }
            guard .now < end, let song = try? self.song(uri) else { return Self.unexamined(uri, state) }
            cache.insert(song, state)
            return song
        }
    }

    /// Gives a listing what is known without looking into files.
    package func remembering(_ cache: SongCache) -> SongSource {
        { uri, state in cache.song(uri, state) ?? Self.unexamined(uri, state) }
    }
}
