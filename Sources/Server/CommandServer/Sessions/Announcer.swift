internal import Announcements
internal import AudioSessions
internal import AudioTypes
internal import Configuration
private import Glibc
internal import Mixers
internal import Mixing
internal import NIOCore
internal import NIOPosix
internal import OutputGroups
internal import Playlists
internal import Songs
internal import Speech
internal import Zones

/// Has announcements heard over what zones play: one after another at each sink, the most urgent first.
///
/// Belongs to the server's event loop. Each announcement that is heard is a session, which ducks the music or has speech
/// paused, and a player of its own on the zone's mixer.
final class Announcer {
    unowned let server: ServerState
    private var queue = AnnouncementQueue()
    private var requests: [Int: AnnounceRequest] = [:]
    /// What is played for an announcement, once that is known.
    private var media: [Int: [MediaEntry]] = [:]
    private var voices: [AnnouncementQueue.Ending.Part: Voice] = [:]
    /// Announcements whose text is to be spoken, and how many are being.
    private var unspoken: Set<Int> = []
    private var speakerCount = 0
    private var nextID = 1
    private var timer: Scheduled<Void>?

    init(server: ServerState) { self.server = server }

    private var settings: AnnouncementSettings { server.configuration.announcements }

    // MARK: Requests

    /// Takes an announcement.
    ///
    /// - Returns: Its number.
    /// - Throws: `AnnouncementRefusal`.
    func announce(_ request: AnnounceRequest) throws -> Int {
        let id = nextID
        var places: [String] = []
        for zone in request.zones where !places.contains(server.place(of: zone)) {
            places.append(server.place(of: zone))
        }
        queue.limit = settings.maxQueued
        try queue.add(
            Announcement(
                id: id,
                uri: request.uri,
                text: request.text,
                class: request.announcementClass,
                priority: request.priority,
                expiry: request.expires.map { .seconds(HostTime.now.seconds) + $0 },
                zones: request.zones.map(\.name),
                places: places
            )
        )
        nextID += 1
        requests[id] = request
        prepare(id, request)
        changed()
        return id
    }

    /// Finds out what is to be played: the file, or the text once it was spoken.
    private func prepare(_ id: Int, _ request: AnnounceRequest) {
        if let medium = request.medium {
            media[id] = request.chime + [medium]
            return startAll()
        }
        unspoken.insert(id)
        speakNext()
    }

    /// Has the most urgent text spoken next, a few at a time; nobody who reads files waits for that.
    private func speakNext() {
        unspoken.formIntersection(requests.keys)
        while speakerCount < Self.speakerLimit,
            let id = queue.pending.first(where: { unspoken.contains($0.announcement.id) })?.announcement.id,
            let request = requests[id], let text = request.text
        {
            unspoken.remove(id)
            speakerCount += 1
            let (speak, hop, settings) = (server.parts.speak, server.hop, settings)
            let (chime, voice, cancellation) = (request.chime, request.voice, request.cancellation)
            WorkThread.start(named: "segue-speech") {
                let spoken = Result { try speak(text, voice, settings, cancellation) }
                hop { server in server.announcer.wasSpoken(id, spoken, chime) }
            }
        }
    }

    /// How many programs speak at once.
    private static let speakerLimit = 2

    private func wasSpoken(_ id: Int, _ spoken: Result<String, any Error>, _ chime: [MediaEntry]) {
        speakerCount -= 1
        speakNext()
        switch spoken {
        case .success(let path):
            guard queue.report(id)?.state == .queued else { return forget(path) }
            requests[id]?.spokenFile = path
            media[id] = chime + [MediaEntry(location: path)]
            startAll()
        case .failure(let error):
            guard let ending = queue.fail(id, because: "\(error)") else { return }
            end(ending)
        }
    }

    private func forget(_ path: String) { server.pool.submit { _ in _ = unsafe unlink(path) } }

    // MARK: Looking

