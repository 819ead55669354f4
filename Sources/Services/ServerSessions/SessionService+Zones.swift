package import AudioSessions
internal import OutputGroups
internal import Playlists
internal import ServerBasics
internal import ServerRooms
internal import Settings
internal import Songs
internal import StateStore
package import Zones

/// The sessions of zones, which take part in arbitration like any well-behaved player.
extension SessionService {
    package func zone(of id: SessionID) -> Zone? {
        zoneSessions.first { $0.value.id == id }.flatMap { rooms.zone(named: $0.key) }
    }

    /// Opens a session for a zone.
    package func add(_ zone: Zone) {
        let configuration = sessionConfiguration(of: zone)
        let id = try? open(
            at: rooms.places(of: zone),
            name: zone.name,
            kind: .zone,
            owner: "segued",
            configuration: configuration
        )
        guard let id else { return }
        zoneSessions[zone.name] = KnownZone(id: id, configuration: configuration)
        let resumes = settings(of: zone).resumesAutomatically
        _ = try? handle(.prefer(id, .autoResume(resumes)), of: id)
        applyLossPolicy(of: zone)
    }

    /// Zones that wait for a lost sink, or go on elsewhere, are not interrupted by its loss.
    package func applyLossPolicy(of zone: Zone) {
        guard let id = zoneSessions[zone.name]?.id else { return }
        let pauses = rooms[zone]?.outputs.members.contains { $0.plugin.hasSinks && $0.isEnabled && $0.pausesWhenLost }
        _ = try? handle(.prefer(id, .interruptionOnRouteDisconnect(pauses == true ? nil : false)), of: id)
    }

    /// Interrupts a zone while the sound server asks for silence, as PulseAudio's role modules do for calls.
    package func requestSilence(_ isRequested: Bool, of zone: Zone) {
        if let known = requestedSilences.removeValue(forKey: zone.name) { _ = endInterruption(known, resume: true) }
        guard isRequested else { return }
        let call = SystemInterruption(.call, name: "sound server", owner: "the sound server")
        interruptsAtOnce = true
        defer { interruptsAtOnce = false }
        requestedSilences[zone.name] = try? begin(call, in: [zone]).0
    }

    package func remove(_ zone: Zone) {
        requestSilence(false, of: zone)
        categories[zone.name] = nil
        guard let session = zoneSessions.removeValue(forKey: zone.name) else { return }
        close(session.id)
    }

    /// Activates a zone's session so that the zone may be heard.
    ///
    /// - Returns: How many seconds it has to wait until others are silent.
    package func claim(_ zone: Zone) throws(ZoneError) -> Double {
        guard let id = zoneSessions[zone.name]?.id else { return 0 }
        do throws(SessionError) {
            let wait = try handle(.activate(id), of: id)
            do throws(SessionError) {
                try handle(.playing(id, true), of: id)
            } catch {
                _ = try? handle(.deactivate(id, notifyOthers: true), of: id)
                throw error
            }
            return wait
        } catch {
            throw .refused(error.description)
        }
    }

    /// Whether a zone is interrupted by what its own activation would not interrupt: a call, an alarm, a prompt.
    package func isHeldBack(_ zone: Zone) -> Bool {
        guard let session = zoneSessions[zone.name].flatMap({ session($0.id) }) else { return false }
        return session.interruptedBy.compactMap(self.session).contains { other in
            other.kind == .system || other.configuration.isMixable || other.sessionClass > session.sessionClass
        }
    }

    /// Decides whether an interrupted zone resumes when the interruption ends.
    package func willResume(_ zone: Zone, _ resumes: Bool) {
        guard let id = zoneSessions[zone.name]?.id else { return }
        if !resumes, let speaker { zoneSessions[zone.name]?.word = (.other(speaker), clock.now) }
        _ = try? handle(.resumption(id, resumes), of: id)
    }

    /// The cause of a zone's interruption, in words; `nil` while it is not interrupted.
    package func interrupter(of zone: Zone) -> String? { interruptingPauser(of: zone)?.description }

    private func interruptingPauser(of zone: Zone) -> Pauser? {
        zone.interruption.map { number in
            number == zoneSessions[zone.name]?.id.rawValue
                ? .other("the loss of its sink") : .session(title(SessionID(number)))
        }
    }

