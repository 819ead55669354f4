internal import Announcements
internal import AudioTypes
internal import Configuration
internal import LineProtocol
internal import NIOCore
internal import Playlists
internal import Songs
internal import Zones

/// Programs that know nothing of `announce`, such as Home Assistant: by a rule of the configuration, a URL that comes from
/// them as `clear`, `add` and `play` is an announcement.
///
/// Whoever sends it then sees a queue of its own with that URL in it, plays it and sees it end; it may come with several
/// connections. Nobody else sees anything of that, and the zone's queue stays as it is.
final class AnnouncementGuests {
    unowned let server: ServerState
    private var views: [Guest: View] = [:]

    /// Connections from one place in one zone are the same guest.
    private struct Guest: Hashable {
        let owner: String
        let zone: String
    }

    /// What a guest sees instead of the zone.
    private struct View {
        enum Step {
            case cleared
            case added(uri: String, AnnouncementRule)
            case playing(uri: String, announcement: Int)
            case ended(uri: String)
        }

        var step = Step.cleared
        /// In percent, as the guest has set it since.
        var volume: Int?
        /// Whether the queue that the guest cleared was an announcement's, which nobody else has.
        var isOnlyIts = false
        var giveUp: Scheduled<Void>?
        let began = NIODeadline.now()

        var uri: String? {
            switch step {
            case .cleared: nil
            case .added(let uri, _), .playing(let uri, _), .ended(let uri): uri
            }
        }

        var isPlaying: Bool { if case .playing = step { true } else { false } }
    }

    /// How long after `clear` an announcement may follow, before the queue is cleared; and how long a guest may take to see
    /// that its announcement has ended.
    private static let patience = TimeAmount.seconds(5)

    init(server: ServerState) { self.server = server }

    /// Carries a guest's request out on what it sees, if it sees something of its own.
    func intercept(_ request: RequestLine, from client: Client) throws -> Outcome? {
        guard !server.configuration.announcementRules.isEmpty else { return nil }
        let guest = Guest(owner: client.sessionOwner, zone: client.zone.name)
        guard let view = views[guest] else {
            guard request.command == "clear", request.arguments.isEmpty, mayAnnounce(client) else { return nil }
            begin(guest)
            return .done
        }
        switch request.command {
        case "status":
            show(view, client)
            return leave(guest, view, .done)
        case "currentsong", "playlistinfo", "playlistid":
            showSong(view, client)
            return .done
        case "clear" where request.arguments.isEmpty:
            begin(guest)
            return .done
        case "add", "addid": return try add(request, guest, view, client)
        case "play", "playid": return try play(guest, view, client)
        case "setvol":
            if case .ended = view.step { return end(guest) }
            guard let word = request.arguments.first, let percent = Int(word), (0...100).contains(percent) else {
                return nil
            }
            views[guest]?.volume = percent
            if case .playing(_, let id) = view.step { server.announcer.setVolume(percent, of: id) }
            return .done
        case "stop":
            guard case .playing(_, let id) = view.step else { return settle(guest) }
            _ = server.announcer.cancel(id)
            return .done
        case "pause", "seek", "seekid", "seekcur", "next", "previous":
            return view.isPlaying ? .done : settle(guest)
        default:
            guard let needed = server.table[request.command]?.permission,
                needed == .player || needed == .add || needed == .control, !Self.own.contains(request.command)
            else { return nil }
            // What the guest does to the queue of its own, nobody else's queue suffers.
            return view.isPlaying ? .done : settle(guest)
        }
    }

    /// Commands that concern no queue.
    private static let own: Set = ["announce", "session", "sendmessage"]

    private func mayAnnounce(_ client: Client) -> Bool {
        server.configuration.announcementRules.contains { $0.concerns(client.origin, user: client.peer.uid) }
    }

    // MARK: What guests do

    private func begin(_ guest: Guest) {
        var view = View()
        if let old = views[guest] {
            old.giveUp?.cancel()
            view.volume = old.volume
            if case .cleared = old.step { view.isOnlyIts = old.isOnlyIts } else { view.isOnlyIts = true }
        }
        view.giveUp = later { _ = $0.settle(guest) }
        views[guest] = view
    }

    private func later(_ body: @escaping @Sendable (AnnouncementGuests) -> Void) -> Scheduled<Void> {
        server.loop.scheduleTask(in: Self.patience) { [hop = server.hop] in hop { body($0.guests) } }
    }

