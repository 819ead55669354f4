import AudioSessions
import Testing

/// An arbiter on a clock of its own, which goes on by a second with every event.
struct Scene {
    var arbiter = SessionArbiter()
    var now = 0.0
    var log: [SessionEffect] = []
    private var names: [SessionID: String] = [:]

    /// Hands an event over; a refusal fails the test.
    @discardableResult
    mutating func send(_ event: SessionEvent) throws -> [SessionEffect] {
        now += 1
        let effects = try arbiter.handle(event, at: now)
        log += effects
        return effects
    }

    /// Hands over an event that is to be refused; the code of the refusal.
    mutating func refuse(_ event: SessionEvent) -> SessionErrorCode? {
        now += 1
        let before = arbiter.sessions
        do {
            _ = try arbiter.handle(event, at: now)
            return nil
        } catch {
            #expect(arbiter.sessions == before, "a refusal changes nothing")
            #expect(error.description.hasPrefix("\(error.code.name): "))
            return error.code
        }
    }

    /// Waits until everybody's patience is at its end.
    @discardableResult
    mutating func wait() -> [SessionEffect] {
        guard let deadline = arbiter.nextDeadline else { return [] }
        now = max(now, deadline)
        let effects = arbiter.expire(at: now)
        log += effects
        return effects
    }

    /// Opens a session; its numbers count from 1.
    mutating func open(
        _ name: String,
        _ category: SessionCategory = .playback,
        _ options: SessionOptions = [],
        mode: SessionMode = .default,
        kind: SessionKind = .client,
        sessionClass: SessionClass = .normal
    ) throws -> SessionID {
        let id = SessionID(names.count + 1)
        names[id] = name
        let configuration = try SessionConfiguration(category: category, mode: mode, options: options)
        try send(.open(id, name: name, kind: kind, sessionClass: sessionClass, configuration: configuration))
        return id
    }

    /// Opens a session, activates it and lets it play.
    mutating func play(
        _ name: String,
        _ category: SessionCategory = .playback,
        _ options: SessionOptions = [],
        mode: SessionMode = .default,
        kind: SessionKind = .client,
        sessionClass: SessionClass = .normal
    ) throws -> SessionID {
        let id = try open(name, category, options, mode: mode, kind: kind, sessionClass: sessionClass)
        try send(.activate(id))
        try send(.playing(id, true))
        return id
    }

    mutating func begin(
        _ name: String,
        _ sessionClass: SessionClass,
        style: SystemInterruption.Style = .full,
        isRecording: Bool = false
    ) throws -> SessionID {
        let id = SessionID(names.count + 1)
        names[id] = name
        let alert = SystemInterruption(sessionClass, name: name, style: style, isRecording: isRecording)
        try send(.beginSystemInterruption(id, alert))
        return id
    }

    func state(_ id: SessionID) -> AudioSession.State? { arbiter[id]?.state }

    /// What the event log says of some effects, in short: `A began 0`, `A ended resume`, `B active`.
    func notices(_ effects: [SessionEffect]) -> [String] {
        effects.compactMap {
            guard case .notice(let id, let notice) = $0 else { return nil }
            return "\(id.map { names[$0] ?? "?" } ?? "all") \(Self.text(notice))"
        }
    }

    /// Those of a session alone, without its name.
    func notices(_ effects: [SessionEffect], of session: SessionID) -> [String] {
        effects.compactMap {
            guard case .notice(session, let notice) = $0 else { return nil }
            return Self.text(notice)
        }
    }

    /// What is to be done about a session.
    func acts(_ effects: [SessionEffect], on session: SessionID) -> [String] {
        effects.compactMap {
            switch $0 {
            case .interrupt(session, _, _): "interrupt"
            case .endInterruption(session, let shouldResume): shouldResume ? "end resume" : "end"
            case .resume(session): "resume"
            case .duck(session): "duck"
            case .unduck(session): "unduck"
            case .mute(session): "mute"
            case .unmute(session): "unmute"
            case .activate(session): "activate"
            case .deactivate(session): "deactivate"
            default: nil
            }
        }
    }

    private static func text(_ notice: SessionNotice) -> String {
        switch notice {
        case .interruptionBegan(let reason): "began \(reason.rawValue)"
        case .interruptionEnded(let shouldResume): shouldResume ? "ended resume" : "ended"
        case .didBecomeActive: "active"
        case .didBecomeInactive(let source, let reason): "inactive \(source)\(reason.map { " \($0.rawValue)" } ?? "")"
        case .resumptionRecommendation(let shouldResume): "recommended \(shouldResume ? 1 : 0)"
        case .promptStyleChanged(let style): "prompts \(style)"
        default: notice.name
        }
    }
}
