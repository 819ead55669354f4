internal import Alarms
internal import AudioSessions
internal import AudioTypes
internal import Authorization
package import DBus
internal import ForeignAudio
private import Glibc
internal import LineProtocol
internal import MPRIS
package import MusicDirectories
internal import NIOCore
package import OutputGroups
package import Outputs
package import PictureWorkers
internal import Playback
package import PlaylistStore
internal import Playlists
package import ServerAnnouncements
internal import ServerArtwork
internal import ServerBasics
internal import ServerMusic
internal import ServerNetwork
internal import ServerNowPlaying
internal import ServerPersistence
internal import ServerRights
package import ServerRooms
internal import ServerSessions
internal import ServerTimers
internal import ServerZones
package import Settings
internal import Songs
internal import Speech
internal import Stickers
internal import Threads
internal import Zones

/// The parts that a server is built from.
package struct ServerParts: Sendable {
    package var configuration: Configuration
    /// `nil` when no usable folder is configured.
    package var music: MusicDirectory?
    package var playlists: StoredPlaylists?
    /// Makes the outputs of a zone; the callback gets the name of an output whose state changes.
    package var makeOutputs: @Sendable (ZoneSettings, @escaping @Sendable (String) -> Void) -> OutputGroup
    /// Whether state is read from and written to the configuration's folder.
    package var keepsState = true
    /// Describes how one output is opened, given its settings and its zone's name.
    package var describeOutput: @Sendable (Output, String) -> OutputDescription
    /// Lists the sound server's sinks; blocks.
    package var sinks: @Sendable () throws -> [Sink]
    /// Watches the sinks of the configured sound servers until what it returns is released: each change comes with the
    /// server's address, empty for the default, all its sinks, none while it is away, and whether it has a source.
    package var watchSinks: @Sendable (@escaping @Sendable (String, [Sink], Bool) -> Void) -> any Sendable
    /// Watches the streams of other programs at the configured sound servers, by their addresses, until what it returns is
    /// released; takes how many it may tell of.
    package var watchStreams:
        @Sendable (Int, @escaping @Sendable (String, PulseStreamNews) -> Void) -> [String: StreamObservation] = {
            _,
            _ in [:]
        }
    /// Stops the server.
    package var stop: @Sendable () -> Void
    /// Speaks a text with a voice into a file, which is removed after playback; blocks.
    package var speak: Speak
    /// Makes pictures small; `nil` where no program does.
    package var pictures: PictureStore?
    /// The message bus on which zones are players; `nil` for none.
    package var bus: BusAddress?
    /// The machine's message bus, which tells of its sleep; `nil` for none.
    package var systemBus: BusAddress?
    /// Logs one line for the person who runs the server.
    package var log: @Sendable (LogLevel, String) -> Void

    package init(
        configuration: Configuration,
        music: MusicDirectory?,
        playlists: StoredPlaylists?,
        makeOutputs: @escaping @Sendable (ZoneSettings, @escaping @Sendable (String) -> Void) -> OutputGroup,
        describeOutput: @escaping @Sendable (Output, String) -> OutputDescription,
        sinks: @escaping @Sendable () throws -> [Sink],
        watchSinks: @escaping @Sendable (@escaping @Sendable (String, [Sink], Bool) -> Void) -> any Sendable,
        stop: @escaping @Sendable () -> Void,
        speak: @escaping Speak,
        pictures: PictureStore?,
        log: @escaping @Sendable (LogLevel, String) -> Void
    ) {
        self.configuration = configuration
        self.music = music
        self.playlists = playlists
        self.makeOutputs = makeOutputs
        self.describeOutput = describeOutput
        self.sinks = sinks
        self.watchSinks = watchSinks
        self.stop = stop
        self.speak = speak
        self.pictures = pictures
        self.log = log
    }
}

