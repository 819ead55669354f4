package import Alarms
package import AudioSessions
internal import AudioTypes
internal import Mixers
internal import NIOCore
internal import Playlists
internal import ServerBasics
internal import ServerRooms
internal import ServerSessions
internal import Songs
package import Zones

/// The services that ringing alarms need from the server.
struct RingerDependencies {
    /// Finds the media of an alarm's URI, then calls back on the loop; none when there is nothing to play.
    var media: (_ source: AlarmSource, _ reach: NetworkReach, _ then: @escaping ([MediaEntry]) -> Void) -> Void
    /// Resolves a medium; may block on the disk.
    var resolve: @Sendable (MediaEntry) throws -> MediaEntry
    /// Called when a source of an alarm is heard.
    var plays: (_ id: Int, AlarmSource) -> Void
    /// Called when an alarm has begun to ring in a zone, before that is as loud as the alarm, and when it has ended there.
    var ringingChanged: (Zone) -> Void = { _ in }
    /// Called when an alarm has ended; it is not ringing any more.
    var ended: (_ id: Int, AlarmRinger.End) -> Void
    var log: (String) -> Void
    var makeVoice: (AlarmSound) -> any AlarmVoice = { Voice($0) }
}

/// The media of a ringing alarm, with the place and the volume at which they are played.
struct AlarmSound {
    let session: SessionID
    let zone: String
    let media: [MediaEntry]
    let mixer: Mixer
    let volume: Volume
    /// Seconds until the music is silent.
    let wait: Double
    /// Seconds to wait for a working output.
    let patience: Double
    let resolve: @Sendable (MediaEntry) throws -> MediaEntry
    /// Called once, when it is heard.
    let began: @Sendable () -> Void
    /// Called once.
    let ended: @Sendable (Voice.End) -> Void
}

/// The player of a ringing alarm.
protocol AlarmVoice {
    func setVolume(_ volume: Volume)
    func setDuck(_ gain: Gain, over ramp: Double)
    /// Stops, after an optional fade in seconds.
    func end(fadingOver fade: Double?)
}

extension Voice: AlarmVoice {
    convenience init(_ sound: AlarmSound) {
        self.init(
            of: sound.session,
            in: sound.zone,
            sound.media,
            on: sound.mixer,
            volume: sound.volume,
            after: sound.wait,
            patience: sound.patience,
            resolve: sound.resolve,
            began: sound.began,
            ended: sound.ended
        )
    }
}

/// The sources of an alarm's sound.
package enum AlarmSource: Sendable, Hashable {
    case uri(String)
    case bell
}

