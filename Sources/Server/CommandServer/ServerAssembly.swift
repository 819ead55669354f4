internal import Alarms
internal import AudioTypes
internal import Authorization
internal import DBus
internal import ForeignAudio
internal import LineProtocol
internal import MPRIS
internal import NIOCore
internal import PlaylistStore
internal import ServerAnnouncements
internal import ServerArtwork
internal import ServerBasics
internal import ServerCommands
internal import ServerMusic
internal import ServerNetwork
internal import ServerNowPlaying
internal import ServerPersistence
internal import ServerPicker
internal import ServerRequests
internal import ServerRights
internal import ServerRooms
internal import ServerSessions
internal import ServerTimers
internal import ServerZones
internal import Settings
internal import Songs
internal import Threads
internal import Zones

/// The server's services, made in order and connected.
///
/// Each is made with those that it asks, and tells its events to its delegate, which is this assembly. The extensions
/// beside this file implement the delegates: each decides who is told of its services' events.
///
/// All of them belong to the server's event loop.
final class ServerAssembly: ChangeNotifier {
    let parts: ServerParts
    let loop: any EventLoop
    /// Runs work that would block the event loop.
    let work = WorkThreads()
    private(set) lazy var jobs = ClientJobs(work, loop: loop)
    /// The time of day, for all that goes by it.
    let clock: any WallClock = SystemWallClock()
    let startTime: HostTime
    let currentConfiguration: CurrentConfiguration
    // MARK: Zones and their sound

    let rooms: Rooms
    /// Ends the watch over the sound servers' sinks when it is released.
    private var sinkWatch: (any Sendable)?
    private(set) lazy var audioSessions: SessionService = SessionService(
        rooms,
        currentConfiguration,
        loop: loop,
        clock: clock,
        delegate: self
    )
    private(set) lazy var zones: ZoneService = ZoneService(
        rooms,
        audioSessions,
        currentConfiguration,
        jobs,
        work,
        loop: loop,
        delegate: self
    )
    private(set) lazy var machineSleep = MachineSleep(rooms, audioSessions, loop: loop)
    private(set) lazy var foreign: ForeignStreams = ForeignStreams(
        rooms,
        audioSessions,
        currentConfiguration,
        work,
        loop: loop,
        file: parts.keepsState
            ? LevelFile(configuration.stateDirectory + "/foreign-levels", work, loop: loop, log: parts.log) : nil,
        delegate: self
    )
    /// The media players of other programs; `nil` without a bus.
    var remotePlayers: RemotePlayers?

    // MARK: Announcements and timers

