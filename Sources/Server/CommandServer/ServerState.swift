internal import AudioTypes
package import Configuration
internal import LineProtocol
internal import MediaLibrary
internal import MediaScan
internal import Mixers
package import MusicFiles
internal import MusicLibrary
internal import NIOCore
internal import NIOPosix
package import OutputGroups
internal import Playback
internal import Playlists
internal import Songs
package import Speech
internal import Stickers
internal import Synchronization
internal import Zones

/// What a server is made of.
package struct ServerParts: Sendable {
    package var configuration: Configuration
    /// `nil` when no folder could be used.
    package var music: MusicDirectory?
    package var playlists: StoredPlaylists?
    /// Makes the outputs of a zone; told the name of an output whose state changes.
    package var makeOutputs: @Sendable (ZoneSettings, @escaping @Sendable (String) -> Void) -> OutputGroup
    /// Whether state is read from and written to the configuration's folder.
    package var keepsState = true
    /// What one output is opened with, by its settings and its zone's name.
    package var describeOutput: @Sendable (Output, String) -> OutputDescription
    /// The sound server's sinks; blocks.
    package var sinks: @Sendable () throws -> [Sink]
    /// Ends the server.
    package var stop: @Sendable () -> Void
    /// Speaks a text with a voice, into a file that is removed when it has been heard; blocks.
    package var speak:
        @Sendable (_ text: String, _ voice: String?, AnnouncementSettings, SpeechCancellation) throws -> String
    /// Says something to the person who runs the server, in one line.
    package var log: @Sendable (LogLevel, String) -> Void

    package init(
        configuration: Configuration,
        music: MusicDirectory?,
        playlists: StoredPlaylists?,
        makeOutputs: @escaping @Sendable (ZoneSettings, @escaping @Sendable (String) -> Void) -> OutputGroup,
        describeOutput: @escaping @Sendable (Output, String) -> OutputDescription,
        sinks: @escaping @Sendable () throws -> [Sink],
        stop: @escaping @Sendable () -> Void,
        speak:
            @escaping @Sendable (_ text: String, _ voice: String?, AnnouncementSettings, SpeechCancellation) throws ->
            String,
        log: @escaping @Sendable (LogLevel, String) -> Void
    ) {
        self.configuration = configuration
        self.music = music
        self.playlists = playlists
        self.makeOutputs = makeOutputs
        self.describeOutput = describeOutput
        self.sinks = sinks
        self.stop = stop
        self.speak = speak
        self.log = log
    }
}

/// A place that the sound server plays to.
package struct Sink: Sendable, Hashable {
    package let name: String
    package let description: String
    package let isDefault: Bool

    package init(name: String, description: String, isDefault: Bool) {
        self.name = name
        self.description = description
        self.isDefault = isDefault
    }
}

/// Everything the server knows, in one place on one thread: its event loop.
final class ServerState {
    let table = CommandTable.standard
    var configuration: Configuration
    let music: MusicDirectory?
    let playlists: StoredPlaylists?
    let cache = SongCache(capacity: 20_000)
    let pictures = PictureCache()
    var openPictures = OpenPictures()
    /// `nil` without a music directory.
    let finder: SongFinder?
    let playlistEdits = PlaylistEdits()
    /// `nil` without a music directory, and when no state is kept.
    var library: MusicLibrary?
    /// The last moves that all has followed; the library may be told yet.
    var followedMoves: PendingMoves?
    let startTime = HostTime.now
    /// Lent to whoever puts a reply together.
    var spareBytes: [UInt8] = []
    var zones: [Zone] = []
    var outputs: [String: OutputGroup] = [:]
    /// The outputs as clients have been told of them.
    var knownOutputs: [String: [OutputState]] = [:]
    /// What was said last of each zone.
    var loggedErrors: [String: String] = [:]
    /// The sinks that zones were routed to, other than configured.
    var routes: [String: String] = [:]
    var clients: [Int: Client] = [:]
    var playTime = PlayTime()
    var stickers = StickerStore()
    /// `nil` until the state was read, and when none is kept.
    var keeper: StateKeeper?
    var silenceTimer: Scheduled<Void>?
    /// What each zone's player and the announcements in it are mixed by.
    var mixers: [String: Mixer] = [:]
    /// The sound servers' default sinks, as far as they are known.
    var defaultSinks: [String: String] = [:]
    private(set) lazy var desk = SessionDesk(server: self)
    private(set) lazy var announcer = Announcer(server: self)
    private(set) lazy var guests = AnnouncementGuests(server: self)

