internal import LineProtocol
internal import OutputGroups
internal import Settings
internal import Threads
internal import Zones

/// The sound server's sink that a zone plays to.
extension Client {
    func listRoutes() throws -> Outcome {
        let (sinks, route) = (server.parts.sinks, server.rooms[zone]?.route)
        return try server.jobs.perform(for: self, on: .sinks) {
            try sinks()
        } then: { [unowned self] sinks in
            for sink in sinks {
                reply.line("sink", sink.name)
                reply.line("description", sink.description)
                reply.line("default", sink.isDefault)
                reply.line("current", route.map { $0 == sink.name } ?? sink.isDefault)
            }
            return .done
        }
    }

    /// - Parameter sink: A sink's name, or `default` for the sound server's default sink.
    func setRoute(to sink: String) throws -> Outcome {
        let sinks = server.parts.sinks
        return try server.jobs.perform(for: self, on: .sinks) {
            guard try sink == "default" || sinks().contains(where: { $0.name == sink }) else {
                throw AckError(.doesNotExist, "No such sink")
            }
        } then: { [unowned self] in
            let (server, zone) = (server, zone)
            guard let reopen = server.rooms.routing(of: zone, to: sink, server.parts.describeOutput) else {
                throw AckError(.doesNotExist, "The zone has no output to a sound server")
            }
            return try server.jobs.performWholly(for: self, on: .outputs, reopen) { [unowned server] in
                server.zones.setRoute(of: zone, to: sink)
                server.note(.route, in: zone)
                return .done
            }
        }
    }
}
