package import Alarms
package import AudioTypes
internal import CivilTime
package import NIOCore
internal import Playlists
package import ServerBasics
package import ServerRooms
package import ServerSessions
package import Settings
package import Songs
package import StateStore
package import Threads
internal import ValueText
package import Zones

/// Receives the events of an ``AlarmService``, and does what takes the whole server.
package protocol AlarmDelegate: AnyObject {
    /// Resolves a medium; may block on the disk.
    var resolve: @Sendable (MediaEntry) throws -> MediaEntry { get }
    /// Logs a line for the person who runs the server.
    var log: @Sendable (LogLevel, String) -> Void { get }

    /// Alarms or schedules have changed.
    func alarmsChanged()
    /// An alarm has begun to ring in a zone, or has ended there.
    func ringingChanged(in zone: Zone)
    /// An alarm, a schedule or a holiday has changed, which outlives the server.
    func alarmSettingChanged(_ record: Record)
    /// Finds the songs of an alarm's URI, then calls back on the loop; none when there is nothing to play.
    func findSongs(_ uri: String, _ reach: NetworkReach, then: @escaping ([Song]) -> Void)
    /// The medium that the player opens for a song.
    func medium(of song: Song) -> MediaEntry?
    /// Loads songs into a zone's queue instead of what is there, and plays them.
    func playInstead(_ songs: [Song], in zone: Zone)
    /// Carries out a schedule's commands as its maker could, then calls back on the loop with the reason of a failure.
    func carryOut(_ schedule: Schedule, then: @escaping (String?) -> Void)
    /// Reads the machine's time zone again, on another thread, then calls back on that.
    func readTimeZone(then: @escaping @Sendable () -> Void)
}

