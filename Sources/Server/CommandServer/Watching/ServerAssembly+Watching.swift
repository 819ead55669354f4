internal import Authorization
internal import LibraryIndex
internal import LibraryService
internal import LineProtocol
internal import Playlists
internal import Records
internal import ServerArtwork
internal import ServerBasics
internal import ServerMusic
internal import ServerRequests
internal import ServerRooms
internal import ServerSessions
internal import ServerTimers
internal import Settings
internal import TextEncodings
internal import Threads
internal import Zones

/// The values of topics are the results of requests, as the client would get them in the zone.
extension ServerAssembly: WatchedValues {
    var now: Double { clock.now }

    var zoneNames: [String] { rooms.zones.map(\.name) }

    var isLibraryBusy: Bool { upkeep.library?.updateNumber != nil }

    func queue(of zone: String) -> PlayQueue? { rooms.zone(named: zone)?.queue }

    func seesQueue(of zone: String, _ connection: Connection) -> Bool {
        rooms.zone(named: zone).map { reply(to: ["plchangesposid", "0", "0:0"], for: connection, in: $0) != nil }
            ?? false
    }

    func value(of item: WatchedItem, for connection: Connection) -> WatchedValue {
        guard let zone = item.zone.map(rooms.zone(named:)) ?? connection.zone else { return .null }
        switch item.topic {
        case .player: return player(zone, connection)
        case .mixer: return value(["status"], .mixer, connection, zone)
        case .options: return options(zone, connection)
        case .sleep: return sleep(zone, connection)
        case .artwork: return artwork(zone, connection)
        case .permissions: return permissions(zone, connection)
        case .timers: return timers(zone, connection)
        case .outputs: return value(["outputs"], nil, connection, zone)
        case .routes: return value(["route", "outputs"], nil, connection, zone)
        case .why: return value(["why"], nil, connection, zone)
        case .sessions: return value(["session", "list"], nil, connection, zone)
        case .announcements: return value(["announcement", "list"], nil, connection, zone)
        case .library: return library(zone, connection)
        case .zones: return value(["listpartitions"], nil, connection, zone)
        case .channels: return channels(zone, connection)
        case .playlists: return number(playlistRevision, "revision", .read, connection, zone)
        case .stickers: return number(stickerRevision, "revision", .control, connection, zone)
        case .messages: return number(connection.client.subscriptions.unreadCount, "unread", .read, connection, zone)
        case .pairing: return value(["pairing", "list"], nil, connection, zone)
        case .picker: return value(["picking", "list"], nil, connection, zone)
        case .requests: return value(["picker", "list"], nil, connection, zone)
        case .audit: return value(["audit", "list"], nil, connection, zone)
        case .queue: return .null
        }
    }

    // MARK: Values

    /// The result of a request.
    ///
    /// - Parameter shape: Of the records; that of the command, without it.
    private func value(
        _ words: [String],
        _ shape: RecordShape?,
        _ connection: Connection,
        _ zone: Zone
    ) -> WatchedValue {
        guard let lines = reply(to: words, for: connection, in: zone) else { return .null }
        var encoder = ReplyEncoder(shape ?? table[words[0]]?.reply.shape(Array(words.dropFirst())))
        var json: [UInt8] = []
        encoder.encode(lines[...], into: &json)
        encoder.end(&json)
        return WatchedValue(json: json)
    }

    private func player(_ zone: Zone, _ connection: Connection) -> WatchedValue {
        let player = value(["status"], .player, connection, zone)
        guard player.json != WatchedValue.null.json else { return .null }
        var json = player.json
        json.append("song", value(["currentsong"], nil, connection, zone).json)
        let stream = value(["buffer"], .stream, connection, zone).json
        if stream != Array("{}".utf8) { json.append("stream", stream) }
        guard zone.state != .stop else { return WatchedValue(json: json) }
        let moves = zone.state == .play && zone.playerMoves
        return WatchedValue(
            json: json,
            progress: .init(elapsed: zone.progress.elapsed, at: clock.now, speed: moves ? zone.options.speed : 0)
        )
    }

    private func options(_ zone: Zone, _ connection: Connection) -> WatchedValue {
        guard let status = reply(to: ["status"], for: connection, in: zone),
            let gain = reply(to: ["replay_gain_status"], for: connection, in: zone)
        else { return .null }
        var encoder = ReplyEncoder(.options)
        var json: [UInt8] = []
        encoder.encode((status + gain)[...], into: &json)
        encoder.end(&json)
        return WatchedValue(json: json)
    }

