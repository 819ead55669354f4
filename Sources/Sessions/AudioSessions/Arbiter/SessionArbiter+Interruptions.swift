extension SessionArbiter {
    func interruptsSpeech(_ configuration: SessionConfiguration) -> Bool {
        configuration.interruptsSpokenAudio
            || configuration.ducksOthers && policy.duckingInterruptsSpokenAudio
    }

    /// Interrupts the sessions that may not run beside this one.
    ///
    /// - Parameters:
    ///   - exclusive: Whether those include all that do not mix.
    ///   - speakers: Whether those include all that play spoken audio.
    mutating func takePlace(of exclusive: Bool, speakers: Bool, for session: AudioSession) {
        var victims: Set<SessionID> = []
        if exclusive { victims.formUnion(index[.exclusive]) }
        if speakers { victims.formUnion(index[.speaking].union(index[.speechWaiting])) }
        for id in victims.sorted() where id != session.id {
            guard let victim = table[id], victim.kind != .system, victim.sessionClass <= session.sessionClass else {
                continue
            }
            interrupt(id, by: .session(session.id), reason: .default)
        }
    }

    /// Interrupts an active session; one that is interrupted already waits for one more interrupter.
    mutating func interrupt(_ id: SessionID, by interrupter: Interrupter, reason: InterruptionReason) {
        guard let session = table[id] else { return }
        addInterruption(of: id, by: interrupter, reason: reason)
        guard session.isActive else { return }
        effects.append(.interrupt(id, by: interrupter, reason: reason))
        leave(id) { [order] in
            $0.resumesWhenReleased = $0.isRunning
            $0.state = .interrupted
            $0.interruptedOrder = order
        }
        if case .session = interrupter {
            notice(id, .didBecomeInactive(source: .system, reason: reason))
        } else {
            notice(id, .didBecomeInactive(source: .system, reason: nil))
        }
        notice(id, .interruptionBegan(reason))
    }

    private mutating func addInterruption(of id: SessionID, by interrupter: Interrupter, reason: InterruptionReason) {
        guard let session = table[id], !session.interruptions.contains(where: { $0.by == interrupter }) else { return }
        let interruption = Interruption(by: interrupter, reason: reason, since: now)
        table[id]?.interruptions.append(interruption)
        if case .session(let holder) = interrupter { table[holder]?.interrupts.insert(id) }
    }

    /// Activates a session that has come from another sink, or lets it wait for those that interrupt it here.
    mutating func arrive(_ id: SessionID, interruptedBy known: [SessionID]) throws(SessionError) {
        let session = try findOwned(id)
        guard session.state == .inactive else { return }
        let holders = table.values.filter { other in
            guard other.isActive, other.id != id else { return false }
            let outranks = other.kind == .system && session.sessionClass <= other.sessionClass
            return known.contains(other.id) || outranks && !isSpared(session, by: other)
        }
        guard !holders.isEmpty else {
            try activate(id)
            return try report(playing: true, by: id)
        }
        for holder in holders.sorted(by: { $0.id < $1.id }) {
            interruptArrival(id, by: .session(holder.id))
        }
    }

    private mutating func interruptArrival(_ id: SessionID, by interrupter: Interrupter) {
        addInterruption(of: id, by: interrupter, reason: .default)
        guard table[id]?.state == .inactive else { return }
        effects.append(.interrupt(id, by: interrupter, reason: .default))
        update(id) { [order] in
            $0.state = .interrupted
            $0.resumesWhenReleased = true
            $0.interruptedOrder = order
        }
        notice(id, .interruptionBegan(.default))
    }

    /// Ends a session's interruption because its owner activates or closes it.
    mutating func endOwnInterruption(of id: SessionID) {
        forgetInterruptions(of: id)
        update(id) {
            $0.state = .inactive
            $0.resumesWhenReleased = false
        }
        effects.append(.endInterruption(id, shouldResume: false))
        notice(id, .interruptionEnded(shouldResume: false))
    }

    /// Gives up an interrupted session: those that it had interrupted wait for its interrupters instead.
    mutating func abandonInterruption(of id: SessionID, notify: Bool) {
        guard let session = table[id] else { return }
        let holders = session.interruptedBy
        endOwnInterruption(of: id)
        passOnWaiting(for: id, to: holders, notify: notify)
    }

    /// Removes a session from those waiting for its interrupters.
    mutating func forgetInterruptions(of id: SessionID) {
        guard let session = table[id] else { return }
        for holder in session.interruptedBy { table[holder]?.interrupts.remove(id) }
        table[id]?.interruptions = []
    }

    mutating func passOnWaiting(for id: SessionID, notify: Bool) {
        passOnWaiting(for: id, to: table[id]?.interruptedBy ?? [], notify: notify)
    }

    /// Makes those that wait for a session wait for others instead, or releases them if there are none.
    private mutating func passOnWaiting(for id: SessionID, to holders: [SessionID], notify: Bool) {
        guard let session = table[id] else { return }
        guard !holders.isEmpty else { return release(waitingFor: id, notify: notify) }
        for waiting in session.interrupts.sorted() {
            for holder in holders { addInterruption(of: waiting, by: .session(holder), reason: .default) }
            _ = removeInterruption(of: waiting, by: .session(id))
        }
    }

    /// Removes one interrupter; returns whether it was there and was the last.
    private mutating func removeInterruption(of id: SessionID, by interrupter: Interrupter) -> Bool {
        guard let place = table[id]?.interruptions.firstIndex(where: { $0.by == interrupter }) else { return false }
        table[id]?.interruptions.remove(at: place)
        if case .session(let holder) = interrupter { table[holder]?.interrupts.remove(id) }
        return table[id]?.interruptions.isEmpty ?? false
    }
}

