/// An event for the sessions of a sink.
package enum SessionEvent: Hashable, Sendable {
    /// A new session, inactive.
    case open(
        SessionID,
        name: String,
        kind: SessionKind,
        owner: String = "",
        sessionClass: SessionClass = .normal,
        configuration: SessionConfiguration = .initial
    )
    /// The session or its owner is gone: a deactivation without notifications.
    case close(SessionID)
    /// Replaces category, mode, options and policy.
    case configure(SessionID, SessionConfiguration)
    case activate(SessionID)
    /// An inactive session that plays has come here from another sink: it is activated, unless a system interruption
    /// is here, or one of those that interrupt it already; it then resumes when they end.
    case arrive(SessionID, interruptedBy: [SessionID])
    /// Ends the session's effects on others; only with `notifyOthers` are those it interrupted told that they may
    /// resume.
    case deactivate(SessionID, notifyOthers: Bool)
    /// The owner's report that it plays sound.
    ///
    /// An interruption itself silences a session, so that is not reported. A report of silence *during* an interruption
    /// is the user's pause or stop: the session is then not told to resume.
    case playing(SessionID, Bool)
    /// The user's decision whether an interrupted session resumes when it is released; no effect on other sessions.
    case resumption(SessionID, Bool)
    /// The owner's report that it captures sound.
    case recording(SessionID, Bool)
    case background(SessionID, Bool)
    case prefer(SessionID, SessionPreference)
    /// The system stopped the session's program, or continued it.
    case suspended(SessionID, Bool)

    /// A call, alarm or assistant begins, with a session of its own.
    case beginSystemInterruption(SessionID, SystemInterruption)
    /// A call that only showed a banner is accepted: it interrupts all sessions.
    case acceptSystemInterruption(SessionID)
    case endSystemInterruption(SessionID, resume: Bool)

    case silenceSwitch(Bool)
    case locked(Bool)
    case microphoneMuted(Bool)
    /// Whether there is anything to record from.
    case inputAvailable(Bool)
    /// The output is gone.
    case routeLost
    case mediaServicesLost
    case mediaServicesReset
}

/// A lasting preference of an owner.
package enum SessionPreference: Hashable, Sendable {
    case noInterruptionsFromSystemAlerts(Bool)
    /// `nil` is Apple's rule: only the now-playing session.
    case interruptionOnRouteDisconnect(Bool?)
    /// Whether the server resumes the session by itself when it may.
    case autoResume(Bool)
}
