internal import AudioTypes
internal import LineProtocol
internal import ServerRequests
internal import Zones

/// Transport (the manual's section "Controlling playback").
let controlCommands: [Row<ZoneServices>] = [
    .plain("next", .player, library: .nothing) { try $0.zone.next() },
    .plain("previous", .player, library: .nothing) { try $0.zone.previous() },
    .plain("stop", .player, library: .nothing) { $0.zone.stop() }
        .forAlarm { _ in .ends }
        .forGuests { _ in .stop },
    .plain("pause", .player, library: .nothing, .optional(.boolean("STATE"))) { request, isPaused in
        if let isPaused { try request.zone.setPaused(isPaused) } else { try request.zone.togglePause() }
    }
    .forAlarm { $0.first == "0" ? .none : .endsInstead },
    .plain(
        "play",
        .player,
        library: .nothing,
        .optional(.integer("SONGPOS", Int(Int32.min)...Int(Int32.max)).named("position", .place))
    ) {
        request,
        position in
        guard let position, position != -1 else { return try request.zone.play() }
        try request.zone.play(position: position)
    }
    .forGuests { _ in .play },
    .plain(
        "playid",
        .player,
        library: .nothing,
        .optional(.integer("SONGID", Int(Int32.min)...Int(Int32.max)).named("id"))
    ) {
        request,
        id in
        guard let id, id != -1 else { return try request.zone.play() }
        guard id >= 0 else { throw ZoneError.noSuchSong }
        try request.zone.play(id: UInt32(id))
    }
    .forGuests { _ in .play },
    .plain("seek", .player, library: .nothing, .unsigned("SONGPOS").named("position", .place), .time()) {
        request,
        position,
        time in
        try request.zone.seek(position: position, to: time.seconds)
    },
    .plain("seekid", .player, library: .nothing, .id(), .time()) { request, id, time in
        try request.zone.seek(id: id, to: time.seconds)
    },
    .plain("seekcur", .player, library: .nothing, .text("TIME").named("time", .scalar)) { request, word in
        if word == "live" { return try request.zone.seekLive() }
        let isRelative = word.hasPrefix("+") || word.hasPrefix("-")
        let time = try parseTime(word)
        try request.zone.seekCurrent(to: isRelative ? request.zone.elapsed + time.seconds : time.seconds)
    },
]
