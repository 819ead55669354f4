/// Why a session was interrupted, with Apple's numbers.
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

/// The cause that keeps a session interrupted.
package enum Interrupter: Hashable, Sendable {
    case session(SessionID)
    /// The built-in microphone is muted.
    case microphone
    /// The output that it played to is gone; only its owner ends this, by activating or closing it.
    case route
}

/// One current reason for a session's interruption.
package struct Interruption: Hashable, Sendable {
    package let by: Interrupter
    package let reason: InterruptionReason
    /// When it began, on the events' clock.
    package let since: Double
}

/// A call, an alarm or an assistant from outside.
package struct SystemInterruption: Hashable, Sendable {
    /// How an alert is presented.
    package enum Style: String, CaseIterable, Sendable {
        case full
        /// A notice on the screen: it spares sessions that asked for no interruptions from system alerts.
        case banner
    }

    package let sessionClass: SessionClass
    package let name: String
    package let owner: String
    package let style: Style
    /// Whether it records: prompts must not disturb it, and no session may start beside a recording assistant.
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
