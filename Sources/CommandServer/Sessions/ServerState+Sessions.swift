internal import AudioSessions
internal import Configuration
internal import NIOPosix
internal import OutputGroups
internal import Playlists
internal import Songs
internal import Stickers
internal import Zones

/// What the audio sessions need to know of zones and songs.
extension ServerState {
    func sessionSettings(of zone: Zone) -> ZoneSession {
        configuration.zones.first { $0.name == zone.name }?.session ?? ZoneSession()
    }

    /// What a zone's session is at first.
    func sessionConfiguration(of zone: Zone) -> SessionConfiguration {
        let settings = sessionSettings(of: zone)
        do {
            return try SessionConfiguration(
                category: SessionCategory(rawValue: settings.category) ?? .playback,
                mode: SessionMode(rawValue: settings.mode) ?? .default,
                options: settings.options.compactMap(SessionOptions.init(name:)).reduce(into: []) { $0.formUnion($1) }
            )
        } catch {
            parts.log(.warning, "zone \(zone.name): \(error); it is playback without options")
            return (try? SessionConfiguration(category: .playback)) ?? .initial
        }
    }

    /// Where a zone is heard: two zones of the same place take part in the same arbitration.
    ///
    /// A zone without an output to a sound server is alone.
    func place(of zone: Zone) -> String {
        let names = Set(outputs[zone.name]?.members.filter { $0.plugin == .pulse }.map(\.name) ?? [])
        guard !names.isEmpty else { return "zone:\(zone.name)" }
        let configured = configuration.zones.flatMap(\.outputs).first { names.contains($0.name) }
        let route = routes[zone.name].map { $0 == "default" ? nil : $0 } ?? configured?.device
        return place(ofSink: route, server: configured?.server)
    }

    /// Whether a zone has an output to a sound server that does not answer.
    func hasLostServer(_ zone: Zone) -> Bool {
        outputs[zone.name]?.members.contains { $0.plugin == .pulse && $0.isEnabled && $0.error != nil } ?? false
    }

    /// Asks the sound server for its default sink, so that whoever plays to that and whoever names it meet.
    func learnDefaultSink() {
        let outputs = configuration.zones.flatMap(\.outputs)
        guard outputs.contains(where: { $0.kind == .pulse }) else { return }
        let key = outputs.compactMap(\.server).first ?? ""
        let (sinks, hop) = (parts.sinks, hop)
        pool.submit { _ in
            guard let name = try? sinks().first(where: \.isDefault)?.name else { return }
            hop { server in
                guard server.defaultSinks[key] != name else { return }
                server.defaultSinks[key] = name
                for zone in server.zones { server.desk.follow(zone) }
            }
        }
    }

    /// Where somebody else on this machine is heard.
    func place(ofSink sink: String, in zone: Zone) -> String {
        let names = Set(outputs[zone.name]?.members.filter { $0.plugin == .pulse }.map(\.name) ?? [])
        let configured = configuration.zones.flatMap(\.outputs).first { names.contains($0.name) }
        return place(ofSink: sink == "default" ? nil : sink, server: configured?.server)
    }

    private func place(ofSink sink: String?, server: String?) -> String {
        "sink:\(server ?? "")/\(sink ?? defaultSinks[server ?? ""] ?? "default")"
    }

    /// Whether a song is speech, which is to be paused for prompts instead of being ducked.
    func isSpoken(_ song: Song) -> Bool {
        let genres = song.tags.compactMap { $0.0 == .genre ? $0.1 : nil }
        return configuration.spoken.covers(song.uri, genres: genres)
            || stickers.get(.song, withoutCredentials(song.uri), "mode") == SessionMode.spokenAudio.rawValue
    }
}
