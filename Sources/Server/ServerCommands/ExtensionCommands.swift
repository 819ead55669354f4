internal import AudioTypes
internal import LineProtocol
internal import Playback
internal import Records
internal import ServerBasics
internal import ServerRequests
internal import ServerRooms
internal import ServerZones
internal import Zones

/// Commands that Segue adds to MPD's.
let extensionCommands: [Row<ZoneServices>] = [
    .plain("speed", .player, library: .nothing, reply: .records(.speed), .optional(.speed())) { request, rate in
        guard let rate else { return request.reply.line("speed", short(request.zone.options.speed)) }
        try request.client.require(speed: rate)
        request.zone.change { $0.speed = rate }
    },
    .plain(
        "pitch",
        .player,
        library: .nothing,
        reply: .records(.pitch),
        .optional(.text("timeDomain|varispeed").named("algorithm", .oneOf(["timeDomain", "varispeed"])))
    ) {
        request,
        word in
        switch word {
        case nil: request.reply.line("pitch", request.zone.options.keepsPitch ? "timeDomain" : "varispeed")
        case "timeDomain": request.zone.change { $0.keepsPitch = true }
        case "varispeed": request.zone.change { $0.keepsPitch = false }
        default: throw AckError(.badArgument, "badParam: pitch is timeDomain or varispeed")
        }
    },
    Row(
        "route",
        .outputs,
        library: .nothing,
        reply: .verbs(["list": .sinks, "outputs": .routedOutputs]),
        .text("list|outputs|set"),
        .optional(.text("SINK|default"))
    ) {
        request,
        verb,
        sink in
        switch (verb, sink) {
        case ("list", nil): try request.listRoutes()
        case ("outputs", nil): request.listRoutedOutputs()
        case ("set", let sink?): try request.setRoute(to: sink)
        default: throw AckError(.badArgument, "badParam: route list, route outputs, or route set SINK|default")
        }
    }
    .verbs(
        .verb("list"),
        .verb("outputs"),
        .verb("set", Parameter("sink"))
    ),
    Row("zone", .outputs, library: .nothing, .text("handover|remove"), .zone("NAME", besidesOwn: true)) {
        request,
        verb,
        name in
        guard verb == "handover" || verb == "remove" else {
            throw AckError(.badArgument, "badParam: zone handover NAME, or zone remove NAME")
        }
        let zone = try request.object(
            ZoneObject.self,
            name,
            in: request.rooms,
            to: verb == "remove" ? .removeZone : .handOver
        ).zone
        // The default zone takes the outputs of one that is removed.
        if verb == "remove" {
            try request.client.require(.removeZone, on: request.rooms.defaultZone)
            try request.services.zones.requireNoEscape(from: [zone], request.rights)
        }
        guard verb == "handover" else { return try request.services.zones.removeWhole(zone, for: request.connection) }
        guard zone !== request.zone else { return .done }
        return try request.services.zones.handOver(request.zone, to: zone, for: request.connection)
    }
    .verbs(
        .verb("handover", Parameter("zone")),
        .verb("remove", Parameter("zone"))
    ),
    .plain("buffer", .read, library: .limited, reply: .records(.buffer)) { request in
        // An error of a stream may tell where it comes from.
        if request.client.seesCurrent { request.reply.appendBuffer(of: request.zone) }
    },
]

extension Argument<Double> {
    fileprivate static func speed() -> Self {
        .required("RATE", .number(0.25...4)) { word throws(AckError) in
            let rate = try parseNumber(word)
            guard (0.25...4).contains(rate) else { throw badParam("speed is from 0.25 to 4") }
            return rate
        }
    }
}
