internal import AudioTypes
package import Authorization
package import LineProtocol
internal import Mixers
package import NIOCore
internal import OutputGroups
internal import Outputs
internal import Playback
internal import Playlists
package import ServerBasics
internal import ServerPersistence
package import ServerRooms
package import ServerSessions
package import Settings
internal import Songs
package import Threads
package import Zones

/// Creates and removes zones with their players, and reports their events.
///
/// Belongs to the server's event loop.
package final class ZoneService {
    private let rooms: Rooms
    private let audioSessions: SessionService
    private let configuration: CurrentConfiguration
    private let jobs: ClientJobs
    private let work: WorkThreads
    private let loop: any EventLoop
    private unowned let delegate: any ZoneServiceDelegate
    private lazy var onLoop = LoopExecutor(for: self, on: loop)
    package private(set) var playTime = PlayTime()
    /// The places whose sinks' volumes have changed, and that sessions are not told of yet.
    private var turnedPlaces: Set<String> = []

    package init(
        _ rooms: Rooms,
        _ audioSessions: SessionService,
        _ configuration: CurrentConfiguration,
        _ jobs: ClientJobs,
        _ work: WorkThreads,
        loop: any EventLoop,
        delegate: any ZoneServiceDelegate
    ) {
        self.rooms = rooms
        self.audioSessions = audioSessions
        self.configuration = configuration
        self.jobs = jobs
        self.work = work
        self.loop = loop
        self.delegate = delegate
    }

    /// Applies a new configuration to the zones.
    ///
    /// Settings made by clients stay, unless their configured values have changed.
    package func configurationChanged(from old: Configuration) {
        let new = configuration.value
        let seconds = Int(new.crossfade.components.seconds)
        for zone in rooms.zones {
            if new.replayGain != old.replayGain { zone.change { $0.replayGain = new.replayGain } }
            if new.crossfade != old.crossfade { zone.change { $0.crossfade = seconds } }
            if new.audioLanguages != old.audioLanguages { zone.change { $0.audioLanguages = new.audioLanguages } }
            applyStreamOptions(to: zone)
            zone.capacity = new.limits.maxPlaylistLength
        }
    }

    @discardableResult
    package func add(_ description: ZoneSettings) -> Zone {
        let dependencies = ZoneDependencies(
            medium: { [unowned self] in delegate.medium(of: $0) },
            changed: { [unowned self] zone, changes in zoneChanged(zone, changes) },
            claim: { [unowned self] zone throws(ZoneError) in try audioSessions.claim(zone) },
            isHeldBack: { [unowned self] zone in audioSessions.isHeldBack(zone) },
            willResume: { [unowned self] zone, resumes in audioSessions.willResume(zone, resumes) },
            streamNews: { [unowned self] zone, news in recordStream(of: zone, news) },
            silenceRequested: { [unowned self] zone, isRequested in audioSessions.requestSilence(isRequested, of: zone)
            },
            volumeHeld: { [unowned self] zone, volume in
                delegate.volumeHeld(of: zone, from: Int(saturating: volume.percent.rounded()))
            }
        )
        let zone = Zone(
            name: description.name,
            capacity: configuration.value.limits.maxPlaylistLength,
            seed: UInt64.random(in: .min ... .max),
            dependencies
        )
        holdCeiling(of: zone)
        let group = delegate.makeOutputs(description) { [onLoop] _ in onLoop { $0.outputsChanged() } }
        let mixer = Mixer(group)
        var playing = PlayerConfiguration()
        playing.stream = description.stream
        playing.resolve = delegate.resolve
        let player = Player(output: mixer.makeChannel(), configuration: playing)
        rooms.add(Room(zone, group, mixer))
        audioSessions.add(zone)
        zone.connect(player) { [onLoop] event in onLoop { $0.zone(of: player)?.receive(event) } }
        zone.change { options in
            options.crossfade = Int(configuration.value.crossfade.components.seconds)
            options.replayGain = configuration.value.replayGain
            options.audioLanguages = configuration.value.audioLanguages
        }
        return zone
    }

    /// Creates a zone for a client, and restores the state of an earlier zone of that name.
    package func make(_ name: String, for client: some JobClient) throws(AckError) -> Outcome {
        var settings = configured(name) ?? ZoneSettings(name: name, stream: configuration.value.stream)
        // Those of a configured zone that was removed are elsewhere now, and are brought back.
        settings.outputs = []
        guard let read = delegate.persistence?.reading(of: name) else {
            start(settings, with: nil)
            return .done
        }
        let outcome = try jobs.performWholly(for: client, on: .zones, read) { [unowned self] kept in
            rooms.comingNames.remove(name)
            start(settings, with: kept)
            return .done
        }
        rooms.comingNames.insert(name)
        return outcome
    }

    private func start(_ settings: ZoneSettings, with kept: ZoneOnDisk?) {
        let zone = add(settings)
        delegate.persistence?.keep(zone, kept)
        bringConfiguredOutputs(to: zone)
        delegate.persistence?.zoneListChanged()
        delegate.zonesChanged(.partition)
    }

    /// Throws when a loudspeaker would leave a zone that is limited at run time, or be taken by another zone, unless the client
    /// is that zone's owner.
    package func requireNoEscape(from zones: [Zone], _ rights: Rights) throws(AckError) {
        let limited = zones.first { zone in
            delegate.hasCeiling(zone.name) && !rights.permissions(in: zone.name).contains(.owner)
        }
        guard let name = limited?.name else { return }
        throw AckError(.permission, "a loudspeaker of zone \(name) would escape its limit: only its owner changes that")
    }

    /// Holds a zone to what it may play at most: by the configuration, and by its owner's decision.
    package func holdCeiling(of zone: Zone) {
        let ceiling = delegate.ceiling(of: zone.name)
        let volume = ceiling.volume(isRinging: delegate.isAlarmRinging(in: zone)) ?? 100
        zone.volumeCeiling = min(configured(zone.name)?.session.maxVolume ?? 100, volume)
        zone.speedCeiling = ceiling.speed ?? 4
    }

    private func configured(_ zone: String) -> ZoneSettings? {
        configuration.value.zones.first { $0.name == zone }
    }

    /// Whether the configuration has a zone of that name, so that it comes back with the next start.
    package func isConfigured(_ zone: String) -> Bool { configured(zone) != nil }

    /// Moves the outputs that the configuration gives to a zone back from the default zone, to which its removal has
    /// moved them.
    private func bringConfiguredOutputs(to zone: Zone) {
        for output in configured(zone.name)?.outputs ?? [] {
            let home = rooms[rooms.defaultZone]?.outputs.members.first { $0.name == output.name }
            guard let home, let move = rooms.bringing(output.name, to: zone, isEnabled: home.isEnabled) else {
                continue
            }
            work.submit(to: .outputs, move)
        }
    }

    /// Applies the configured stream options to a zone's player.
    package func applyStreamOptions(to zone: Zone) {
        let options = configuration.value.streamOptions(ofZone: zone.name)
        guard let player = zone.player else { return }
        Task {
            await player.setPreferredForwardBuffer(options.preferredForwardBuffer)
            await player.setPreferredPeakBitRate(options.preferredPeakBitRate)
        }
    }

    /// Removes a zone; its clients move to the default zone.
    package func remove(_ zone: Zone) {
        rooms.remove(zone)
        audioSessions.remove(zone)
        delegate.willRemove(zone)
        zone.stop()
        delegate.didRemove(zone)
        let player = zone.player
        Task { await player?.close() }
        delegate.persistence?.zoneListChanged()
        delegate.zonesChanged(.partition)
    }

    /// Removes a zone with all that it has: its outputs and its clients go to the default zone.
    package func removeWhole(_ zone: Zone, for client: some JobClient) throws(AckError) -> Outcome {
        guard zone !== rooms.defaultZone else { throw AckError(.unknownCommand, "cannot delete the default partition") }
        guard let room = rooms[zone], let home = rooms[rooms.defaultZone] else { return .done }
        zone.stop()
        return try changeOutputs(of: [room, home], for: client) { [source = room.outputs, target = home.outputs] in
            for output in source.members.map(\.name).compactMap(source.remove) { target.insert(output) }
        } then: { [unowned self] in
            if rooms[zone] != nil { remove(zone) }
            outputsChanged()
            delegate.zonesChanged(.output)
            return .done
        }
    }

    /// Changes the outputs of rooms on a thread, in steps of which nothing is told but the result.
    ///
    /// - Parameter then: Called on the event loop when that is done.
    package func changeOutputs(
        of rooms: [Room],
        for client: some JobClient,
        _ work: @escaping @Sendable () -> Void,
        then: @escaping () throws -> Outcome
    ) throws(AckError) -> Outcome {
        let groups = rooms.map(\.outputs)
        for room in rooms { room.openChanges += 1 }
        do throws(AckError) {
            return try jobs.performWholly(for: client, on: .outputs) {
                for group in groups { group.beginChange() }
                work()
                for group in groups { group.endChange() }
            } then: {
                for room in rooms { room.openChanges -= 1 }
                return try then()
            }
        } catch {
            for room in rooms { room.openChanges -= 1 }
            throw error
        }
    }

    private func zone(of player: Player) -> Zone? { rooms.zones.first { $0.player === player } }

    /// Notifies the clients of zones whose outputs have changed.
    package func outputsChanged() {
        for room in rooms.all {
            guard let change = room.takeOutputChange() else { continue }
            let zone = room.zone
            for (output, error) in change.errors {
                delegate.log(error == nil ? .notice : .warning, "output \(output): \(error ?? "plays again")")
            }
            for (output, count) in room.takeXruns(of: change.now) {
                delegate.log(.warning, "output \(output): the device ran dry; times so far: \(count)")
            }
            for route in change.routes { handle(route, in: zone) }
            pauseWithoutOutput(room)
            audioSessions.updateServer(of: zone)
            audioSessions.updatePlaces(of: zone)
            audioSessions.applyLossPolicy(of: zone)
            delegate.persistence?.recordChange(of: zone)
            var changes: Subsystems = change.mixerChanged ? .mixer : []
            if change.isShown { changes.insert(.output) }
            delegate.zoneChanged(zone, changes)
        }
    }

    /// Pauses a zone that plays without an enabled output, as MPD does.
    private func pauseWithoutOutput(_ room: Room) {
        guard room.openChanges == 0 else { return }
        if room.hasEnabledOutput || room.zone.state != .play { room.awaitsOutput = false }
        guard room.zone.state == .play, !room.hasEnabledOutput, !room.awaitsOutput else { return }
        room.zone.pause(becauseOf: Room.noOutput)
    }

    /// Notifies sessions that a zone's output is heard elsewhere, or that its sink is gone.
    private func handle(_ route: Room.RouteNews, in zone: Zone) {
        switch route {
        case .lost(let output, let loss):
            if rooms[zone]?.recordLoss() == true, !loss.pauses { try? zone.setPaused(false) }
            if loss.pauses { audioSessions.loseRoute(at: rooms.place(ofSink: loss.sink, server: output.server)) }
            // The sound server may not have told yet that the sink is gone.
            let lost = loss.keepsSink ? nil : loss.sink
            let isAnySink = rooms.hasSinks(ofServer: output.server, otherThan: lost)
            // An output that pauses is opened at the default sink at once, which is the one change to be told.
            if loss.pauses, isAnySink, output.device == nil { return }
            audioSessions.recordRoute(
                of: zone,
                isAnySink ? .oldDeviceUnavailable : .noSuitableRouteForCategory,
                from: loss.sink,
                to: ""
            )
        case .changed(let output, let change):
            guard let previous = change.previous, change.reason != .unknown else { return }
            if change.reason == .oldDeviceUnavailable, output.pausesWhenLost {
                audioSessions.loseRoute(at: rooms.place(ofSink: previous, server: output.server))
            }
            audioSessions.recordRoute(of: zone, change.reason, from: previous, to: change.sink, format: change.format)
        }
        delegate.zoneChanged(zone, .route)
    }

    /// Moves playback from one zone to another without a gap; the first zone gets what the other one had, stopped.
    package func handOver(_ zone: Zone, to other: Zone, for client: some JobClient) throws(AckError) -> Outcome {
        guard let room = rooms[zone], let otherRoom = rooms[other] else { return .done }
        let awaitsOutput = !otherRoom.hasOutputs
        return try changeOutputs(of: [room, otherRoom], for: client) {
            [group = room.outputs, otherGroup = otherRoom.outputs] in
            exchange(group, otherGroup)
        } then: { [unowned self] in
            otherRoom.awaitsOutput = awaitsOutput
            room.exchangeSound(with: otherRoom)
            for zone in [zone, other] { applyStreamOptions(to: zone) }
            zone.stop()
            delegate.persistence?.zonesExchanged([zone, other])
            outputsChanged()
            return .done
        }
    }

    /// Logs an event of the stream that a zone plays.
    private func recordStream(of zone: Zone, _ news: StreamNews) {
        let song = zone.queue.currentEntry.map { withoutCredentials($0.song.uri) } ?? ""
        switch news {
        case .lost(let wait): delegate.log(.warning, "zone \(zone.name): \(song): \(wait.reason); trying again")
        case .restored(let seconds):
            delegate.log(.notice, "zone \(zone.name): \(song): back after \(Int(saturating: seconds.rounded())) s")
        case .stalled:
            delegate.log(.notice, "zone \(zone.name): \(song): ran out of data; waiting for more")
        }
        audioSessions.recordStream(of: zone, song, news)
    }

    private func zoneChanged(_ zone: Zone, _ changes: ZoneChanges) {
        if changes == .progress { return delegate.progressChanged(in: zone) }
        if changes == .stream { return delegate.zoneChanged(zone, .player) }
        if let room = rooms[zone] { pauseWithoutOutput(room) }
        if let error = rooms[zone]?.takeNewError() { delegate.log(.warning, "zone \(zone.name): \(error)") }
        audioSessions.zoneChanged(zone)
        delegate.persistence?.recordChange(of: zone)
        var subsystems: Subsystems = []
        if changes.contains(.queue) { subsystems.insert(.playlist) }
        if changes.contains(.player) {
            subsystems.insert(.player)
            playTime.record(zone.name, isPlaying: zone.state == .play)
        }
        if changes.contains(.mixer) { subsystems.insert(.mixer) }
        if changes.contains(.options) { subsystems.insert(.options) }
        if changes.contains(.outputs) { subsystems.insert(.output) }
        delegate.zoneChanged(zone, subsystems)
    }

    // MARK: Where zones are heard

    /// Stores the sink that a client has routed a zone to.
    package func setRoute(of zone: Zone, to sink: String) {
        rooms[zone]?.route = sink
        outputsChanged()
        audioSessions.updatePlaces(of: zone)
        delegate.persistence?.recordChange(of: zone)
    }

    /// Receives changes of sound servers' sinks on any thread.
    package var sinkNews: @Sendable (String, [Sink], _ hasSource: Bool) -> Void {
        { [onLoop] server, sinks, hasSource in
            onLoop { service in
                service.audioSessions.setSource(hasSource, ofServer: server)
                service.sinksChanged(sinks, ofServer: server)
            }
        }
    }

    /// Handles a change of a sound server's sinks: zones that play to the default sink share a place with zones that
    /// name it, and sessions at a sink that is gone have lost their route.
    ///
    /// - Parameter server: The address; empty for the default.
    package func sinksChanged(_ sinks: [Sink], ofServer server: String) {
        let change = rooms.setSinks(sinks, ofServer: server)
        if !change.come.isEmpty {
            for zone in rooms.zones(onServer: server) { audioSessions.recordDevices(change.come, beside: zone) }
        }
        for name in change.gone { audioSessions.loseRoute(at: rooms.place(ofSink: name, server: server)) }
        for zone in rooms.zones { audioSessions.updatePlaces(of: zone) }
        audioSessions.serverAnswers(!sinks.isEmpty, server)
        recordVolumes(of: change.turned.map { rooms.place(ofSink: $0, server: server) })
    }

    /// Notifies sessions of their sinks' volumes, once for all steps of a slider within a tenth of a second.
    private func recordVolumes(of places: [String]) {
        guard !places.isEmpty else { return }
        defer { turnedPlaces.formUnion(places) }
        guard turnedPlaces.isEmpty else { return }
        _ = onLoop(in: 0.1) { service in
            for place in service.turnedPlaces.sorted() {
                if let sink = service.rooms.sink(at: place) { service.audioSessions.recordVolume(of: sink, at: place) }
            }
            service.turnedPlaces = []
        }
    }
}

/// Exchanges the outputs of two groups.
///
/// New outputs are added before the old ones are removed. Blocks for a moment.
private func exchange(_ group: OutputGroup, _ other: OutputGroup) {
    let leaving = group.members.map(\.name)
    let coming = other.members.map(\.name)
    var waiting: [DetachedOutput] = []
    // An output that comes has its own zone's volume at once: the other's may be above the ceiling.
    group.exchangeVolume(with: other)
    for output in coming.compactMap(other.remove) where !group.insert(output) { waiting.append(output) }
    for output in leaving.compactMap(group.remove) { other.insert(output) }
    for output in waiting { group.insert(output) }
}

/// The time spent playing since the server started, for `stats`.
package struct PlayTime {
    private var total: Double = 0
    private var since: [String: HostTime] = [:]

    package mutating func record(_ zone: String, isPlaying: Bool) {
        if isPlaying {
            if since[zone] == nil { since[zone] = .now }
        } else if let start = since.removeValue(forKey: zone) {
            total += .now - start
        }
    }

    /// In seconds.
    package var seconds: Double { since.values.reduce(total) { $0 + (.now - $1) } }
}
