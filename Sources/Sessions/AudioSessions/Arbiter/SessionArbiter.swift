/// Decides which sessions may be heard on one sink: AVAudioSession's rules as a value.
///
/// Takes events and returns effects; it knows neither clock nor sound. Time is an argument, in seconds on any clock
/// that never runs backwards. A refused event throws and changes nothing.
package struct SessionArbiter: Sendable {
    package var policy: SessionPolicy

    package internal(set) var isSilenced = false
    package internal(set) var isLocked = false
    package internal(set) var isMicrophoneMuted = false
    package internal(set) var isInputAvailable = true
    package internal(set) var areMediaServicesLost = false

    var table: [SessionID: AudioSession] = [:]
    var index = SessionIndex()
    var duckers = DuckerLadder()
    var played = PlayedSessions()
    /// Released sessions that others wait for, each with its deadline.
    var returning: [SessionID: Double] = [:]
    var silencedSince = 0.0
    var lockedSince = 0.0

    /// The event being handled, counted from 1.
    var order = 0
    var now = 0.0
    var effects: [SessionEffect] = []
    var levels = Levels()
    /// Sessions whose ducking and muting must be checked again.
    var unsettled: Set<SessionID> = []
    var promptsChanged = false

    package init(policy: SessionPolicy = SessionPolicy()) { self.policy = policy }

    /// Handles an event and returns the effects, in order.
    package mutating func handle(_ event: SessionEvent, at now: Double) throws(SessionError) -> [SessionEffect] {
        start(at: now)
        let primaries = index[.primary]
        try apply(event)
        return finish(primariesBefore: primaries)
    }

    /// When to call ``expire(at:)`` next; `nil` when nothing waits.
    package var nextDeadline: Double? { returning.values.min() }

    /// Releases sessions that have waited long enough for another to resume.
    package mutating func expire(at now: Double) -> [SessionEffect] {
        start(at: now)
        let primaries = index[.primary]
        let due = returning.filter { $0.value <= now }.sorted { ($0.value, $0.key) < ($1.value, $1.key) }
        for (id, _) in due {
            // It is too late now: others resume in its place.
            notice(id, .resumptionRecommendation(shouldResume: false))
            release(waitingFor: id, notify: true)
        }
        return finish(primariesBefore: primaries)
    }

    private mutating func start(at now: Double) {
        self.now = now
        order += 1
    }

    private mutating func finish(primariesBefore: Set<SessionID>) -> [SessionEffect] {
        settleLevels()
        settlePrompts()
        settleHints(primariesBefore: primariesBefore)
        let done = effects
        effects = []
        return done
    }

    private mutating func apply(_ event: SessionEvent) throws(SessionError) {
        switch event {
        case .open(let id, let name, let kind, let owner, let sessionClass, let configuration):
            try open(
                AudioSession(
                    id: id,
                    name: name,
                    kind: kind,
                    owner: owner,
                    sessionClass: sessionClass,
                    configuration: configuration
                )
            )
        case .close(let id): try close(id)
        case .configure(let id, let configuration): try configure(id, configuration)
        case .activate(let id): try activate(id)
        case .arrive(let id, let interrupters): try arrive(id, interruptedBy: interrupters)
        case .deactivate(let id, let notifyOthers): try deactivate(id, notifyOthers: notifyOthers)
        case .playing(let id, let isPlaying): try report(playing: isPlaying, by: id)
        case .resumption(let id, let resumes): try decide(resumes: resumes, for: id)
        case .recording(let id, let isRecording): try report(recording: isRecording, by: id)
        case .background(let id, let isBackground): try setBackground(isBackground, of: id)
        case .prefer(let id, let preference): try prefer(preference, for: id)
        case .suspended(let id, let isSuspended): try setSuspended(isSuspended, of: id)
        case .beginSystemInterruption(let id, let alert): try begin(alert, as: id)
        case .acceptSystemInterruption(let id): try accept(id)
        case .endSystemInterruption(let id, let resume): try end(id, resume: resume)
        case .silenceSwitch(let isOn): setSilenced(isOn)
        case .locked(let isLocked): setLocked(isLocked)
        case .microphoneMuted(let isMuted): setMicrophoneMuted(isMuted)
        case .inputAvailable(let isAvailable): isInputAvailable = isAvailable
        case .routeLost: loseRoute()
        case .mediaServicesLost: loseMediaServices()
        case .mediaServicesReset: resetMediaServices()
        }
    }
}