/// The server's objects, wired together, and the execution of requests on them.
///
/// All of them belong to the server's event loop.
final class ServerState {
    let table = CommandTable.standard
    let currentConfiguration: CurrentConfiguration
    let rooms: Rooms
    let media: MusicAccess
    /// Pictures that clients are reading.
    var openPictures = OpenPictures()
    /// The time of day, for all that goes by it.
    let clock: any WallClock = SystemWallClock()
    let startTime: HostTime
    /// A buffer lent to the command that builds a reply.
    var spareBytes: [UInt8] = []
    let clients: ClientRegistry<Client>
    var passwords = PasswordGate()
    private(set) lazy var grants: GrantDesk = GrantDesk(
        currentConfiguration,
        loop: loop,
        clock: clock,
        delegate: self
    )
    var audit = AuditLog() { didSet { auditChanged() } }
    /// Whether the owners are about to be notified of the audit log.
    private var isAuditNews = false
    private lazy var hop = Hop(to: self, on: loop)
    private(set) lazy var pairing: PairingDesk = PairingDesk(loop: loop, delegate: self)
    private(set) lazy var stickers = StickerShelf(currentConfiguration) { [unowned self] record in
        keeper?.stickersChanged(record)
        note(.sticker)
    }
    /// `nil` until the state has been read, and when none is kept.
    var keeper: StateKeeper?
    private(set) lazy var desk: SessionDesk = SessionDesk(
        rooms,
        currentConfiguration,
        loop: loop,
        clock: clock,
        delegate: self
    )
    private(set) lazy var zones: ZoneHost = ZoneHost(
        rooms,
        desk,
        currentConfiguration,
        jobs,
        work,
        loop: loop,
        delegate: self
    )
    private(set) lazy var sleepTimers: SleepTimers = SleepTimers(
        rooms,
        loop: loop,
        clock: clock,
        delegate: self
    )
    private(set) lazy var alarms: AlarmDesk = AlarmDesk(
        rooms,
        desk,
        currentConfiguration,
        loop: loop,
        work: work,
        delegate: self
    )
    /// Carries out the commands of a schedule as its maker could.
    var runSchedule: (Schedule, _ then: @escaping (String?) -> Void) -> Void = { $1("the server is not ready") }
    /// Searches for alarms' songs that are under way.
    var searches: [Int: ([Song]) -> Void] = [:]
    var nextSearch = 0
    private(set) lazy var announcer: Announcer = Announcer(
        rooms,
        desk,
        currentConfiguration,
        loop: loop,
        work: work,
        delegate: self
    )
    private(set) lazy var guests: AnnouncementGuests = AnnouncementGuests(
        rooms,
        announcer,
        currentConfiguration,
        loop: loop,
        GuestSurroundings(
            permission: { [table] in table[$0]?.permission },
            chime: { [media] in media.configuredChime },
            requireRoom: { [unowned self] songs throws(AckError) in try requireRoom(for: songs) },
            tell: { [unowned self] owner, zone in
                for client in clients.all where client.sessionOwner == owner && client.zone.name == zone {
                    client.note([.playlist, .player, .mixer])
                }
            }
        )
    )

    private(set) lazy var foreign = ForeignStreams(
        rooms,
        desk,
        currentConfiguration,
        work,
        loop: loop,
        file: parts.keepsState
            ? LevelFile(configuration.stateDirectory + "/foreign-levels", work, loop: loop, log: parts.log) : nil,
        ForeignSurroundings(
            watch: { [parts] in parts.watchStreams($0, $1) },
            players: { [unowned self] in remotePlayers },
            sessionsOfProcesses: { [unowned self] in sessionsOfProcesses },
            log: parts.log
        )
    )
    /// The media players of other programs; `nil` without a bus.
    private var remotePlayers: RemotePlayers?