    private func add(_ request: RequestLine, _ guest: Guest, _ view: View, _ client: Client) throws -> Outcome? {
        if case .cleared = view.step {
            guard let uri = request.arguments.first, client.permissions.contains(.player),
                let rule = server.configuration.announcementRule(for: uri, from: client.origin, user: client.peer.uid)
            else { return settle(guest, replacesQueue: true) }
            views[guest]?.step = .added(uri: uri, rule)
        } else if !view.isPlaying {
            return settle(guest)
        }
        if request.command == "addid" { client.reply.line("Id", 1) }
        return .done
    }

    private func play(_ guest: Guest, _ view: View, _ client: Client) throws -> Outcome? {
        guard case .added(let uri, let rule) = view.step else { return view.isPlaying ? .done : settle(guest) }
        view.giveUp?.cancel()
        // Whatever comes of it, the guest is not to see its own queue for ever.
        views[guest] = nil
        var request = AnnounceRequest(zones: [client.zone], owner: client.sessionOwner)
        if let name = rule.zone {
            request.zones = name == AnnouncementRule.everywhere ? server.zones : [try client.knownZone(name)]
        }
        request.uri = uri
        request.medium = MediaEntry(location: uri)
        request.volume = view.volume ?? rule.volume
        request.announcementClass = rule.announcementClass
        request.expires = server.configuration.announcements.expires
        request.chime = server.configuredChime
        let id = try server.announcer.announce(request)
        var view = view
        view.giveUp = nil
        view.step = .playing(uri: uri, announcement: id)
        views[guest] = view
        // It may have ended within.
        if server.announcer.report(id)?.state.isFinal == true { announcementEnded(id) }
        tell(guest)
        return .done
    }

    /// A guest's announcement was heard, or cannot be: the guest sees that it stopped.
    func announcementEnded(_ id: Int) {
        for (guest, view) in views {
            guard case .playing(let uri, id) = view.step else { continue }
            views[guest]?.step = .ended(uri: uri)
            views[guest]?.giveUp = later { _ = $0.end(guest) }
            tell(guest)
        }
    }

    /// The guest sees the zone again.
    ///
    /// - Returns: Nothing, so that its request is carried out there.
    private func end(_ guest: Guest) -> Outcome? {
        views.removeValue(forKey: guest)?.giveUp?.cancel()
        tell(guest)
        return nil
    }

    /// Once it has seen that, it sees the zone again.
    private func leave(_ guest: Guest, _ view: View, _ outcome: Outcome) -> Outcome {
        if case .ended = view.step { _ = end(guest) }
        return outcome
    }

    /// It was no announcement after all: what the guest did is done for real.
    ///
    /// A queue that was only its own is gone, and the zone's stays, unless the guest goes on to something else to play.
    ///
    /// - Returns: Nothing, so that its next request is carried out as well.
    private func settle(_ guest: Guest, replacesQueue: Bool = false) -> Outcome? {
        guard let view = views.removeValue(forKey: guest), let zone = server.zone(named: guest.zone) else { return nil }
        view.giveUp?.cancel()
        tell(guest)
        guard !view.isOnlyIts || replacesQueue else { return nil }
        switch view.step {
        case .cleared: zone.clear()
        case .added(let uri, _):
            zone.clear()
            _ = try? zone.add([Song(uri: uri)])
        case .playing, .ended: return nil
        }
        if let volume = view.volume, !view.isOnlyIts { try? zone.setVolume(volume) }
        return nil
    }

    private func tell(_ guest: Guest) {
        for client in server.clients.values where client.sessionOwner == guest.owner && client.zone.name == guest.zone {
            client.note([.playlist, .player, .mixer])
        }
    }

    // MARK: What guests see

    private func show(_ view: View, _ client: Client) {
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
        let elapsed = Double((NIODeadline.now() - view.began).nanoseconds) / 1e9
        client.reply.line("time", "\(Int(elapsed)):0")
        client.reply.line("elapsed", seconds: elapsed)
        client.reply.line("bitrate", 0)
    }

    private func showSong(_ view: View, _ client: Client) {
        guard let uri = view.uri else { return }
        client.reply.line("file", withoutCredentials(uri))
        client.reply.line("Pos", 0)
        client.reply.line("Id", 1)
    }
}
