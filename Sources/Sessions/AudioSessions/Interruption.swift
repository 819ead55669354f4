/// Why a session was interrupted, by Apple's numbers.
package enum InterruptionReason: Int, CaseIterable, Sendable {
    case `default` = 0
    case appWasSuspended = 1
    case builtInMicMuted = 2
    case sceneWasBackgrounded = 3
    case routeDisconnected = 4
    case deviceUnauthenticated = 5

    /// Apple's name.
    package var name: String { String(describing: self) }
}

/// What holds an interrupted session back.
package enum Interrupter: Hashable, Sendable {
    case session(SessionID)
    /// The built-in microphone is muted.
    case microphone
    /// The output it played to is gone; only its owner ends this, by acting.
    case route
}

/// One reason for which a session is interrupted now.
package struct Interruption: Hashable, Sendable {
    package let by: Interrupter
    package let reason: InterruptionReason
    /// When it began, on the clock of the events.
    package let since: Double
}

/// A call, an alarm or an assistant from outside.
package struct SystemInterruption: Hashable, Sendable {
    /// How an alert shows itself.
    package enum Style: String, CaseIterable, Sendable {
        case full
        /// A notice on the screen: it leaves alone who asked for no interruptions from system alerts.
        case banner
    }

    package let sessionClass: SessionClass
    package let name: String
    package let owner: String
    package let style: Style
    /// Whether it records: prompts are not to disturb it, and beside an assistant that does nobody may start.
    package let isRecording: Bool

    package init(
        _ sessionClass: SessionClass,
        name: String,
        owner: String = "",
        style: Style = .full,
        isRecording: Bool = false
    ) {
        self.sessionClass = sessionClass
        self.name = name
        self.owner = owner
        self.style = style
        self.isRecording = isRecording
    }
}