    private(set) lazy var nowPlaying: NowPlayingDesk = NowPlayingDesk(rooms, desk, loop: loop, delegate: self)
    /// Serves the message buses.
    let busThread = BusThread()
    private(set) lazy var machineSleep = MachineSleep(rooms, desk, loop: loop)
    private(set) lazy var visibility: NetworkVisibility = NetworkVisibility(
        currentConfiguration,
        parts.systemBus,
        busThread,
        zones: { [unowned self] in rooms.all.map(\.name) },
        log: parts.log
    )
    private(set) lazy var busReads = BusReads(work, loop: loop)
    private(set) lazy var covers: PlayerCovers = PlayerCovers(
        folder: configuration.cacheDirectory + "/covers",
        artwork,
        work,
        loop: loop,
        delegate: self
    )
    private(set) lazy var sessionCovers: SessionCovers = SessionCovers(
        folder: configuration.cacheDirectory + "/covers/sessions",
        parts.pictures,
        currentConfiguration,
        work,
        loop: loop,
        delegate: self
    )
    private(set) lazy var mediaPlayers: MediaPlayerHost = MediaPlayerHost(
        rooms,
        desk,
        nowPlaying,
        media,
        covers,
        sessionCovers,
        PlaylistNames(media.playlists, busReads, delegate: self),
        currentConfiguration,
        parts.bus,
        busThread,
        loop: loop,
        delegate: self
    )

    let parts: ServerParts
    /// Ends the watch over the sound servers' sinks when it is released.
    private var sinkWatch: (any Sendable)?
    let loop: any EventLoop
    /// Runs work that would block the event loop.
    let work = WorkThreads()
    private(set) lazy var jobs = ClientJobs(work, loop: loop)
    private(set) lazy var encryption = Encryption(
        currentConfiguration,
        work,
        loop: loop,
        clock: clock,
        log: parts.log
    )
    let scopes = LibraryScopes()
    var addedSongs = RateCounts(span: 3_600)
    var announced = RateCounts(span: 60)
    /// Seconds since the server started.
    var uptime: Double { loop.hostTime - startTime }
    private(set) lazy var playlistSync = PlaylistSync(
        media.playlists.map { playlists in { @Sendable (name: String) throws in try playlists.sync(name) } },
        work,
        loop: loop,
        log: parts.log
    )
    private(set) lazy var upkeep: LibraryUpkeep = LibraryUpkeep(
        media,
        rooms,
        stickers,
        currentConfiguration,
        work,
        loop: loop,
        delegate: self
    )
    private(set) lazy var artwork: ArtworkService = ArtworkService(
        media,
        upkeep,
        rooms,
        currentConfiguration,
        parts.pictures,
        work,
        loop: loop,
        delegate: self
    )
    /// Reads the tags of queued songs.
    private(set) lazy var arrivals: SongArrivals = SongArrivals(
        media.directory,
        media.cache,
        rooms,
        work,
        loop: loop,
        library: { [unowned self] in upkeep.library },
        refreshed: { [unowned self] zone, version in keeper?.passOver(since: version, in: zone) }
    )

    init(_ parts: ServerParts, loop: any EventLoop) {
        self.parts = parts
        self.loop = loop
        startTime = loop.hostTime
        currentConfiguration = CurrentConfiguration(parts.configuration)
        rooms = Rooms(currentConfiguration)
        clients = ClientRegistry(currentConfiguration, loop: loop, log: parts.log)
        media = MusicAccess(parts.music, parts.playlists, currentConfiguration)
        spareBytes.reserveCapacity(64 * 1024)
        for zone in configuration.zones { zones.add(zone) }
        sinkWatch = parts.watchSinks(zones.sinkNews)
    }

    var configuration: Configuration { currentConfiguration.value }
    var limits: Limits { currentConfiguration.value.limits }

    func apply(_ configuration: Configuration) {
        let old = self.configuration
        currentConfiguration.value = configuration
        if configuration.access != old.access { clients.accessChanged() }
        encryption.reload()
        zones.configurationChanged(from: old)
        upkeep.zonesChanged()
        mediaPlayers.update()
        visibility.update()
        openRemotePlayers()
        foreign.configurationChanged()
        alarms.check()
    }

