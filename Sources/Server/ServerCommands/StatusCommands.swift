internal import Alarms
internal import AudioTypes
internal import LibraryIndex
internal import LibraryService
internal import LineProtocol
internal import Playback
internal import Playlists
internal import Records
internal import ServerBasics
internal import ServerMusic
internal import ServerRequests
internal import ServerRooms
internal import ServerSessions
internal import ServerTimers
internal import ServerZones
internal import Songs
internal import Zones

/// Status queries (the manual's section "Querying MPD's status").
let statusCommands: [Row<StatusServices>] = [
    .plain("clearerror", .player, library: .nothing) { $0.zone.clearError() },
    .plain("currentsong", .read, library: .limited, reply: .records(.songs.single)) { request in
        let queue = request.zone.queue
        guard let position = queue.current else { return }
        request.reply.append(queue, at: position, tags: request.tags, request.client.queueView)
    }
    .forAddOnly()
    .forGuests { _ in .songs },
    Row(
        "idle",
        .read,
        library: .nothing,
        reply: .records(.changes),
        .rest("[SUBSYSTEM...]").named(.optional("subsystems", .words))
    ) { _, names in
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
    // A client waits for the return of its rights.
    .forRestricted { $0 == ["permission"] }
    .notForSchedules(),
    .plain("status", .read, library: .limited, reply: .records(.status)) { request in
        let services = request.services
        request.reply.appendStatus(
            of: request.zone,
            request.rooms[request.zone]?.path,
            update: services.upkeep.library?.updateNumber,
            services.sleepTimers,
            interrupter: services.audioSessions.interrupter(of: request.zone),
            isLimited: request.client.visible != nil,
            playlist: request.client.shownPlaylist
        )
        if let alarm = services.alarms.ringer.alarm(in: request.zone) { request.reply.line("alarm", alarm.id) }
    }
    .forAddOnly()
    .forGuests { _ in .status },
    Row("stats", .read, library: .limited, reply: .records(.stats)) { request in
        let library = request.services.upkeep.library
        if request.client.visible == nil, let stats = library == nil ? LibraryStats() : library?.knownStats {
            request.show(stats)
            return .done
        }
        return try request.ask {
            try $0.stats()
        } then: { stats in
            request.show(stats)
            return .done
        }
    },
]

extension Request<StatusServices> {
    fileprivate func show(_ stats: LibraryStats) {
        reply.line("uptime", Int(saturating: hostTime - services.startTime.seconds))
        reply.line("playtime", Int(saturating: services.zones.playTime.seconds))
        reply.line("artists", stats.artists)
        reply.line("albums", stats.albums)
        reply.line("songs", stats.songs)
        reply.line("db_playtime", stats.milliseconds / 1000)
        reply.line("db_update", stats.updated ?? 0)
    }
}

extension Client {
    /// The stored playlist that was loaded last into the zone, as far as the client sees it.
    fileprivate var shownPlaylist: String {
        sees(playlist: zone.lastLoadedPlaylist) ? zone.lastLoadedPlaylist : ""
    }
}

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
