internal import LineProtocol
internal import Playback
internal import Zones

/// What Segue has beyond MPD.
let extensionCommands: [Command] = [
    .plain("speed", .player, .optional(.number("RATE"))) { client, rate in
        guard let rate else { return client.reply.line("speed", short(client.zone.options.speed)) }
        guard (0.25...4).contains(rate) else { throw AckError(.badArgument, "badParam: speed is from 0.25 to 4") }
        client.zone.change { $0.speed = rate }
    },
    .plain("pitch", .player, .optional(.text("timeDomain|varispeed"))) { client, word in
        switch word {
        case nil: client.reply.line("pitch", client.zone.options.keepsPitch ? "timeDomain" : "varispeed")
        case "timeDomain": client.zone.change { $0.keepsPitch = true }
        case "varispeed": client.zone.change { $0.keepsPitch = false }
        default: throw AckError(.badArgument, "badParam: pitch is timeDomain or varispeed")
        }
    },
    .plain("buffer", .read) { client in
        guard let player = client.zone.player else { return }
        switch player.status.timeControlStatus {
        case .paused: client.reply.line("state", "paused")
        case .playing: client.reply.line("state", "playing")
        case .waitingToPlayAtSpecifiedRate(let reason):
            client.reply.line("state", "waitingToPlayAtSpecifiedRate")
            client.reply.line("reason", "\(reason)")
        }
    },
]