/// The server's alarms: when they ring, and what becomes of them.
///
/// Belongs to the server's event loop. Between rings nothing runs: one timer of the kernel waits for the next of all,
/// and wakes the server also when the clock is set, so that every moment is then reckoned again.
package final class AlarmService {
    private let rooms: Rooms
    private let audioSessions: SessionService
    private let configuration: CurrentConfiguration
    private let work: WorkThreads
    private unowned let delegate: any AlarmDelegate
    private let loop: any EventLoop
    private lazy var onLoop = LoopExecutor(for: self, on: loop)
    private let zone: LocalTime
    package private(set) var store = AlarmStore()
    /// The last time that each alarm was missed.
    package private(set) var missed: [Int: Moment] = [:]
    private var timer: (any WallTimer)?
    /// Reckons without the time zone's file, where that cannot be read.
    private var latest: Scheduled<Void>?
    private var isReadingZone = false
    /// In seconds.
    private static let zonePatience = 1.0
    package private(set) lazy var ringer: AlarmRinger = AlarmRinger(
        rooms,
        audioSessions,
        loop: loop,
        RingerDependencies(
            media: { [unowned self] in findMedia(of: $0, $1, then: $2) },
            resolve: delegate.resolve,
            plays: { [unowned self] in record("alarmPlays", $0, [("source", $1.description)]) },
            ringingChanged: { [unowned self] in delegate.ringingChanged(in: $0) },
            ended: { [unowned self] in ended($0, $1) },
            log: { [log = delegate.log] in log(.warning, $0) }
        )
    )
    /// The commands that the server carries out at a time; they share the timer and the holidays.
    package private(set) lazy var schedules: ScheduleService = ScheduleService(
        in: zone,
        holidays: { [unowned self] in store.holidays },
        ScheduleDependencies(
            keep: { [unowned self] in delegate.alarmSettingChanged($0) },
            run: { [unowned self] in delegate.carryOut($0, then: $1) },
            record: { [unowned self] in record($0, of: "schedule", $1, $2) },
            settle: { [unowned self] in settle() },
            now: { [clock = audioSessions.clock] in Moment(saturating: clock.now.rounded(.down)) },
            log: delegate.log
        )
    )
    /// Continuations of work on other threads, by number.
    private var waiting: [Int: ([MediaEntry]) -> Void] = [:]
    private var nextWaiting = 0

    package init(
        _ rooms: Rooms,
        _ audioSessions: SessionService,
        _ configuration: CurrentConfiguration,
        loop: any EventLoop,
        work: WorkThreads,
        in zone: LocalTime = .system,
        delegate: any AlarmDelegate
    ) {
        self.rooms = rooms
        self.audioSessions = audioSessions
        self.configuration = configuration
        self.loop = loop
        self.work = work
        self.zone = zone
        self.delegate = delegate
    }

    /// Seconds since 1970.
    private var now: Moment { Moment(saturating: audioSessions.clock.now.rounded(.down)) }

    // MARK: State

    /// The records of everything.
    package var records: [Record] {
        store.sorted.map { Record("alarm", ["\($0.id)"] + $0.storedWords) }
            + store.holidays.map { Record("holiday", "\($0.first)", "\($0.last)") } + schedules.records
    }

    /// Restores an alarm or a holiday; called for each record, before `begin`.
    package func restore(_ record: Record) {
        let words = record.arguments
        switch record.verb {
        case "alarm":
            guard let id = words.first.flatMap({ Int($0) }) else { return }
            let rest = Array(words.dropFirst())
            let words = rest == ["gone"] ? nil : rest
            guard store.restore(id, words, now: now, in: zone) else {
                return delegate.log(.warning, "the alarm '\(record.text)' cannot be read")
            }
        case "holiday":
            guard words.count >= 2, let holiday = try? Holiday(words[0], words[1]) else { return }
            if words.count == 2 { try? store.add(holiday) } else { _ = store.remove(holiday) }
        default: schedules.restore(record)
        }
    }

    /// Begins to wait, once everything is restored; an alarm that rang when the server ended goes on.
    package func begin() {
        disable("its zone is gone") { !$0.zone.isEmpty && rooms.zone(named: $0.zone) == nil }
        for alarm in store.sorted {
            guard let ringing = alarm.ringing else { continue }
            let elapsed = Double(max(0, now - ringing.since))
            // Where the clock was set back by more, the ring may be days old.
            let isRecent = ringing.since <= now + Recurrence.grace
            if isRecent, elapsed < min(alarm.length, Double(Recurrence.grace)) {
                ring(alarm.id, due: ringing.since, after: elapsed)
            } else {
                let zone = room(of: alarm)
                let loudest = min(alarm.volume.upperBound, zone.volumeCeiling)
                if let volume = ringing.volume, zone.volume == loudest { try? zone.setVolume(volume) }
                change(alarm.id) { $0.ringing = nil }
            }
        }
        reckon()
    }

    package func close() {
        timer?.close()
        timer = nil
        // An alarm that rings now goes on after the restart, so the journal keeps it as it is.
    }

    private func keep(_ id: Int) {
        let words = store.alarms[id]?.storedWords ?? ["gone"]
        delegate.alarmSettingChanged(Record("alarm", ["\(id)"] + words))
    }

    // MARK: Changes

    /// - Parameter maker: The client that makes it, as text; empty for the server's owner.
    package func add(_ words: [String], by maker: String = "", reach: NetworkReach) throws -> Alarm {
        let alarm = try store.add(words, now: now, in: zone)
        change(alarm.id) { alarm in
            alarm.reach = reach
            alarm.maker = maker
        }
        settle()
        return alarm
    }

    package func remove(_ id: Int) throws {
        try store.remove(id)
        ringer.end(id, .removed)
        missed[id] = nil
        keep(id)
        settle()
    }

    package func enable(_ id: Int, _ isEnabled: Bool) throws {
        if !isEnabled { ringer.end(id, .removed) }
        try store.enable(id, isEnabled, now: now, in: zone)
        keep(id)
        settle()
    }

    /// Disables the alarms of a client in the zones that it has lost.
    package func disableAll(of maker: String, inZones isLost: (_ zone: String) -> Bool) {
        disable("\(maker), who made it, may not play there any more") {
            !maker.isEmpty && $0.maker == maker && isLost(room(of: $0).name)
        }
    }

    /// An alarm would not be heard by whom it was for in another zone.
    package func zoneRemoved(_ zone: Zone) {
        ringer.zoneRemoved(zone)
        disable("the zone \(zone.name) was removed") { $0.zone == zone.name }
    }

    private func disable(_ reason: String, where isMeant: (Alarm) -> Bool) {
        // One that rings once is no longer enabled when it rings.
        let meant = store.sorted.filter { alarm in
            (alarm.when.isEnabled || alarm.snoozedUntil != nil || alarm.ringing != nil) && isMeant(alarm)
        }
        for alarm in meant {
            ringer.end(alarm.id, .removed)
            guard (try? store.disable(alarm.id, because: reason, now: now)) != nil else { continue }
            keep(alarm.id)
            delegate.log(.notice, "alarm \(alarm.id) is disabled: \(reason)")
        }
        if !meant.isEmpty { settle() }
    }

    package func skip(_ id: Int, _ skips: Bool) throws {
        try store.skip(id, skips, now: now, in: zone)
        keep(id)
        settle()
    }

    package func add(_ holiday: Holiday) throws {
        try store.add(holiday)
        delegate.alarmSettingChanged(Record("holiday", "\(holiday.first)", "\(holiday.last)"))
        settle()
    }

    package func remove(_ holiday: Holiday) -> Bool {
        guard store.remove(holiday) else { return false }
        delegate.alarmSettingChanged(Record("holiday", "\(holiday.first)", "\(holiday.last)", "gone"))
        settle()
        return true
    }

    private func change(_ id: Int, _ body: (inout Alarm) -> Void) {
        guard (try? store.change(id, body)) != nil else { return }
        keep(id)
    }

    private func settle() {
        schedule()
        delegate.alarmsChanged()
    }

    // MARK: Time

    /// When an alarm rings next.
    package func next(_ id: Int) -> Moment? { store.next(id, in: zone) }

    /// Reckons everything again, for example after the time zone may have changed.
    ///
    /// No alarm waits for the disk with the time zone's file longer than a second.
    package func check() {
        if latest == nil { latest = onLoop(in: Self.zonePatience) { $0.reckon() } }
        guard !isReadingZone else { return }
        isReadingZone = true
        delegate.readTimeZone { [onLoop] in
            onLoop { alarms in
                alarms.isReadingZone = false
                alarms.reckon()
            }
        }
    }

    private func reckon() {
        latest?.cancel()
        latest = nil
        let events = store.advance(to: now, in: zone)
        for event in events {
            switch event {
            case .ring(let id, let due):
                keep(id)
                ring(id, due: due)
            case .missed(let id, let due):
                keep(id)
                miss(id, due)
            }
        }
        let hasSchedules = schedules.check(at: now)
        schedule()
        if !events.isEmpty || hasSchedules { delegate.alarmsChanged() }
    }

    private func schedule() {
        let next = [store.next(in: zone), schedules.next].compactMap(\.self).min()
        if timer == nil, next != nil {
            timer = audioSessions.clock.makeTimer { [onLoop] in onLoop { $0.check() } }
            if timer == nil { delegate.log(.error, "no timer for alarms can be made: they do not ring") }
        }
        timer?.set(next)
    }

    private func miss(_ id: Int, _ due: Moment) {
        missed[id] = due
        delegate.log(.warning, "alarm \(id) of \(utc(Double(due))) was missed")
        record("alarmMissed", id, [("due", utc(Double(due)))])
    }

    private func record(
        _ type: String,
        of kind: StaticString = "alarm",
        _ id: Int,
        _ fields: [(key: StaticString, value: String)]
    ) {
        audioSessions.record(type, of: nil, [(kind, "\(id)")] + fields)
        audioSessions.delegate.sessionsChanged()
    }

    // MARK: Ringing

    /// Whether an alarm rings, or is snoozed and so will ring again.
    package func isGoingOn(_ alarm: Alarm) -> Bool { ringer.isRinging(alarm.id) || alarm.snoozedUntil != nil }

    /// The zone of an alarm; the default zone where none is named.
    ///
    /// Alarms of zones that are gone do not ring.
    package func room(of alarm: Alarm) -> Zone { rooms.zone(named: alarm.zone) ?? rooms.defaultZone }

    private func ring(_ id: Int, due: Moment, after elapsed: Double = 0) {
        guard let alarm = store.alarms[id] else { return }
        let zone = room(of: alarm)
        // First, so that the volume is the one from before both.
        if let other = ringer.alarm(in: zone) { ringer.end(other.id, .replaced) }
        change(id) { $0.ringing = $0.ringing ?? .init(since: now, volume: zone.shownVolume) }
        guard let alarm = store.alarms[id] else { return }
        do {
            try ringer.ring(alarm, in: zone, after: elapsed)
            let late = now - due
            delegate.log(.notice, "alarm \(id) rings in zone \(zone.name)\(late > 5 ? ", \(late) s late" : "")")
            record("alarmRang", id, [("zone", zone.name), ("due", utc(Double(due)))])
        } catch {
            delegate.log(.warning, "alarm \(id) cannot ring: \(error); it is tried again in a minute")
            change(id) {
                $0.ringing = nil
                $0.snoozedUntil = now + Self.patience
            }
        }
    }

    /// How long after a call, or a refusal, an alarm rings again, in seconds.
    private static let patience: Moment = 60

    private func ended(_ id: Int, _ end: AlarmRinger.End) {
        guard let alarm = store.alarms[id] else { return }
        change(id) { alarm in
            alarm.ringing = nil
            switch end {
            case .snoozed: alarm.snoozedUntil = now + Moment(saturating: alarm.snooze)
            case .interrupted: alarm.snoozedUntil = now + Self.patience
            case .dismissed, .silenced, .timedOut, .replaced, .removed: break
            }
        }
        delegate.log(.notice, "alarm \(id): \(end.text)")
        record("alarmEnded", id, [("reason", end.text)])
        settle()
        guard alarm.playsOn, end == .dismissed || end == .timedOut, let uri = alarm.uri else { return }
        let zone = room(of: alarm)
        delegate.findSongs(uri, alarm.reach) { [unowned self] in delegate.playInstead($0, in: zone) }
    }

    /// Ends alarms that ring or are snoozed.
    ///
    /// - Returns: Whether there was anything to end.
    package func dismiss(_ ids: [Int]) -> Bool {
        var isDone = false
        for alarm in store.sorted where ids.contains(alarm.id) {
            if ringer.end(alarm.id, .dismissed) { isDone = true }
            guard alarm.snoozedUntil != nil else { continue }
            change(alarm.id) { $0.snoozedUntil = nil }
            isDone = true
        }
        if isDone { settle() }
        return isDone
    }

    /// Silences alarms that ring for a while.
    ///
    /// - Parameter seconds: `nil` for each alarm's own time.
    package func snooze(_ ids: [Int], for seconds: Double?) -> Bool {
        var isDone = false
        for alarm in store.sorted where ids.contains(alarm.id) && ringer.end(alarm.id, .snoozed) {
            isDone = true
            guard let seconds else { continue }
            let end = now + Moment(saturating: seconds)
            change(alarm.id) { $0.snoozedUntil = end }
        }
        if isDone { settle() }
        return isDone
    }

    /// Ends the alarm in a zone that a client pauses or stops.
    ///
    /// - Returns: Whether there was one.
    package func silence(_ zone: Zone) -> Bool {
        guard let alarm = ringer.alarm(in: zone) else { return false }
        return ringer.end(alarm.id, .silenced)
    }

    // MARK: Media

    private func findMedia(of source: AlarmSource, _ reach: NetworkReach, then: @escaping ([MediaEntry]) -> Void) {
        switch source {
        case .uri(let uri):
            delegate.findSongs(uri, reach) { [unowned self] songs in then(songs.compactMap(delegate.medium)) }
        case .bell:
            let path = configuration.value.cacheDirectory + "/alarm-bell.wav"
            nextWaiting += 1
            let number = nextWaiting
            waiting[number] = then
            work.submit(to: .bell) { [onLoop] in
                let isThere = AlarmBell.isWritten(to: path)
                onLoop { $0.waiting.removeValue(forKey: number)?(isThere ? [MediaEntry(location: path)] : []) }
            }
        }
    }
}

extension AlarmService {
    /// The state of an alarm in a word.
    package func state(of alarm: Alarm) -> String {
        if ringer.isRinging(alarm.id) { return "ringing" }
        if alarm.snoozedUntil != nil { return "snoozed" }
        return alarm.when.isEnabled ? "enabled" : "disabled"
    }
}

extension AlarmRinger.End {
    /// In words.
    package var text: String {
        switch self {
        case .dismissed: "dismissed"
        case .silenced: "silenced"
        case .snoozed: "snoozed"
        case .timedOut: "rang as long as it may"
        case .replaced: "replaced by another one"
        case .interrupted(let who): "interrupted by \(who)"
        case .removed: "removed"
        }
    }
}

extension Holiday {
    /// Parses a first and a last day.
    package init(_ first: String, _ last: String) throws {
        let (first, last) = (try CivilDate(parsing: first), try CivilDate(parsing: last))
        guard let holiday = Holiday(from: first, to: last) else {
            throw ArgumentProblem("holidays end after they begin, and last at most a year")
        }
        self = holiday
    }
}
