/// One session as its arbiter sees it.
package struct AudioSession: Hashable, Sendable, Identifiable {
    package enum State: String, Sendable {
        case inactive
        case active
        /// Somebody took its place; it becomes inactive when that ends.
        case interrupted
    }

    package let id: SessionID
    package let name: String
    package let kind: SessionKind
    package let owner: String
    package let sessionClass: SessionClass
    package internal(set) var configuration: SessionConfiguration

    package internal(set) var state = State.inactive
    /// Whether it makes sound; only an active session does.
    package internal(set) var isPlaying = false
    /// Whether it captures sound; only an active session does.
    package internal(set) var isRecording = false
    package internal(set) var isDucked = false
    /// Whether the silence switch, the lock or somebody's recording silences it.
    package internal(set) var isMuted = false
    package internal(set) var isBackground = false
    package internal(set) var isSuspended = false
    /// Why it is interrupted, in the order in which that came about.
    package internal(set) var interruptions: [Interruption] = []

    package internal(set) var prefersNoInterruptionsFromSystemAlerts = false
    package internal(set) var prefersInterruptionOnRouteDisconnect: Bool?
    package internal(set) var autoResume: Bool

    /// When it last became active, on the clock of the events.
    package internal(set) var activeSince: Double?
    /// Whether it was running when it was interrupted, and nobody has paused or stopped it since.
    package internal(set) var resumesWhenReleased = false

    /// What a system interruption was told with.
    var alert: SystemInterruption?
    /// Those that wait for this session's end.
    var interrupts: Set<SessionID> = []
    /// The place of its last interruption among all events.
    var interruptedOrder = 0
    /// The place among all events at which it began to duck others.
    var duckOrder = 0
    var duckSince = 0.0
    /// The place of its last activation among all events.
    var activatedOrder = 0
    /// The place of its last start of playing among all events.
    var playedOrder = 0
    var promptStyle = PromptStyle.normal

    /// The sessions that interrupt it, in the order in which they came.
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

    /// Whether its interruption would be one of something under way.
    var isRunning: Bool { isPlaying || isRecording || isSilentRecorder }

    /// An active session of category `record`: it silences the others, and can do nothing but record.
    var isSilentRecorder: Bool { isActive && configuration.category == .record }

    /// Whether others' secondary sound should make way for it.
    var isPrimary: Bool { isActive && !configuration.isMixable && (isPlaying || isSilentRecorder) }

    /// Whether it may have the say over what plays.
    var canBeNowPlaying: Bool { (kind == .zone || kind == .client) && !configuration.isMixable }
}
