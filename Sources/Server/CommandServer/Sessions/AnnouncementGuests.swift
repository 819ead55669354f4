internal import Announcements
internal import AudioTypes
internal import LineProtocol
internal import NIOCore
internal import Playlists
internal import ServerAnnouncements
internal import ServerBasics
internal import ServerRequests
internal import ServerRooms
internal import Settings
internal import Songs
internal import Zones

/// A connection that may belong to an announcement guest.
protocol Guest: AnyObject {
    var principal: Principal { get }
    var sessionOwner: String { get }
    var zone: Zone { get }
    var permissions: Permissions { get }
    /// The addresses that may be fetched from on its behalf.
    var reach: NetworkReach { get }
    var reply: Reply { get set }
}

/// The server, as announcement guests see it.
protocol GuestDelegate: AnyObject {
    /// The configured chime, played before every announcement.
    var chime: [MediaEntry] { get }

    /// Throws unless the queues have room for the songs.
    func requireRoom(for songs: [Song]) throws(AckError)
    /// An owner's connections in a zone see another queue now.
    func viewChanged(of owner: String, in zone: String)
}

/// Programs that do not know `announce`, such as Home Assistant: by a rule of the configuration, a URL that they play
/// with `clear`, `add` and `play` becomes an announcement.
///
/// The client then sees a queue of its own that holds only that URL, plays it and sees it end; it may use several
/// connections for this. Other clients see nothing of it, and the zone's queue stays as it is.
final class AnnouncementGuests {
    private let rooms: Rooms
    private let announcer: Announcer
    private let configuration: CurrentConfiguration
    private unowned let delegate: any GuestDelegate
    private let loop: any EventLoop
    private lazy var onLoop = LoopExecutor(for: self, on: loop)
    private var views: [Visitor: View] = [:]

    /// Connections of one owner in one zone count as the same guest.
    private struct Visitor: Hashable {
        let owner: String
        let zone: String
    }

    /// The queue that a guest sees instead of the zone's.
    private struct View {
        enum Step {
            case cleared
            case added(uri: String, NetworkReach, AnnouncementRule)
            case playing(uri: String, announcement: Int)
            case ended(uri: String)
        }

        var step = Step.cleared
        /// In percent, as set by the guest since then.
        var volume: Int?
        /// Whether the queue that the guest cleared was its own view and not the zone's queue.
        var isOnlyIts = false
        var giveUp: Scheduled<Void>?
        let began: NIODeadline

        var uri: String? {
            switch step {
            case .cleared: nil
            case .added(let uri, _, _), .playing(let uri, _), .ended(let uri): uri
            }
        }

        var isPlaying: Bool { if case .playing = step { true } else { false } }
    }

    /// How long after `clear` an announcement may follow before the zone's queue is cleared, and how long a guest may
    /// take to notice the end of its announcement, in seconds.
    private static let patience = 5.0

    init(
        _ rooms: Rooms,
        _ announcer: Announcer,
        _ configuration: CurrentConfiguration,
        loop: any EventLoop,
        delegate: any GuestDelegate
    ) {
        self.rooms = rooms
        self.announcer = announcer
        self.configuration = configuration
        self.loop = loop
        self.delegate = delegate
    }

    /// Executes a request on the guest's own view.
    ///
    /// - Returns: `nil` if the guest has none, or the request does not concern it.
    func intercept(_ request: @autoclosure () -> GuestRequest, from client: some Guest) throws -> Outcome? {
        guard !configuration.value.announcementRules.isEmpty else { return nil }
        let guest = Visitor(owner: client.sessionOwner, zone: client.zone.name)
        guard let view = views[guest] else {
            guard case .clear = request(), mayAnnounce(client) else { return nil }
            begin(guest)
            return .done
        }
        switch request() {
        case .status:
            show(view, client)
            return leave(guest, view, .done)
        case .songs:
            showSong(view, client)
            return .done
        case .clear:
            begin(guest)
            return .done
        case .add(let uri, let tellsID): return try add(uri, tellsID: tellsID, guest, view, client)
        case .play: return try play(guest, view, client)
        case .setVolume(let percent):
            if case .ended = view.step { return end(guest) }
            guard let percent else { return nil }
            views[guest]?.volume = percent
            if case .playing(_, let id) = view.step { announcer.setVolume(percent, of: id) }
            return .done
        case .stop:
            guard case .playing(_, let id) = view.step else { return settle(guest) }
            _ = announcer.cancel(id)
            return .done
        // Changes that the guest makes to its own view leave other queues alone.
        case .change: return view.isPlaying ? .done : settle(guest)
        case .other: return nil
        }
    }

    private func mayAnnounce(_ client: some Guest) -> Bool {
        configuration.value.announcementRules.contains { $0.concerns(client.principal) }
    }

    // MARK: What guests do

    private func begin(_ guest: Visitor) {
        var view = View(began: loop.now)
        if let old = views[guest] {
            old.giveUp?.cancel()
            view.volume = old.volume
            if case .cleared = old.step { view.isOnlyIts = old.isOnlyIts } else { view.isOnlyIts = true }
        }
        view.giveUp = later { _ = $0.settle(guest) }
        views[guest] = view
    }

    private func later(_ body: @escaping @Sendable (AnnouncementGuests) -> Void) -> Scheduled<Void> {
        onLoop(in: Self.patience, body)
    }