    let parts: ServerParts
    let loop: any EventLoop
    let pool: NIOThreadPool
    let slowWork = SlowWork()
    /// Carries something out on the event loop, from any thread.
    let hop: @Sendable (@escaping @Sendable (ServerState) -> Void) -> Void
    private lazy var examiner = music.map { [cache, library, hop] music in
        SongExaminer(music, cache: cache) { uri in
            library?.song(uri, in: music)
        } deliver: { batch in
            hop { $0.songsArrived(batch) }
        }
    }
    private var waitingSongs: [ExactText: [(zone: String, id: UInt32)]] = [:]
    private var completions: [Int: () -> Void] = [:]
    private var nextToken = 0
    /// Playlists that are being fetched.
    var fetchCount = 0

    init(
        _ parts: ServerParts,
        loop: any EventLoop,
        pool: NIOThreadPool,
        hop: @escaping @Sendable (@escaping @Sendable (ServerState) -> Void) -> Void
    ) {
        self.parts = parts
        self.loop = loop
        self.pool = pool
        self.hop = hop
        configuration = parts.configuration
        music = parts.music
        playlists = parts.playlists
        finder = parts.music.map { [cache] in SongFinder($0, cache) }
        spareBytes.reserveCapacity(64 * 1024)
        for zone in configuration.zones { addZone(zone) }
        learnDefaultSink()
    }

    var limits: Limits { configuration.limits }

    func apply(_ configuration: Configuration) {
        let old = self.configuration
        self.configuration = configuration
        // What clients have set meanwhile stays, unless the configuration says something new.
        if configuration.replayGain != old.replayGain {
            for zone in zones { zone.change { $0.replayGain = configuration.replayGain } }
        }
        if configuration.crossfade != old.crossfade {
            let seconds = Int(configuration.crossfade.components.seconds)
            for zone in zones { zone.change { $0.crossfade = seconds } }
        }
        for zone in zones { applyStreamOptions(to: zone) }
    }

    // MARK: Requests

    func run(_ request: RequestLine, for client: Client) throws -> Outcome {
        guard let command = table[request.command] else {
            throw AckError(.unknownCommand, "unknown command \"\(request.command)\"")
        }
        if let permission = command.permission, !client.permissions.contains(permission) {
            throw AckError(.permission, "you don't have permission for \"\(request.command)\"")
        }
        desk.speaker = client.sessionOwner
        defer { desk.speaker = nil }
        if let outcome = try guests.intercept(request, from: client) { return outcome }
        return try command(client, request.arguments)
    }

    func pumpLater(_ id: Int) { hop { $0.clients[id]?.pump() } }

    /// Lets a client wait while `work` is done on another thread, and then goes on with its result.
    func perform<Value: Sendable>(
        for client: Client,
        _ work: @escaping @Sendable () throws -> Value,
        then: @escaping (Value) throws -> Outcome
    ) -> Outcome {
        perform(for: client, on: { [pool] body in pool.submit { _ in body() } }, work, then: then)
    }

    /// The same on a thread that `start` has.
    ///
    /// - Parameter finally: Called before `then`, also when `work` fails.
    func perform<Value: Sendable>(
        for client: Client,
        on start: (@escaping @Sendable () -> Void) -> Void,
        _ work: @escaping @Sendable () throws -> Value,
        then: @escaping (Value) throws -> Outcome,
        finally: @escaping () -> Void = {}
    ) -> Outcome {
        let token = nextToken
        nextToken += 1
        let box = ResultBox<Value>()
        completions[token] = {
            finally()
            client.resume { try then(box.take()) }
        }
        start { [hop] in
            box.put(Result { try work() })
            hop { $0.completions.removeValue(forKey: token)?() }
        }
        return .suspended
    }

