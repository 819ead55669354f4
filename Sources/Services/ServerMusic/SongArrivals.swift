internal import AudioTypes
internal import LibraryIndex
internal import LibraryScan
package import LibraryService
package import MusicDirectories
package import NIOCore
internal import Playlists
internal import ServerBasics
package import ServerRooms
internal import Songs
package import Threads
package import Zones

/// Reads the tags of songs that were queued without them, and updates the queue entries.
///
/// Belongs to the server's event loop; reads on other threads.
package final class SongArrivals {
    private let rooms: Rooms
    private let work: WorkThreads
    private let loop: any EventLoop
    /// `nil` without a library, and until it has been opened.
    private let library: () -> MusicLibrary?
    /// Called with a zone whose songs were updated, and with the version of its queue before that.
    private let refreshed: (Zone, _ since: UInt32) -> Void
    private lazy var onLoop = LoopExecutor(for: self, on: loop)
    private let music: MusicDirectory?
    private let cache: SongCache
    private lazy var examiner = music.map { [cache, library = library(), onLoop] music in
        SongExaminer(music, cache: cache) { uri in
            library?.song(uri, in: music)
        } deliver: { batch in
            onLoop { $0.songsArrived(batch) }
        }
    }
    private var waitingSongs: [ExactText: [(zone: String, id: UInt32)]] = [:]

    /// - Parameter music: `nil` without a music directory; then nothing is read.
    package init(
        _ music: MusicDirectory?,
        _ cache: SongCache,
        _ rooms: Rooms,
        _ work: WorkThreads,
        loop: any EventLoop,
        library: @escaping () -> MusicLibrary?,
        refreshed: @escaping (Zone, _ since: UInt32) -> Void
    ) {
        self.music = music
        self.cache = cache
        self.rooms = rooms
        self.work = work
        self.loop = loop
        self.library = library
        self.refreshed = refreshed
    }

    /// Schedules reading of the tags of songs that were queued without them.
    ///
    /// Songs that the library knows are taken from it.
    package func examine(_ entries: [(uri: String, id: UInt32)], in zone: Zone) {
        guard !entries.isEmpty else { return }
        let (name, onLoop, isMany) = (zone.name, onLoop, entries.count > Self.many)
        guard let library = library() else { return examineFiles(entries, in: name) }
        work.submit(to: .upkeep) {
            let songs = try? library.read { try $0.songs(uris: entries.map(\.uri)) }
            let found = zip(entries, songs ?? Array(repeating: nil, count: entries.count))
            let known = found.compactMap { entry, song in song.map { (id: entry.id, song: $0) } }
            let unknown = found.filter { $0.1 == nil }.map(\.0)
            onLoop { arrivals in
                arrivals.refresh(known, inZone: name)
                arrivals.examineFiles(unknown, in: name)
                if isMany { arrivals.work.submit(to: .housekeeping) { giveBackMemory() } }
            }
        }
    }

    /// Updates queue entries with newly read tags; for these songs, only the URIs are saved for the next start.
    private func refresh(_ songs: [(id: UInt32, song: Song)], inZone name: String) {
        guard let zone = rooms.zone(named: name) else { return }
        let version = zone.queue.version
        zone.refreshSongs(songs)
        refreshed(zone, version)
    }

    private func examineFiles(_ entries: [(uri: String, id: UInt32)], in zone: String) {
        guard let examiner, !entries.isEmpty else { return }
        for (uri, id) in entries { waitingSongs[ExactText(uri), default: []].append((zone: zone, id: id)) }
        examiner.examine(entries.map(\.uri))
    }

    /// Above this many songs, the heap is trimmed afterwards.
    private static let many = 10_000

    private func songsArrived(_ batch: SongExaminer.Batch) {
        var arrived: [String: [(id: UInt32, song: Song)]] = [:]
        for uri in batch.failures { waitingSongs[ExactText(uri)] = nil }
        for song in batch.songs {
            for (zone, id) in waitingSongs.removeValue(forKey: ExactText(song.uri)) ?? [] {
                arrived[zone, default: []].append((id: id, song: song))
            }
        }
        for (zone, songs) in arrived { refresh(songs, inZone: zone) }
        guard waitingSongs.isEmpty, waitingSongs.capacity > Self.many else { return }
        waitingSongs = [:]
        work.submit(to: .housekeeping) { giveBackMemory() }
    }

    // MARK: Songs that changed

    /// Updates the songs in the queues from the library.
    package func refreshQueues(from library: MusicLibrary) {
        for zone in rooms.zones where zone.queue.count > 0 {
            let queue = zone.queue
            let name = zone.name
            let onLoop = onLoop
            work.submit(to: .upkeep) {
                let changed = Self.changedSongs(in: queue, library)
                if changed.isEmpty { return }
                onLoop { $0.refresh(changed, inZone: name) }
            }
        }
    }

    private static func changedSongs(in queue: PlayQueue, _ library: MusicLibrary) -> [(id: UInt32, song: Song)] {
        let entries = (0..<queue.count).map { queue[$0] }.filter { entry in
            !entry.song.uri.hasPrefix("/") && !hasScheme(entry.song.uri)
        }
        guard let songs = try? library.read({ try $0.songs(uris: entries.map(\.song.uri)) }) else { return [] }
        return zip(entries, songs).compactMap { entry, song in
            // Keep a range that a client set; a song that is a track of a sheet takes the range from the sheet.
            guard let song, entry.song.range == nil || song.range != nil, !song.isSame(as: entry.song) else {
                return nil
            }
            return (id: entry.id, song: song)
        }
    }
}

extension Song {
    /// Whether clients would see no difference between two songs.
    fileprivate func isSame(as other: Song) -> Bool {
        var (mine, others): ([UInt8], [UInt8]) = ([], [])
        append(to: &mine, tags: .all)
        other.append(to: &others, tags: .all)
        return mine == others
    }
}
