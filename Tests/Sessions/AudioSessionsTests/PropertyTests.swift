import AudioSessions
import Testing

/// What the rules say of a whole, looked up in all sessions with no index and no history but the order of duckers.
private struct Whole {
    private var duckersFrom: [SessionID: (order: Int, sparesSpeech: Bool)] = [:]
    private var events = 0

    /// Notes who began to duck with the last event.
    mutating func note(_ sessions: [AudioSession]) {
        events += 1
        var now: [SessionID: (order: Int, sparesSpeech: Bool)] = [:]
        for session in sessions where session.state == .active && session.configuration.ducksOthers {
            let spares = session.configuration.interruptsSpokenAudio
            let before = duckersFrom[session.id]
            now[session.id] = before?.sparesSpeech == spares ? before : (events, spares)
        }
        duckersFrom = now
    }

    func isDucked(_ session: AudioSession, among sessions: [AudioSession]) -> Bool {
        guard session.state == .active, session.kind != .system else { return false }
        return sessions.contains { other in
            guard other.id != session.id, let ducks = duckersFrom[other.id] else { return false }
            if ducks.sparesSpeech && session.configuration.isSpoken && !session.isPlaying { return false }
            if let own = duckersFrom[session.id] {
                return (other.sessionClass, ducks.order) > (session.sessionClass, own.order)
            }
            return other.sessionClass >= session.sessionClass
        }
    }

    func isMuted(_ session: AudioSession, in arbiter: SessionArbiter, among sessions: [AudioSession]) -> Bool {
        guard session.state == .active, session.kind != .system else { return false }
        if session.configuration.category.isSilenceable, arbiter.isSilenced || arbiter.isLocked { return true }
        guard session.sessionClass < .alarm, session.configuration.category != .record else { return false }
        return sessions.contains { $0.state == .active && $0.configuration.category == .record }
    }
}

/// What the effects alone tell of a session.
private struct Told {
    var isInterrupted = false
    var isDucked = false
    var isMuted = false
    var isActive = false
    /// Whether it was at work when it was interrupted, and it was not stopped since.
    var mayResume = false
}

