internal import AudioSessions
internal import AudioTypes
internal import Configuration
internal import Mixers
internal import NIOCore
internal import Zones

/// The audio sessions of the server: who takes part at which sink, and what the arbiters' decisions do.
///
/// Belongs to the server's event loop. Every zone has a session, every announcement while it is heard, and every client
/// as many as it opens. Those at one sink have one arbiter; those at others never disturb them.
final class SessionDesk {
    unowned let server: ServerState
    var log = EventLog()
    private var arbiters: [String: SessionArbiter] = [:]
    private(set) var places: [SessionID: String] = [:]
    private var nextID = 1
    private var timer: Scheduled<Void>?

    var zoneSessions: [String: KnownZone] = [:]
    var clientSessions: [SessionID: ClientSession] = [:]
    /// The session that goes from one arbiter to another, and so is not to fall silent.
    private(set) var moving: SessionID?
    /// Where interruptions from outside go on.
    private var interruptionPlaces: [SessionID: [String]] = [:]
    /// The connections that some of them end with.
    private var boundInterruptions: [SessionID: Int] = [:]
    /// What clients have made of zones' sessions.
    var categories: [String: SessionConfiguration] = [:]
    /// Whether somebody may open sessions of a class, where that was decided.
    var grants: [Grant: Bool] = [:]
    /// In dB: how much quieter others are while a session ducks them, other than configured.
    var duckDepths: [SessionID: Double] = [:]
    private(set) var isSilent = false
    private(set) var isLocked = false
    /// The places whose sound server was lost.
    var lostServers: [String: LostServer] = [:]
    /// Whose command is being carried out.
    var speaker: String?

    /// A zone's session, and what it is made of.
    struct KnownZone {
        let id: SessionID
        /// What was configured or set; content that is spoken changes the mode.
        var configuration: SessionConfiguration
        var state = PlayState.stop
        /// Who brought the zone into that state, if somebody did; and when, in seconds since 1970.
        var word: (who: String?, time: Double)?
    }

    /// A session that a client opened.
    struct ClientSession {
        /// The connection that opened it.
        let client: Int
        let zone: String
        /// The user on this machine, or the address; who may act on it later.
        let owner: String
        let isPersistent: Bool
    }

    /// How many sessions clients may have open, all together and of one owner.
    static let clientLimit = 10_000
    static let ownerLimit = 256

    init(server: ServerState) { self.server = server }

    // MARK: Sessions

    func session(_ id: SessionID) -> AudioSession? { places[id].flatMap { arbiters[$0]?[id] } }

    /// All sessions, by number.
    var sessions: [AudioSession] { places.keys.sorted().compactMap(session) }

    func arbiter(at place: String) -> SessionArbiter { arbiters[place] ?? SessionArbiter() }

    /// Gives a session its number and its place.
    func open(
        at place: String,
        name: String,
        kind: SessionKind,
        owner: String,
        class sessionClass: SessionClass = .normal,
        configuration: SessionConfiguration = .initial
    ) throws(SessionError) -> SessionID {
        let id = SessionID(nextID)
        nextID += 1
        places[id] = place
        do {
            try handle(
                .open(
                    id,
                    name: name,
                    kind: kind,
                    owner: owner,
                    sessionClass: sessionClass,
                    configuration: configuration
                ),
                at: place
            )
        } catch {
            places[id] = nil
            throw error
        }
        return id
    }

    /// Begins a call, an alarm or an assistant from outside, at the sinks of some zones.
    ///
    /// - Returns: Its number at all of them, and the seconds after which everybody is silent.
    func begin(_ interruption: SystemInterruption, in zones: [Zone]) throws(SessionError) -> (SessionID, wait: Double) {
        let id = SessionID(nextID)
        nextID += 1
        var wait = 0.0
        for place in Set(zones.map(server.place)).sorted() {
            places[id] = places[id] ?? place
            do {
                wait = max(wait, try handle(.beginSystemInterruption(id, interruption), at: place))
            } catch {
                if interruptionPlaces[id] == nil { places[id] = nil }
                throw error
            }
            interruptionPlaces[id, default: []].append(place)
        }
        return (id, wait)
    }

    /// Has an interruption end with a connection, so that it does not outlive a program that was killed.
    func bind(_ id: SessionID, to client: Client) { boundInterruptions[id] = client.id }

    func endInterruptions(of client: Client) {
        for id in boundInterruptions.filter({ $0.value == client.id }).keys.sorted() {
            _ = endInterruption(id, resume: true)
        }
    }

    /// - Returns: Whether there was one.
    func endInterruption(_ id: SessionID, resume: Bool) -> Bool {
        guard let found = interruptionPlaces.removeValue(forKey: id) else { return false }
        boundInterruptions[id] = nil
        for place in found {
            handleSurely(.endSystemInterruption(id, resume: resume), at: place)
            prune(place)
        }
        places[id] = nil
        return true
    }

    /// A session is no more.
    func close(_ id: SessionID) {
        guard let place = places[id] else { return }
        handleSurely(.close(id), at: place)
        places[id] = nil
        clientSessions[id] = nil
        duckDepths[id] = nil
        prune(place)
    }

