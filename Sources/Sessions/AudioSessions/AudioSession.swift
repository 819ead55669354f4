/// The arbiter's view of a session.
package struct AudioSession: Hashable, Sendable, Identifiable {
    package enum State: String, Sendable {
        case inactive
        case active
        /// Another session took its place; it becomes inactive when that ends.
        case interrupted
    }

    package let id: SessionID
    package let name: String
    package let kind: SessionKind
    package let owner: String
    package let sessionClass: SessionClass
    package internal(set) var configuration: SessionConfiguration

    package internal(set) var state = State.inactive
    /// Whether it makes sound, as its owner reports; a zone's is its state.
    ///
    /// Only an active session does.
    package internal(set) var isPlaying = false
    /// Whether it captures sound; only an active session does.
    package internal(set) var isRecording = false
    package internal(set) var isDucked = false
    /// Whether the silence switch, the lock or another session's recording silences it.
    package internal(set) var isMuted = false
    package internal(set) var isBackground = false
    package internal(set) var isSuspended = false
    /// Why it is interrupted, in chronological order.
    package internal(set) var interruptions: [Interruption] = []

    package internal(set) var prefersNoInterruptionsFromSystemAlerts = false
    package internal(set) var prefersInterruptionOnRouteDisconnect: Bool?
    package internal(set) var autoResume: Bool

    /// When it last became active, on the events' clock.
    package internal(set) var activeSince: Double?
    /// Whether it was running when it was interrupted, and was not paused or stopped since.
    package internal(set) var resumesWhenReleased = false

    /// The parameters of a system interruption.
    var alert: SystemInterruption?
    /// The sessions that wait for this one to end.
    var interrupts: Set<SessionID> = []
    /// The event number of its last interruption.
    var interruptedOrder = 0
    /// The event number at which it started to duck others.
    var duckOrder = 0
    var duckSince = 0.0
    /// The event number of its last activation.
    var activatedOrder = 0
    /// The event number of its last start of playback.
    var playedOrder = 0
    var promptStyle = PromptStyle.normal

    /// The sessions that interrupt it, in order of arrival.
    package var interruptedBy: [SessionID] {
        interruptions.compactMap {
            guard case .session(let id) = $0.by else { return nil }
            return id
        }
    }

    init(
        id: SessionID,
        name: String,
        kind: SessionKind,
        owner: String,
        sessionClass: SessionClass,
        configuration: SessionConfiguration
    ) {
        self.id = id
        self.name = name
        self.kind = kind
        self.owner = owner
        self.sessionClass = sessionClass
        self.configuration = configuration
        autoResume = kind == .zone || kind == .foreign
    }
}

extension AudioSession {
    var isActive: Bool { state == .active }

    /// Whether interrupting it would interrupt playback or recording.
    var isRunning: Bool { isPlaying || isRecording || isSilentRecorder }

    /// An active session of category `record`: it silences the others, and can only record.
    var isSilentRecorder: Bool { isActive && configuration.category == .record }

    /// Whether others' secondary audio should be silenced for it.
    var isPrimary: Bool { isActive && !configuration.isMixable && (isPlaying || isSilentRecorder) }

    /// Whether it may become the now-playing session.
    var canBeNowPlaying: Bool { (kind == .zone || kind == .client) && !configuration.isMixable }
}