// MARK: - Release

extension SessionArbiter {
    /// Releases the sessions that wait for a session.
    mutating func release(waitingFor id: SessionID, notify: Bool) {
        returning[id] = nil
        guard let session = table[id], !session.interrupts.isEmpty else { return }
        release(session.interrupts, from: .session(id), notify: notify)
    }

    /// Releases sessions, and in turn those that wait for a released session that will not resume.
    ///
    /// Those interrupted last come first: of several that do not mix, only one may be told to resume.
    mutating func release(_ waiting: Set<SessionID>, from interrupter: Interrupter, notify: Bool) {
        var releases = [(waiting: waiting, interrupter: interrupter)]
        var heir: AudioSession?
        var next = 0
        while next < releases.count {
            let (waiting, interrupter) = releases[next]
            next += 1
            for session in latestFirst(waiting) where removeInterruption(of: session.id, by: interrupter) {
                if let successor = successor(of: session, heir: heir) {
                    addInterruption(of: session.id, by: .session(successor), reason: .default)
                    continue
                }
                if end(session, notify: notify) {
                    if heir == nil, !session.configuration.isMixable { heir = session }
                } else if !session.interrupts.isEmpty {
                    releases.append((session.interrupts, .session(session.id)))
                }
            }
        }
        if let heir, table[heir.id]?.interrupts.isEmpty == false { returning[heir.id] = now + policy.grace }
    }

    private func latestFirst(_ waiting: Set<SessionID>) -> [AudioSession] {
        waiting.compactMap { table[$0] }.sorted { ($0.interruptedOrder, $0.id) > ($1.interruptedOrder, $1.id) }
    }

    /// The session that has taken a released session's place meanwhile, or is about to.
    private func successor(of session: AudioSession, heir: AudioSession?) -> SessionID? {
        guard !session.configuration.isMixable else { return nil }
        let present = index[.exclusive].filter {
            guard let other = table[$0], other.kind != .system else { return false }
            return other.sessionClass >= session.sessionClass && other.activatedOrder > session.interruptedOrder
        }
        if let present = present.min() { return present }
        guard let heir, heir.sessionClass >= session.sessionClass else { return nil }
        return heir.id
    }

    /// Whether a released session would be admitted: one in the background may not, for example.
    private func mayResume(_ session: AudioSession) -> Bool {
        (try? admit(session, with: session.configuration)) != nil
    }

    /// Ends an interruption; returns whether the session should resume.
    private mutating func end(_ session: AudioSession, notify: Bool) -> Bool {
        let id = session.id
        let shouldResume = notify && session.resumesWhenReleased && mayResume(session)
        update(id) {
            $0.state = .inactive
            $0.resumesWhenReleased = false
        }
        effects.append(.endInterruption(id, shouldResume: shouldResume))
        notice(id, .interruptionEnded(shouldResume: shouldResume))
        notice(id, .resumptionRecommendation(shouldResume: shouldResume))
        if shouldResume && session.autoResume { effects.append(.resume(id)) }
        if shouldResume && !session.interrupts.isEmpty { returning[id] = now + policy.grace }
        return shouldResume
    }
}