    var reports: [AnnouncementReport] { queue.reports }

    func report(_ id: Int) -> AnnouncementReport? { queue.report(id) }

    // MARK: Playing

    /// A zone is no more: what was to be heard in it alone cannot be.
    func zoneRemoved() { startAll() }

    private func startAll() {
        for place in Set(queue.pending.flatMap(\.announcement.places)).sorted() { startNext(at: place) }
    }

    private func startNext(at place: String) {
        while let next = queue.next(for: place, now: .seconds(HostTime.now.seconds)) {
            // The most urgent one is waited for while its text is being spoken.
            guard let media = media[next.id], let request = requests[next.id] else { return }
            guard let zone = request.zones.first(where: { server.place(of: $0) == place }) else {
                let report = queue.finish(next.id, at: place, failure: "its zone is not heard there any more")
                if let report { ended(report) }
                continue
            }
            guard queue.start(next.id, at: place) else { return }
            do {
                try start(next, request, media, in: zone, at: place)
                changed()
                return
            } catch {
                finish(.init(id: next.id, place: place), failure: "\(error)")
            }
        }
    }

    private func start(
        _ announcement: Announcement,
        _ request: AnnounceRequest,
        _ media: [MediaEntry],
        in zone: Zone,
        at place: String
    ) throws {
        guard let mixer = server.mixers[zone.name] else { throw CannotBeHeard.zoneIsGone(zone.name) }
        guard zone.shownVolume != 0 else { throw CannotBeHeard.volumeIsZero(zone.name) }
        let desk = server.desk
        let session = try desk.open(
            at: place,
            name: String((announcement.text ?? withoutCredentials(announcement.uri ?? "")).prefix(64)),
            kind: .announcement,
            owner: request.owner,
            class: announcement.announcementClass.sessionClass,
            configuration: SessionConfiguration(
                category: .playback,
                mode: .voicePrompt,
                options: [.duckOthers, .interruptSpokenAudioAndMixWithOthers]
            )
        )
        desk.duckDepths[session] = request.duck
        let wait: Double
        do {
            wait = try desk.handle(.activate(session), of: session)
            try desk.handle(.playing(session, true), of: session)
        } catch {
            desk.close(session)
            throw error
        }
        let part = AnnouncementQueue.Ending.Part(id: announcement.id, place: place)
        let (hop, zoneName) = (server.hop, zone.name)
        voices[part] = Voice(
            of: session,
            media,
            on: mixer,
            volume: volume(of: request, in: zone),
            after: wait,
            patience: Self.outputPatience
        ) { end in
            hop { $0.announcer.finish(part, end, in: zoneName) }
        }
    }

    /// The volume of an announcement's own, beside the zone's.
    private func volume(of request: AnnounceRequest, in zone: Zone) -> Volume {
        let percent = settings.volume(
            asked: request.volume,
            class: request.announcementClass,
            zoneVolume: zone.shownVolume,
            minuteOfDay: minuteOfDay()
        )
        return Volume(percent: Double(percent))
    }

    /// Changes how loud one is that is being heard.
    ///
    /// - Parameter percent: Of the zone's volume.
    func setVolume(_ percent: Int, of id: Int) {
        requests[id]?.volume = percent
        guard let request = requests[id] else { return }
        for (part, voice) in voices where part.id == id {
            guard let zone = request.zones.first(where: { server.place(of: $0) == part.place }) else { continue }
            let volume = volume(of: request, in: zone)
            voice.setVolume(volume)
        }
    }

    /// The sinks' gains have changed.
    func settle(_ place: String, over ramp: Double) {
        for (part, voice) in voices where part.place == place {
            voice.setDuck(Gain(decibels: server.desk.gain(of: voice.session)), over: ramp)
        }
    }

    /// How long an announcement waits for something to be heard by, in seconds.
    private static let outputPatience = 5.0

    // MARK: The end

