/// What happens to the sessions of a sink.
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
    /// The session or its owner is gone: a deactivation that notifies nobody.
    case close(SessionID)
    /// Replaces category, mode, options and policy.
    case configure(SessionID, SessionConfiguration)
    case activate(SessionID)
    /// Ends what the session did to others; only `notifyOthers` tells those it interrupted that they may go on.
    case deactivate(SessionID, notifyOthers: Bool)
    /// The owner's report that it makes sound.
    ///
    /// An interruption itself makes a session silent, so nobody reports that. A report of silence *during* an
    /// interruption is its user's pause or stop: the session is then not told to resume.
    case playing(SessionID, Bool)
    /// The owner's report that it captures sound.
    case recording(SessionID, Bool)
    case background(SessionID, Bool)
    case prefer(SessionID, SessionPreference)
    /// The system stopped the session's program, or lets it go on.
    case suspended(SessionID, Bool)

    /// A call, alarm or assistant begins, with a session of its own.
    case beginSystemInterruption(SessionID, SystemInterruption)
    /// A call that only showed a banner is accepted: it interrupts everybody.
    case acceptSystemInterruption(SessionID)
    case endSystemInterruption(SessionID, resume: Bool)

    case silenceSwitch(Bool)
    case locked(Bool)
    case microphoneMuted(Bool)
    /// The output is gone.
    case routeLost
    case mediaServicesLost
    case mediaServicesReset
}

/// What an owner asks for, once and for all.
package enum SessionPreference: Hashable, Sendable {
    case noInterruptionsFromSystemAlerts(Bool)
    /// `nil` is Apple's rule: only the session that has the say over what plays.
    case interruptionOnRouteDisconnect(Bool?)
    /// Whether the server brings the session back by itself when it may resume.
    case autoResume(Bool)
}
