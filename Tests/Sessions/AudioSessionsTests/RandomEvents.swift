import AudioSessions

/// A generator whose numbers are the same everywhere (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// Events as a house full of programs, calls and careless users would make them.
struct RandomEvents {
    private static let configurations: [SessionConfiguration] = {
        let prompts: SessionOptions = [.interruptSpokenAudioAndMixWithOthers, .duckOthers]
        let wanted: [(SessionCategory, SessionMode, SessionOptions)] = [
            (.playback, .default, []), (.playback, .default, []), (.playback, .spokenAudio, []),
            (.playback, .spokenAudio, .mixWithOthers), (.playback, .spokenAudio, .duckOthers),
            (.playback, .default, .mixWithOthers), (.playback, .default, .duckOthers),
            (.playback, .default, .interruptSpokenAudioAndMixWithOthers), (.playback, .voicePrompt, prompts),
            (.playback, .spokenAudio, prompts),
            (.ambient, .default, []), (.ambient, .spokenAudio, .duckOthers), (.soloAmbient, .default, []),
            (.record, .default, []), (.playAndRecord, .default, []), (.playAndRecord, .voicePrompt, .mixWithOthers),
            (.multiRoute, .default, .overrideMutedMicrophoneInterruption),
        ]
        return wanted.compactMap { try? SessionConfiguration(category: $0, mode: $1, options: $2) }
    }()

    private var generator: SeededGenerator
    private var opened = 0
    private var living: [SessionID] = []
    private var alerts: [SessionID] = []
    /// A session that was just activated mostly plays next.
    private var activated: SessionID?
    private let sessionCount: Int

    init(seed: UInt64, sessionCount: Int) {
        generator = SeededGenerator(seed: seed)
        self.sessionCount = sessionCount
    }

    mutating func next() -> SessionEvent {
        if living.count < sessionCount { return open() }
        if let id = activated {
            activated = nil
            if Int.random(in: 0..<4, using: &generator) > 0 { return .playing(id, true) }
        }
        let id = living[Int.random(in: 0..<living.count, using: &generator)]
        let flag = Bool.random(using: &generator)
        switch Int.random(in: 0..<100, using: &generator) {
        case 0..<32:
            activated = id
            return .activate(id)
        case 32..<40: return .playing(id, flag)
        case 40..<60: return .deactivate(id, notifyOthers: Int.random(in: 0..<3, using: &generator) > 0)
        case 60..<66: return .configure(id, configuration())
        case 66..<70: return .recording(id, flag)
        case 70..<75: return .background(id, Int.random(in: 0..<4, using: &generator) == 0)
        case 75..<77: return .suspended(id, Int.random(in: 0..<4, using: &generator) == 0)
        case 77..<79: return .prefer(id, preference(flag))
        case 79..<83:
            living.removeAll { $0 == id }
            return .close(id)
        case 83..<95: return alert()
        case 95: return .silenceSwitch(flag)
        case 96: return .locked(flag)
        case 97: return .microphoneMuted(flag)
        case 98: return flag ? .routeLost : .mediaServicesLost
        default: return .mediaServicesReset
        }
    }

    private mutating func open() -> SessionEvent {
        opened += 1
        let id = SessionID(opened)
        living.append(id)
        let kinds: [SessionKind] = [.zone, .announcement, .client, .client, .client, .foreign]
        let classes: [SessionClass] = [.normal, .normal, .normal, .normal, .assistant, .alarm, .call]
        return .open(
            id,
            name: "session \(id)",
            kind: kinds.randomElement(using: &generator) ?? .client,
            sessionClass: classes.randomElement(using: &generator) ?? .normal,
            configuration: configuration()
        )
    }

    private mutating func configuration() -> SessionConfiguration {
        Self.configurations.randomElement(using: &generator) ?? .initial
    }

    private mutating func preference(_ flag: Bool) -> SessionPreference {
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: .noInterruptionsFromSystemAlerts(flag)
        case 1: .interruptionOnRouteDisconnect(flag)
        default: .autoResume(flag)
        }
    }

    private mutating func alert() -> SessionEvent {
        if let id = alerts.first, alerts.count > 2 || Int.random(in: 0..<4, using: &generator) > 0 {
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: return .acceptSystemInterruption(id)
            default:
                alerts.removeFirst()
                return .endSystemInterruption(id, resume: Bool.random(using: &generator))
            }
        }
        opened += 1
        alerts.append(SessionID(opened))
        let classes: [SessionClass] = [.call, .alarm, .assistant]
        return .beginSystemInterruption(
            SessionID(opened),
            SystemInterruption(
                classes.randomElement(using: &generator) ?? .call,
                name: "alert",
                style: Bool.random(using: &generator) ? .full : .banner,
                isRecording: Int.random(in: 0..<4, using: &generator) == 0
            )
        )
    }

    /// What ends everything that is left.
    func ends() -> [SessionEvent] {
        alerts.map { .endSystemInterruption($0, resume: true) } + [.mediaServicesReset, .microphoneMuted(false)]
    }
}
