internal import Alarms
internal import AudioTypes
internal import LibraryIndex
internal import LibraryService
internal import LineProtocol
internal import Playback
internal import Playlists
internal import ServerBasics
internal import ServerMusic
internal import ServerRooms
internal import ServerSessions
internal import ServerTimers
internal import ServerZones
internal import Songs
internal import Zones

/// Status queries (the manual's section "Querying MPD's status").
let statusCommands: [Command] = [
    .plain("clearerror", .player, library: .nothing) { $0.zone.clearError() },
    .plain("currentsong", .read, library: .limited) { client in
        let queue = client.zone.queue
        guard let position = queue.current else { return }
        client.reply.append(queue, at: position, tags: client.tags, client.queueView)
    }
    .forAddOnly(),
    Command("idle", .read, library: .nothing, .rest("[SUBSYSTEM...]")) { _, names in
        var subsystems: Subsystems = names.isEmpty ? .all : []
        for name in names {
            guard let subsystem = Subsystems(name: name) else {
                throw AckError(.badArgument, "Unrecognized idle event: \(name)")
            }
            subsystems.insert(subsystem)
        }
        return .idle(subsystems)
    }
    .forAddOnly()
    .notForSchedules(),
    .plain("status", .read, library: .limited) { client in
        let server = client.server
        client.reply.appendStatus(
            of: client.zone,
            server.rooms[client.zone]?.path,
            update: server.upkeep.library?.updateNumber,
            server.sleepTimers,
            interrupter: server.desk.interrupter(of: client.zone),
            isLimited: client.visible != nil,
            playlist: client.sees(playlist: client.zone.lastLoadedPlaylist) ? client.zone.lastLoadedPlaylist : ""
        )
        if let alarm = server.alarms.ringer.alarm(in: client.zone) { client.reply.line("alarm", alarm.id) }
    }
    .forAddOnly(),
    Command("stats", .read, library: .limited) { client in
        let library = client.server.upkeep.library
        if client.visible == nil, let stats = library == nil ? LibraryStats() : library?.knownStats {
            client.reply.append(stats, of: client.server)
            return .done
        }
        return try client.ask {
            try $0.stats()
        } then: { [unowned client] stats in
            client.reply.append(stats, of: client.server)
            return .done
        }
    },
]

extension Reply {
    /// The keys of `status` in MPD's order; `sound`, `speed`, `interrupted`, `interrupter` and `sleep` are our own.
    ///
    /// - Parameters:
    ///   - path: The sound's way to the sink, as far as it is known.
    ///   - update: The number of the library update in progress.
    ///   - isLimited: Whether names that belong to songs are left out.
    ///   - playlist: The stored playlist that was loaded last, as far as the client sees it.
    mutating func appendStatus(
        of zone: Zone,
        _ path: SoundPath?,
        update: Int?,
        _ sleepTimers: SleepTimers,
        interrupter: String?,
        isLimited: Bool,
        playlist: String
    ) {
        let queue = zone.queue
        if let volume = zone.shownVolume { line("volume", volume) }
        line("repeat", queue.modes.repeats)
        line("random", queue.modes.random)
        line("single", queue.modes.single.word)
        line("consume", queue.modes.consume.word)
        line("partition", zone.name)
        line("playlist", Int(queue.version))
        line("playlistlength", queue.count)
        line("mixrampdb", short(zone.options.mixRampThreshold))
        line("state", zone.state.rawValue)
        line("lastloadedplaylist", playlist)
        if zone.options.crossfade > 0 { line("xfade", zone.options.crossfade) }
        if let delay = zone.options.mixRampDelay { line("mixrampdelay", short(delay)) }
        if let position = queue.current {
            line("song", position)
            line("songid", Int(queue[position].id))
        }
        if zone.state != .stop {
            appendProgress(of: zone)
            if let path { line("sound", path.description) }
        }
        if let update { line("updating_db", update) }
        if zone.options.speed != 1 { line("speed", short(zone.options.speed)) }
        if let number = zone.interruption { line("interrupted", number) }
        if let interrupter { line("interrupter", isLimited ? privateEntry : interrupter) }
        appendSleep(of: zone, sleepTimers)
        if let error = zone.error { line("error", isLimited ? "something cannot be played" : error) }
        if let position = queue.nextPosition() {
            line("nextsong", position)
            line("nextsongid", Int(queue[position].id))
        }
    }

    fileprivate mutating func append(_ stats: LibraryStats, of server: ServerAssembly) {
        line("uptime", Int(saturating: server.uptime))
        line("playtime", Int(saturating: server.zones.playTime.seconds))
        line("artists", stats.artists)
        line("albums", stats.albums)
        line("songs", stats.songs)
        line("db_playtime", stats.milliseconds / 1000)
        line("db_update", stats.updated ?? 0)
    }

    private mutating func appendProgress(of zone: Zone) {
        let progress = zone.progress
        begin("time")
        append(decimal: Int(saturating: progress.elapsed))
        append(":")
        append(decimal: Int(saturating: (progress.duration ?? 0).rounded()))
        append("\n")
        line("elapsed", seconds: progress.elapsed)
        line("bitrate", progress.bitRate ?? 0)
        if let duration = progress.duration { line("duration", seconds: duration) }
        if let format = progress.format { line(format) }
    }

    private mutating func line(_ format: SourceFormat) {
        begin("audio")
        append(decimal: format.sampleRate)
        append(":")
        if case .integer(let bits) = format.sample { append(decimal: bits) } else { append("f") }
        append(":")
        append(decimal: format.channels)
        append("\n")
    }
}
