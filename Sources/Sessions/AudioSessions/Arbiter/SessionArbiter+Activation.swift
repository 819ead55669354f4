extension SessionArbiter {
    mutating func activate(_ id: SessionID) throws(SessionError) {
        let session = try findOwned(id)
        guard !session.isActive else { return }
        try admit(session, with: session.configuration)
        if session.state == .interrupted { endOwnInterruption(of: id) }
        returning[id] = nil
        takePlace(
            of: !session.configuration.isMixable,
            speakers: interruptsSpeech(session.configuration),
            for: session
        )
        becomeActive(id)
    }

    mutating func deactivate(_ id: SessionID, notifyOthers: Bool) throws(SessionError) {
        let session = try findOwned(id)
        switch session.state {
        case .active:
            if session.isPlaying && policy.refusesBusyDeactivation {
                throw SessionError(.isBusy, "session \(id) plays; stop it first")
            }
            becomeInactive(id, source: .app)
            release(waitingFor: id, notify: notifyOthers)
        case .interrupted:
            abandonInterruption(of: id, notify: notifyOthers)
        case .inactive:
            if returning[id] != nil { release(waitingFor: id, notify: true) }
        }
    }

    mutating func report(playing isPlaying: Bool, by id: SessionID) throws(SessionError) {
        let session = try findOwned(id)
        guard isPlaying else {
            stopRunning(session) { $0.isPlaying = false }
            return
        }
        try requireMediaServices(for: session)
        guard session.configuration.category.hasOutput else {
            throw SessionError(
                .incompatibleCategory,
                "session \(id) is of category \(session.configuration.category), which plays nothing"
            )
        }
        try requireActive(session)
        update(id) { $0.isPlaying = true }
    }

    mutating func report(recording isRecording: Bool, by id: SessionID) throws(SessionError) {
        let session = try findOwned(id)
        guard isRecording else {
            stopRunning(session) { $0.isRecording = false }
            return
        }
        try requireMediaServices(for: session)
        guard session.configuration.category.hasInput else {
            throw SessionError(
                .incompatibleCategory,
                "session \(id) is of category \(session.configuration.category), which records nothing"
            )
        }
        try requireActive(session)
        if session.isBackground, session.configuration.isMixable, !session.isRecording {
            throw SessionError(
                .cannotStartRecording,
                "session \(id) mixes and is in the background; bring it to the foreground first"
            )
        }
        update(id) { $0.isRecording = true }
    }

    mutating func decide(resumes: Bool, for id: SessionID) throws(SessionError) {
        let session = try findOwned(id)
        guard session.state == .interrupted else { return }
        update(id) { $0.resumesWhenReleased = resumes }
    }

    private func requireActive(_ session: AudioSession) throws(SessionError) {
        guard !session.isActive else { return }
        throw SessionError(.sessionNotActive, "session \(session.id) is \(session.state); activate it first")
    }

    /// Handles a report of silence, which also means that the session is not to be resumed.
    private mutating func stopRunning(_ session: AudioSession, _ change: (inout AudioSession) -> Void) {
        update(session.id) {
            change(&$0)
            $0.resumesWhenReleased = false
        }
        if returning[session.id] != nil { release(waitingFor: session.id, notify: true) }
    }

    mutating func becomeActive(_ id: SessionID) {
        update(id) { [now, order] in
            $0.state = .active
            $0.activeSince = now
            $0.activatedOrder = order
        }
        settleLevels()
        effects.append(.activate(id))
        notice(id, .didBecomeActive)
    }

    /// Deactivates a session and ends its effects on others' levels.
    mutating func becomeInactive(_ id: SessionID, source: SessionNotice.Source) {
        effects.append(.deactivate(id))
        leave(id) { $0.state = .inactive }
        notice(id, .didBecomeInactive(source: source, reason: nil))
        settleLevels()
    }

    /// Deactivates a session on behalf of the system, without an interruption.
    mutating func retire(_ id: SessionID) {
        becomeInactive(id, source: .system)
        release(waitingFor: id, notify: false)
    }

    /// Removes a session from the active ones: it is silent, so nothing ducks or mutes it.
    mutating func leave(_ id: SessionID, _ change: (inout AudioSession) -> Void) {
        guard let session = table[id] else { return }
        update(id) {
            change(&$0)
            $0.isPlaying = false
            $0.isRecording = false
            $0.isDucked = false
            $0.isMuted = false
            $0.activeSince = nil
        }
        unsettled.remove(id)
        if session.isDucked {
            effects.append(.unduck(id))
            notice(id, .unducked)
        }
        if session.isMuted { effects.append(.unmute(id)) }
    }
}
