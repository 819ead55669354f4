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
        var lastUse: Int
    }

    private struct Contents {
        var entries: [ExactText: Entry] = [:]
        /// Counts uses, and so tells which entry was used longest ago.
        var uses = 0
    }

    private let contents = Mutex(Contents())
    private let capacity: Int

    package init(capacity: Int = 4096) { self.capacity = max(4, capacity) }

    /// The song of a file as it was when it was examined; `nil` when it is not kept or the file is another one now.
    package func song(_ uri: String, _ state: FileStatus) -> Song? {
        let uri = ExactText(uri)
        return contents.withLock { contents in
            guard let entry = contents.entries[uri], entry.lastModified == state.lastModified, entry.size == state.size
            else { return nil }
            contents.uses += 1
            contents.entries[uri]?.lastUse = contents.uses
            return entry.song
        }
    }

    package func insert(_ song: Song, _ state: FileStatus) {
        contents.withLock { contents in
            contents.uses += 1
            contents.entries[ExactText(song.uri)] = Entry(
                song: song,
                lastModified: state.lastModified,
                size: state.size,
                lastUse: contents.uses
            )
            guard contents.entries.count > capacity else { return }
            // A quarter at once, so that finding the oldest is paid for by many insertions.
            let oldest = contents.entries.map { ($0.value.lastUse, $0.key) }.sorted { $0.0 < $1.0 }.prefix(
                capacity / 4 + 1
            )
            for (_, uri) in oldest { contents.entries[uri] = nil }
        }
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
