extension SessionArbiter {
    /// All sessions, in the order of their numbers.
    package var sessions: [AudioSession] { table.values.sorted { $0.id < $1.id } }

    package subscript(id: SessionID) -> AudioSession? { table[id] }

    func find(_ id: SessionID) throws(SessionError) -> AudioSession {
        guard let session = table[id] else {
            throw SessionError(.expiredSession, "there is no session \(id); 'session list' shows all sessions")
        }
        return session
    }

    /// Finds a session that its owner controls.
    func findOwned(_ id: SessionID) throws(SessionError) -> AudioSession {
        let session = try find(id)
        guard session.kind != .system else {
            throw SessionError(.badParam, "session \(id) is a system interruption; it can only be ended")
        }
        return session
    }

    /// Changes a session and updates all derived state.
    mutating func update(_ id: SessionID, _ change: (inout AudioSession) -> Void) {
        guard let place = table.index(forKey: id) else { return }
        let before = table.values[place]
        change(&table.values[place])
        if let ducker = table.values[place].ducker, ducker.sparesSpeech != before.ducker?.sparesSpeech {
            table.values[place].duckOrder = order
            table.values[place].duckSince = now
        }
        let after = table.values[place]
        reindex(id, from: before, to: after)
        if after.isPlaying && after.canBeNowPlaying && !(before.isPlaying && before.canBeNowPlaying) {
            table.values[place].playedOrder = order
            played.add(id, order: order, in: table)
        }
    }

    mutating func insert(_ session: AudioSession) {
        table[session.id] = session
        reindex(session.id, from: nil, to: session)
    }

    mutating func remove(_ id: SessionID) {
        guard let session = table.removeValue(forKey: id) else { return }
        reindex(id, from: session, to: nil)
        returning[id] = nil
        played.trim(in: table)
        unsettled.remove(id)
    }

    private mutating func reindex(_ id: SessionID, from old: AudioSession?, to new: AudioSession?) {
        let before = old.map(SessionGroups.init) ?? []
        let after = new.map(SessionGroups.init) ?? []
        index.move(id, from: before, to: after)
        let changed = before.symmetricDifference(after)
        if !changed.isDisjoint(with: [.recording, .system]) { promptsChanged = true }
        if old?.ducker != new?.ducker {
            if let ducker = old?.ducker { duckers.remove(ducker) }
            if let ducker = new?.ducker { duckers.add(ducker) }
        }
        let isSettled =
            changed.isDisjoint(with: [.active, .speaking]) && old?.configuration == new?.configuration
        if !isSettled, after.contains(.active) { unsettled.insert(id) }
    }

    mutating func notice(_ id: SessionID?, _ notice: SessionNotice) { effects.append(.notice(id, notice)) }
}

/// The sessions that have played, in the order in which they last started to.
struct PlayedSessions: Sendable {
    private struct Start: Sendable {
        let id: SessionID
        let order: Int

        func isLast(in table: [SessionID: AudioSession]) -> Bool { table[id]?.playedOrder == order }
    }

    private var starts: [Start] = []

    /// Adds a start of playback; void entries are dropped now and then.
    mutating func add(_ id: SessionID, order: Int, in table: [SessionID: AudioSession]) {
        starts.append(Start(id: id, order: order))
        if starts.count > 2 * table.count + 16 { starts.removeAll { !$0.isLast(in: table) } }
    }

    mutating func trim(in table: [SessionID: AudioSession]) {
        while let last = starts.last, !last.isLast(in: table) { starts.removeLast() }
    }

    /// The session that started last, of those that may be the now-playing one.
    func elected(in table: [SessionID: AudioSession]) -> SessionID? {
        starts.last { $0.isLast(in: table) && table[$0.id]?.canBeNowPlaying == true }?.id
    }
}