    /// Begins to watch the streams of other programs, if that is configured.
    func watchStreams() {
        openRemotePlayers()
        foreign.start()
    }

    private func openRemotePlayers() {
        guard configuration.watchesForeignStreams, remotePlayers == nil, let bus = parts.bus else { return }
        remotePlayers = RemotePlayers(bus, busThread)
    }

    func closeRemotePlayers(then done: @escaping @Sendable () -> Void) {
        guard let remotePlayers else { return done() }
        remotePlayers.close(then: done)
    }

    /// The processes of clients on this machine that have sessions, and this one, with the clients' sessions.
    private var sessionsOfProcesses: [Int32: [SessionID]] {
        let sessions = Dictionary(grouping: desk.clientSessions) { $0.value.client }.mapValues { $0.map(\.key) }
        let known = clients.all.compactMap { client -> (Int32, [SessionID])? in
            guard let own = sessions[client.id], let process = client.principal.peer?.process else { return nil }
            return (process, own)
        }
        return Dictionary(known + [(getpid(), [])], uniquingKeysWith: +)
    }

    /// Restores the state from a folder, and writes changes to it from then on.
    func keepState(in folder: String) {
        let keeper = StateKeeper(
            folder: folder,
            rooms,
            stickers,
            desk,
            currentConfiguration,
            work,
            loop: loop,
            delegate: self
        )
        keeper.open()
        self.keeper = keeper
        grants.begin()
        keeper.classesConverted()
        alarms.begin()
    }

    // MARK: Requests

    func run(_ request: RequestLine, for client: Client) throws -> Outcome {
        guard let command = table[request.command] else {
            throw AckError(.unknownCommand, "unknown command \"\(request.command)\"")
        }
        try checkPermission(of: client, for: command, request.arguments)
        try command.checkLocations(request.arguments, limit: limits.maxURIBytes)
        guard let scope = client.rights.limits.library else {
            client.visible = nil
            return try carryOut(command, request, for: client)
        }
        return try limitLibrary(of: client, to: scope, for: command, request.arguments) {
            [unowned self, unowned client] in
            try carryOut(command, request, for: client)
        }
    }

    private func carryOut(_ command: Command, _ request: RequestLine, for client: Client) throws -> Outcome {
        desk.speaker = client.sessionOwner
        defer { desk.speaker = nil }
        if let outcome = try guests.intercept(request, from: client) { return outcome }
        if endsAlarm(command.alarmEffect(request.arguments), for: client) { return .done }
        return try command(client, request.arguments)
    }

    /// - Returns: Whether that is all that the client's request does.
    private func endsAlarm(_ effect: AlarmEffect, for client: Client) -> Bool {
        // What was planned is not the wish of someone who hears the alarm.
        guard effect != .none, client.schedule == nil else { return false }
        return alarms.silence(client.zone) && effect == .endsInstead
    }

    // MARK: Changes

    /// Notifies the owners of the audit log once, however much was added to it in this turn of the loop.
    private func auditChanged() {
        guard !isAuditNews else { return }
        isAuditNews = true
        hop {
            $0.isAuditNews = false
            $0.noteToOwners(.audit)
        }
    }

    /// Notifies the clients that may do the owner's.
    func noteToOwners(_ changes: Subsystems) {
        for client in clients.all where client.permissions.contains(.owner) { client.note(changes) }
    }

    /// Notifies all clients of changes, or only those in `zone`.
    func note(_ changes: Subsystems, in zone: Zone? = nil) {
        if changes.contains(.database) { scopes.libraryChanged() }
        if changes.contains(.storedPlaylist) { scopes.playlistsChanged() }
        clients.note(changes, in: zone)
        if changes.contains(.partition) { visibility.update() }
        if changes.contains(.storedPlaylist) { mediaPlayers.playlistsChanged() }
    }
}
