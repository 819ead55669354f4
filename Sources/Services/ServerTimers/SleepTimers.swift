internal import AudioTypes
package import NIOCore
internal import Playback
internal import Playlists
package import ServerBasics
package import ServerRooms
internal import Songs
package import StateStore
package import Zones

/// When a zone is to fall silent.
package enum SleepEnd: Sendable, Hashable {
    /// In seconds since 1970.
    case time(Double)
    case song
    case chapter
    case queue
}

/// Receives the events of ``SleepTimers``.
package protocol SleepTimerDelegate: AnyObject {
    /// The timer of a zone has changed.
    func sleepTimerChanged(of zone: Zone)
    /// A timer was set or has ended, which outlives the server.
    func sleepTimerSettingChanged(_ record: Record)
    /// Runs a change of a zone as one of the sleep timer's, which `why` names.
    func actAsSleepTimer(_ body: () -> Void)
}

/// The zones' sleep timers: each fades its zone out over a minute, then pauses it.
///
/// Belongs to the server's event loop. A timer counts on the monotonic clock, so that a change of the time of day does
/// not move it; on disk it is a moment, because the server may be down for a part of it.
package final class SleepTimers {
    private let rooms: Rooms
    private unowned let delegate: any SleepTimerDelegate
    /// Finds the end of the chapter that a zone is in.
    private let chapterEnd: (Zone) -> (song: UInt32, end: Double)?
    private let loop: any EventLoop
    private let clock: any WallClock
    private lazy var onLoop = LoopExecutor(for: self, on: loop)
    private var timers: [String: Timer] = [:]

    private struct Timer {
        let end: SleepEnd
        /// When it pauses the zone, where that is known.
        var deadline: HostTime?
        var isFading = false
        /// The chapter at whose end it pauses the zone.
        var chapter: (song: UInt32, end: Double)?
        var scheduled: Scheduled<Void>?
    }

    /// Length of the fade, in seconds.
    package static let fade = 60.0
    /// Length of the fade at the end of a chapter, and of the return to the usual level, in seconds.
    private static let shortFade = 0.5

    package init(
        _ rooms: Rooms,
        loop: any EventLoop,
        clock: any WallClock,
        delegate: any SleepTimerDelegate,
        chapterEnd: @escaping (Zone) -> (song: UInt32, end: Double)? = \.currentChapterEnd
    ) {
        self.rooms = rooms
        self.loop = loop
        self.clock = clock
        self.delegate = delegate
        self.chapterEnd = chapterEnd
    }

    // MARK: Looking

    package func end(of zone: Zone) -> SleepEnd? { timers[zone.name]?.end }

    /// Seconds until a zone is paused; `nil` where the end is not a time.
    package func remaining(in zone: Zone) -> Double? {
        guard let timer = timers[zone.name], case .time = timer.end else { return nil }
        return timer.deadline.map { max(0, $0 - loop.hostTime) }
    }

    package func isFading(_ zone: Zone) -> Bool { timers[zone.name]?.isFading == true }

    /// The records of all timers.
    package var records: [Record] {
        timers.sorted { $0.key < $1.key }.map { Record("sleep", $0.key, $0.value.end.word) }
    }

    // MARK: Setting

    /// Sets a zone's timer; `nil` ends it.
    ///
    /// - Returns: False when the current song has no chapters.
    @discardableResult
    package func set(_ end: SleepEnd?, of zone: Zone) -> Bool {
        var timer: Timer?
        if let end {
            timer = Timer(end: end)
            if end == .chapter {
                guard let chapter = chapterEnd(zone) else { return false }
                timer?.chapter = chapter
            }
        }
        forget(zone)
        if let timer {
            timers[zone.name] = timer
            begin(zone)
        }
        delegate.sleepTimerSettingChanged(Record("sleep", zone.name, end?.word ?? "off"))
        delegate.sleepTimerChanged(of: zone)
        return true
    }

    /// Sets a timer as it was when the server ended; one that is due takes effect at once.
    package func restore(_ record: Record) {
        guard record.verb == "sleep", record.arguments.count == 2, let zone = rooms.zone(named: record.arguments[0])
        else { return }
        forget(zone)
        // The chapter is not known before the song is opened.
        guard let end = SleepEnd(word: record.arguments[1]), end != .chapter else { return }
        timers[zone.name] = Timer(end: end)
        begin(zone)
    }

    package func zoneRemoved(_ zone: Zone) {
        guard timers[zone.name] != nil else { return }
        forget(zone)
        delegate.sleepTimerSettingChanged(Record("sleep", zone.name, "off"))
    }

    private func forget(_ zone: Zone) {
        guard let old = timers.removeValue(forKey: zone.name) else { return }
        old.scheduled?.cancel()
        zone.setRest(nil)
        if old.isFading { zone.endSleepFade(over: Self.shortFade) }
    }

    private func begin(_ zone: Zone) {
        switch timers[zone.name]?.end {
        case .time(let moment):
            timers[zone.name]?.deadline = loop.hostTime + max(0, moment - clock.now)
            scheduleFade(of: zone)
        case .song: zone.setRest(.afterSong)
        case .queue: zone.setRest(.afterQueue)
        case .chapter: scheduleChapterEnd(of: zone)
        case nil: break
        }
    }

    // MARK: Time

    private func schedule(_ zone: Zone, in seconds: Double, _ body: @escaping @Sendable (SleepTimers, Zone) -> Void) {
        let name = zone.name
        timers[name]?.scheduled?.cancel()
        timers[name]?.scheduled = onLoop(in: seconds) { timers in
            if let zone = timers.rooms.zone(named: name) { body(timers, zone) }
        }
    }

    private func scheduleFade(of zone: Zone) {
        guard let left = remaining(in: zone) else { return }
        schedule(zone, in: left - Self.fade) { $0.beginFade(of: $1) }
    }

    private func beginFade(of zone: Zone) {
        guard let left = remaining(in: zone) else { return }
        timers[zone.name]?.isFading = true
        zone.fadeForSleep(over: left)
        delegate.sleepTimerChanged(of: zone)
        schedule(zone, in: left) { $0.finish($1, fade: 0.05) }
    }

    private func scheduleChapterEnd(of zone: Zone) {
        guard let chapter = timers[zone.name]?.chapter, zone.state == .play else { return }
        let left = (chapter.end - zone.elapsed) / zone.options.speed
        schedule(zone, in: max(0, left - Self.shortFade)) { $0.finish($1, fade: Self.shortFade) }
    }

    /// Pauses a zone, and ends its timer.
    private func finish(_ zone: Zone, fade: Double) {
        delegate.actAsSleepTimer {
            // An interrupted zone is not to come back after the interruption.
            if zone.state == .play { zone.fallSilent(over: fade) } else { try? zone.setPaused(true) }
        }
        end(zone)
    }

    private func end(_ zone: Zone) {
        guard let old = timers.removeValue(forKey: zone.name) else { return }
        old.scheduled?.cancel()
        zone.setRest(nil)
        delegate.sleepTimerSettingChanged(Record("sleep", zone.name, "off"))
        delegate.sleepTimerChanged(of: zone)
        guard old.isFading else { return }
        // The level returns once nothing of the pause's fade can be heard.
        let name = zone.name
        _ = onLoop(in: 1) { timers in
            guard timers.timers[name]?.isFading != true else { return }
            timers.rooms.zone(named: name)?.endSleepFade(over: 0)
        }
    }

    /// Follows a zone that was paused or stopped, or that plays elsewhere in its song or another song.
    package func zoneChanged(_ zone: Zone) {
        guard let timer = timers[zone.name] else { return }
        switch timer.end {
        case .time: break
        case .song:
            // The queue forgets that it is to pause when it does.
            if zone.state == .stop || zone.queue.modes.rest == nil { end(zone) }
        case .queue: if zone.state == .stop { end(zone) }
        case .chapter:
            let isOver = zone.state == .stop || zone.queue.currentEntry?.id != timer.chapter?.song
            if isOver { return end(zone) }
            timers[zone.name]?.scheduled?.cancel()
            scheduleChapterEnd(of: zone)
        }
    }
}

extension SleepEnd {
    /// The word for the end, or the moment.
    package var word: String {
        switch self {
        case .time(let moment): short((moment * 1000).rounded() / 1000)
        case .song: "endofsong"
        case .chapter: "chapter"
        case .queue: "queue"
        }
    }

    /// - Returns: `nil` for `off`, and what is no end.
    package init?(word: String) {
        switch word {
        case "endofsong": self = .song
        case "chapter": self = .chapter
        case "queue": self = .queue
        default:
            guard let moment = Double(word), (0...1e11).contains(moment) else { return nil }
            self = .time(moment)
        }
    }
}

extension Zone {
    /// The end of the chapter that is heard, in seconds of the song; `nil` without chapters.
    var currentChapterEnd: (song: UInt32, end: Double)? {
        guard let song = queue.currentEntry?.id else { return nil }
        return currentChapter.map { (song, $0.chapters[$0.place].end.seconds) }
    }
}