    private(set) lazy var announcer: Announcer = Announcer(
        rooms,
        audioSessions,
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
        delegate: self
    )
    private(set) lazy var sleepTimers: SleepTimers = SleepTimers(
        rooms,
        loop: loop,
        clock: clock,
        delegate: self
    )
    private(set) lazy var alarms: AlarmService = AlarmService(
        rooms,
        audioSessions,
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

    // MARK: Music

    let media: MusicAccess
    private(set) lazy var stickers = StickerService(currentConfiguration) { [unowned self] record in
        persistence?.stickersChanged(record)
        notify(.sticker)
    }
    private(set) lazy var upkeep: LibraryUpkeep = LibraryUpkeep(
        media,
        rooms,
        stickers,
        currentConfiguration,
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
        refreshed: { [unowned self] zone, version in persistence?.passOver(since: version, in: zone) }
    )
    private(set) lazy var playlistSync = PlaylistSync(
        media.playlists.map { playlists in { @Sendable (name: String) throws in try playlists.sync(name) } },
        work,
        loop: loop,
        log: parts.log
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

    // MARK: Other programs and machines

    /// Serves the message buses.
    let busThread = BusThread()
    private(set) lazy var busReads = BusReads(work, loop: loop)
    private(set) lazy var nowPlaying: NowPlayingService = NowPlayingService(
        rooms,
        audioSessions,
        loop: loop,
        delegate: self
    )
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
    private(set) lazy var mediaPlayers: MediaPlayerPublisher = MediaPlayerPublisher(
        rooms,
        audioSessions,
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
    private(set) lazy var visibility: NetworkVisibility = NetworkVisibility(
        currentConfiguration,
        parts.systemBus,
        busThread,
        zones: { [unowned self] in rooms.all.map(\.name) },
        log: parts.log
    )
    private(set) lazy var encryption = Encryption(
        currentConfiguration,
        work,
        loop: loop,
        clock: clock,
        log: parts.log
    )

    // MARK: Clients and their rights

    let table = CommandTable.standard
    let connections: ConnectionRegistry
    private(set) lazy var grants: GrantService = GrantService(
        currentConfiguration,
        loop: loop,
        clock: clock,
        delegate: self
    )
    private(set) lazy var ceilings: CeilingService = CeilingService(loop: loop, clock: clock, delegate: self)
    private(set) lazy var pairing: PairingService = PairingService(
        loop: loop,
        clock: clock,
        delegate: self
    )
    private(set) lazy var picker: PickerService = PickerService(loop: loop, delegate: self)
    private(set) lazy var pickerNotifications = PickerNotifications(
        picker,
        currentConfiguration,
        loop: loop,
        delegate: self
    )
    let scopes = LibraryScopes()
    private(set) lazy var quotas = Quotas(loop)
    private(set) lazy var audit = AuditService(loop: loop, clock: clock, log: parts.log, delegate: self)

    // MARK: Requests

    private(set) lazy var commonServices = CommonServices(
        jobs,
        rooms,
        currentConfiguration,
        clock: clock,
        loop: loop,
        changes: self,
        log: parts.log
    )
    private(set) lazy var connectionOwner = ConnectionOwner(commonServices, connections, table, delegate: self)
    private(set) lazy var services = makeServiceGroups()
    private(set) lazy var webPings = WebPings(connections, loop: loop)
    private(set) lazy var webSecrets = WebSecrets(services.access, work, loop: loop)
    private(set) lazy var webGate = makeWebGate()
    private(set) lazy var watchHub = WatchHub(self, loop: loop, now: clock.now)
    /// How many times artwork has become ready, by zone.
    var artworkRevisions: [String: Int] = [:]
    /// How often the library's songs, stored playlists, and stickers, have changed.
    private(set) var libraryRevision = 0
    private(set) var playlistRevision = 0
    private(set) var stickerRevision = 0
    /// Limited libraries that are being made for watching clients.
    var scopesInMaking: Set<LibraryScope> = []

    // MARK: State

    /// `nil` until the state has been read, and when none is kept.
    var persistence: PersistenceService?

    init(_ parts: ServerParts, loop: any EventLoop) {
        self.parts = parts
        self.loop = loop
        startTime = loop.hostTime
        currentConfiguration = CurrentConfiguration(parts.configuration)
        rooms = Rooms(currentConfiguration)
        connections = ConnectionRegistry(currentConfiguration, loop: loop, log: parts.log)
        media = MusicAccess(parts.music, parts.playlists, currentConfiguration)
        for zone in configuration.zones { zones.add(zone) }
        sinkWatch = parts.watchSinks(zones.sinkNews)
    }

    var configuration: Configuration { currentConfiguration.value }
    var limits: Limits { currentConfiguration.value.limits }

    /// Begins what goes on without clients: players on the bus, the library, the state, and other programs' streams.
    func begin() {
        mediaPlayers.update()
        if let bus = parts.systemBus { machineSleep.open(bus, busThread) }
        guard parts.keepsState else { return }
        upkeep.start()
        keepState(in: configuration.stateDirectory)
        startForeignStreams()
    }

    func apply(_ configuration: Configuration) {
        let old = self.configuration
        currentConfiguration.value = configuration
        if configuration.access != old.access {
            grants.rulesChanged()
            connections.accessChanged()
            endRequestsThatAreNotPermitted()
        }
        encryption.reload()
        webGate = makeWebGate()
        zones.configurationChanged(from: old)
        upkeep.zonesChanged()
        mediaPlayers.update()
        pickerNotifications.update()
        visibility.update()
        openRemotePlayers()
        foreign.configurationChanged()
        alarms.check()
    }

    /// Restores the state from a folder, and writes changes to it from then on.
    private func keepState(in folder: String) {
        let persistence = PersistenceService(
            folder: folder,
            rooms,
            stickers,
            audioSessions,
            currentConfiguration,
            work,
            loop: loop,
            delegate: self
        )
        persistence.open()
        self.persistence = persistence
        grants.begin()
        persistence.classesConverted()
        alarms.begin()
    }

    // MARK: Changes

    /// Notifies the clients that may do the owner's.
    func notifyOwners(_ changes: Subsystems) {
        for connection in connections.all where connection.permissions.contains(.owner) { connection.notify(changes) }
        watchHub.changed(changes, in: nil)
    }

    func notify(_ changes: Subsystems) { notify(changes, in: nil) }

    func notify(_ changes: Subsystems, in zone: Zone?) {
        if changes.contains(.database) {
            scopes.libraryChanged()
            libraryRevision += 1
        }
        if changes.contains(.storedPlaylist) {
            scopes.playlistsChanged()
            playlistRevision += 1
        }
        if changes.contains(.sticker) { stickerRevision += 1 }
        if changes.contains(.artwork), let zone { artworkRevisions[zone.name, default: 0] += 1 }
        connections.notify(changes, in: zone)
        watchHub.changed(changes, in: zone?.name)
        if !changes.isDisjoint(with: [.output, .partition]) { checkStreams() }
        if changes.contains(.partition) { visibility.update() }
        if changes.contains(.storedPlaylist) { mediaPlayers.playlistsChanged() }
    }
}