    /// Updates a zone's session after the zone's state has changed.
    package func zoneChanged(_ zone: Zone) {
        guard let id = zoneSessions[zone.name]?.id, let session = session(id) else { return }
        configure(zone)
        updateServer(of: zone)
        if zoneSessions[zone.name]?.state != zone.state {
            // Neither an interruption nor the server stops a zone.
            let pauser = interruptingPauser(of: zone) ?? zone.ownPause.map { _ in .other(Room.pauseWithoutOutput) }
            let who = (zone.state == .pause ? pauser : nil) ?? speaker.map { .other($0) }
            zoneSessions[zone.name]?.state = zone.state
            zoneSessions[zone.name]?.word = (who, clock.now)
        }
        switch zone.state {
        case .play:
            // Playback that was handed over was activated in another zone.
            if session.state != .active { _ = try? handle(.activate(id), of: id) }
            if !session.isPlaying { _ = try? handle(.playing(id, true), of: id) }
        case .pause:
            if zone.interruption == nil, session.isPlaying { _ = try? handle(.playing(id, false), of: id) }
        case .stop:
            guard session.state != .inactive else { return }
            _ = try? handle(.playing(id, false), of: id)
            // Sessions that a media player interrupted do not resume by themselves.
            _ = try? handle(.deactivate(id, notifyOthers: false), of: id)
            zone.endInterruption()
        }
    }

    /// Moves a zone's session, and those of its clients, to where the zone is heard after its outputs have changed.
    ///
    /// A zone that a call or a program had interrupted where it was resumes here, one that had given way to another zone
    /// does not: music that was replaced does not begin in another room. A zone that comes to a call waits for its end.
    package func updatePlaces(of zone: Zone) {
        guard let known = zoneSessions[zone.name], let old = places[known.id] else { return }
        let new = rooms.places(of: zone)
        guard new != old else { return }
        let followers = clientSessions.filter { $0.value.zone == zone.name && $0.value.followsZone }.keys.sorted()
        for id in followers { moveFollower(id, to: new) }
        let gaveWay = session(known.id)?.interruptedBy.contains { session($0)?.kind == .zone } == true
        let isToPlay = zone.state == .play || zone.lastingState == .play && !gaveWay
        move(known.id, to: new, isToPlay: isToPlay, known.configuration)
        if let session = session(known.id), session.state != .interrupted {
            zone.endInterruption()
            if isToPlay { zone.resume(over: fade) }
        }
        delegate.zoneMoved(zone, from: old[0])
        for place in Set(old + new).sorted() { settle(place) }
    }

    private func moveFollower(_ id: SessionID, to new: [String]) {
        guard let session = session(id) else { return }
        let isToPlay = session.isPlaying || session.state == .interrupted && session.resumesWhenReleased
        let staysActive = session.state == .active && !isToPlay
        move(id, to: new, isToPlay: isToPlay, staysActive: staysActive, session.configuration)
    }

    /// Configures a zone's session, until the server ends.
    package func configure(_ zone: Zone, as configuration: SessionConfiguration) throws(SessionError) -> Double {
        guard let id = zoneSessions[zone.name]?.id else { return 0 }
        guard configuration.category.hasOutput else {
            throw SessionError(.incompatibleCategory, "a zone plays, which \(configuration.category.rawValue) cannot")
        }
        let wait = try handle(.configure(id, configuration), of: id)
        zoneSessions[zone.name]?.configuration = configuration
        categories[zone.name] = configuration
        delegate.sessionSettingChanged(Record(zone: zone.name, configuration))
        return wait
    }

    /// Sets the session's mode by the current content: prompts pause speech instead of ducking it.
    private func configure(_ zone: Zone) {
        guard let known = zoneSessions[zone.name], let session = session(known.id), zone.state != .stop else { return }
        var wanted = known.configuration
        if wanted.mode == .default, let song = zone.queue.currentEntry?.song, delegate.isSpoken(song) {
            let spoken = try? SessionConfiguration(
                category: wanted.category,
                mode: .spokenAudio,
                options: wanted.options,
                policy: wanted.policy
            )
            wanted = spoken ?? wanted
        }
        if wanted != session.configuration { _ = try? handle(.configure(known.id, wanted), of: known.id) }
    }

    // MARK: Effects

    package func interrupt(_ id: SessionID, by interrupter: Interrupter) {
        if let zone = zone(of: id) {
            guard interrupter != .route else { return zone.interruptForRoute(id.rawValue) }
            var number = id.rawValue
            if case .session(let other) = interrupter { number = other.rawValue }
            zone.interrupt(by: number, fadingOver: interruptsAtOnce ? 0 : fade)
        } else if session(id)?.kind == .foreign {
            delegate.foreignSessions.interrupt(id)
        } else {
            delegate.announcementInterrupted(id, by: interrupter)
        }
    }

    /// Stops the sound of a session that the system or its owner has ended.
    package func fallSilent(_ id: SessionID) {
        guard id != moving, let zone = zone(of: id), zone.state == .play else { return }
        zone.fallSilent(over: fade)
    }