    /// The library's status, and a number that is another one when there are other songs.
    private func library(_ zone: Zone, _ connection: Connection) -> WatchedValue {
        let status = value(["library", "status"], nil, connection, zone)
        guard status.json.count > 2, status.json.first == UInt8(ascii: "{") else { return status }
        let revision = revision(for: connection.client.rights.limits.library)
        return WatchedValue(json: Array(#"{"revision":\#(revision),"#.utf8) + status.json.dropFirst())
    }

    /// A number that is another one when there are other songs, or a limited client sees others.
    private func revision(for scope: LibraryScope?) -> Int {
        guard let scope else { return libraryRevision }
        // JavaScript's numbers hold 53 bits.
        return (scope.hashValue & 0xffff_ffff) << 20 | (libraryRevision + playlistRevision) & 0xf_ffff
    }

    /// When the zone is to fall silent: `at`, in seconds since 1970, or `after` what.
    private func sleep(_ zone: Zone, _ connection: Connection) -> WatchedValue {
        guard reply(to: ["status"], for: connection, in: zone) != nil else { return .null }
        let sleep: JSON
        if let seconds = sleepTimers.remaining(in: zone) {
            sleep = .object([.init("at", .number((clock.now + seconds).rounded()))])
        } else if let end = sleepTimers.end(of: zone) {
            sleep = .object([.init("after", .string(end.word))])
        } else {
            sleep = .object([])
        }
        return WatchedValue(json: Array(sleep.text.utf8))
    }

    private func artwork(_ zone: Zone, _ connection: Connection) -> WatchedValue {
        guard reply(to: ["status"], for: connection, in: zone) != nil else { return .null }
        let id = zone.queue.currentEntry.map { JSON.integer(Int($0.id)) } ?? .null
        let revision = JSON.integer(artworkRevisions[zone.name] ?? 0)
        var fields: [JSON.Field] = [.init("id", id), .init("revision", revision)]
        if let version = artwork.version(in: zone) { fields.append(.init("version", .string(version))) }
        return WatchedValue(json: Array(JSON.compact(fields).text.utf8))
    }

    /// The channels of the zone's own clients, which the one who watches need not be.
    private func channels(_ zone: Zone, _ connection: Connection) -> WatchedValue {
        guard connection.client.rights.permissions(in: zone.name).contains(.read) else { return .null }
        let names = Set(connections.in(zone).flatMap(\.client.subscriptions.channels)).sorted()
        let records = names.map { JSON.object([.init("channel", .string($0))]) }
        return WatchedValue(json: Array(JSON.array(records).text.utf8))
    }

    /// A number, for clients with a right in the zone.
    private func number(
        _ number: Int,
        _ name: String,
        _ right: Permissions,
        _ connection: Connection,
        _ zone: Zone
    ) -> WatchedValue {
        guard connection.client.rights.permissions(in: zone.name).contains(right) else { return .null }
        return WatchedValue(json: Array(#"{"\#(name)":\#(number)}"#.utf8))
    }

    private func permissions(_ zone: Zone, _ connection: Connection) -> WatchedValue {
        let names = connection.client.rights.permissions(in: zone.name).eachName
        return WatchedValue(json: Array(JSON.array(names.map(JSON.string)).text.utf8))
    }

    private func timers(_ zone: Zone, _ connection: Connection) -> WatchedValue {
        let alarms = value(["alarm", "list"], nil, connection, zone).json
        guard alarms != WatchedValue.null.json else { return .null }
        var json = Array("{}".utf8)
        json.append("alarms", alarms)
        json.append("schedules", value(["schedule", "list"], nil, connection, zone).json)
        return WatchedValue(json: json)
    }

    // MARK: Requests

    /// The lines of the reply to a request that waits for nothing, as a client gets them in a zone.
    ///
    /// - Returns: `nil` where it is refused, or waits.
    private func reply(to words: [String], for connection: Connection, in zone: Zone) -> [UInt8]? {
        guard let command = table[words[0]] else { return nil }
        let (client, arguments) = (connection.client, Array(words.dropFirst()))
        let (own, visible) = (client.zone, client.visible)
        client.zone = zone
        audioSessions.speaker = connection.sessionOwner
        defer {
            (client.zone, client.visible) = (own, visible)
            audioSessions.speaker = nil
        }
        let context = RequestContext(client)
        context.connection = connection
        do {
            let rights = client.rights
            try client.require(command, with: arguments, rights, in: rooms)
            client.visible = rights.limits.library.map(visibleSongs)
            if client.visible != nil, command.library.need(arguments) == .withheld { return nil }
            switch try command(context, arguments, in: services) {
            case .done: return context.reply.bytes
            case .stream(var source):
                while !source.fill(&context.reply, upTo: .max) {}
                return context.reply.bytes
            default: return nil
            }
        } catch {
            return nil
        }
    }
}

// MARK: - Limited libraries

extension ServerAssembly {
    /// The songs of a scope; none until they are known, and then the clients that watch are told again.
    private func visibleSongs(of scope: LibraryScope) -> VisibleSongs {
        if let known = scopes.visible(in: scope) { return known }
        guard let library = upkeep.library, scopesInMaking.insert(scope).inserted else { return .none }
        let (state, playlists, onLoop) = (scopes.state, media.playlists, LoopExecutor(for: self, on: loop))
        work.submit(to: scope.workQueue) {
            let visible = try? library.read { try $0.visibleSongs(of: scope.libraryParts(playlists)) }
            onLoop { $0.made(visible, of: scope, in: state) }
        }
        return .none
    }

    private func made(_ visible: VisibleSongs?, of scope: LibraryScope, in state: [Int]) {
        scopesInMaking.remove(scope)
        guard let visible else { return }
        scopes.keep(visible, of: scope, madeIn: state, limit: limits.maxScopeBytes)
        // One that was overtaken is made again.
        if state != scopes.state || scopes.visible(in: scope) != nil { watchHub.becameKnown(scope) }
    }
}

extension [UInt8] {
    /// Appends a member to an object.
    fileprivate mutating func append(_ name: String, _ value: [UInt8]) {
        removeLast()
        if count > 1 { append(UInt8(ascii: ",")) }
        append(contentsOf: "\"\(name)\":".utf8)
        self += value
        append(UInt8(ascii: "}"))
    }
}
