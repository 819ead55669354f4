/// An effect of an event; effects are carried out in order.
///
/// A session's ``activate(_:)`` comes after all its effects on others, so that they are silent before it may be heard.
package enum SessionEffect: Hashable, Sendable {
    /// Fade the session out and pause it at its position.
    case interrupt(SessionID, by: Interrupter, reason: InterruptionReason)
    /// Nothing interrupts the session any more; it is inactive until its owner activates it.
    case endInterruption(SessionID, shouldResume: Bool)
    /// The session prefers to be resumed: activate it, and if that succeeds resume playback.
    case resume(SessionID)
    case duck(SessionID)
    case unduck(SessionID)
    case mute(SessionID)
    case unmute(SessionID)
    /// The session may be heard from here on.
    case activate(SessionID)
    /// The session was deactivated, by its owner or the system, and must be silent.
    case deactivate(SessionID)
    /// An entry of the event log; `nil` is for all clients.
    case notice(SessionID?, SessionNotice)
}

/// An entry of the event log: exactly these, in the order of the effects.
package enum SessionNotice: Hashable, Sendable {
    /// The cause of a session's deactivation.
    package enum Source: Int, Sendable {
        case app = 1
        case system = 2
    }

    case interruptionBegan(InterruptionReason)
    case interruptionEnded(shouldResume: Bool)
    case didBecomeActive
    /// The reason is set when another session interrupted it.
    case didBecomeInactive(source: Source, reason: InterruptionReason?)
    case resumptionRecommendation(shouldResume: Bool)
    case ducked
    case unducked
    case hintBegan
    case hintEnded
    case promptStyleChanged(PromptStyle)
    case categoryChanged
    case mediaServicesLost
    case mediaServicesReset

    /// The type's name in the log.
    package var name: String {
        switch self {
        case .interruptionBegan: "interruptionBegan"
        case .interruptionEnded: "interruptionEnded"
        case .didBecomeActive: "didBecomeActive"
        case .didBecomeInactive: "didBecomeInactive"
        case .resumptionRecommendation: "resumptionRecommendation"
        case .ducked: "ducked"
        case .unducked: "unducked"
        case .hintBegan: "hintBegan"
        case .hintEnded: "hintEnded"
        case .promptStyleChanged: "promptStyleChanged"
        case .categoryChanged: "categoryChanged"
        case .mediaServicesLost: "mediaServicesLost"
        case .mediaServicesReset: "mediaServicesReset"
        }
    }

    /// The types that have numbers of Apple's.
    package static let numbered: [(name: String, number: Int)] =
        [.interruptionBegan(.default), .interruptionEnded(shouldResume: false), .hintBegan, .hintEnded]
        .compactMap { (notice: SessionNotice) in notice.rawType.map { (notice.name, $0) } }

    /// Apple's number of a notification's type, if it has one: began 1, ended 0.
    package var rawType: Int? {
        switch self {
        case .interruptionBegan, .hintBegan: 1
        case .interruptionEnded, .hintEnded: 0
        default: nil
        }
    }
}

/// How verbose a prompt may be now.
package enum PromptStyle: String, Sendable {
    /// A session is recording and must not be disturbed.
    case none
    /// A call or an assistant is active.
    case short
    case normal
}
