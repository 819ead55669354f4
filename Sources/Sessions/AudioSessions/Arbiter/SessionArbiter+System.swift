extension SessionArbiter {
    mutating func begin(_ alert: SystemInterruption, as id: SessionID) throws(SessionError) {
        guard table[id] == nil else {
            throw SessionError(.badParam, "session \(id) exists already; numbers are never used twice")
        }
        guard alert.sessionClass != .normal else {
            throw SessionError(.badParam, "a system interruption is of class call, alarm or assistant")
        }
        var session = AudioSession(
            id: id,
            name: alert.name,
            kind: .system,
            owner: alert.owner,
            sessionClass: alert.sessionClass,
            configuration: .system(alert.sessionClass)
        )
        session.alert = alert
        insert(session)
        interruptAll(by: session)
        update(id) { [now, order] in
            $0.state = .active
            $0.isPlaying = true
            $0.isRecording = alert.isRecording
            $0.activeSince = now
            $0.activatedOrder = order
        }
        notice(id, .didBecomeActive)
    }

    mutating func accept(_ id: SessionID) throws(SessionError) {
        let session = try findAlert(id)
        guard let alert = session.alert, alert.style == .banner else { return }
        let accepted = SystemInterruption(
            alert.sessionClass,
            name: alert.name,
            owner: alert.owner,
            isRecording: alert.isRecording
        )
        update(id) { $0.alert = accepted }
        if let session = table[id] { interruptAll(by: session) }
    }

    mutating func end(_ id: SessionID, resume: Bool) throws(SessionError) {
        _ = try findAlert(id)
        leave(id) { $0.state = .inactive }
        notice(id, .didBecomeInactive(source: .app, reason: nil))
        settleLevels()
        release(waitingFor: id, notify: resume)
        remove(id)
    }

    private func findAlert(_ id: SessionID) throws(SessionError) -> AudioSession {
        let session = try find(id)
        guard session.kind == .system else {
            throw SessionError(.badParam, "session \(id) is not a system interruption")
        }
        return session
    }

    /// Interrupts all sessions that do not rank higher; those interrupted already wait for one more interrupter.
    private mutating func interruptAll(by alert: AudioSession) {
        for id in index[.active].union(index[.interrupted]).sorted() {
            guard let session = table[id], session.kind != .system, session.sessionClass <= alert.sessionClass,
                !isSpared(session, by: alert)
            else { continue }
            interrupt(id, by: .session(alert.id), reason: .default)
        }
    }

    /// Whether a session asked not to be interrupted by an alert that only shows a banner.
    func isSpared(_ session: AudioSession, by alert: AudioSession) -> Bool {
        session.prefersNoInterruptionsFromSystemAlerts && alert.alert?.style == .banner
    }

    mutating func setMicrophoneMuted(_ isMuted: Bool) {
        guard isMuted != isMicrophoneMuted else { return }
        isMicrophoneMuted = isMuted
        guard isMuted else {
            release(index[.interrupted], from: .microphone, notify: true)
            return
        }
        for id in index[.active].sorted() {
            guard let session = table[id], session.kind != .system, session.configuration.category.hasInput,
                !session.configuration.options.contains(.overrideMutedMicrophoneInterruption)
            else { continue }
            interrupt(id, by: .microphone, reason: .builtInMicMuted)
        }
    }

    /// Interrupts the now-playing session, and those that asked for it; all others only see the route change.
    mutating func loseRoute() {
        let elected = nowPlaying
        for id in index[.active].sorted() {
            guard let session = table[id], session.kind != .system,
                session.prefersInterruptionOnRouteDisconnect ?? (id == elected)
            else { continue }
            interrupt(id, by: .route, reason: .routeDisconnected)
            // Only its owner can resume it, so no session waits for it.
            release(waitingFor: id, notify: false)
        }
    }
}

extension SessionConfiguration {
    /// The configuration of a system interruption's session.
    fileprivate static func system(_ sessionClass: SessionClass) -> SessionConfiguration {
        switch sessionClass {
        case .normal, .alarm:
            SessionConfiguration(unchecked: .playback, mode: .default, options: [], policy: .default)
        case .assistant:
            SessionConfiguration(unchecked: .playAndRecord, mode: .default, options: [], policy: .default)
        case .call:
            SessionConfiguration(
                unchecked: .playAndRecord,
                mode: .voiceChat,
                options: .allowBluetoothHFP,
                policy: .default
            )
        }
    }
}
