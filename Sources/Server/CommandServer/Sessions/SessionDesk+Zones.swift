internal import AudioSessions
internal import Configuration
internal import Playlists
internal import Songs
internal import StateStore
internal import Zones

/// Zones take part in the arbitration, as well-behaved players do.
extension SessionDesk {
    func zone(of id: SessionID) -> Zone? {
        zoneSessions.first { $0.value.id == id }.flatMap { server.zone(named: $0.key) }
    }

    /// Gives a zone its session.
    func add(_ zone: Zone) {
        let configuration = server.sessionConfiguration(of: zone)
        let id = try? open(
            at: server.place(of: zone),
            name: zone.name,
            kind: .zone,
            owner: "segued",
            configuration: configuration
        )
        guard let id else { return }
        zoneSessions[zone.name] = KnownZone(id: id, configuration: configuration)
        let resumes = server.sessionSettings(of: zone).resumesAutomatically
        _ = try? handle(.prefer(id, .autoResume(resumes)), of: id)
    }

    func remove(_ zone: Zone) {
        categories[zone.name] = nil
        guard let session = zoneSessions.removeValue(forKey: zone.name) else { return }
        close(session.id)
    }

    /// A zone asks for the right to be heard.
    ///
    /// - Returns: How many seconds it has to wait until others are silent.
    func claim(_ zone: Zone) throws(ZoneError) -> Double {
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

    /// A zone that is interrupted was paused or stopped by somebody, so it does not come back.
    func staysPaused(_ zone: Zone) {
        guard zone.interruption != nil, let id = zoneSessions[zone.name]?.id else { return }
        _ = try? handle(.playing(id, false), of: id)
    }

    /// Follows what a zone does.
    func zoneChanged(_ zone: Zone) {
        guard let id = zoneSessions[zone.name]?.id, let session = session(id) else { return }
        configure(zone)
        noteServer(of: zone)
        if zoneSessions[zone.name]?.state != zone.state {
            let interrupter = zone.interruption.map { describe(SessionID($0)) }
            zoneSessions[zone.name]?.state = zone.state
            zoneSessions[zone.name]?.word = (interrupter ?? speaker, wallClock())
        }
        switch zone.state {
        case .play:
            // What was handed over had asked elsewhere.
            if session.state != .active { _ = try? handle(.activate(id), of: id) }
            if !session.isPlaying { _ = try? handle(.playing(id, true), of: id) }
        case .pause:
            if zone.interruption == nil, session.isPlaying { _ = try? handle(.playing(id, false), of: id) }
        case .stop:
            guard session.state != .inactive else { return }
            _ = try? handle(.playing(id, false), of: id)
            // What a media player interrupted does not come back by itself.
            _ = try? handle(.deactivate(id, notifyOthers: false), of: id)
            zone.endInterruption()
        }
    }

    /// A zone's outputs or its route have changed: its session goes where it is heard.
    func follow(_ zone: Zone) {
        guard let known = zoneSessions[zone.name], let old = places[known.id] else { return }
        let place = server.place(of: zone)
        guard place != old else { return }
        move(known.id, to: place, known.configuration)
        zone.endInterruption()
        if zone.state == .play, (try? claim(zone)) == nil { zone.interrupt(by: known.id.rawValue, fadingOver: fade) }
        settle(place)
    }

    /// Sets what a zone's session is, until the server ends.
    func configure(_ zone: Zone, as configuration: SessionConfiguration) throws(SessionError) -> Double {
        guard let id = zoneSessions[zone.name]?.id else { return 0 }
        guard configuration.category.hasOutput else {
            throw SessionError(.incompatibleCategory, "a zone plays, which \(configuration.category.rawValue) cannot")
        }
        let wait = try handle(.configure(id, configuration), of: id)
        zoneSessions[zone.name]?.configuration = configuration
        categories[zone.name] = configuration
        server.keeper?.sessionsChanged(Record(zone: zone.name, configuration))
        return wait
    }

    /// Has the session's mode follow what is played: speech gives way to prompts instead of being ducked.
    private func configure(_ zone: Zone) {
        guard let known = zoneSessions[zone.name], let session = session(known.id), zone.state != .stop else { return }
        var wanted = known.configuration
        if wanted.mode == .default, let song = zone.queue.currentEntry?.song, server.isSpoken(song) {
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

    func interrupt(_ id: SessionID, by interrupter: Interrupter) {
        if let zone = zone(of: id) {
            var number = id.rawValue
            if case .session(let other) = interrupter { number = other.rawValue }
            zone.interrupt(by: number, fadingOver: fade)
        } else {
            server.announcer.interrupted(id, by: interrupter)
        }
    }

    /// The system ended a session, or its owner did.
    func fallSilent(_ id: SessionID) {
        guard id != moving, let zone = zone(of: id), zone.state == .play else { return }
        zone.fallSilent(over: fade)
    }

    /// Has a zone play on after an interruption, if it may.
    func bringBack(_ id: SessionID) {
        guard let zone = zone(of: id), (try? handle(.activate(id), of: id)) != nil else { return }
        zone.resume(over: fade)
        _ = try? handle(.playing(id, true), of: id)
    }

    /// Makes the zones at a sink as loud as they may be.
    func settle(_ place: String) {
        let ramp = server.configuration.session.duckRamp.seconds
        for (name, known) in zoneSessions where places[known.id] == place {
            guard let zone = server.zone(named: name) else { continue }
            // What begins under a voice begins as quiet as it is to be.
            zone.duck(to: gain(of: known.id), over: zone.state == .play ? ramp : 0)
        }
        server.announcer.settle(place, over: ramp)
    }

    /// What others have a session's sound lowered to, in dB; 0 for nothing.
    func gain(of id: SessionID) -> Double {
        guard let place = places[id], let session = session(id) else { return 0 }
        if session.isMuted { return Self.silence }
        guard session.isDucked else { return 0 }
        let usual = server.configuration.session.duck
        let depths = arbiter(at: place).causes(for: id).compactMap { cause in
            if case .ducked(let ducker, _) = cause { duckDepths[ducker] ?? usual } else { nil }
        }
        return -(depths.max() ?? usual)
    }

    /// In dB.
    static let silence = -120.0
}

/// The sound server goes and comes.
extension SessionDesk {
    /// What is known of the sound server at a place, once it was lost.
    enum LostServer {
        /// Somebody plays, and so looks for it.
        case isLookedFor
        /// Nobody looks for it while nothing plays; whoever wants it may find it again.
        case mayBeBack
    }

    /// Tells sessions when the sound server of a zone is gone, and when it is back.
    func noteServer(of zone: Zone) {
        let place = server.place(of: zone)
        let zones = server.zones.filter { server.place(of: $0) == place }
        let isLost = zones.contains(where: server.hasLostServer)
        let isPlaying = zones.contains { $0.state == .play }
        let known = lostServers[place]
        let now: LostServer? = !isLost ? nil : isPlaying ? .isLookedFor : .mayBeBack
        guard now != known else { return }
        lostServers[place] = now
        if known == nil || now == .isLookedFor { handleSurely(.mediaServicesLost, at: place) }
        if known == .isLookedFor || now == .mayBeBack { handleSurely(.mediaServicesReset, at: place) }
    }
}
