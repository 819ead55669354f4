internal import LineProtocol
internal import OutputGroups
internal import Outputs
internal import ServerBasics
internal import ServerRequests
internal import ServerRooms
internal import ServerZones
internal import Settings
internal import Threads
internal import Zones

/// The sound server's sink that a zone plays to.
extension Request<ZoneServices> {
    func listRoutes() throws -> Outcome {
        let sinks = services.sinks
        return try perform(on: .sinks) {
            try sinks()
        } then: { sinks in
            let places = rooms.places(of: zone)
            for sink in sinks {
                reply.line("sink", sink.name)
                reply.line("description", sink.description)
                reply.line("default", sink.isDefault)
                if let type = sink.portType { reply.line("porttype", type) }
                reply.line("volume", short(sink.volume))
                reply.line("muted", sink.isMuted)
                reply.line("current", places.contains(rooms.place(ofSink: sink.name, in: zone)))
            }
            return .done
        }
    }

    /// Lists the zone's outputs to sound servers and devices: where each is heard, and why there.
    func listRoutedOutputs() -> Outcome {
        for output in rooms[zone]?.outputs.members ?? [] where output.plugin.hasSinks {
            reply.line("output", output.name)
            reply.line("enabled", output.isEnabled)
            reply.line("sink", output.routeLoss == nil ? output.route?.sink ?? "" : "")
            reply.line("wanted", output.device ?? "default")
            if let route = output.route, route.reason != .unknown {
                reply.line("reason", "\(route.reason.rawValue) \(route.reason.name)")
                reply.line("previousroute", route.previous ?? "")
            }
            if let format = output.route?.format, !format.isEmpty { reply.line("format", format) }
            if let loss = output.routeLoss { reply.line("lost", loss.text) }
        }
        return .done
    }

    /// - Parameter sink: A sink's name, or `default` for the sound server's default sink.
    func setRoute(to sink: String) throws -> Outcome {
        // The zone will be heard at that sink, together with the zones that play there.
        try client.require(.setRoute, on: SinkObject(sink, from: zone, in: rooms))
        let target = rooms.place(ofSink: sink, in: zone)
        if rooms.places(of: zone) != [target] {
            try services.zones.requireNoEscape(from: [zone] + rooms.zones(at: [target]), rights)
        }
        let sinks = services.sinks
        return try perform(on: .sinks) {
            let isDefault = sink == "default"
            let place = try sinks().first { isDefault ? $0.isDefault : $0.name == sink }
            guard place != nil || isDefault else { throw AckError(.doesNotExist, "No such sink") }
            return place?.name
        } then: { (place: String?) in
            let describe = services.describeOutput
            guard let room = rooms[zone],
                let reopen = rooms.routing(of: zone, to: sink, heardAt: place, describe)
            else { throw AckError(.doesNotExist, "The zone has no output to a sound server") }
            // When it is done, the client may have left.
            return try services.zones.changeOutputs(of: [room], for: connection, reopen) { [services, zone] in
                services.zones.setRoute(of: zone, to: sink)
                services.common.changes.notify(.route, in: zone)
                return .done
            }
        }
    }
}
