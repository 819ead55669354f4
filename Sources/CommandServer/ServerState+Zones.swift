internal import AudioTypes
internal import Configuration
internal import OutputGroups
internal import Playback
internal import Zones

/// Zones come and go.
extension ServerState {
    var defaultZone: Zone { zones[0] }

    func zone(named name: String) -> Zone? { zones.first { $0.name == name } }

    @discardableResult
    func addZone(_ description: ZoneSettings) -> Zone {
        let surroundings = ZoneSurroundings(
            medium: { [unowned self] in medium($0) },
            changed: { [unowned self] zone, changes in zoneChanged(zone, changes) }
        )
        let name = description.name
        let zone = Zone(
            name: name,
            capacity: limits.maxPlaylistLength,
            seed: UInt64.random(in: .min ... .max),
            surroundings
        )
        let group = parts.makeOutputs(description) { [hop] _ in hop { $0.outputsChanged(in: name) } }
        let player = Player(output: group)
        zones.append(zone)
        outputs[name] = group
        zone.hasMixer = group.hasVolume
        zone.connect(player) { [hop] event in hop { $0.zone(named: name)?.receive(event) } }
        zone.change { options in
            options.crossfade = Int(configuration.crossfade.components.seconds)
            options.replayGain = configuration.replayGain
        }
        return zone
    }

    /// Ends a zone; its clients go to the default zone.
    func removeZone(_ zone: Zone) {
        zones.removeAll { $0 === zone }
        outputs[zone.name] = nil
        for client in clients.values where client.zone === zone { client.zone = defaultZone }
        zone.stop()
        let player = zone.player
        Task { await player?.close() }
        keeper?.zoneListChanged()
        note(.partition)
    }

    private func outputsChanged(in name: String) {
        guard let zone = zone(named: name), let group = outputs[name] else { return }
        let hadMixer = zone.hasMixer
        zone.hasMixer = group.hasVolume
        keeper?.noteChange(of: zone)
        note(hadMixer == zone.hasMixer ? .output : [.output, .mixer], in: zone)
    }

    private func zoneChanged(_ zone: Zone, _ changes: ZoneChanges) {
        keeper?.noteChange(of: zone)
        var subsystems: Subsystems = []
        if changes.contains(.queue) { subsystems.insert(.playlist) }
        if changes.contains(.player) {
            subsystems.insert(.player)
            playTime.note(zone.name, isPlaying: zone.state == .play)
        }
        if changes.contains(.mixer) { subsystems.insert(.mixer) }
        if changes.contains(.options) { subsystems.insert(.options) }
        if changes.contains(.outputs) { subsystems.insert(.output) }
        note(subsystems, in: zone)
    }
}

/// For how long has been played since the server was started, for `stats`.
struct PlayTime {
    private var total: Double = 0
    private var since: [String: HostTime] = [:]

    mutating func note(_ zone: String, isPlaying: Bool) {
        if isPlaying {
            if since[zone] == nil { since[zone] = .now }
        } else if let start = since.removeValue(forKey: zone) {
            total += .now - start
        }
    }

    /// In seconds.
    var seconds: Double { since.values.reduce(total) { $0 + (.now - $1) } }
}
