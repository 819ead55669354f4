internal import AudioSessions
package import DBus
internal import MPRIS
package import NIOCore
internal import Playlists
package import ServerBasics
package import ServerMusic
package import ServerRooms
package import ServerSessions
package import Settings
internal import Songs
package import Zones

/// Carries out the commands of the bus that change queues, and ends alarms.
package protocol MediaPlayerDelegate: AnyObject {
    var log: @Sendable (LogLevel, String) -> Void { get }

    /// Ends the alarm that rings in a zone.
    ///
    /// - Returns: Whether one rang.
    func silenceAlarm(in zone: Zone) -> Bool
    /// Puts a stored playlist in the place of a zone's queue, and plays it.
    ///
    /// - Parameter then: Called once, with the reason why it was not done.
    func play(playlist: String, in zone: Zone, then: @escaping (_ problem: String?) -> Void)
    /// Adds the songs of an address to a zone's queue.
    ///
    /// - Parameters:
    ///   - place: Called when the songs are known: their position in the queue; `nil` for its end.
    ///   - plays: Whether the first of them is then played.
    ///   - then: Called once, with the reason why it was not done.
    func add(
        _ uri: String,
        to zone: Zone,
        at place: @escaping () -> Int?,
        plays: Bool,
        then: @escaping (_ problem: String?) -> Void
    )
}

/// Shows zones and sessions as players on the user's message bus while the configuration wants it, and carries out the
/// commands of media keys, panels and headsets.
///
/// Belongs to the server's event loop.
package final class MediaPlayerPublisher {
    private let rooms: Rooms
    private let audioSessions: SessionService
    private let nowPlaying: NowPlayingService
    private let media: MusicAccess
    private let covers: PlayerCovers
    private let sessionCovers: SessionCovers
    private let playlists: PlaylistNames
    private let configuration: CurrentConfiguration
    /// `nil` for none.
    private let bus: BusAddress?
    private let thread: BusThread
    private let loop: any EventLoop
    private unowned let delegate: any MediaPlayerDelegate
    /// `nil` while none are to be on the bus.
    private var players: MediaPlayers?

    package init(
        _ rooms: Rooms,
        _ audioSessions: SessionService,
        _ nowPlaying: NowPlayingService,
        _ media: MusicAccess,
        _ covers: PlayerCovers,
        _ sessionCovers: SessionCovers,
        _ playlists: PlaylistNames,
        _ configuration: CurrentConfiguration,
        _ bus: BusAddress?,
        _ thread: BusThread,
        loop: any EventLoop,
        delegate: any MediaPlayerDelegate
    ) {
        (self.rooms, self.audioSessions, self.nowPlaying, self.media) = (rooms, audioSessions, nowPlaying, media)
        (self.covers, self.sessionCovers, self.playlists) = (covers, sessionCovers, playlists)
        (self.configuration, self.bus, self.thread) = (configuration, bus, thread)
        (self.loop, self.delegate) = (loop, delegate)
    }

    /// The names that the players have on the bus, by the zones' names, and the elected player's under `nil`; `nil` while
    /// none are to be on the bus.
    package var names: [String?: String]? { players?.names }

    /// Opens the players, or closes them, as the configuration wants it.
    package func update() {
        guard configuration.value.isOnBus, let bus else { return close() }
        if players == nil {
            players = MediaPlayers(rooms, bus, thread, loop: loop, self)
            playlists.refresh()
        }
        players?.changed()
    }

    /// Gives the players' names back.
    package func close() {
        players?.close()
        players = nil
    }

    /// Something changed that programs on the bus may see.
    package func changed() { players?.changed() }

    /// Stored playlists have changed.
    package func playlistsChanged() { if players != nil { playlists.refresh() } }
}

// MARK: Players

extension MediaPlayerPublisher: MediaPlayerSource {
    var log: @Sendable (LogLevel, String) -> Void { delegate.log }

    var zonesOnBus: [Zone] { configuration.value.areZonesOnBus ? rooms.zones : [] }

    var shownElected: ShownPlayer {
        switch nowPlaying.elected {
        case .zone(let zone): shown(zone)
        case .session(let session, let player):
            player.shown(session, art: sessionCovers.address(of: session.id, player.artwork))
        }
    }

    func shown(_ zone: Zone) -> ShownPlayer { ShownPlayer(zone, traits, art: covers.address(of: zone)) }

    func removed(_ zone: String) { covers.remove(zone) }

    private var traits: MediaPlayerTraits {
        let root = configuration.value.musicDirectory
        return MediaPlayerTraits(
            uriSchemes: (media.directory == nil ? [] : ["file"])
                + urlHandlers(configuration.value.network).map { String($0.dropLast(3)) },
            mimeTypes: Self.mimeTypes,
            playlistCount: playlists.names.count,
            address: { uri in
                if hasScheme(uri) { return withoutCredentials(uri) }
                return fileURL(uri.hasPrefix("/") ? uri : root + "/" + uri)
            }
        )
    }

    private static let mimeTypes = decoders().flatMap(\.mimeTypes)
}

// MARK: Commands

extension MediaPlayerPublisher {
    func performOnElected(_ command: MediaPlayerCommand, then: @escaping (PlayerReply) -> Void) {
        switch nowPlaying.elected {
        case .zone(let zone): perform(command, in: zone, then: then)
        case .session(let session, let player): nowPlaying.perform(command, session, player, then: then)
        }
    }

    func perform(_ command: MediaPlayerCommand, in zone: Zone, then: @escaping (PlayerReply) -> Void) {
        if command == .pause, rooms[zone]?.recordBusPause() == false { return then(.success([])) }
        audioSessions.speaker = "a media key or panel"
        defer { audioSessions.speaker = nil }
        if [.pause, .playPause, .stop].contains(command), delegate.silenceAlarm(in: zone), command != .stop {
            return then(.success([]))
        }
        if let reply = zone.perform(command, traits) { return then(reply) }
        switch command {
        case .playlists(let first, let count, let isReversed):
            let names = isReversed ? playlists.names.reversed() : playlists.names
            let values = names.dropFirst(first).prefix(count).map { PlayerPlaylist(named: $0).value }
            then(.success([.array(values, of: "(oss)")]))
        case .activatePlaylist(let id):
            guard let name = PlayerPlaylist.name(of: id) else { return then(.failure(.failed("No such playlist"))) }
            delegate.play(playlist: name, in: zone) { then(Self.reply($0)) }
        case .open(let uri): add(uri, to: zone, at: { nil }, plays: true, then: then)
        case .addTrack(let uri, let after, let isCurrent):
            let place = { after.flatMap { zone.entry(ofTrack: $0)?.id }.flatMap { zone.queue.position(of: $0) } }
            add(uri, to: zone, at: { place().map { $0 + 1 } ?? 0 }, plays: isCurrent, then: then)
        default: then(.failure(.notSupported("the server cannot do that")))
        }
    }

    private func add(
        _ uri: String,
        to zone: Zone,
        at place: @escaping () -> Int?,
        plays: Bool,
        then: @escaping (PlayerReply) -> Void
    ) {
        guard uri.utf8.count <= configuration.value.limits.maxURIBytes else {
            return then(.failure(.invalid("the address is too long")))
        }
        delegate.add(uri, to: zone, at: place, plays: plays) { then(Self.reply($0)) }
    }

    private static func reply(_ problem: String?) -> PlayerReply {
        problem.map { .failure(.failed($0)) } ?? .success([])
    }
}
