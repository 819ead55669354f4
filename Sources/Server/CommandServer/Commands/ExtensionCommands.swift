internal import AudioTypes
internal import LineProtocol
internal import Playback
internal import ServerBasics
internal import ServerRooms
internal import ServerZones
internal import Zones

/// Commands that Segue adds to MPD's.
let extensionCommands: [Command] = [
    .plain("speed", .player, library: .nothing, .optional(.speed())) { client, rate in
        guard let rate else { return client.reply.line("speed", short(client.zone.options.speed)) }
        try client.require(speed: rate)
        client.zone.change { $0.speed = rate }
    },
    .plain("pitch", .player, library: .nothing, .optional(.text("timeDomain|varispeed"))) { client, word in
        switch word {
        case nil: client.reply.line("pitch", client.zone.options.keepsPitch ? "timeDomain" : "varispeed")
        case "timeDomain": client.zone.change { $0.keepsPitch = true }
        case "varispeed": client.zone.change { $0.keepsPitch = false }
        default: throw AckError(.badArgument, "badParam: pitch is timeDomain or varispeed")
        }
    },
    Command("route", .outputs, library: .nothing, .text("list|outputs|set"), .optional(.text("SINK|default"))) {
        client,
        verb,
        sink in
        switch (verb, sink) {
        case ("list", nil): try client.listRoutes()
        case ("outputs", nil): client.listRoutedOutputs()
        case ("set", let sink?): try client.setRoute(to: sink)
        default: throw AckError(.badArgument, "badParam: route list, route outputs, or route set SINK|default")
        }
    },
    Command("zone", .outputs, library: .nothing, .text("handover|remove"), .zone("NAME", besidesOwn: true)) {
        client,
        verb,
        name in
        guard verb == "handover" || verb == "remove" else {
            throw AckError(.badArgument, "badParam: zone handover NAME, or zone remove NAME")
        }
        let zone = try client.object(
            ZoneObject.self,
            name,
            in: client.server.rooms,
            to: verb == "remove" ? .removeZone : .handOver
        ).zone
        // The default zone takes the outputs of one that is removed.
        if verb == "remove" { try client.require(.removeZone, on: client.server.rooms.defaultZone) }
        guard verb == "handover" else { return try client.server.zones.removeWhole(zone, for: client) }
        guard zone !== client.zone else { return .done }
        return try client.server.zones.handOver(client.zone, to: zone, for: client)
    },
    .plain("buffer", .read, library: .limited) { client in
        // An error of a stream may tell where it comes from.
        if client.seesCurrent { client.reply.appendBuffer(of: client.zone) }
    },
]

extension Argument<Double> {
    fileprivate static func speed() -> Self {
        .required("RATE") { word throws(AckError) in
            let rate = try parseNumber(word)
            guard (0.25...4).contains(rate) else { throw badParam("speed is from 0.25 to 4") }
            return rate
        }
    }
}
