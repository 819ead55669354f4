extension SessionArbiter {
    /// Refuses a session that may not become active with this configuration now.
    func admit(_ session: AudioSession, with configuration: SessionConfiguration) throws(SessionError) {
        try requireMediaServices(for: session)
        if session.isSuspended {
            throw SessionError(.cannotStartPlaying, "the program of session \(session.id) is stopped; continue it")
        }
        // A category that also plays does not need a microphone.
        guard configuration.category != .record || isInputAvailable else {
            throw SessionError(
                .resourceNotAvailable,
                "session \(session.id) cannot record: the sound server has no source; connect a microphone"
            )
        }
        try admitBesideAssistant(session)
        if session.isBackground { try admitInBackground(session, with: configuration) }
        try admitByRank(session, with: configuration)
    }

    private func admitBesideAssistant(_ session: AudioSession) throws(SessionError) {
        for id in index[.system].sorted() {
            guard let assistant = table[id], assistant.sessionClass == .assistant, assistant.isRecording,
                session.sessionClass <= .assistant, !isSpared(session, by: assistant)
            else { continue }
            throw SessionError(
                .siriIsRecording,
                "session \(session.id) cannot start while \(name(of: assistant)) records; wait until it ends"
            )
        }
    }

    private func admitInBackground(
        _ session: AudioSession,
        with configuration: SessionConfiguration
    ) throws(SessionError) {
        let id = session.id
        if configuration.category.isSilenceable {
            throw SessionError(
                .cannotStartPlaying,
                "session \(id) is of category \(configuration.category) and in the background; use playback"
            )
        }
        if configuration.isMixable && configuration.category.hasInput {
            throw SessionError(
                .cannotStartRecording,
                "session \(id) mixes and is in the background; bring it to the foreground first"
            )
        }
        if !configuration.isMixable && nowPlaying != id {
            throw SessionError(
                .cannotInterruptOthers,
                "session \(id) is in the background and is not now playing; bring it to the foreground or let it mix"
            )
        }
    }

    /// Refuses what needs the microphone beside a higher class, also if it mixes; all else is admitted.
    private func admitByRank(
        _ session: AudioSession,
        with configuration: SessionConfiguration
    ) throws(SessionError) {
        guard configuration.category.needsInput else { return }
        for (sessionClass, group) in Self.higherClasses where sessionClass > session.sessionClass {
            for id in index[group] {
                guard let other = table[id], other.id != session.id, !isSpared(session, by: other) else { continue }
                throw SessionError(
                    .insufficientPriority,
                    "session \(session.id) cannot record while a session of class \(sessionClass) is active; "
                        + "use playback or wait until it ends"
                )
            }
        }
    }

    private static let higherClasses: [(SessionClass, SessionGroups)] = [
        (.call, .activeCall), (.alarm, .activeAlarm), (.assistant, .activeAssistant),
    ]

    private func name(of session: AudioSession) -> String { "session \(session.id) (\(session.name))" }
}
