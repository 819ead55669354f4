package import AudioSessions
internal import AudioTypes
internal import Mixers
package import NIOCore
package import NowPlaying
package import ServerBasics
package import ServerRooms
internal import Settings
internal import Songs
internal import StateStore
package import Zones

/// A connection as sessions see it.
package struct SessionClient {
    /// The connection's number.
    package let id: Int
    /// The user on this machine, or the address.
    package let owner: String
    package let zone: Zone

    package init(id: Int, owner: String, zone: Zone) { (self.id, self.owner, self.zone) = (id, owner, zone) }
}

/// The server's audio sessions: which session is at which sink, and the execution of the arbiters' decisions.
///
/// Belongs to the server's event loop. Every zone has a session, every announcement has one while it is heard, and
/// every client has as many as it opens. Sessions at one sink share an arbiter; those at other sinks do not affect
/// them.
package final class SessionService {
    package let rooms: Rooms
    package let configuration: CurrentConfiguration
    package unowned let delegate: any SessionDelegate
    private let loop: any EventLoop
    package let clock: any WallClock
    private lazy var onLoop = LoopExecutor(for: self, on: loop)
    package private(set) var log = EventLog()
    private var arbiters: [String: SessionArbiter] = [:]
    /// Where each session is heard: at one sink, or at several.
    package private(set) var places: [SessionID: [String]] = [:]
    private var nextID = 1
    private var timer: Scheduled<Void>?

    package var zoneSessions: [String: KnownZone] = [:]
    package var clientSessions: [SessionID: ClientSession] = [:]
    /// The session that is moving between arbiters, and so must not fall silent.
    package private(set) var moving: SessionID?
    /// The session whose activations and deactivations are not logged, because it is only moving.
    private var quiet: SessionID?
    /// The connections that external interruptions are bound to.
    private var boundInterruptions: [SessionID: Int] = [:]
    /// The interruptions on behalf of the sound server, by the zones that it asked.
    var requestedSilences: [String: SessionID] = [:]
    /// Whether interruptions take effect without a fade: the sound server has muted the streams that it asks already.
    var interruptsAtOnce = false
    /// The connections that last named a persistent session or an unbound interruption, which lasts as long as they do,
    /// and for another lease.
    private var leaseholders: [SessionID: Int] = [:]
    /// When those whose leaseholders are gone end, in seconds on the monotonic clock.
    private var leases: [SessionID: Double] = [:]
    /// Configurations that clients have set for zones' sessions.
    package var categories: [String: SessionConfiguration] = [:]
    /// In dB: sessions whose ducking depth differs from the configured one.
    package var duckDepths: [SessionID: Double] = [:]
    /// In dB: the gains of the ducked sessions, as the log has them.
    var duckGains: [SessionID: Double] = [:]
    package private(set) var isSilent = false
    package private(set) var isLocked = false
    /// The places whose sound servers were lost.
    var lostServers: [String: LostServer] = [:]
    /// The addresses of the sound servers that have no source to record from.
    private var serversWithoutSource: Set<String> = []
    /// The owner of the command that is being executed.
    package var speaker: String?
    /// Elects the session that is now playing, on the whole server.
    package private(set) var election = NowPlayingElection<SessionID>()

    /// A zone's session and its state.
    package struct KnownZone {
        package let id: SessionID
        /// The configured or set configuration; spoken content changes the mode.
        package var configuration: SessionConfiguration
        package var state = PlayState.stop
        /// The one who last changed the zone's state, if any, and when, in seconds since 1970.
        package var word: (who: Pauser?, time: Double)?
    }

    /// A session that a client opened.
    package struct ClientSession {
        /// The connection that opened it.
        package let client: Int
        package let zone: String
        /// Whether it is heard where its zone is; else it named a sink.
        let followsZone: Bool
        /// The user on this machine, or the address: the owner, who may act on the session from other connections too.
        package let owner: String
        package let isPersistent: Bool
    }

    package init(
        _ rooms: Rooms,
        _ configuration: CurrentConfiguration,
        loop: any EventLoop,
        clock: any WallClock,
        delegate: any SessionDelegate
    ) {
        self.rooms = rooms
        self.configuration = configuration
        self.delegate = delegate
        self.loop = loop
        self.clock = clock
    }

    // MARK: Sessions

    /// A session as it is at the place where it is most restricted: a zone that is interrupted at one of its sinks is
    /// silent at all of them.
    package func session(_ id: SessionID) -> AudioSession? {
        let views = sessions(id)
        return views.first { $0.state == .interrupted } ?? views.first { $0.isMuted } ?? views.first { $0.isDucked }
            ?? views.first
    }

    /// A session as it is at each of its places.
    private func sessions(_ id: SessionID) -> [AudioSession] {
        places[id, default: []].compactMap { arbiters[$0]?[id] }
    }

    /// All sessions, by number.
    package var all: [AudioSession] { places.keys.sorted().compactMap(session) }

    /// Everything that silences or lowers a session now, at all its places.
    package func causes(for id: SessionID) -> [SessionCause] {
        var causes: [SessionCause] = []
        for cause in places[id, default: []].flatMap({ arbiter(at: $0).causes(for: id) }) where !causes.contains(cause)
        {
            causes.append(cause)
        }
        return causes
    }

    package func arbiter(at place: String) -> SessionArbiter { arbiters[place] ?? SessionArbiter() }

    /// Assigns a number and places to a new session.
    package func open(
        at places: [String],
        name: String,
        kind: SessionKind,
        owner: String,
        class sessionClass: SessionClass = .normal,
        configuration: SessionConfiguration = .initial
    ) throws(SessionError) -> SessionID {
        let id = SessionID(nextID)
        nextID += 1
        self.places[id] = places
        for place in places {
            handleIgnoringErrors(
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
        }
        return id
    }

    /// Begins an external interruption (a call, an alarm or an assistant) at the sinks of some zones.
    ///
    /// - Returns: Its number, the same at all sinks, and the seconds after which all others are silent.
    package func begin(
        _ interruption: SystemInterruption,
        in zones: [Zone]
    ) throws(SessionError) -> (SessionID, wait: Double) {
        let id = SessionID(nextID)
        nextID += 1
        var wait = 0.0
        for place in Set(zones.flatMap(rooms.places)).sorted() {
            // Before the interruption, of which others tell by its name.
            places[id, default: []].append(place)
            do {
                wait = max(wait, try handle(.beginSystemInterruption(id, interruption), at: place))
            } catch {
                places[id] = nil
                throw error
            }
        }
        return (id, wait)
    }

    /// Binds an interruption to a connection, so that it does not outlive a program that was killed.
    package func bind(_ id: SessionID, to client: SessionClient) {
        boundInterruptions[id] = client.id
    }

    package func endInterruptions(of client: SessionClient) {
        for id in boundInterruptions.filter({ $0.value == client.id }).keys.sorted() {
            _ = endInterruption(id, resume: true)
        }
    }

    /// Accepts a call that only showed a banner: it interrupts all sessions from now on.
    ///
    /// - Returns: The seconds after which all others are silent; `nil` when there is no such interruption.
    package func acceptInterruption(_ id: SessionID) -> Double? {
        guard session(id)?.kind == .system else { return nil }
        return places[id]?.reduce(0) { wait, place in
            max(wait, (try? handle(.acceptSystemInterruption(id), at: place)) ?? 0)
        }
    }

    /// - Returns: Whether the interruption existed.
    package func endInterruption(_ id: SessionID, resume: Bool) -> Bool {
        guard session(id)?.kind == .system else { return false }
        boundInterruptions[id] = nil
        endLease(of: id)
        for place in places[id, default: []] {
            handleIgnoringErrors(.endSystemInterruption(id, resume: resume), at: place)
            prune(place)
        }
        places[id] = nil
        return true
    }

    /// Removes a session.
    package func close(_ id: SessionID) {
        for place in places[id, default: []] {
            handleIgnoringErrors(.close(id), at: place)
            prune(place)
        }
        places[id] = nil
        clientSessions[id] = nil
        endLease(of: id)
        duckDepths[id] = nil
        duckGains[id] = nil
        election.remove(id)
        delegate.sessionClosed(id)
    }

    private func elect(_ id: SessionID, isPlaying: Bool) {
        guard id != moving else { return }
        election.record(id, isPlaying: isPlaying)
        delegate.sessionPlayed(id)
    }

    /// Moves a session to the arbiters of other sinks; its playback continues, unless a call or an alarm is there.
    ///
    /// - Parameters:
    ///   - isToPlay: Whether the session plays, or is to play when its interruption ends.
    ///   - staysActive: Whether the session is to be active there though it does not play.
    ///   - configuration: The configuration that it has there.
    package func move(
        _ id: SessionID,
        to new: [String],
        isToPlay: Bool,
        staysActive: Bool = false,
        _ configuration: SessionConfiguration
    ) {
        guard let old = places[id], old != new, let session = session(id) else { return }
        quiet = id
        moving = id
        for place in old where !new.contains(place) {
            handleIgnoringErrors(.close(id), at: place)
            prune(place)
        }
        moving = nil
        places[id] = new
        for place in new where !old.contains(place) {
            arrive(session, at: place, isToPlay: isToPlay, configuration)
        }
        if staysActive { _ = try? handle(.activate(id), of: id) }
        quiet = nil
        recordMove(of: id, from: session.state)
    }

    /// Logs that a session has become active or inactive by a move.
    private func recordMove(of id: SessionID, from old: AudioSession.State) {
        switch (old, session(id)?.state) {
        case (.active, .inactive): record(.didBecomeInactive(source: .app, reason: nil), of: id)
        case (.inactive, .active), (.interrupted, .active): record(.didBecomeActive, of: id)
        default: return
        }
        delegate.sessionsChanged()
    }

    private func arrive(
        _ session: AudioSession,
        at place: String,
        isToPlay: Bool,
        _ configuration: SessionConfiguration
    ) {
        let id = session.id
        let opening = SessionEvent.open(
            id,
            name: session.name,
            kind: session.kind,
            owner: session.owner,
            sessionClass: session.sessionClass,
            configuration: configuration
        )
        handleIgnoringErrors(opening, at: place)
        for preference in [
            SessionPreference.autoResume(session.autoResume),
            .noInterruptionsFromSystemAlerts(session.prefersNoInterruptionsFromSystemAlerts),
            .interruptionOnRouteDisconnect(session.prefersInterruptionOnRouteDisconnect),
        ] { handleIgnoringErrors(.prefer(id, preference), at: place) }
        if session.isBackground { handleIgnoringErrors(.background(id, true), at: place) }
        if isToPlay { handleIgnoringErrors(.arrive(id, interruptedBy: session.interruptedBy), at: place) }
    }

    /// Interrupts the sessions at a sink that is gone, as far as they want that.
    package func loseRoute(at place: String) {
        if arbiters[place] != nil { handleIgnoringErrors(.routeLost, at: place) }
    }

    private func prune(_ place: String) {
        if arbiters[place]?.sessions.isEmpty == true { arbiters[place] = nil }
    }

    // MARK: Events

    /// Passes an event to a session's arbiters and carries out their decisions.
    ///
    /// An activation that is refused at one of several sinks is taken back at the others.
    ///
    /// - Returns: The seconds after which the interrupted sessions are silent.
    @discardableResult
    package func handle(_ event: SessionEvent, of id: SessionID) throws(SessionError) -> Double {
        guard let places = places[id], !places.isEmpty else {
            throw SessionError(.expiredSession, "there is no session \(id)")
        }
        var (wait, done) = (0.0, [String]())
        for place in places {
            let wasActive = arbiters[place]?[id]?.state == .active
            do throws(SessionError) {
                wait = max(wait, try handle(event, at: place))
            } catch {
                for place in done { handleIgnoringErrors(.deactivate(id, notifyOthers: true), at: place) }
                if error.code == .resourceNotAvailable { recordMissingRoute(of: id) }
                throw error
            }
            if case .activate = event, !wasActive { done.append(place) }
        }
        return wait
    }

    /// Like `handle`, for events that cannot be refused.
    func handleIgnoringErrors(_ event: SessionEvent, at place: String) { _ = try? handle(event, at: place) }

    @discardableResult
    private func handle(_ event: SessionEvent, at place: String) throws(SessionError) -> Double {
        if arbiters[place] == nil { arbiters[place] = makeArbiter(at: place) }
        let effects = try arbiters[place]?.handle(event, at: loop.hostTime.seconds)
        if case .playing(let id, let isPlaying) = event { elect(id, isPlaying: isPlaying) }
        return carryOut(effects ?? [], at: place)
    }

    /// Makes an arbiter with the current states of the silence switch, the lock and the sound server.
    private func makeArbiter(at place: String) -> SessionArbiter {
        var arbiter = SessionArbiter()
        let hasSource = !serversWithoutSource.contains { place.hasPrefix("sink:\($0)/") }
        for event in [SessionEvent.silenceSwitch(isSilent), .locked(isLocked), .inputAvailable(hasSource)] {
            _ = try? arbiter.handle(event, at: loop.hostTime.seconds)
        }
        return arbiter
    }

    /// Handles that a sound server has a source to record from, or none.
    ///
    /// - Parameter server: The address; empty for the default.
    package func setSource(_ isThere: Bool, ofServer server: String) {
        if isThere { serversWithoutSource.remove(server) } else { serversWithoutSource.insert(server) }
        for place in arbiters.keys.sorted() where place.hasPrefix("sink:\(server)/") {
            handleIgnoringErrors(.inputAvailable(isThere), at: place)
        }
    }

    package func setSilent(_ isSilent: Bool) {
        self.isSilent = isSilent
        for place in arbiters.keys { handleIgnoringErrors(.silenceSwitch(isSilent), at: place) }
        delegate.sessionSettingChanged(Record("silence", isSilent ? "1" : "0"))
    }

    package func setLocked(_ isLocked: Bool) {
        self.isLocked = isLocked
        for place in arbiters.keys { handleIgnoringErrors(.locked(isLocked), at: place) }
        delegate.sessionSettingChanged(Record("lock", isLocked ? "1" : "0"))
    }

    /// Carries out an arbiter's effects in order.
    ///
    /// - Returns: The seconds after which the interrupted sessions are silent.
    private func carryOut(_ effects: [SessionEffect], at place: String) -> Double {
        guard !effects.isEmpty else {
            delegate.sessionStatesChanged()
            return 0
        }
        var resuming: [SessionID] = []
        var wait = 0.0
        var isNoted = false
        for effect in effects {
            switch effect {
            case .interrupt(let id, let interrupter, _):
                if session(id)?.resumesWhenReleased == true { wait = max(wait, fade + delay(of: id)) }
                interrupt(id, by: interrupter)
                elect(id, isPlaying: false)
            case .endInterruption(let id, let shouldResume):
                guard !isInterrupted(id, otherThanAt: place) else {
                    // A session that may not resume here does not resume either when its interruption ends elsewhere.
                    if !shouldResume { stopWaiting(id, otherThanAt: place) }
                    continue
                }
                zone(of: id)?.endInterruption()
                delegate.foreignSessions.release(id, shouldResume: shouldResume)
            case .resume(let id): if !isInterrupted(id, otherThanAt: place) { resuming.append(id) }
            case .deactivate(let id):
                fallSilent(id)
                elect(id, isPlaying: false)
            case .activate, .duck, .unduck, .mute, .unmute: break
            case .notice(let id, let notice):
                guard isLogged(notice, of: id) else { continue }
                record(notice, of: id)
                isNoted = true
            }
        }
        settle(place)
        for id in resuming { bringBack(id) }
        if isNoted { delegate.sessionsChanged() } else { delegate.sessionStatesChanged() }
        schedule()
        return wait
    }

    /// Whether an arbiter's notice is news: moves are noted as a whole, and sound servers once for all their sinks.
    private func isLogged(_ notice: SessionNotice, of id: SessionID?) -> Bool {
        switch notice {
        case .didBecomeActive, .didBecomeInactive: id != quiet
        case .mediaServicesLost, .mediaServicesReset: false
        default: true
        }
    }

    private func isInterrupted(_ id: SessionID, otherThanAt place: String) -> Bool {
        places[id, default: []].contains { $0 != place && arbiters[$0]?[id]?.state == .interrupted }
    }

    private func stopWaiting(_ id: SessionID, otherThanAt place: String) {
        for other in places[id, default: []] where other != place {
            handleIgnoringErrors(.playing(id, false), at: other)
        }
    }

    /// Appends an event to the log.
    package func record(_ type: String, of id: SessionID?, _ fields: [(key: StaticString, value: String)]) {
        log.append(type, of: id?.rawValue, at: clock.now, fields)
    }

    /// The time of day at a moment of the host's clock, in seconds since 1970.
    ///
    /// - Parameter moment: In seconds.
    func wallTime(_ moment: Double) -> Double { clock.now - (loop.hostTime.seconds - moment) }

    /// The longest time until a session's fade becomes audible, in seconds.
    private func delay(of id: SessionID) -> Double {
        let reach = zone(of: id).flatMap { rooms[$0]?.mixer.reach } ?? 0
        return max(0.04, reach + 0.02)
    }

    /// The length of the fades at interruptions, out and in, in seconds.
    package var fade: Double { configuration.value.session.fade.seconds }

    // MARK: Time

    /// Schedules the next time that an arbiter asks for; no timer runs unless one does.
    private func schedule() {
        timer?.cancel()
        timer = nil
        guard let deadline = (arbiters.values.compactMap(\.nextDeadline) + leases.values).min() else { return }
        timer = onLoop(in: deadline - loop.hostTime.seconds) { $0.expire() }
    }

    private func expire() {
        let now = loop.hostTime.seconds
        for place in arbiters.keys.sorted() {
            guard let deadline = arbiters[place]?.nextDeadline, deadline <= now else { continue }
            let effects = arbiters[place]?.expire(at: now)
            _ = carryOut(effects ?? [], at: place)
        }
        endLeases(at: now)
        schedule()
    }

    // MARK: Leases

    /// Lets a session that is not bound to a connection last for another lease; called for each command that names it.
    package func renewLease(of id: SessionID, by client: SessionClient) {
        let isUnbound = session(id)?.kind == .system || clientSessions[id]?.isPersistent == true
        guard isUnbound, boundInterruptions[id] == nil else { return }
        leases[id] = nil
        leaseholders[id] = client.id
    }

    /// Lets the leases begin whose holder is gone.
    func beginLeases(of client: SessionClient) {
        let held = leaseholders.filter { $0.value == client.id }.keys
        guard !held.isEmpty else { return }
        for id in held {
            leaseholders[id] = nil
            leases[id] = loop.hostTime.seconds + configuration.value.session.lease.seconds
        }
        schedule()
    }

    private func endLease(of id: SessionID) {
        leaseholders[id] = nil
        leases[id] = nil
    }

    /// Ends interruptions, and deactivates persistent sessions, whose programs have not named them for too long.
    private func endLeases(at now: Double) {
        for id in leases.filter({ $0.value <= now }).keys.sorted() {
            endLease(of: id)
            guard let session = session(id), session.state != .inactive else { continue }
            record("leaseEnded", of: id, [])
            if !endInterruption(id, resume: true) { _ = try? handle(.deactivate(id, notifyOthers: false), of: id) }
            delegate.sessionsChanged()
        }
    }
}
