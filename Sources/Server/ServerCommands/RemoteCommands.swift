internal import LineProtocol
internal import NowPlaying
internal import Playback
internal import Playlists
internal import ServerBasics
internal import ServerNowPlaying
internal import ServerRequests
internal import ServerRights
internal import ServerSessions
internal import Settings
internal import Zones

/// Now Playing and remote commands: verbs of `session`.
extension Request<SessionServices> {
    /// `session nowplaying`, which shows the elected session, and `session nowplaying ID [KEY VALUE]...`.
    func nowPlaying(_ words: inout SessionWords) throws {
        guard !words.isEmpty else { return showNowPlaying() }
        let id = try manageableSession(&words, isForZones: false)
        let all = words.rest()
        services.nowPlaying.setInfo(
            try refusing { () throws(NowPlayingError) in try NowPlayingInfo(parsing: all) },
            of: id,
            for: artworkReader
        )
        notify(.session)
    }

    private func showNowPlaying() {
        let nowPlaying = services.nowPlaying
        guard let id = nowPlaying.electedSession, let session = services.audioSessions.session(id) else { return }
        describe(session)
        guard seesNowPlaying(of: id) else { return }
        var info = nowPlaying.info(of: id)
        if let zone = services.audioSessions.zone(of: id) {
            info.artwork = services.covers.address(of: zone)
        } else {
            info.artwork = services.sessionCovers.address(of: id, nowPlaying.artwork(of: id))
        }
        for (key, value) in info.lines { reply.line(key, value) }
        for kind in RemoteCommand.Kind.allCases where nowPlaying.commands(of: id).contains(kind) {
            reply.line("command", kind.rawValue)
        }
    }

    /// `session players`.
    func listPlayers(_ words: inout SessionWords) throws {
        try words.end()
        guard let names = services.mediaPlayers.names else {
            return reply.line("mpris", configuration.isOnBus ? "unavailable" : "off")
        }
        reply.line("mpris", names.isEmpty ? "disconnected" : "connected")
        for (zone, name) in names.sorted(by: { ($0.key ?? "") < ($1.key ?? "") }) {
            reply.line("player", name)
            if let zone { reply.line("zone", zone) }
        }
    }

    /// `session commands ID [COMMAND]...`, which replaces those before.
    func enableCommands(_ words: inout SessionWords) throws {
        let id = try manageableSession(&words, isForZones: false)
        let kinds = try words.rest().map { name in
            guard let kind = RemoteCommand.Kind(rawValue: name) else {
                let known = RemoteCommand.Kind.allCases.map(\.rawValue).joined(separator: ", ")
                throw badParam("there is no command '\(name)'; known are \(known)")
            }
            return kind
        }
        services.nowPlaying.setCommands(Set(kinds), of: id)
        notify(.session)
    }

    /// `session send ID COMMAND [VALUE]`, where the ID may be `nowplaying`.
    func sendCommand(_ words: inout SessionWords) throws -> Outcome {
        let target = try words.word("ID")
        let name = try words.word("COMMAND")
        let value = words.next()
        try words.end()
        guard let kind = RemoteCommand.Kind(rawValue: name) else { throw badParam("there is no command '\(name)'") }
        let command = try refusing { () throws(NowPlayingError) in try RemoteCommand(kind, value) }
        guard let number = target == "nowplaying" ? services.nowPlaying.electedSession.map({ "\($0)" }) : target else {
            return answer(.noActionableNowPlayingItem)
        }
        let id = try object(SessionObject.self, number, in: services.audioSessions, to: .sendRemoteCommand).id
        if kind == .changePlaybackRate { try client.require(speed: command.value.flatMap(Double.init) ?? 0) }
        if let zone = services.audioSessions.zone(of: id) { return answer(zone.perform(command)) }
        var status = RemoteCommandStatus.commandFailed
        return wait {
            answer(status)
        } until: { done in
            services.nowPlaying.send(command, to: id) {
                status = $0
                done()
            }
        }
    }

    private func answer(_ status: RemoteCommandStatus) -> Outcome {
        reply.line("status", "\(status.rawValue) \(status.name)")
        return .done
    }

    /// `session reply TOKEN CODE`.
    func replyToCommand(_ words: inout SessionWords) throws {
        let command = try object(WaitingCommand.self, words.word("TOKEN"), in: services, to: .manageSession)
        let code = try parseInteger(words.word("CODE"), in: 0...Int(Int32.max))
        try words.end()
        guard let status = RemoteCommandStatus(rawValue: code) else {
            let known = RemoteCommandStatus.allCases.map { "\($0.rawValue) \($0.name)" }.joined(separator: ", ")
            throw badParam("CODE is one of \(known)")
        }
        _ = try managing(command.session)
        services.nowPlaying.reply(status, to: command.token)
    }

    private func refusing<Value>(_ body: () throws(NowPlayingError) -> Value) throws(AckError) -> Value {
        do throws(NowPlayingError) { return try body() } catch { throw badParam(error.description) }
    }
}

extension Zone {
    /// Carries out a remote command.
    func perform(_ command: RemoteCommand) -> RemoteCommandStatus {
        guard !queue.isEmpty else { return .noActionableNowPlayingItem }
        // The sender may be in another zone, so it has not waited for this zone's player.
        guard !isBusy else { return .commandFailed }
        guard ZoneCommandKinds.all.contains(command.kind) else { return .commandFailed }
        do {
            try carryOut(command.kind, command.value.flatMap(Double.init) ?? 0, command.value ?? "")
            return .success
        } catch .notPlaying {
            return .noActionableNowPlayingItem
        } catch {
            return .commandFailed
        }
    }

    private func carryOut(_ kind: RemoteCommand.Kind, _ number: Double, _ word: String) throws(ZoneError) {
        switch kind {
        case .play: try play()
        case .pause: try setPaused(true)
        case .togglePlayPause: if state == .stop { try play() } else { try togglePause() }
        case .stop: stop()
        case .nextTrack: try step(forwards: true)
        case .previousTrack: try step(forwards: false)
        case .skipForward: try seekCurrent(to: elapsed + number)
        case .skipBackward: try seekCurrent(to: elapsed - number)
        case .changePlaybackPosition: try seekCurrent(to: number)
        case .changePlaybackRate:
            guard PlaybackRate.range.contains(number) else { throw .refused("speeds are from 0.25 to 4") }
            change { $0.speed = number }
        case .changeRepeatMode:
            setRepeat(word != "off")
            setSingle(word == "one" ? .on : .off)
        case .changeShuffleMode: setRandom(word != "off")
        default: break
        }
    }
}

extension Request<SessionServices> {
    /// The rights with which artwork is read that this client's sessions tell of.
    fileprivate var artworkReader: ArtworkReader {
        ArtworkReader(
            files: client.identity.isOwner ? .all : client.principal.peer.map { .ofUser($0.uid) } ?? .none,
            reach: permissions.contains(.network) ? client.reach : nil
        )
    }
}