/// As `#expect`, for what is asked a million times.
private func demand(_ holds: Bool, _ comment: @autoclosure () -> String = "", line: Int = #line) {
    guard !holds else { return }
    Issue.record(
        "\(comment())",
        sourceLocation: SourceLocation(fileID: #fileID, filePath: #filePath, line: line, column: 1)
    )
}

@Suite struct PropertyTests {
    @Test(arguments: 0..<40)
    func nothingIsLeftWithoutACause(seed: Int) throws {
        var events = RandomEvents(seed: UInt64(seed), sessionCount: 5 + seed % 12)
        var arbiter = SessionArbiter()
        arbiter.policy.duckingInterruptsSpokenAudio = seed % 5 == 0
        var whole = Whole()
        var told: [SessionID: Told] = [:]
        var now = 0.0
        // What a server does about what it is told to bring back.
        var server: [SessionEvent] = []
        var count = (done: 0, refused: 0, interruptions: 0, resumptions: 0, waits: 0)
        for _ in 0..<1_200 {
            now += 0.7
            if let deadline = arbiter.nextDeadline, deadline <= now {
                let before = arbiter.sessions
                check(arbiter.expire(at: now), of: nil, before: before, told: &told)
                whole.note(arbiter.sessions)
                inspect(arbiter, whole, told)
                count.waits += 1
            }
            let event = server.popLast() ?? events.next()
            let before = arbiter.sessions
            let effects: [SessionEffect]
            do {
                effects = try arbiter.handle(event, at: now)
            } catch {
                #expect(arbiter.sessions == before)
                count.refused += 1
                continue
            }
            count.done += 1
            check(effects, of: event, before: before, told: &told)
            for effect in effects {
                switch effect {
                case .interrupt: count.interruptions += 1
                case .endInterruption(_, true): count.resumptions += 1
                case .resume(let id): server += [.playing(id, true), .activate(id)]
                default: break
                }
            }
            whole.note(arbiter.sessions)
            inspect(arbiter, whole, told)
        }
        #expect(count.done > 600 && count.refused > 20)
        #expect(count.interruptions > 20 && count.resumptions > 0, "\(count)")
        try endEverything(&arbiter, events.ends(), at: now)
    }

    /// Row 150: the same events give the same effects.
    @Test(arguments: 100..<104)
    func theSameEventsGiveTheSameLog(seed: Int) {
        func run() -> [SessionEffect] {
            var events = RandomEvents(seed: UInt64(seed), sessionCount: 40)
            var arbiter = SessionArbiter()
            var effects: [SessionEffect] = []
            for step in 0..<3_000 {
                effects += arbiter.expire(at: Double(step))
                effects += (try? arbiter.handle(events.next(), at: Double(step))) ?? []
            }
            return effects
        }
        let first = run()
        #expect(first.count > 3_000)
        #expect(first == run())
    }

    /// Follows the effects: each begins and ends once, and no session is told to resume that did not run.
    private func check(
        _ effects: [SessionEffect],
        of event: SessionEvent?,
        before: [AudioSession],
        told: inout [SessionID: Told]
    ) {
        let before = Dictionary(uniqueKeysWithValues: before.map { ($0.id, $0) })
        if case .playing(let id, false) = event { told[id]?.mayResume = false }
        if case .recording(let id, false) = event { told[id]?.mayResume = false }
        for effect in effects {
            switch effect {
            case .interrupt(let id, _, _):
                demand(told[id]?.isActive == true)
                told[id]?.isActive = false
                told[id]?.mayResume = before[id].map { $0.isPlaying || $0.isRecording || $0.isRecorder } ?? false
            case .endInterruption(let id, let shouldResume):
                demand(told[id]?.isInterrupted == true)
                demand(!shouldResume || told[id]?.mayResume == true)
            case .resume(let id): demand(told[id]?.isInterrupted == false)
            case .duck(let id):
                demand(told[id, default: Told()].isDucked == false)
                told[id, default: Told()].isDucked = true
            case .unduck(let id):
                demand(told[id]?.isDucked == true)
                told[id]?.isDucked = false
            case .mute(let id):
                demand(told[id, default: Told()].isMuted == false)
                told[id, default: Told()].isMuted = true
            case .unmute(let id):
                demand(told[id]?.isMuted == true)
                told[id]?.isMuted = false
            case .activate(let id):
                demand(told[id]?.isActive != true && told[id]?.isInterrupted != true)
                told[id, default: Told()].isActive = true
            case .deactivate(let id):
                demand(told[id]?.isActive == true)
                told[id]?.isActive = false
            case .notice(let id?, .interruptionBegan):
                demand(told[id]?.isInterrupted == false)
                told[id]?.isInterrupted = true
            case .notice(let id?, .interruptionEnded):
                demand(told[id]?.isInterrupted == true, "one end for one beginning")
                told[id]?.isInterrupted = false
            case .notice: break
            }
        }
    }

    /// Compares what is with what the rules say, and with what was told.
    private func inspect(_ arbiter: SessionArbiter, _ whole: Whole, _ told: [SessionID: Told]) {
        let sessions = arbiter.sessions
        for session in sessions {
            let id = session.id
            demand(session.isDucked == whole.isDucked(session, among: sessions), "\(session)")
            demand(session.isMuted == whole.isMuted(session, in: arbiter, among: sessions), "\(session)")
            let known = told[id] ?? Told()
            demand(known.isDucked == session.isDucked && known.isMuted == session.isMuted)
            demand(known.isInterrupted == (session.state == .interrupted))
            demand(session.kind == .system || known.isActive == (session.state == .active))
            demand((session.state == .interrupted) == !session.interruptions.isEmpty)
            demand(session.state == .active || !session.isPlaying && !session.isRecording)
            demand(
                session.isDucked == arbiter.causes(for: id).contains { if case .ducked = $0 { true } else { false } }
            )
            if session.state == .interrupted { demand(holds(session, in: arbiter), "\(session)") }
            let others = sessions.filter { $0.id != id }
            demand(arbiter.isOtherAudioPlaying(for: id) == others.contains(where: \.isPlaying))
            demand(arbiter.secondaryAudioShouldBeSilenced(for: id) == others.contains(where: \.isPrimaryAudio))
        }
        for sessionClass in SessionClass.allCases {
            let exclusive = sessions.filter {
                $0.sessionClass == sessionClass && $0.state == .active && $0.kind != .system
                    && !$0.configuration.isMixable
            }
            demand(exclusive.count <= 1, "\(exclusive.map(\.id))")
        }
    }

    /// Whether an interruption goes back to something that lives: every chain ends, and none goes round.
    private func holds(_ session: AudioSession, in arbiter: SessionArbiter, below: Set<SessionID> = []) -> Bool {
        guard !below.contains(session.id) else { return false }
        return session.interruptions.allSatisfy { interruption in
            switch interruption.by {
            case .microphone: return arbiter.isMicrophoneMuted
            case .route: return true
            case .session(let id):
                guard let holder = arbiter[id] else { return false }
                switch holder.state {
                case .active: return true
                case .inactive: return arbiter.nextDeadline != nil
                case .interrupted: return holds(holder, in: arbiter, below: below.union([session.id]))
                }
            }
        }
    }

    /// When everybody has gone, nothing is left.
    private func endEverything(_ arbiter: inout SessionArbiter, _ ends: [SessionEvent], at now: Double) throws {
        for event in ends { _ = try arbiter.handle(event, at: now) }
        for session in arbiter.sessions {
            _ = try arbiter.handle(.deactivate(session.id, notifyOthers: true), at: now)
        }
        while let deadline = arbiter.nextDeadline { _ = arbiter.expire(at: deadline) }
        _ = try arbiter.handle(.silenceSwitch(false), at: now)
        #expect(arbiter.sessions.allSatisfy { $0.state == .inactive && arbiter.causes(for: $0.id).isEmpty })
        for session in arbiter.sessions { _ = try arbiter.handle(.close(session.id), at: now) }
        #expect(arbiter.sessions.isEmpty && arbiter.nowPlaying == nil)
    }
}

extension AudioSession {
    fileprivate var isRecorder: Bool { state == .active && configuration.category == .record }

    fileprivate var isPrimaryAudio: Bool {
        state == .active && !configuration.isMixable && (isPlaying || configuration.category == .record)
    }
}
