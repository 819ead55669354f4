internal import AudioTypes
internal import LineProtocol
internal import Zones

/// Transport (the manual's section "Controlling playback").
let controlCommands: [Command] = [
    .plain("next", .player, library: .nothing) { try $0.zone.next() },
    .plain("previous", .player, library: .nothing) { try $0.zone.previous() },
    .plain("stop", .player, library: .nothing) { $0.zone.stop() }
        .forAlarm { _ in .ends },
    .plain("pause", .player, library: .nothing, .optional(.boolean("STATE"))) { client, isPaused in
        if let isPaused { try client.zone.setPaused(isPaused) } else { try client.zone.togglePause() }
    }
    .forAlarm { $0.first == "0" ? .none : .endsInstead },
    .plain("play", .player, library: .nothing, .optional(.integer("SONGPOS", Int(Int32.min)...Int(Int32.max)))) {
        client,
        position in
        guard let position, position != -1 else { return try client.zone.play() }
        try client.zone.play(position: position)
    },
    .plain("playid", .player, library: .nothing, .optional(.integer("SONGID", Int(Int32.min)...Int(Int32.max)))) {
        client,
        id in
        guard let id, id != -1 else { return try client.zone.play() }
        guard id >= 0 else { throw ZoneError.noSuchSong }
        try client.zone.play(id: UInt32(id))
    },
    .plain("seek", .player, library: .nothing, .unsigned("SONGPOS"), .time()) { client, position, time in
        try client.zone.seek(position: position, to: time.seconds)
    },
    .plain("seekid", .player, library: .nothing, .id(), .time()) { client, id, time in
        try client.zone.seek(id: id, to: time.seconds)
    },
    .plain("seekcur", .player, library: .nothing, .text("TIME")) { client, word in
        if word == "live" { return try client.zone.seekLive() }
        let isRelative = word.hasPrefix("+") || word.hasPrefix("-")
        let time = try parseTime(word)
        try client.zone.seekCurrent(to: isRelative ? client.zone.elapsed + time.seconds : time.seconds)
    },
]