    /// Has a session taken up by another sink's arbiter, inactive; what it stands for plays on meanwhile.
    func move(_ id: SessionID, to place: String, _ configuration: SessionConfiguration) {
        guard let old = places[id], old != place, let session = session(id) else { return }
        moving = id
        handleSurely(.close(id), at: old)
        moving = nil
        places[id] = place
        handleSurely(
            .open(
                id,
                name: session.name,
                kind: session.kind,
                owner: session.owner,
                sessionClass: session.sessionClass,
                configuration: configuration
            ),
            at: place
        )
        for preference in [
            SessionPreference.autoResume(session.autoResume),
            .noInterruptionsFromSystemAlerts(session.prefersNoInterruptionsFromSystemAlerts),
            .interruptionOnRouteDisconnect(session.prefersInterruptionOnRouteDisconnect),
        ] { handleSurely(.prefer(id, preference), at: place) }
        prune(old)
    }

    private func prune(_ place: String) {
        if arbiters[place]?.sessions.isEmpty == true { arbiters[place] = nil }
    }

    // MARK: Events

    /// Lets a session's arbiter decide, and carries out what it decided.
    ///
    /// - Returns: The seconds after which those that have to be silent are.
    @discardableResult
    func handle(_ event: SessionEvent, of id: SessionID) throws(SessionError) -> Double {
        guard let place = places[id] else {
            throw SessionError(.expiredSession, "there is no session \(id)")
        }
        return try handle(event, at: place)
    }

    /// The same for what cannot be refused.
    func handleSurely(_ event: SessionEvent, at place: String) { _ = try? handle(event, at: place) }

    @discardableResult
    private func handle(_ event: SessionEvent, at place: String) throws(SessionError) -> Double {
        if arbiters[place] == nil { arbiters[place] = makeArbiter() }
        let effects = try arbiters[place]?.handle(event, at: HostTime.now.seconds)
        return carryOut(effects ?? [], at: place)
    }

    /// One that knows of the silence switch and the lock.
    private func makeArbiter() -> SessionArbiter {
        var arbiter = SessionArbiter()
        for event in [SessionEvent.silenceSwitch(isSilent), .locked(isLocked)] {
            _ = try? arbiter.handle(event, at: HostTime.now.seconds)
        }
        return arbiter
    }

    func setSilent(_ isSilent: Bool) {
        self.isSilent = isSilent
        for place in arbiters.keys { handleSurely(.silenceSwitch(isSilent), at: place) }
    }

    func setLocked(_ isLocked: Bool) {
        self.isLocked = isLocked
        for place in arbiters.keys { handleSurely(.locked(isLocked), at: place) }
    }

    /// Carries out what an arbiter decided, in its order.
    ///
    /// - Returns: The seconds after which those that have to be silent are.
    private func carryOut(_ effects: [SessionEffect], at place: String) -> Double {
        guard !effects.isEmpty else { return 0 }
        var resuming: [SessionID] = []
        var wait = 0.0
        var isNoted = false
        for effect in effects {
            switch effect {
            case .interrupt(let id, let interrupter, _):
                if session(id)?.resumesWhenReleased == true { wait = max(wait, fade + delay(of: id)) }
                interrupt(id, by: interrupter)
            case .endInterruption(let id, _): zone(of: id)?.endInterruption()
            case .resume(let id): resuming.append(id)
            case .deactivate(let id): fallSilent(id)
            case .activate, .duck, .unduck, .mute, .unmute: break
            case .notice(let id, let notice):
                note(notice, of: id)
                isNoted = true
            }
        }
        settle(place)
        for id in resuming { bringBack(id) }
        if isNoted { server.note(.session) }
        schedule()
        return wait
    }

    /// How long after it is told a session's fade begins to be heard, in seconds, at most.
    private func delay(of id: SessionID) -> Double {
        let reach = zone(of: id).flatMap { server.mixers[$0.name]?.reach } ?? 0
        return max(0.04, reach + 0.02)
    }

    /// How long the interrupted fade out and in, in seconds.
    var fade: Double { server.configuration.session.fade.seconds }

    // MARK: Time

    /// Has the arbiters look again when one of them wants to: only while somebody is waited for.
    private func schedule() {
        timer?.cancel()
        timer = nil
        guard let deadline = arbiters.values.compactMap(\.nextDeadline).min() else { return }
        let delay = TimeAmount.nanoseconds(Int64(max(0, deadline - HostTime.now.seconds) * 1e9))
        timer = server.loop.scheduleTask(in: delay) { [hop = server.hop] in hop { $0.desk.expire() } }
    }

    private func expire() {
        let now = HostTime.now.seconds
        for place in arbiters.keys.sorted() {
            guard let deadline = arbiters[place]?.nextDeadline, deadline <= now else { continue }
            let effects = arbiters[place]?.expire(at: now)
            _ = carryOut(effects ?? [], at: place)
        }
        schedule()
    }
}

extension HostTime {
    /// Seconds on the monotonic clock.
    var seconds: Double { Double(nanoseconds) / 1e9 }
}

extension Duration {
    var seconds: Double { self / .seconds(1) }
}