    /// Lets a client wait for so many seconds for the end of its reply.
    func perform(for client: Client, after seconds: Double) -> Outcome {
        let token = nextToken
        nextToken += 1
        completions[token] = { client.resume { .done } }
        loop.scheduleTask(in: .nanoseconds(Int64(seconds * 1e9))) { [hop] in
            hop { $0.completions.removeValue(forKey: token)?() }
        }
        return .suspended
    }

    /// The same, for work whose result is only that it is done.
    func perform(for client: Client, _ work: @escaping @Sendable () throws -> Void) -> Outcome {
        perform(for: client, work) { .done }
    }

    // MARK: Changes

    /// Tells clients that something changed; of a zone, those that are in it.
    func note(_ changes: Subsystems, in zone: Zone? = nil) {
        for client in clients.values where zone == nil || client.zone === zone { client.note(changes) }
    }

    func stickersChanged(_ record: StickerStore.Record) {
        keeper?.stickersChanged(record)
        note(.sticker)
    }

    // MARK: Songs

    /// Has songs of the queue looked into that were added unseen.
    ///
    /// What the library knows need not be read again.
    func examine(_ entries: [(uri: String, id: UInt32)], in zone: Zone) {
        let (name, hop, isMany) = (zone.name, hop, entries.count > Self.many)
        guard let library else { return examineFiles(entries, in: name) }
        pool.submit { _ in
            let songs = try? library.read { try $0.songs(uris: entries.map(\.uri)) }
            let found = zip(entries, songs ?? Array(repeating: nil, count: entries.count))
            let known = found.compactMap { entry, song in song.map { (id: entry.id, song: $0) } }
            let unknown = found.filter { $0.1 == nil }.map(\.0)
            hop { state in
                state.refresh(known, inZone: name)
                state.examineFiles(unknown, in: name)
                if isMany { state.pool.submit { _ in giveBackMemory() } }
            }
        }
    }

    /// Shows what has become known of songs, of which only the URIs are kept for the next start.
    func refresh(_ songs: [(id: UInt32, song: Song)], inZone name: String) {
        guard let zone = zone(named: name) else { return }
        let version = zone.queue.version
        zone.refreshSongs(songs)
        keeper?.passOver(since: version, in: zone)
    }

    private func examineFiles(_ entries: [(uri: String, id: UInt32)], in zone: String) {
        guard let examiner, !entries.isEmpty else { return }
        for (uri, id) in entries { waitingSongs[ExactText(uri), default: []].append((zone: zone, id: id)) }
        examiner.examine(entries.map(\.uri))
    }

    /// So many songs pass through so many hands that what they leave behind is worth giving back.
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
        pool.submit { _ in giveBackMemory() }
    }

    /// What the player opens for a song.
    func medium(_ song: Song) -> MediaEntry? {
        if song.uri.hasPrefix("/") {
            return MediaEntry(
                location: song.uri,
                start: song.range.map { MediaTime(seconds: $0.start) },
                end: song.range?.end.map { MediaTime(seconds: $0) }
            )
        }
        return try? (music ?? MusicDirectory(root: "/nonexistent", followsOutsideLinks: false)).mediaEntry(for: song)
    }
}

/// Carries one result from a thread to another.
private final class ResultBox<Value: Sendable>: Sendable {
    private let result = Mutex<Result<Value, any Error>?>(nil)

    func put(_ value: Result<Value, any Error>) { result.withLock { $0 = value } }

    func take() throws -> Value {
        guard let result = result.withLock({ $0 }) else { throw AckError(.system, "no result") }
        return try result.get()
    }
}
