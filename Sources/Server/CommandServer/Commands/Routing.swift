internal import Configuration
internal import LineProtocol
internal import NIOPosix
internal import OutputGroups
internal import Zones

/// Which sink of the sound server a zone plays to.
extension Client {
    func listRoutes() -> Outcome {
        let (sinks, route) = (server.parts.sinks, server.routes[zone.name])
        return server.perform(for: self) {
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

    /// - Parameter sink: A sink's name, or `default` for the sound server's default one.
    func setRoute(to sink: String) -> Outcome {
        let sinks = server.parts.sinks
        return server.perform(for: self) {
            guard try sink == "default" || sinks().contains(where: { $0.name == sink }) else {
                throw AckError(.doesNotExist, "No such sink")
            }
        } then: { [unowned self] in
            guard server.setRoute(of: zone, to: sink) else {
                throw AckError(.doesNotExist, "The zone has no output to a sound server")
            }
            server.note(.route, in: zone)
            return .done
        }
    }
}

extension ServerState {
    /// Opens a zone's output to the sound server at another sink.
    ///
    /// - Returns: Whether it has one.
    @discardableResult
    func setRoute(of zone: Zone, to sink: String) -> Bool {
        guard let group = outputs[zone.name], let member = group.members.first(where: { $0.plugin == .pulse }) else {
            return false
        }
        let configured = configuration.zones.flatMap(\.outputs).first { $0.name == member.name }
        var output = configured ?? Output(name: member.name, kind: .pulse)
        output.device = sink == "default" ? nil : sink
        output.isEnabled = member.isEnabled
        let old = routes[zone.name] ?? configured?.device ?? "default"
        routes[zone.name] = sink
        if old != sink { desk.noteRoute(of: zone, from: old, to: sink) }
        desk.follow(zone)
        let description = parts.describeOutput(output, zone.name)
        pool.submit { _ in
            group.remove(member.name)?.close()
            group.add(description)
        }
        keeper?.noteChange(of: zone)
        return true
    }
}