    private func finish(_ part: AnnouncementQueue.Ending.Part, _ end: Voice.End, in zone: String) {
        switch end {
        case .heard: finish(part)
        case .failed(let reason): finish(part, failure: reason)
        case .unheard:
            let enabled = server.outputs[zone]?.members.filter(\.isEnabled) ?? []
            let fault = enabled.compactMap { member in member.error.map { "\(member.name): \($0)" } }.first
            finish(part, failure: enabled.isEmpty ? "no output is enabled" : fault ?? "it was stopped")
        }
    }

    /// An announcement's last sample was heard at a place, or it cannot be.
    private func finish(_ part: AnnouncementQueue.Ending.Part, failure: String? = nil) {
        let report = queue.finish(part.id, at: part.place, failure: failure)
        let voice = voices.removeValue(forKey: part)
        // The next one begins before the music comes back, so that there is one dip.
        startNext(at: part.place)
        if let voice { release(voice, after: nil) }
        if let report { ended(report) }
        changed()
    }

    /// A call took the sink from an announcement.
    func interrupted(_ session: SessionID, by interrupter: Interrupter) {
        guard let part = voices.first(where: { $0.value.session == session })?.key else { return }
        var who = "the system"
        if case .session(let id) = interrupter { who = server.desk.describe(id) }
        let report = queue.finish(part.id, at: part.place, failure: "interrupted by \(who)")
        if let voice = voices.removeValue(forKey: part) { release(voice, after: server.desk.fade) }
        if let report { ended(report) }
        startNext(at: part.place)
        changed()
    }

    func cancel(_ id: Int) -> Bool {
        guard let ending = queue.cancel(id) else { return false }
        end(ending)
        return true
    }

    func cancelAll() { end(queue.cancelAll()) }

    private func end(_ ending: AnnouncementQueue.Ending) {
        for part in ending.silenced {
            let voice = voices.removeValue(forKey: part)
            startNext(at: part.place)
            if let voice { release(voice, after: Self.cancelFade) }
        }
        end(ending.ended)
    }

    private func end(_ reports: [AnnouncementReport]) {
        for report in reports { ended(report) }
        changed()
        startAll()
    }

    /// How long one fades out that nobody wants any more, in seconds.
    private static let cancelFade = 0.05

    /// Lets a voice and its session go, the voice perhaps with a fade.
    private func release(_ voice: Voice, after fade: Double?) {
        voice.end(fadingOver: fade)
        let (desk, session) = (server.desk, voice.session)
        _ = try? desk.handle(.playing(session, false), of: session)
        _ = try? desk.handle(.deactivate(session, notifyOthers: true), of: session)
        desk.close(session)
    }

    private func ended(_ report: AnnouncementReport) {
        let id = report.announcement.id
        let request = requests.removeValue(forKey: id)
        request?.cancellation.cancel()
        if let path = request?.spokenFile { forget(path) }
        media[id] = nil
        server.desk.noteAnnouncement(report)
        server.guests.announcementEnded(id)
    }

    private func changed() {
        server.note(.announcement)
        timer?.cancel()
        timer = nil
        guard let deadline = queue.nextDeadline else { return }
        let delay = deadline - .seconds(HostTime.now.seconds)
        timer = server.loop.scheduleTask(in: .nanoseconds(max(0, Int64(delay.seconds * 1e9)))) { [hop = server.hop] in
            hop { $0.announcer.expire() }
        }
    }

    private func expire() { end(queue.expire(now: .seconds(HostTime.now.seconds))) }
}

/// Why an announcement is not even begun.
private enum CannotBeHeard: Error, CustomStringConvertible {
    case zoneIsGone(String)
    case volumeIsZero(String)

    var description: String {
        switch self {
        case .zoneIsGone(let name): "zone \(name) is no more"
        case .volumeIsZero(let name): "the volume of zone \(name) is 0; raise it"
        }
    }
}
