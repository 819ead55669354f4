package import AudioSessions
internal import DBus
internal import MPRIS
package import NIOCore
package import Outputs
package import ServerBasics
package import ServerRooms
package import ServerSessions
internal import Settings
internal import Songs
package import Threads
internal import Zones

/// The streams of other programs, which take part in arbitration where they are heard.
///
/// Belongs to the server's event loop. A stream that is ducked is lowered at the sound server, one that is interrupted is
/// paused or muted there; its own level is on the disk before that.
package final class ForeignStreams: ForeignSessions {
    private let rooms: Rooms
    private let audioSessions: SessionService
    private let configuration: CurrentConfiguration
    private let work: WorkThreads
    private let loop: any EventLoop
    private unowned let delegate: any ForeignDelegate
    private lazy var onLoop = LoopExecutor(for: self, on: loop)
    private let file: LevelFile?
    private var journal = LevelJournal()
    private var observations: [String: any StreamWatch] = [:]
    private var streams: [StreamPlace: ForeignStream] = [:]
    private var placesOfSessions: [SessionID: StreamPlace] = [:]
    private var rules: [ForeignRule] = []
    /// The sound servers that have told of all their streams.
    private var answering: Set<String> = []
    /// How often each sound server was lost.
    private var losses: [String: Int] = [:]

    /// A sound server's address and its number of a stream, which it gives to another one after a restart.
    struct StreamPlace: Hashable, Comparable {
        package let server: String
        /// How often the server had been lost before.
        package let losses: Int
        package let index: UInt32

        package static func < (left: Self, right: Self) -> Bool {
            (left.server, left.losses, left.index) < (right.server, right.losses, right.index)
        }
    }

    package init(
        _ rooms: Rooms,
        _ audioSessions: SessionService,
        _ configuration: CurrentConfiguration,
        _ work: WorkThreads,
        loop: any EventLoop,
        file: LevelFile?,
        delegate: any ForeignDelegate
    ) {
        self.rooms = rooms
        self.audioSessions = audioSessions
        self.configuration = configuration
        self.work = work
        self.loop = loop
        self.file = file
        self.delegate = delegate
    }

    // MARK: Switching

    /// Begins, when that is configured, or an earlier process has left levels to be given back; blocks for the disk.
    package func start() {
        journal = file?.read() ?? LevelJournal()
        configurationChanged()
    }

    private var isOn: Bool { configuration.value.watchesForeignStreams && file != nil }

    package func configurationChanged() {
        let rulesChanged = rules != configuration.value.foreignRules
        rules = configuration.value.foreignRules
        for observation in observations.values { observation.limit(to: configuration.value.limits.maxForeignStreams) }
        if isOn || !journal.entries.isEmpty { open() }
        guard isOn else { return leaveAll() }
        for place in streams.keys.sorted() {
            if streams[place]?.line == nil { examine(place) } else if rulesChanged { treat(place) }
        }
    }

    private func open() {
        guard observations.isEmpty else { return }
        let onLoop = onLoop
        observations = delegate.watchStreams(limit: configuration.value.limits.maxForeignStreams) { server, news in
            onLoop { $0.receive(news, from: server) }
        }
    }

    /// Ends all sessions; the levels are given back.
    private func leaveAll() {
        for place in streams.keys.sorted() { leave(place) }
        settleOwnStreams()
        stopIfDone()
    }

    private func stopIfDone() {
        guard !isOn, journal.entries.isEmpty else { return }
        observations = [:]
        streams = [:]
        answering = []
    }

    /// Has the media players that were paused play on, gives all levels back, and calls back when the sound servers have
    /// them.
    package func close(then done: @escaping @Sendable () -> Void) {
        for place in streams.keys.sorted() { letPlay(place) }
        let held = streams.filter { $0.value.level.original != nil }
        let observations = Set(held.keys.map(\.server)).compactMap { self.observations[$0] }
        guard !observations.isEmpty else { return done() }
        for (place, stream) in held {
            guard let original = stream.level.original else { continue }
            self.observations[place.server]?.set(place.index, to: original)
            _ = journal.forget(stream.stream.restoreKey ?? "", place.index, at: place.server)
        }
        let flushes = observations.map { observation in
            let flush = loop.makePromise(of: Void.self)
            observation.flush { flush.succeed() }
            return flush.futureResult
        }
        EventLoopFuture.andAllComplete(flushes, on: loop).whenComplete { [onLoop] _ in
            onLoop { foreign in
                foreign.save()
                foreign.file?.whenWritten { _ in done() }
            }
        }
    }

    // MARK: What the sound server tells

    private func receive(_ news: PulseStreamNews, from server: String) {
        switch news {
        case .changed(let stream): update(stream, at: place(of: stream.index, at: server))
        case .gone(let index): remove(place(of: index, at: server))
        case .listed: answering.insert(server)
        case .lost:
            answering.remove(server)
            for place in streams.keys.sorted() where place.server == server { remove(place) }
            losses[server, default: 0] += 1
        case .tooMany:
            let limit = configuration.value.limits.maxForeignStreams
            delegate.log(.warning, "more than \(limit) streams of other programs (limits.max-foreign-streams)")
        case .remembered(let key): if journal.forgetGone(key, at: server) { save() }
        }
    }

    private func place(of index: UInt32, at server: String) -> StreamPlace {
        StreamPlace(server: server, losses: losses[server] ?? 0, index: index)
    }

    private func update(_ stream: PulseStream, at place: StreamPlace) {
        guard streams[place] != nil else { return add(stream, at: place) }
        let hasMoved = streams[place]?.stream.sink != stream.sink
        let wasMuted = streams[place]?.stream.level.isMuted == true
        streams[place]?.stream = stream
        let progress = streams[place]?.progress ?? .settled
        if let step = streams[place]?.level.report(stream.level, isSet: stream.isLevelSet, progress) {
            perform(step, on: place)
        }
        if wasMuted, !stream.isLevelSet, !stream.level.isMuted {
            carryOut(streams[place]?.playback.unmuted() ?? [], of: place)
        }
        guard streams[place]?.session != nil else { return treat(place) }
        if hasMoved { move(place) }
        play(place)
    }

    private func add(_ stream: PulseStream, at place: StreamPlace) {
        // Segue's programs set their levels themselves; only a mute may be left of one.
        let mayInherit = stream.isAdjustable && (!stream.isOurs || stream.level.isMuted)
        let inherited = mayInherit ? journal.inheritance(of: stream, at: place.server) : nil
        streams[place] = ForeignStream(stream, HeldLevel(stream.level, inherited: inherited))
        if inherited == nil, let key = stream.restoreKey, journal.forgetGone(key, at: place.server) { save() }
        if let step = streams[place]?.level.begin() { perform(step, on: place) }
        if isOn { examine(place) }
    }

    /// Finds out whose process plays a stream, and then treats it.
    private func examine(_ place: StreamPlace) {
        guard let stream = streams[place]?.stream else { return }
        guard let process = stream.process else { return examined(place, ProcessLine()) }
        work.submit(to: .streams) { [onLoop] in
            let line = ProcessLine(of: process)
            onLoop { $0.examined(place, line) }
        }
    }

    private func examined(_ place: StreamPlace, _ line: ProcessLine) {
        streams[place]?.line = line
        treat(place)
    }

    private func remove(_ place: StreamPlace) {
        guard let stream = streams[place], !stream.playback.isGone else { return }
        if stream.stream.isOurs {
            if journal.forget(stream.stream.restoreKey ?? "", place.index, at: place.server) { save() }
        } else if let entry = journal.streamIsGone(place.index, at: place.server) {
            // Where the memory cannot be written, the next stream of that name gets its level back.
            observations[place.server]?.remember(entry.key, entry.level)
            save()
        }
        guard let session = stream.session else { return end(place) }
        let isInterrupted = audioSessions.session(session)?.state == .interrupted
        carryOut(streams[place]?.playback.streamEnded(isInterrupted: isInterrupted) ?? [], of: place)
    }

    // MARK: Sessions

    /// Opens a stream's session, closes it, or changes it, as the rules have it.
    private func treat(_ place: StreamPlace) {
        guard isOn, let stream = streams[place], let line = stream.line, stream.stream.sink != nil,
            !stream.playback.isGone
        else { return }
        guard !stream.stream.isOurs, !isOwn(line) else {
            leave(place)
            return settleOwn(place)
        }
        guard case .session(let sessionClass, let configuration) = treatment(of: stream.stream)
        else { return leave(place) }
        if let session = stream.session {
            guard audioSessions.session(session)?.configuration != configuration else { return }
            leave(place)
        }
        guard
            let session = try? audioSessions.open(
                at: [sink(of: stream.stream, at: place)],
                name: stream.stream.title,
                kind: .foreign,
                owner: stream.stream.program,
                class: sessionClass,
                configuration: configuration
            )
        else { return }
        streams[place]?.session = session
        placesOfSessions[session] = place
        play(place)
        audioSessions.delegate.sessionsChanged()
    }

    private func treatment(of stream: PulseStream) -> ForeignTreatment {
        do throws(SessionError) {
            return try ForeignTreatment(of: stream, by: rules)
        } catch {
            delegate.log(.warning, "the [[foreign]] rule for \(stream.title): \(error); its role decides")
            return ForeignTreatment(of: stream)
        }
    }

    /// Whether a stream is played by a client that has a session for it, as the programs that `segue exec` runs.
    private func isOwn(_ line: ProcessLine) -> Bool {
        let processes = delegate.sessionsOfProcesses
        return line.related.contains { processes[$0] != nil }
    }

    /// A client has opened a session: what it plays itself is not foreign.
    package func clientOpenedSession() {
        for place in streams.keys.sorted() { if let line = streams[place]?.line, isOwn(line) { leave(place) } }
        settleOwnStreams()
    }

    // MARK: Clients' streams

    /// How long the program of an interrupted session has to fall silent, in seconds after the fade.
    private static let clientPatience = 0.25

    /// Mutes the streams of clients whose sessions are interrupted and who go on playing, as a program that was stopped
    /// (SIGSTOP) does until its sound server has played what it was given; and lets the others be heard.
    package func settleOwnStreams() {
        for (place, stream) in streams where stream.session == nil { settleOwn(place) }
    }

    private func settleOwn(_ place: StreamPlace) {
        guard let stream = streams[place], stream.session == nil, stream.stream.isAdjustable else { return }
        guard isOn, !stream.stream.isCorked, let line = stream.line, isSilenced(line) else {
            streams[place]?.isDue = false
            if stream.level.hold != .none { holdOwn(.none, place) }
            return
        }
        guard stream.level.hold == .none, !stream.isDue else { return }
        streams[place]?.isDue = true
        _ = onLoop(in: configuration.value.session.fade.seconds + Self.clientPatience) { $0.muteOwn(place) }
    }

    /// Mutes a stream that has had its time.
    private func muteOwn(_ place: StreamPlace) {
        guard let stream = streams[place], stream.isDue else { return }
        streams[place]?.isDue = false
        guard isOn, stream.session == nil, !stream.stream.isCorked, let line = stream.line, isSilenced(line)
        else { return }
        delegate.log(.notice, "\(stream.stream.title) is muted: its session is interrupted, and it plays on")
        holdOwn(.muted, place)
    }

    private func holdOwn(_ hold: HeldLevel.Hold, _ place: StreamPlace) {
        if let step = streams[place]?.level.want(hold) { perform(step, on: place) }
    }

    /// Whether a program has sessions, none of which may be heard.
    private func isSilenced(_ line: ProcessLine) -> Bool {
        let processes = delegate.sessionsOfProcesses
        let sessions = line.related.flatMap { processes[$0] ?? [] }.compactMap(audioSessions.session)
        return sessions.contains { $0.state == .interrupted } && !sessions.contains { $0.state == .active }
    }

    private func sink(of stream: PulseStream, at place: StreamPlace) -> String {
        rooms.place(ofSink: stream.sink, server: place.server.isEmpty ? nil : place.server)
    }

    /// Moves a session to where its stream is heard.
    private func move(_ place: StreamPlace) {
        guard let stream = streams[place], let id = stream.session, let session = audioSessions.session(id),
            stream.stream.sink != nil
        else { return }
        let new = [sink(of: stream.stream, at: place)]
        guard audioSessions.places[id] != new else { return }
        let wasInterrupted = session.state == .interrupted
        audioSessions.move(id, to: new, isToPlay: stream.playback.isPlaying, session.configuration)
        if wasInterrupted, audioSessions.session(id)?.state != .interrupted {
            carryOut(streams[place]?.playback.released(shouldResume: true) ?? [], of: place)
        }
        settle(place)
        audioSessions.delegate.sessionsChanged()
    }

    /// Tells the session whether its stream plays.
    private func play(_ place: StreamPlace) {
        guard let stream = streams[place], let session = stream.session else { return }
        let isInterrupted = audioSessions.session(session)?.state == .interrupted
        let isPlaying = !stream.stream.isCorked
        let steps = streams[place]?.playback.streamChanged(isPlaying: isPlaying, isInterrupted: isInterrupted)
        carryOut(steps ?? [], of: place)
    }

    /// Ends a session, but not its stream.
    private func leave(_ place: StreamPlace) {
        guard let session = streams[place]?.session else { return }
        letPlay(place)
        // Kept only while its player was paused.
        if streams[place]?.playback.isGone == true { return end(place) }
        close(session)
        streams[place]?.session = nil
        streams[place]?.playback.reset()
        settle(place)
    }

    /// Has the media player of a stream play on, if it was paused here.
    private func letPlay(_ place: StreamPlace) {
        if case .paused(let player, _)? = streams[place]?.playback.silence { delegate.playerRemote?.play(player) }
    }

    private func close(_ session: SessionID) {
        placesOfSessions[session] = nil
        _ = try? audioSessions.handle(.deactivate(session, notifyOthers: true), of: session)
        audioSessions.close(session)
        audioSessions.delegate.sessionsChanged()
    }

    /// Forgets a stream that has ended, with its session.
    private func end(_ place: StreamPlace) {
        if let session = streams.removeValue(forKey: place)?.session { close(session) }
        stopIfDone()
    }

    // MARK: What the arbiter decides

    /// A session is interrupted.
    package func interrupt(_ id: SessionID) {
        guard let place = placesOfSessions[id] else { return }
        carryOut(streams[place]?.playback.interrupted() ?? [], of: place)
    }

    /// Nothing interrupts a session any more.
    package func release(_ id: SessionID, shouldResume: Bool) {
        guard let place = placesOfSessions[id] else { return }
        let steps = streams[place]?.playback.released(shouldResume: shouldResume) ?? []
        // The arbiter is still at work: what another event comes to waits until it is done.
        for step in steps where step != .activate { carryOut([step], of: place) }
        if steps.contains(.activate) { onLoop { $0.activateAgain(place) } }
    }

    private func activateAgain(_ place: StreamPlace) {
        guard let stream = streams[place], stream.playback.isPlaying, let id = stream.session,
            audioSessions.session(id)?.state == .inactive
        else { return }
        carryOut([.activate], of: place)
    }

    /// Whether a session that may resume has a stream that plays.
    package func isPlaying(_ id: SessionID) -> Bool {
        placesOfSessions[id].flatMap { streams[$0] }?.playback.isPlaying ?? false
    }

    /// Applies the levels of the streams at a sink.
    package func settle(_ sink: String) {
        for (id, place) in placesOfSessions where audioSessions.places[id]?.contains(sink) == true { settle(place) }
        settleOwnStreams()
    }

    private func settle(_ place: StreamPlace) {
        guard let stream = streams[place], stream.stream.isAdjustable, !stream.playback.isGone else { return }
        let session = stream.session.flatMap(audioSessions.session)
        let gain = stream.session.map(audioSessions.gain) ?? 0
        guard let hold = stream.playback.hold(session, gain: gain), hold != stream.level.hold else { return }
        if let step = streams[place]?.level.want(hold) { perform(step, on: place) }
    }

    private func carryOut(_ steps: [ForeignPlayback.Step], of place: StreamPlace) {
        for step in steps {
            guard let id = streams[place]?.session else { return }
            switch step {
            case .activate: activate(id)
            case .deactivate:
                _ = try? audioSessions.handle(.playing(id, false), of: id)
                _ = try? audioSessions.handle(.deactivate(id, notifyOthers: true), of: id)
            case .stayPaused: _ = try? audioSessions.handle(.playing(id, false), of: id)
            case .ask(let attempt): ask(attempt, place)
            case .play(let player): delegate.playerRemote?.play(player)
            case .leave(let player): delegate.playerRemote?.forget(player)
            case .settle:
                if streams[place]?.playback.silence.isMuted == true { recordMute(place, id) }
                settle(place)
            case .close: end(place)
            }
        }
    }

    private func activate(_ id: SessionID) {
        do {
            try audioSessions.handle(.activate(id), of: id)
            try audioSessions.handle(.playing(id, true), of: id)
        } catch {
            // It cannot be kept from playing, and is heard beside what refuses it.
            delegate.log(.info, "\(audioSessions.describe(id)) plays without being asked: \(error)")
        }
    }

    // MARK: Pausing

    /// How long a media player has to pause before its stream is muted, in seconds.
    private static let patience = 0.25

    private func ask(_ attempt: Int, _ place: StreamPlace) {
        guard let line = streams[place]?.line, !line.processes.isEmpty, let players = delegate.playerRemote
        else { return answered(attempt, place, nil) }
        players.pause(line.processes) { [onLoop] player in onLoop { $0.answered(attempt, place, player) } }
        _ = onLoop(in: Self.patience) { $0.patienceEnded(attempt, place) }
    }

    private func answered(_ attempt: Int, _ place: StreamPlace, _ player: RemotePlayer?) {
        guard let id = streams[place]?.session else {
            if let player { delegate.playerRemote?.play(player) }
            return
        }
        let steps = streams[place]?.playback.answered(attempt, by: player) ?? []
        if let player, case .paused(player, _)? = streams[place]?.playback.silence {
            log("foreignPaused", id, [("player", player.name)])
            delegate.log(.info, "\(audioSessions.describe(id)) is paused through \(player.name)")
        }
        carryOut(steps, of: place)
    }

    private func patienceEnded(_ attempt: Int, _ place: StreamPlace) {
        carryOut(streams[place]?.playback.patienceEnded(attempt) ?? [], of: place)
    }

    private func recordMute(_ place: StreamPlace, _ id: SessionID) {
        let isAdjustable = streams[place]?.stream.isAdjustable == true
        log(isAdjustable ? "foreignMuted" : "foreignHeard", id, [("reason", "no media player of it has paused")])
        let end = isAdjustable ? "is muted: it has not paused" : "can be neither paused nor muted, and is heard"
        delegate.log(.notice, "\(audioSessions.describe(id)) \(end)")
    }

    private func log(_ type: String, _ id: SessionID, _ fields: [(key: StaticString, value: String)]) {
        audioSessions.record(type, of: id, fields)
        audioSessions.delegate.sessionsChanged()
    }

    // MARK: Levels

    private func perform(_ step: HeldLevel.Step, on place: StreamPlace) {
        guard let stream = streams[place]?.stream, let key = stream.restoreKey else { return }
        switch step {
        case .nothing: break
        case .hold(let original, let level):
            guard let isNews = journal.record(original, of: key, place.index, at: place.server) else {
                return abandon(place, "too many levels of streams are written down")
            }
            if isNews { save() }
            file?.whenWritten { [weak self] isWritten in
                guard let self, streams[place]?.level.isHeld(at: level, of: original) == true else { return }
                if isWritten { return fade(place, to: level) }
                abandon(place, "its level cannot be written down")
                _ = journal.forget(key, place.index, at: place.server)
            }
        case .giveBack(let level): fade(place, to: level)
        case .forget:
            if journal.forget(key, place.index, at: place.server) { save() }
            stopIfDone()
        }
    }

    /// Leaves a stream at its own level, which could not be given back after a crash.
    private func abandon(_ place: StreamPlace, _ reason: String) {
        streams[place]?.level.abandon()
        guard let id = streams[place]?.session else { return }
        log("foreignHeard", id, [("reason", reason)])
        delegate.log(.notice, "\(audioSessions.describe(id)) keeps its level: \(reason)")
    }

    private func fade(_ place: StreamPlace, to level: StreamLevel) {
        let settings = configuration.value.session
        let isMute = level.isMuted || streams[place]?.stream.level.isMuted == true
        let steps = (isMute ? settings.fade : settings.duckRamp) / .milliseconds(10)
        streams[place]?.orders += 1
        observations[place.server]?.fade(
            place.index,
            to: level,
            steps: max(1, Int(saturating: steps.rounded())),
            number: streams[place]?.orders ?? 0
        )
    }

    private func save() { file?.write(journal) }

    // MARK: Reports

    /// The stream of a session; `nil` for sessions of other kinds.
    package func stream(of id: SessionID) -> (stream: PulseStream, silence: ForeignPlayback.Silence, isHeld: Bool)? {
        guard let stream = placesOfSessions[id].flatMap({ streams[$0] }) else { return nil }
        return (stream.stream, stream.playback.silence, stream.level.original != nil)
    }

    /// Whether a stream that could not be paused is muted; `nil` for one that was paused, or plays.
    package func isMuted(_ id: SessionID) -> Bool? {
        guard let (stream, silence, isHeld) = stream(of: id), silence.isMuted else { return nil }
        return isHeld || stream.level.isMuted
    }

    /// The state of the watch, and the number of streams that have sessions.
    package var report: (state: String, count: Int) {
        guard isOn else { return ("off", 0) }
        let isAnswered = !answering.isEmpty
        return (observations.isEmpty ? "unavailable" : isAnswered ? "watching" : "disconnected", placesOfSessions.count)
    }
}

/// A stream of another program, and what the server does to it.
struct ForeignStream {
    var stream: PulseStream
    var level: HeldLevel
    var playback = ForeignPlayback()
    /// Its process and those that it descends from; `nil` until they are known.
    var line: ProcessLine?
    var session: SessionID?

    /// Whether it is a client's that is muted soon, unless it falls silent.
    var isDue = false
    /// How many orders were given for its level.
    var orders = 0

    /// How far they have come.
    var progress: HeldLevel.Progress {
        stream.order < orders ? .ordered : stream.isLevelSettled ? .settled : .begun
    }

    init(_ stream: PulseStream, _ level: HeldLevel) {
        self.stream = stream
        self.level = level
    }
}
