internal import AudioTypes
internal import Configuration
internal import Mixers
internal import OutputGroups
internal import Playback
internal import Playlists
internal import Songs
internal import Zones

/// Zones come and go.
extension ServerState {
    var defaultZone: Zone { zones[0] }

    func zone(named name: String) -> Zone? { zones.first { $0.name == name } }

    @discardableResult
    func addZone(_ description: ZoneSettings) -> Zone {
        let surroundings = ZoneSurroundings(
            medium: { [unowned self] in medium($0) },
            changed: { [unowned self] zone, changes in zoneChanged(zone, changes) },
            claim: { [unowned self] zone throws(ZoneError) in try desk.claim(zone) },
            staysPaused: { [unowned self] zone in desk.staysPaused(zone) },
            streamNews: { [unowned self] zone, news in noteStream(of: zone, news) }
        )
        let name = description.name
        let zone = Zone(
            name: name,
            capacity: limits.maxPlaylistLength,
            seed: UInt64.random(in: .min ... .max),
            surroundings
        )
        let group = parts.makeOutputs(description) { [hop] _ in hop { $0.outputsChanged() } }
        let mixer = Mixer(group)
        var playing = PlayerConfiguration()
        playing.stream = description.stream
        let player = Player(output: mixer.makeChannel(), configuration: playing)
        zones.append(zone)
        outputs[name] = group
        mixers[name] = mixer
        desk.add(zone)
        zone.hasMixer = group.hasVolume
        knownOutputs[name] = group.members
        zone.connect(player) { [hop] event in hop { $0.zone(of: player)?.receive(event) } }
        zone.change { options in
            options.crossfade = Int(configuration.crossfade.components.seconds)
            options.replayGain = configuration.replayGain
        }
        return zone
    }

    /// Has a zone's player read streams as its configuration says now.
    func applyStreamOptions(to zone: Zone) {
        let options = streamOptions(of: zone)
        guard let player = zone.player else { return }
        Task {
            await player.setPreferredForwardBuffer(options.preferredForwardBuffer)
            await player.setPreferredPeakBitRate(options.preferredPeakBitRate)
        }
    }

    /// Ends a zone; its clients go to the default zone.
    func removeZone(_ zone: Zone) {
        zones.removeAll { $0 === zone }
        desk.remove(zone)
        outputs[zone.name] = nil
        mixers[zone.name] = nil
        knownOutputs[zone.name] = nil
        for client in clients.values where client.zone === zone { client.zone = defaultZone }
        zone.stop()
        announcer.zoneRemoved()
        let player = zone.player
        Task { await player?.close() }
        keeper?.zoneListChanged()
        note(.partition)
    }

    private func zone(of player: Player) -> Zone? { zones.first { $0.player === player } }

    /// Tells the clients of those zones whose outputs are not what they were.
    func outputsChanged() {
        for zone in zones {
            let members = outputs[zone.name]?.members ?? []
            guard members != knownOutputs[zone.name] else { continue }
            let before = knownOutputs[zone.name] ?? []
            logErrors(of: members, before: before)
            knownOutputs[zone.name] = members
            let hadMixer = zone.hasMixer
            zone.hasMixer = outputs[zone.name]?.hasVolume ?? false
            desk.noteServer(of: zone)
            if before.contains(where: { $0.error != nil }), !hasLostServer(zone) { learnDefaultSink() }
            desk.follow(zone)
            keeper?.noteChange(of: zone)
            var changes: Subsystems = hadMixer == zone.hasMixer ? [] : .mixer
            // Whether one is open just now is not told.
            if members.map(\.shown) != before.map(\.shown) { changes.insert(.output) }
            note(changes, in: zone)
        }
    }

    private func logErrors(of members: [OutputState], before: [OutputState]) {
        for member in members {
            let known = before.first { $0.name == member.name }?.error
            guard member.error != known else { continue }
            if let error = member.error {
                parts.log(.warning, "output \(member.name): \(error)")
            } else {
                parts.log(.notice, "output \(member.name): plays again")
            }
        }
    }

    /// Moves an output to a zone that had it when the server ended, from where the configuration has it.
    func bring(_ name: String, to zone: Zone) {
        guard let target = outputs[zone.name], !target.members.contains(where: { $0.name == name }),
            let source = outputs.values.first(where: { $0.members.contains { $0.name == name } }),
            let output = source.remove(name)
        else { return }
        target.insert(output)
        outputsChanged()
    }

    /// Moves what a zone plays to another one without a gap; what that one had is in the first zone then, stopped.
    func handOver(_ zone: Zone, to other: Zone, for client: Client) -> Outcome {
        guard let group = outputs[zone.name], let otherGroup = outputs[other.name] else { return .done }
        return perform(for: client) {
            exchange(group, otherGroup)
        } then: { [unowned self] in
            zone.exchange(with: other)
            outputs[zone.name] = otherGroup
            outputs[other.name] = group
            let mixer = mixers[zone.name]
            mixers[zone.name] = mixers[other.name]
            mixers[other.name] = mixer
            for zone in [zone, other] { applyStreamOptions(to: zone) }
            zone.stop()
            keeper?.zonesExchanged([zone, other])
            outputsChanged()
            return .done
        }
    }

    /// Writes down what happened to the stream that a zone plays.
    private func noteStream(of zone: Zone, _ news: StreamNews) {
        let song = zone.queue.currentEntry.map { withoutCredentials($0.song.uri) } ?? ""
        switch news {
        case .lost(let wait): parts.log(.warning, "zone \(zone.name): \(song): \(wait.reason); trying again")
        case .restored(let seconds):
            parts.log(.notice, "zone \(zone.name): \(song): back after \(Int(seconds.rounded())) s")
        case .stalled: parts.log(.notice, "zone \(zone.name): \(song): too little came in time; waiting for more")
        }
        desk.noteStream(of: zone, song, news)
    }

    private func zoneChanged(_ zone: Zone, _ changes: ZoneChanges) {
        if changes == .stream { return note(.player, in: zone) }
        if let error = zone.error, error != loggedErrors[zone.name] {
            parts.log(.warning, "zone \(zone.name): \(error)")
        }
        loggedErrors[zone.name] = zone.error
        desk.zoneChanged(zone)
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

/// Gives each of two groups the outputs of the other.
///
/// Those that are to be heard are there before the others leave. Blocks for a moment.
private func exchange(_ group: OutputGroup, _ other: OutputGroup) {
    let leaving = group.members.map(\.name)
    let coming = other.members.map(\.name)
    var waiting: [DetachedOutput] = []
    for output in coming.compactMap(other.remove) where !group.insert(output) { waiting.append(output) }
    for output in leaving.compactMap(group.remove) { other.insert(output) }
    for output in waiting { group.insert(output) }
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

extension OutputState {
    /// What clients see of it.
    fileprivate var shown: OutputState {
        var shown = self
        shown.isOpen = false
        shown.error = nil
        return shown
    }
}