    private func add(
        _ uri: String?,
        tellsID: Bool,
        _ guest: Visitor,
        _ view: View,
        _ client: some Guest
    ) throws -> Outcome? {
        if case .cleared = view.step {
            guard let uri, client.permissions.contains(.player),
                let rule = configuration.value.announcementRule(for: uri, from: client.principal)
            else { return settle(guest, replacesQueue: true) }
            views[guest]?.step = .added(uri: uri, client.reach, rule)
        } else if !view.isPlaying {
            return settle(guest)
        }
        if tellsID { client.reply.line("Id", 1) }
        return .done
    }

    private func play(_ guest: Visitor, _ view: View, _ client: some Guest) throws -> Outcome? {
        guard case .added(let uri, _, let rule) = view.step else { return view.isPlaying ? .done : settle(guest) }
        view.giveUp?.cancel()
        // If announcing fails, the guest must not be left with its own view.
        views[guest] = nil
        var request = AnnounceRequest(zones: [client.zone], owner: client.sessionOwner)
        if let name = rule.zone {
            request.isForAllThatSound = name == AnnouncementRule.everywhere
            request.zones = request.isForAllThatSound ? rooms.zones : [try rooms.known(name)]
        }
        request.uri = uri
        request.medium = MediaEntry(location: uri, access: NetworkAccess(client.reach, configuration.value.fetching))
        request.volume = view.volume ?? rule.volume
        request.announcementClass = rule.announcementClass
        request.expires = configuration.value.announcements.expires
        request.chime = delegate.chime
        let id = try announcer.announce(request)
        var view = view
        view.giveUp = nil
        view.step = .playing(uri: uri, announcement: id)
        views[guest] = view
        // The announcement may have ended at once.
        if announcer.report(id)?.state.isFinal == true { announcementEnded(id) }
        tell(guest)
        return .done
    }

    /// Shows the guest that its announcement has stopped, after it was heard or failed.
    func announcementEnded(_ id: Int) {
        for (guest, view) in views {
            guard case .playing(let uri, id) = view.step else { continue }
            views[guest]?.step = .ended(uri: uri)
            views[guest]?.giveUp = later { _ = $0.end(guest) }
            tell(guest)
        }
    }

    /// Shows the guest the zone again.
    ///
    /// - Returns: `nil`, so that the request is executed on the zone.
    private func end(_ guest: Visitor) -> Outcome? {
        views.removeValue(forKey: guest)?.giveUp?.cancel()
        tell(guest)
        return nil
    }

    /// Shows the guest the zone again once it has seen the end of its announcement.
    private func leave(_ guest: Visitor, _ view: View, _ outcome: Outcome) -> Outcome {
        if case .ended = view.step { _ = end(guest) }
        return outcome
    }

    /// Ends a view that did not become an announcement, and carries out its changes on the zone.
    ///
    /// If the cleared queue was only a view, it is dropped and the zone's queue stays, unless the guest adds something
    /// else to play.
    ///
    /// - Returns: `nil`, so that the guest's next request is executed as well.
    private func settle(_ guest: Visitor, replacesQueue: Bool = false) -> Outcome? {
        guard let view = views.removeValue(forKey: guest), let zone = rooms.zone(named: guest.zone) else {
            return nil
        }
        view.giveUp?.cancel()
        tell(guest)
        guard !view.isOnlyIts || replacesQueue else { return nil }
        switch view.step {
        case .cleared: zone.clear()
        case .added(let uri, let reach, _):
            zone.clear()
            let song = Song(uri: uri, reach: reach)
            if (try? delegate.requireRoom(for: [song])) != nil { _ = try? zone.add([song]) }
        case .playing, .ended: return nil
        }
        if let volume = view.volume, !view.isOnlyIts { try? zone.setVolume(volume) }
        return nil
    }

    private func tell(_ guest: Visitor) {
        delegate.viewChanged(of: guest.owner, in: guest.zone)
    }

    // MARK: What guests see

    private func show(_ view: View, _ client: some Guest) {
        let zone = client.zone
        if let volume = view.volume ?? zone.shownVolume { client.reply.line("volume", volume) }
        for key: StaticString in ["repeat", "random", "single", "consume"] { client.reply.line(key, false) }
        client.reply.line("partition", zone.name)
        client.reply.line("playlist", Int(zone.queue.version) + (view.uri == nil ? 1 : 2))
        client.reply.line("playlistlength", view.uri == nil ? 0 : 1)
        client.reply.line("mixrampdb", "0")
        client.reply.line("state", view.isPlaying ? "play" : "stop")
        client.reply.line("lastloadedplaylist", "")
        guard view.uri != nil else { return }
        client.reply.line("song", 0)
        client.reply.line("songid", 1)
        guard view.isPlaying else { return }
        let elapsed = Double((loop.now - view.began).nanoseconds) / 1e9
        client.reply.line("time", "\(Int(saturating: elapsed)):0")
        client.reply.line("elapsed", seconds: elapsed)
        client.reply.line("bitrate", 0)
    }

    private func showSong(_ view: View, _ client: some Guest) {
        guard let uri = view.uri else { return }
        client.reply.line("file", withoutCredentials(uri))
        client.reply.line("Pos", 0)
        client.reply.line("Id", 1)
    }
}