/// The alarms that ring: each is a session of class alarm beside its zone's music, and has a player on the zone's mixer.
///
/// Belongs to the server's event loop. What does not start within nine seconds, or fails, gives way to the fallback, and
/// that to the built-in bell.
package final class AlarmRinger {
    /// How a ring ended.
    package enum End: Sendable, Hashable {
        /// A client dismissed it; the music may come back.
        case dismissed
        /// A client paused or stopped the zone.
        case silenced
        case snoozed
        /// It rang as long as it may.
        case timedOut
        /// Another alarm rings in its place.
        case replaced
        /// By a session that goes before alarms.
        case interrupted(by: String)
        case removed
    }

    private struct Ring {
        let alarm: Alarm
        let session: SessionID
        let sources: [AlarmSource]
        let start: HostTime
        /// Whether the zone has a volume, which is the alarm's meanwhile.
        let hasMixer: Bool
        /// The number of the source that plays, or is tried.
        var place = 0
        var voice: (any AlarmVoice)?
        /// Counts the voices, so that a late report of an earlier one is ignored.
        var attempt = 0
        var attemptStart: HostTime
        /// How often the bell could not be heard in a row.
        var failures = 0
        var patience: Scheduled<Void>?
        var ramp: Scheduled<Void>?
        var limit: Scheduled<Void>?
    }

    private let rooms: Rooms
    private let audioSessions: SessionService
    private let dependencies: RingerDependencies
    private let loop: any EventLoop
    private lazy var onLoop = LoopExecutor(for: self, on: loop)
    /// By the names of their zones.
    private var rings: [String: Ring] = [:]

    /// Seconds that a source may take to be heard.
    private static let patience = 9.0
    /// Seconds between steps of the volume, and between tries of the bell where no output works.
    private static let (step, retry) = (0.5, 5.0)
    /// Fade-out at the end, in seconds.
    private static let fade = 0.1

    init(_ rooms: Rooms, _ audioSessions: SessionService, loop: any EventLoop, _ dependencies: RingerDependencies) {
        self.rooms = rooms
        self.audioSessions = audioSessions
        self.loop = loop
        self.dependencies = dependencies
    }

    // MARK: Looking

    /// The alarm that rings in a zone.
    package func alarm(in zone: Zone) -> Alarm? { rings[zone.name]?.alarm }

    package func isRinging(_ id: Int) -> Bool { rings.values.contains { $0.alarm.id == id } }

    // MARK: Ringing

    /// Lets an alarm ring in a zone where none does.
    ///
    /// - Parameter elapsed: For how many seconds it has rung before the server was restarted.
    package func ring(_ alarm: Alarm, in zone: Zone, after elapsed: Double = 0) throws {
        let session = try audioSessions.open(
            at: rooms.places(of: zone),
            name: alarm.name.isEmpty ? "\(alarm.when.time)" : alarm.name,
            kind: .alarm,
            owner: "segued",
            class: .alarm,
            configuration: SessionConfiguration(category: .playback)
        )
        let wait: Double
        do {
            wait = try audioSessions.handle(.activate(session), of: session)
            try audioSessions.handle(.playing(session, true), of: session)
        } catch {
            audioSessions.close(session)
            throw error
        }
        var ring = Ring(
            alarm: alarm,
            session: session,
            sources: [alarm.uri, alarm.fallback].compactMap { $0.map(AlarmSource.uri) } + [.bell],
            start: loop.hostTime + -elapsed,
            hasMixer: zone.hasMixer,
            attemptStart: loop.hostTime
        )
        let id = alarm.id
        ring.limit = onLoop(in: alarm.length - elapsed) { $0.end(id, .timedOut) }
        rings[zone.name] = ring
        dependencies.ringingChanged(zone)
        turnUp(zone, to: alarm, after: wait)
        play(in: zone, after: wait)
    }

    /// Sets the zone's volume to the alarm's highest, once the music has faded out.
    private func turnUp(_ zone: Zone, to alarm: Alarm, after wait: Double) {
        guard wait == 0 else {
            let (id, name) = (alarm.id, zone.name)
            _ = onLoop(in: wait) { ringer in
                guard let ring = ringer.rings[name], ring.alarm.id == id else { return }
                if let zone = ringer.rooms.zone(named: name) { ringer.turnUp(zone, to: ring.alarm, after: 0) }
            }
            return
        }
        try? zone.setVolume(alarm.volume.upperBound)
    }

    /// Plays the current source.
    private func play(in zone: Zone, after wait: Double = 0) {
        guard let ring = rings[zone.name], ring.place < ring.sources.count else { return }
        ring.patience?.cancel()
        let (id, attempt, name) = (ring.alarm.id, ring.attempt + 1, zone.name)
        rings[name]?.attempt = attempt
        rings[name]?.attemptStart = loop.hostTime
        rings[name]?.patience = onLoop(in: Self.patience) { ringer in
            ringer.tried(id, attempt, in: name, failure: "nothing was heard within \(Int(saturating: Self.patience)) s")
        }
        dependencies.media(ring.sources[ring.place], ring.alarm.reach) { [unowned self] media in
            guard rings[name]?.alarm.id == id, rings[name]?.attempt == attempt else { return }
            guard !media.isEmpty else { return tried(id, attempt, in: name, failure: "there is no such sound") }
            start(media, in: zone, attempt, after: wait)
        }
    }

    private func start(_ media: [MediaEntry], in zone: Zone, _ attempt: Int, after wait: Double) {
        guard let ring = rings[zone.name], let mixer = rooms[zone]?.mixer else { return }
        let (id, name, onLoop) = (ring.alarm.id, zone.name, onLoop)
        rings[name]?.voice = dependencies.makeVoice(
            AlarmSound(
                session: ring.session,
                zone: name,
                media: media,
                mixer: mixer,
                volume: volume(of: ring),
                wait: wait,
                patience: Self.patience,
                resolve: dependencies.resolve,
                began: { onLoop { $0.began(id, attempt, in: name) } },
                ended: { end in onLoop { $0.ended(id, attempt, in: name, end) } }
            )
        )
        climb(name)
    }

    /// The volume now, relative to the zone's.
    private func volume(of ring: Ring) -> Volume {
        let percent = ring.alarm.volume(after: loop.hostTime - ring.start)
        // A zone without a volume of its own is at full scale.
        return Volume(percent: ring.hasMixer ? 100 * percent / Double(ring.alarm.volume.upperBound) : percent)
    }

    /// Lets the volume rise, until it is at its end.
    private func climb(_ zone: String) {
        guard let ring = rings[zone], let voice = ring.voice else { return }
        voice.setVolume(volume(of: ring))
        ring.ramp?.cancel()
        guard loop.hostTime - ring.start < ring.alarm.ramp, ring.alarm.volume.count > 1 else { return }
        rings[zone]?.ramp = onLoop(in: Self.step) { $0.climb(zone) }
    }

    private func began(_ id: Int, _ attempt: Int, in zone: String) {
        guard let ring = rings[zone], ring.alarm.id == id, ring.attempt == attempt else { return }
        rings[zone]?.failures = 0
        ring.patience?.cancel()
        dependencies.plays(id, ring.sources[ring.place])
    }

    /// An alarm's sound has ended: it plays again, unless there was nothing to hear.
    private func ended(_ id: Int, _ attempt: Int, in zone: String, _ end: Voice.End) {
        guard let ring = rings[zone], ring.alarm.id == id, ring.attempt == attempt else { return }
        switch end {
        case .heard where loop.hostTime - ring.attemptStart > 1: again(zone)
        case .heard: tried(id, attempt, in: zone, failure: "it has less than a second of sound")
        case .failed(let reason): tried(id, attempt, in: zone, failure: reason)
        case .unheard: tried(id, attempt, in: zone, failure: "no output plays")
        }
    }

    /// Goes on to the next source; the bell is tried again and again.
    private func tried(_ id: Int, _ attempt: Int, in zone: String, failure: String) {
        guard let ring = rings[zone], ring.alarm.id == id, ring.attempt == attempt else { return }
        let isLast = ring.place == ring.sources.count - 1
        if ring.failures == 0 { dependencies.log("alarm \(id): \(ring.sources[ring.place].description): \(failure)") }
        if isLast { rings[zone]?.failures += 1 }
        if !isLast { rings[zone]?.place += 1 }
        guard isLast else { return again(zone) }
        rings[zone]?.attempt += 1
        ring.patience?.cancel()
        rings[zone]?.patience = onLoop(in: Self.retry) { $0.again(zone) }
    }

    private func again(_ zone: String) {
        rings[zone]?.voice?.end(fadingOver: Self.fade)
        rings[zone]?.voice = nil
        guard let zone = rooms.zone(named: zone) else { return }
        play(in: zone)
    }

    // MARK: The end

    /// Ends a ring.
    ///
    /// - Returns: Whether it was ringing.
    @discardableResult
    package func end(_ id: Int, _ end: End) -> Bool {
        guard let (name, ring) = rings.first(where: { $0.value.alarm.id == id }) else { return false }
        rings[name] = nil
        for task in [ring.patience, ring.ramp, ring.limit] { task?.cancel() }
        ring.voice?.end(fadingOver: Self.fade)
        let zone = rooms.zone(named: name)
        // A volume that was set meanwhile stays.
        if let zone, let before = ring.alarm.ringing?.volume,
            zone.volume == min(ring.alarm.volume.upperBound, zone.volumeCeiling)
        {
            try? zone.setVolume(before)
        }
        if let zone { dependencies.ringingChanged(zone) }
        // Whoever silences an alarm does not want other music instead.
        if end == .silenced || end == .snoozed || ring.alarm.playsOn { try? zone?.setPaused(true) }
        _ = try? audioSessions.handle(.playing(ring.session, false), of: ring.session)
        _ = try? audioSessions.handle(.deactivate(ring.session, notifyOthers: true), of: ring.session)
        audioSessions.close(ring.session)
        dependencies.ended(id, end)
        return true
    }

    package func zoneRemoved(_ zone: Zone) {
        if let id = rings[zone.name]?.alarm.id { end(id, .removed) }
    }

    package func endAll() {
        for ring in rings.values { end(ring.alarm.id, .removed) }
    }

    // MARK: Sessions

    /// - Returns: Whether it is an alarm's session.
    package func interrupted(_ session: SessionID, by interrupter: Interrupter) -> Bool {
        guard let ring = rings.values.first(where: { $0.session == session }) else { return false }
        guard case .session(let id) = interrupter else {
            end(ring.alarm.id, .interrupted(by: "the system"))
            return true
        }
        // At one sink one alarm is enough.
        let isAlarm = audioSessions.session(id)?.kind == .alarm
        end(ring.alarm.id, isAlarm ? .replaced : .interrupted(by: audioSessions.describe(id)))
        return true
    }

    /// Applies changed gains of the sessions at a sink.
    package func settle(_ place: String, over ramp: Double) {
        for ring in rings.values where audioSessions.places[ring.session]?.contains(place) == true {
            ring.voice?.setDuck(Gain(decibels: audioSessions.gain(of: ring.session)), over: ramp)
        }
    }

    /// Takes a zone's alarm along to where the zone is heard now.
    package func zoneMoved(_ zone: Zone) {
        guard let id = rings[zone.name]?.session, let session = audioSessions.session(id) else { return }
        audioSessions.move(id, to: rooms.places(of: zone), isToPlay: true, session.configuration)
    }
}

extension AlarmSource: CustomStringConvertible {
    package var description: String {
        switch self {
        case .uri(let uri): withoutCredentials(uri)
        case .bell: "the bell"
        }
    }
}
