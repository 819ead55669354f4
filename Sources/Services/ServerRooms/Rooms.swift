package import OutputGroups
internal import Outputs
internal import Playlists
package import ServerBasics
package import Settings
package import Zones

/// The server's rooms in the order of their creation, and the sinks that they play to.
///
/// Belongs to the server's event loop. The first room is the default zone's, and is never removed.
package final class Rooms {
    package private(set) var all: [Room] = []
    /// Names of zones that are being created.
    package var comingNames: Set<String> = []
    /// The sinks of sound servers, by the servers' addresses.
    private var sinks: [String: [Sink]] = [:]
    private let configuration: CurrentConfiguration

    package init(_ configuration: CurrentConfiguration) { self.configuration = configuration }

    package func add(_ room: Room) { all.append(room) }

    package func remove(_ zone: Zone) { all.removeAll { $0.zone === zone } }

    // MARK: Finding

    package var zones: [Zone] { all.map(\.zone) }

    package var defaultZone: Zone { all[0].zone }

    /// - Returns: `nil` for a zone that was removed.
    package subscript(zone: Zone) -> Room? { all.first { $0.zone === zone } }

    package subscript(name: String) -> Room? { all.first { $0.name == name } }

    package func zone(named name: String) -> Zone? { self[name]?.zone }

    /// Whether a zone has that name, or is being created with it.
    package func isTaken(_ name: String) -> Bool { self[name] != nil || comingNames.contains(name) }

    /// The number of zones, including those that are being created.
    package var count: Int { all.count + comingNames.count }

    /// The room that an output is in now.
    package func owner(ofOutput name: String) -> Room? { all.first { $0.hasOutput(name) } }

    /// The size of all queues, in bytes.
    package var queueBytes: Int { all.reduce(0) { $0 + $1.zone.queue.byteCount } }

    // MARK: Where zones are heard

    /// The places where a zone is heard, in the order of its outputs: zones that share one take part in the same
    /// arbitration there.
    ///
    /// A zone without an enabled output to a sound server has a place of its own.
    package func places(of zone: Zone) -> [String] {
        let outputs = self[zone]?.outputs.members.filter { $0.plugin.hasSinks && $0.isEnabled } ?? []
        var places: [String] = []
        for output in outputs {
            let place = place(of: output)
            if !places.contains(place) { places.append(place) }
        }
        return places.isEmpty ? ["zone:\(zone.name)"] : places
    }

    /// Where an output is heard: a sink, or a device of ALSA.
    private func place(of output: OutputState) -> String {
        output.plugin == .alsa ? "alsa:\(output.sink ?? "")" : place(ofSink: output.sink, server: output.server)
    }

    /// The place of a zone's first output: where its announcements wait for each other.
    package func place(of zone: Zone) -> String { places(of: zone)[0] }

    /// The place of a client that is in a zone and plays to a sink itself.
    package func place(ofSink sink: String, in zone: Zone) -> String {
        let server = self[zone]?.outputs.members.first { $0.plugin == .pulse }?.server
        return place(ofSink: sink == "default" ? nil : sink, server: server)
    }

    package func place(ofSink sink: String?, server: String?) -> String {
        "sink:\(server ?? "")/\(sink ?? sinks[server ?? ""]?.first(where: \.isDefault)?.name ?? "default")"
    }

    /// The zones that are heard at some places.
    package func zones(at places: [String]) -> [Zone] {
        zones.filter { !Set(places).isDisjoint(with: self.places(of: $0)) }
    }

    /// The names of the zones that are heard at some places; those of all zones for places of none.
    package func namesOfZones(concernedAt places: [String]) -> [String] {
        let heard = zones(at: places)
        return (heard.isEmpty ? zones : heard).map(\.name)
    }

    /// The difference between two states of a sound server's sinks.
    package struct SinkChange: Hashable {
        /// The names of the sinks that are gone, and of those that have come.
        package var gone: [String] = []
        package var come: [String] = []
        /// The names of the sinks whose volume has changed.
        package var turned: [String] = []
    }

    /// Stores a sound server's sinks.
    ///
    /// - Returns: The difference; none where the server did not answer before, or does not now.
    package func setSinks(_ sinks: [Sink], ofServer server: String) -> SinkChange {
        let old = self.sinks[server, default: []]
        self.sinks[server] = sinks
        guard !sinks.isEmpty, !old.isEmpty else { return SinkChange() }
        let (before, now) = (old.map(\.name), sinks.map(\.name))
        let turned = sinks.filter { sink in
            old.contains { $0.name == sink.name && ($0.volume, $0.isMuted) != (sink.volume, sink.isMuted) }
        }
        return SinkChange(
            gone: before.filter { !now.contains($0) },
            come: now.filter { !before.contains($0) },
            turned: turned.map(\.name)
        )
    }

    /// The sink at a place; `nil` where the place is none, or the sink is not known.
    package func sink(at place: String) -> Sink? {
        for (server, sinks) in sinks {
            if let sink = sinks.first(where: { self.place(ofSink: $0.name, server: server) == place }) { return sink }
        }
        return nil
    }

    /// The zones with an output to a sound server.
    package func zones(onServer server: String) -> [Zone] {
        all.filter { $0.outputs.members.contains { $0.plugin == .pulse && ($0.server ?? "") == server } }.map(\.zone)
    }

    /// Whether a sound server has any sink, as far as known.
    package func hasSinks(ofServer server: String?, otherThan lost: String?) -> Bool {
        sinks[server ?? "", default: []].contains { $0.name != lost }
    }

    // MARK: Changing where zones are heard

    /// Makes a closure that reopens a zone's output to the sound server at another sink, and may block for a moment.
    ///
    /// - Parameters:
    ///   - sink: A sink's name, or `default`.
    ///   - place: The sink where it will be heard, as far as known.
    ///   - describe: Describes how an output of a zone is opened.
    /// - Returns: `nil` without such an output.
    package func routing(
        of zone: Zone,
        to sink: String,
        heardAt place: String? = nil,
        _ describe: @escaping @Sendable (Output, String) -> OutputDescription
    ) -> (@Sendable () -> Void)? {
        guard let room = self[zone], let name = room.soundServerOutput else { return nil }
        var output = configuredOutput(name) ?? Output(name: name, kind: .pulse)
        output.device = sink == "default" ? nil : sink
        let (group, zoneName) = (room.outputs, room.name)
        return { [output] in
            // The output may have been moved or switched since the request.
            guard let known = group.members.first(where: { $0.name == name }) else { return }
            var output = output
            output.isEnabled = known.isEnabled
            let route = known.isEnabled ? place.map { RouteChange(routing: known.sink, to: $0) } : nil
            group.replace(with: describe(output, zoneName), route: route)
        }
    }

    /// The configuration of an output to a sound server.
    private func configuredOutput(_ name: String) -> Output? {
        configuration.value.zones.flatMap(\.outputs).first { $0.name == name }
    }

    /// Makes a closure that moves an output back to the zone that last had it, and restores whether it was enabled.
    ///
    /// - Returns: The closure, which may block for a moment; `nil` when no such output exists.
    package func bringing(_ name: String, to zone: Zone, isEnabled: Bool) -> (@Sendable () -> Void)? {
        guard let target = self[zone], let owner = owner(ofOutput: name) else { return nil }
        let source = target.hasOutput(name) ? nil : owner.outputs
        return { [outputs = target.outputs] in
            if let output = source?.remove(name) { outputs.insert(output) }
            outputs.setEnabled(isEnabled, name)
        }
    }
}

extension RouteChange {
    /// The change when a client sends an output that is heard at `old` to `new`.
    fileprivate init(routing old: String?, to new: String) {
        let isElsewhere = old != nil && old != new
        self.init(isElsewhere ? .override : .unknown, from: isElsewhere ? old : nil, to: new)
    }
}
