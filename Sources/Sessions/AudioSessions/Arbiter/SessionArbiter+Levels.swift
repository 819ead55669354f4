/// The state that decides about ducking and muting, apart from each session's own.
struct Levels: Equatable, Sendable {
    var ducker: DuckerLadder.Ducker?
    /// The ducker that applies to silent players of spoken audio.
    var plainDucker: DuckerLadder.Ducker?
    var isSilenced = false
    var isRecorded = false

    /// Whether a change concerns only the duckers themselves.
    func ranks(as other: Levels) -> Bool {
        ducker?.sessionClass == other.ducker?.sessionClass
            && plainDucker?.sessionClass == other.plainDucker?.sessionClass
            && isSilenced == other.isSilenced && isRecorded == other.isRecorded
    }
}

extension SessionArbiter {
    mutating func setSilenced(_ isOn: Bool) {
        guard isOn != isSilenced else { return }
        isSilenced = isOn
        silencedSince = now
    }

    mutating func setLocked(_ isOn: Bool) {
        guard isOn != isLocked else { return }
        isLocked = isOn
        lockedSince = now
    }

    /// Updates ducking and muting, checking only sessions for which they may have changed.
    mutating func settleLevels() {
        let wanted = Levels(
            ducker: duckers.top,
            plainDucker: duckers.topPlain,
            isSilenced: isSilenced || isLocked,
            isRecorded: !index[.silencing].isEmpty
        )
        if wanted != levels {
            if wanted.ranks(as: levels) {
                for ducker in [levels.ducker, levels.plainDucker, wanted.ducker, wanted.plainDucker] {
                    if let ducker { unsettled.insert(ducker.id) }
                }
            } else {
                unsettled = index[.active]
            }
            levels = wanted
        }
        guard !unsettled.isEmpty else { return }
        for id in unsettled.sorted() { settleLevel(of: id) }
        unsettled = []
    }

    private mutating func settleLevel(of id: SessionID) {
        guard let session = table[id], session.isActive else { return }
        let isDucked = isDucked(session)
        if isDucked != session.isDucked {
            table[id]?.isDucked = isDucked
            effects.append(isDucked ? .duck(id) : .unduck(id))
            notice(id, isDucked ? .ducked : .unducked)
        }
        let isMuted = isMuted(session)
        if isMuted != session.isMuted {
            table[id]?.isMuted = isMuted
            effects.append(isMuted ? .mute(id) : .unmute(id))
        }
    }

    private func isDucked(_ session: AudioSession) -> Bool {
        let top = sparesSilentSpeech(session) ? levels.plainDucker : levels.ducker
        guard let top else { return false }
        return ducks(top, session)
    }

    /// Whether a ducker ducks a session, apart from its interrupting of spoken audio.
    func ducks(_ ducker: DuckerLadder.Ducker, _ session: AudioSession) -> Bool {
        guard session.kind != .system, ducker.id != session.id else { return false }
        if let own = session.ducker { return ducker.winsOver(own) }
        return ducker.sessionClass >= session.sessionClass
    }

    /// Whether a session is exempt from duckers that would interrupt it if it played.
    func sparesSilentSpeech(_ session: AudioSession) -> Bool {
        session.configuration.isSpoken && !session.isPlaying
    }

    private func isMuted(_ session: AudioSession) -> Bool {
        guard session.kind != .system else { return false }
        return levels.isSilenced && session.configuration.category.isSilenceable
            || levels.isRecorded && isSilencedByRecording(session)
    }

    /// Whether another session's recording silences it: alarms and calls are exempt.
    func isSilencedByRecording(_ session: AudioSession) -> Bool {
        session.sessionClass < .alarm && !session.isSilentRecorder
    }
}
