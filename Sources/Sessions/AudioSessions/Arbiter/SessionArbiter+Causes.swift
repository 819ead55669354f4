/// Why a session is silent, or quieter than it might be, now.
package enum SessionCause: Hashable, Sendable {
    case interrupted(by: Interrupter, reason: InterruptionReason, since: Double)
    case ducked(by: SessionID, since: Double)
    case mutedBySilenceSwitch(since: Double)
    case mutedByLock(since: Double)
    case mutedByRecording(SessionID, since: Double)
}

extension SessionArbiter {
    /// Everything that silences or lowers a session now.
    package func causes(for id: SessionID) -> [SessionCause] {
        guard let session = table[id] else { return [] }
        let interruptions = session.interruptions.map {
            SessionCause.interrupted(by: $0.by, reason: $0.reason, since: $0.since)
        }
        guard session.isActive, let activeSince = session.activeSince else { return interruptions }
        return interruptions + ducks(of: session, activeSince: activeSince)
            + mutes(of: session, activeSince: activeSince)
    }

    private func ducks(of session: AudioSession, activeSince: Double) -> [SessionCause] {
        guard session.isDucked else { return [] }
        return duckers.all.filter { ducks($0, session) && !($0.sparesSpeech && sparesSilentSpeech(session)) }
            .map { .ducked(by: $0.id, since: max(activeSince, table[$0.id]?.duckSince ?? activeSince)) }
    }

    private func mutes(of session: AudioSession, activeSince: Double) -> [SessionCause] {
        guard session.isMuted else { return [] }
        var causes: [SessionCause] = []
        if session.configuration.category.isSilenceable {
            if isSilenced { causes.append(.mutedBySilenceSwitch(since: max(activeSince, silencedSince))) }
            if isLocked { causes.append(.mutedByLock(since: max(activeSince, lockedSince))) }
        }
        if isSilencedByRecording(session) {
            for id in index[.silencing].sorted() {
                causes.append(.mutedByRecording(id, since: max(activeSince, table[id]?.activeSince ?? activeSince)))
            }
        }
        return causes
    }
}
