internal import AudioTypes
internal import Authorization
internal import LibraryService
internal import LineProtocol
internal import OutputGroups
internal import Outputs
internal import Playlists
internal import ProtocolClient
internal import ServerBasics
internal import ServerMusic
internal import ServerRequests
internal import ServerRights
internal import ServerRooms
internal import WebRequests
internal import Zones

/// The server's figures, for Prometheus.
extension ServerAssembly {
    /// - Parameters:
    ///   - connection: Of the client, who is told of the zones that it may read.
    ///   - stats: The reply to `stats`, as the client gets it.
    func metrics(for connection: Connection, _ stats: [Pair]) -> String {
        let rights = connection.client.rights
        let zones = rooms.zones.filter { rights.permissions(in: $0.name).contains(.read) }
        var metrics = MetricsText()
        addProcess(to: &metrics)
        addZones(zones, to: &metrics)
        addOutputs(of: zones, to: &metrics)
        addClients(to: &metrics)
        addLibrary(stats, to: &metrics)
        return metrics.text
    }

    private func addProcess(to metrics: inout MetricsText) {
        metrics.add(
            "segue_build_info",
            .gauge,
            "The version of the server.",
            [.init(1, ["version": Product.version])]
        )
        let start = clock.now - (loop.hostTime - startTime)
        metrics.add(
            "process_start_time_seconds",
            .gauge,
            "When the server started, since 1970.",
            [.init(start.rounded())]
        )
        guard let usage = ProcessUsage() else { return }
        metrics.add("process_cpu_seconds_total", .counter, "Time of processors.", [.init(usage.processorTime)])
        metrics.add("process_resident_memory_bytes", .gauge, "Memory in use.", [.init(usage.memory)])
    }

    private func addZones(_ zones: [Zone], to metrics: inout MetricsText) {
        func samples(_ value: (Zone) -> Int) -> [MetricsText.Sample] {
            zones.map { .init(value($0), ["zone": $0.name]) }
        }
        metrics.add(
            "segue_zone_state",
            .gauge,
            "1 for the state of a zone, 0 for the others.",
            zones.flatMap { zone in
                [PlayState.play, .pause, .stop].map { state in
                    .init(zone.state == state, ["zone": zone.name, "state": state.rawValue])
                }
            }
        )
        metrics.add("segue_zone_queue_songs", .gauge, "Songs in the queue of a zone.", samples(\.queue.count))
        metrics.add(
            "segue_zone_volume_ratio",
            .gauge,
            "The volume of a zone, from 0 to 1.",
            zones.filter(\.hasMixer).map { .init(Double($0.volume) / 100, ["zone": $0.name]) }
        )
        metrics.add(
            "segue_zone_stream_outages_total",
            .counter,
            "How often a network stream that a zone played was lost.",
            samples(\.streamOutages)
        )
        metrics.add(
            "segue_zone_stream_lost",
            .gauge,
            "1 while a zone tries to get back a network stream that was lost.",
            samples { $0.isStreamLost ? 1 : 0 }
        )
    }

    private func addOutputs(of zones: [Zone], to metrics: inout MetricsText) {
        let outputs = zones.flatMap { zone in (rooms[zone]?.outputs.members ?? []).map { (zone.name, $0) } }
        func samples(_ value: (OutputState) -> Int?) -> [MetricsText.Sample] {
            outputs.compactMap { zone, output in
                value(output).map { .init($0, ["zone": zone, "output": output.name, "type": output.plugin.rawValue]) }
            }
        }
        metrics.add(
            "segue_output_enabled",
            .gauge,
            "1 for an output that is enabled.",
            samples { $0.isEnabled ? 1 : 0 }
        )
        metrics.add(
            "segue_output_failing",
            .gauge,
            "1 for an output that cannot be heard.",
            samples { $0.error != nil ? 1 : 0 }
        )
        metrics.add(
            "segue_output_listeners",
            .gauge,
            "Listeners to the stream of an output.",
            samples { $0.attributes["listeners"].flatMap { Int($0) } }
        )
        metrics.add(
            "segue_output_xruns_total",
            .counter,
            "How often a sound card had no more samples to play.",
            samples { $0.attributes[ALSAOutput.xrunsAttribute].flatMap { Int($0) } }
        )
    }

    private func addClients(to metrics: inout MetricsText) {
        let languages = connections.all.compactMap { ($0 as? Connection)?.protocolName }
        metrics.add(
            "segue_clients",
            .gauge,
            "Connections of clients, by the protocol that they speak.",
            Connection.protocolNames.map { name in .init(languages.count { $0 == name }, ["protocol": name]) }
        )
        let counts = connectionOwner.commandCounts.counts.sorted { $0.key < $1.key }
        metrics.add(
            "segue_commands_total",
            .counter,
            "Commands that clients have asked for.",
            counts.map { .init($0.value.all, ["command": $0.key]) }
        )
        metrics.add(
            "segue_command_errors_total",
            .counter,
            "Commands that failed or were refused.",
            counts.map { .init($0.value.failed, ["command": $0.key]) }
        )
    }

    private func addLibrary(_ stats: [Pair], to metrics: inout MetricsText) {
        let figures: [(key: String, name: String, help: String)] = [
            ("songs", "segue_library_songs", "Songs in the library."),
            ("albums", "segue_library_albums", "Albums in the library."),
            ("artists", "segue_library_artists", "Artists in the library."),
            ("db_playtime", "segue_library_duration_seconds", "How long all songs of the library are."),
            ("db_update", "segue_library_updated_timestamp_seconds", "When the library was updated, since 1970."),
        ]
        for figure in figures {
            let values = stats.filter { $0.key == figure.key }.compactMap { Int($0.value) }
            metrics.add(figure.name, .gauge, figure.help, values.map { .init($0) })
        }
        let isUpdating = upkeep.library?.updateNumber != nil
        metrics.add("segue_library_updating", .gauge, "1 while the library is updated.", [.init(isUpdating)])
        let played = stats.filter { $0.key == "playtime" }.compactMap { Int($0.value) }
        metrics.add("segue_played_seconds_total", .counter, "How long music has played.", played.map { .init($0) })
    }
}