    /// Resumes a session after an interruption, if it may resume; a client plays when it reads of the activation.
    package func bringBack(_ id: SessionID) {
        // A media player that was paused is asked to play, and its stream tells when it does.
        guard session(id)?.kind != .foreign || delegate.foreignSessions.isPlaying(id) else { return }
        guard (try? handle(.activate(id), of: id)) != nil else { return }
        zone(of: id)?.resume(over: fade)
        _ = try? handle(.playing(id, true), of: id)
    }

    /// Applies the gains of the zones at a sink.
    package func settle(_ place: String) {
        let ramp = configuration.value.session.duckRamp.seconds
        for (name, known) in zoneSessions where places[known.id]?.contains(place) == true {
            guard let zone = rooms.zone(named: name) else { continue }
            // Playback that starts during ducking starts at the ducked level.
            zone.duck(to: gain(of: known.id), over: zone.state == .play ? ramp : 0)
        }
        delegate.settleAnnouncements(at: place, over: ramp)
        delegate.foreignSessions.settle(place)
        recordGains(at: place)
    }

    /// Logs that sessions which were ducked already are ducked by another depth now.
    private func recordGains(at place: String) {
        let changed = arbiter(at: place).sessions.filter { $0.isDucked && duckGains[$0.id] != duckGain(of: $0.id) }
        for session in changed { record(.ducked, of: session.id) }
        if !changed.isEmpty { delegate.sessionsChanged() }
    }

    /// The gain that other sessions impose on a session, in dB; 0 for none.
    package func gain(of id: SessionID) -> Double {
        guard let session = session(id) else { return 0 }
        if session.isMuted { return Self.silence }
        return session.isDucked ? duckGain(of: id) : 0
    }

    /// The gain that its duckers impose on a session, in dB.
    package func duckGain(of id: SessionID) -> Double {
        let usual = configuration.value.session.duck
        let depths = causes(for: id).compactMap { cause in
            if case .ducked(let ducker, _) = cause { duckDepths[ducker] ?? usual } else { nil }
        }
        return -(depths.max() ?? usual)
    }

    /// In dB.
    package static let silence = -120.0
}

/// Loss and return of sound servers.
extension SessionService {
    /// The state of a place whose sound server was lost.
    package enum LostServer {
        case isGone
        /// It answers again, but no zone has connected since, because none has played.
        case answers
    }

    /// Notifies sessions when a zone's sound server is lost, and when it is back.
    ///
    /// A zone that plays reconnects by itself; for others the monitor tells that the server is there.
    package func updateServer(of zone: Zone) {
        let known = zoneSessions[zone.name].flatMap { places[$0.id] } ?? []
        for place in Set(rooms.places(of: zone) + known).sorted() { updateServer(at: place) }
    }

    private func updateServer(at place: String) {
        let zones = rooms.zones.filter { rooms.places(of: $0).contains(place) }
        let isLost = zones.contains { rooms[$0]?.hasLostServer == true }
        switch lostServers[place] {
        case nil: if isLost { serverIsGone(at: place) }
        case .isGone where !isLost: serverIsBack(at: place, nil)
        case .answers where !isLost: lostServers[place] = nil
        case .answers, .isGone: break
        }
    }

    /// Handles that the monitor of a sound server has lost or reached it.
    ///
    /// - Parameter server: The address; empty for the default.
    package func serverAnswers(_ isThere: Bool, _ server: String) {
        for (place, state) in lostServers.sorted(by: { $0.key < $1.key }) where place.hasPrefix("sink:\(server)/") {
            switch (state, isThere) {
            case (.isGone, true): serverIsBack(at: place, .answers)
            case (.answers, false): serverIsGone(at: place)
            case (.isGone, false), (.answers, true): break
            }
        }
    }

    private func serverIsGone(at place: String) {
        let isNews = !isServerGone(of: place)
        lostServers[place] = .isGone
        handleIgnoringErrors(.mediaServicesLost, at: place)
        if isNews { recordServer(.mediaServicesLost) }
    }

    private func serverIsBack(at place: String, _ state: LostServer?) {
        lostServers[place] = state
        handleIgnoringErrors(.mediaServicesReset, at: place)
        if !isServerGone(of: place) { recordServer(.mediaServicesReset) }
    }

    /// Logs the loss or the return of a sound server once, whatever sinks it has.
    private func recordServer(_ notice: SessionNotice) {
        record(notice, of: nil)
        delegate.sessionsChanged()
    }

    /// Whether the sound server of a place is gone at any of its sinks.
    private func isServerGone(of place: String) -> Bool {
        // Names of sinks have no slash.
        let server = place.lastIndex(of: "/").map { place[...$0] } ?? place[...]
        return lostServers.contains { $0.key.hasPrefix(server) && $0.value == .isGone }
    }
}
