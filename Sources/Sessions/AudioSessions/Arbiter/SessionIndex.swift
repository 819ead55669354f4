/// The groups that a session belongs to; each has its set in the ``SessionIndex``.
struct SessionGroups: OptionSet {
    let rawValue: UInt16

    static let active = SessionGroups(rawValue: 1 << 0)
    static let interrupted = SessionGroups(rawValue: 1 << 1)
    /// Active and not mixable.
    static let exclusive = SessionGroups(rawValue: 1 << 2)
    static let playing = SessionGroups(rawValue: 1 << 3)
    /// Heard as others' primary audio.
    static let primary = SessionGroups(rawValue: 1 << 4)
    /// Playing spoken audio.
    static let speaking = SessionGroups(rawValue: 1 << 5)
    /// Interrupted while it played spoken audio, and to be resumed.
    static let speechWaiting = SessionGroups(rawValue: 1 << 6)
    static let recording = SessionGroups(rawValue: 1 << 7)
    /// Recording, so that hardly any other session may sound.
    static let silencing = SessionGroups(rawValue: 1 << 8)
    static let system = SessionGroups(rawValue: 1 << 9)
    /// Notified of others' primary audio.
    static let hinted = SessionGroups(rawValue: 1 << 10)
    /// Notified of the style of prompts.
    static let prompting = SessionGroups(rawValue: 1 << 11)
    static let activeAssistant = SessionGroups(rawValue: 1 << 12)
    static let activeAlarm = SessionGroups(rawValue: 1 << 13)
    static let activeCall = SessionGroups(rawValue: 1 << 14)

    static let count = 15

    init(rawValue: UInt16) { self.rawValue = rawValue }

    init(_ session: AudioSession) {
        let configuration = session.configuration
        let isActive = session.isActive
        var groups: SessionGroups = []
        func insert(_ group: SessionGroups, if condition: Bool) {
            if condition { groups.insert(group) }
        }
        insert(.active, if: isActive)
        insert(.interrupted, if: session.state == .interrupted)
        insert(.exclusive, if: isActive && !configuration.isMixable)
        insert(.playing, if: session.isPlaying)
        insert(.primary, if: session.isPrimary)
        insert(.speaking, if: session.isPlaying && configuration.isSpoken)
        insert(.speechWaiting, if: session.resumesWhenReleased && configuration.isSpoken)
        insert(.recording, if: session.isRecording || session.isSilentRecorder)
        insert(.silencing, if: session.isSilentRecorder)
        insert(.system, if: session.kind == .system)
        let isClient = session.kind == .client
        insert(.hinted, if: isClient && isActive && !session.isBackground && !session.isSuspended)
        insert(.prompting, if: isClient && configuration.mode == .voicePrompt)
        switch session.sessionClass {
        case .normal: break
        case .assistant: insert(.activeAssistant, if: isActive)
        case .alarm: insert(.activeAlarm, if: isActive)
        case .call: insert(.activeCall, if: isActive)
        }
        self = groups
    }
}

/// The sessions of each group, updated incrementally, so that no event has to check all of them.
struct SessionIndex: Sendable {
    private var sets = [Set<SessionID>](repeating: [], count: SessionGroups.count)

    subscript(group: SessionGroups) -> Set<SessionID> { sets[group.rawValue.trailingZeroBitCount] }

    mutating func move(_ id: SessionID, from old: SessionGroups, to new: SessionGroups) {
        var changed = old.symmetricDifference(new).rawValue
        while changed != 0 {
            let place = changed.trailingZeroBitCount
            if new.rawValue & (1 << place) != 0 {
                sets[place].insert(id)
            } else {
                sets[place].remove(id)
            }
            changed &= changed - 1
        }
    }
}
