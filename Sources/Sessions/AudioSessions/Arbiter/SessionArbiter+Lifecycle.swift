extension SessionArbiter {
    mutating func open(_ session: AudioSession) throws(SessionError) {
        guard table[session.id] == nil else {
            throw SessionError(.badParam, "session \(session.id) exists already; numbers are never used twice")
        }
        guard session.kind != .system else {
            throw SessionError(.badParam, "session \(session.id) is the system's; begin a system interruption")
        }
        insert(session)
        recordPromptStyle(of: session.id)
    }

    mutating func close(_ id: SessionID) throws(SessionError) {
        let session = try find(id)
        guard session.kind != .system else { return try end(id, resume: false) }
        switch session.state {
        case .active:
            becomeInactive(id, source: .app)
            release(waitingFor: id, notify: false)
        case .interrupted:
            passOnWaiting(for: id, notify: false)
            forgetInterruptions(of: id)
        case .inactive:
            if returning[id] != nil { release(waitingFor: id, notify: true) }
        }
        remove(id)
    }

    mutating func configure(_ id: SessionID, _ configuration: SessionConfiguration) throws(SessionError) {
        let session = try findOwned(id)
        try requireMediaServices(for: session)
        let old = session.configuration
        guard configuration != old else { return }
        if session.isActive { try adopt(configuration, replacing: old, of: session) }
        update(id) { $0.configuration = configuration }
        recordPromptStyle(of: id)
        settleLevels()
        notice(id, .categoryChanged)
    }

    /// Applies a new configuration to an active session, which gains as if by an activation.
    private mutating func adopt(
        _ new: SessionConfiguration,
        replacing old: SessionConfiguration,
        of session: AudioSession
    ) throws(SessionError) {
        if session.isPlaying && !new.category.hasOutput || session.isRecording && !new.category.hasInput {
            throw SessionError(
                .isBusy,
                "session \(session.id) is running, which category \(new.category) does not allow; stop it first"
            )
        }
        let becomesExclusive = old.isMixable && !new.isMixable
        let gainsInput =
            new.category.hasInput && !old.category.hasInput || new.category.needsInput && !old.category.needsInput
        if becomesExclusive || gainsInput || new.category.isSilenceable { try admit(session, with: new) }
        takePlace(
            of: becomesExclusive,
            speakers: interruptsSpeech(new) && !interruptsSpeech(old),
            for: session
        )
    }

    mutating func prefer(_ preference: SessionPreference, for id: SessionID) throws(SessionError) {
        _ = try findOwned(id)
        update(id) { session in
            switch preference {
            case .noInterruptionsFromSystemAlerts(let isOn): session.prefersNoInterruptionsFromSystemAlerts = isOn
            case .interruptionOnRouteDisconnect(let choice): session.prefersInterruptionOnRouteDisconnect = choice
            case .autoResume(let isOn): session.autoResume = isOn
            }
        }
    }

    mutating func setBackground(_ isBackground: Bool, of id: SessionID) throws(SessionError) {
        let session = try findOwned(id)
        update(id) { $0.isBackground = isBackground }
        if isBackground, session.isActive, session.configuration.category.isSilenceable { retire(id) }
    }

    mutating func setSuspended(_ isSuspended: Bool, of id: SessionID) throws(SessionError) {
        let session = try findOwned(id)
        update(id) { $0.isSuspended = isSuspended }
        if isSuspended, session.isActive { retire(id) }
    }

    mutating func loseMediaServices() {
        guard !areMediaServicesLost else { return }
        areMediaServicesLost = true
        notice(nil, .mediaServicesLost)
    }

    /// Resets clients' sessions; the server's own continue.
    mutating func resetMediaServices() {
        areMediaServicesLost = false
        for id in table.keys.sorted() where table[id]?.kind == .client {
            // Each in the state in which the ones before have left it.
            switch table[id]?.state {
            case .active: retire(id)
            case .interrupted: abandonInterruption(of: id, notify: false)
            case .inactive, nil: if returning[id] != nil { release(waitingFor: id, notify: true) }
            }
            update(id) {
                $0.configuration = .initial
                $0.prefersNoInterruptionsFromSystemAlerts = false
                $0.prefersInterruptionOnRouteDisconnect = nil
                $0.autoResume = false
            }
        }
        notice(nil, .mediaServicesReset)
    }

    func requireMediaServices(for session: AudioSession) throws(SessionError) {
        guard areMediaServicesLost, session.kind == .client else { return }
        throw SessionError(
            .mediaServicesFailed,
            "the sound server is gone; set up session \(session.id) again after mediaServicesReset"
        )
    }
}
