package import Announcements
package import AudioSessions
internal import AudioTypes
private import Glibc
internal import LineProtocol
internal import Mixers
package import NIOCore
internal import OutputGroups
internal import Playlists
package import ServerBasics
package import ServerRooms
package import ServerSessions
internal import Settings
internal import Songs
internal import Speech
package import Threads
package import Zones

/// Plays announcements over the zones' playback: one at a time at each sink, the most urgent first.
///
/// Belongs to the server's event loop. Each announcement that is playing is a session, which ducks music and pauses
/// speech, and has its own player on the zone's mixer.
package final class Announcer {
    private let rooms: Rooms
    private let audioSessions: SessionService
    private let configuration: CurrentConfiguration
    private let work: WorkThreads
    private unowned let delegate: any AnnouncementDelegate
    private let loop: any EventLoop
    private lazy var onLoop = LoopExecutor(for: self, on: loop)
    private var queue = AnnouncementQueue()
    private var requests: [Int: AnnounceRequest] = [:]
    /// The media to play for each announcement, once they are resolved.
    private var media: [Int: [MediaEntry]] = [:]
    private var voices: [AnnouncementQueue.Ending.Part: Voice] = [:]
    /// Announcements whose texts wait to be spoken, and the number of texts being spoken.
    private var unspoken: Set<Int> = []
    private var speakerCount = 0
    /// The places where announcements wait for the end of a recording.
    private var waitingPlaces: Set<String> = []
    private var nextID = 1
    private var timer: Scheduled<Void>?

    package init(
        _ rooms: Rooms,
        _ audioSessions: SessionService,
        _ configuration: CurrentConfiguration,
        loop: any EventLoop,
        work: WorkThreads,
        delegate: any AnnouncementDelegate
    ) {
        self.rooms = rooms
        self.audioSessions = audioSessions
        self.configuration = configuration
        self.loop = loop
        self.work = work
        self.delegate = delegate
    }

    private var settings: AnnouncementSettings { configuration.value.announcements }

    // MARK: Requests

    /// Queues an announcement.
    ///
    /// - Returns: Its number.
    /// - Throws: `AnnouncementRefusal`.
    package func announce(_ request: AnnounceRequest) throws -> Int {
        let request = withoutSilentZones(request)
        let limit = configuration.value.limits.maxAnnouncementsPerClient
        guard requests.values.count(where: { $0.owner == request.owner }) < limit else {
            throw exceeds("max-announcements-per-client", limit, .system)
        }
        let id = nextID
        var places: [String] = []
        for zone in request.zones where !places.contains(rooms.place(of: zone)) {
            places.append(rooms.place(of: zone))
        }
        queue.limit = settings.maxQueued
        try queue.add(
            Announcement(
                id: id,
                uri: request.uri,
                text: request.text,
                class: request.announcementClass,
                priority: request.priority,
                expiry: request.expires.map { .seconds(saturating: loop.hostTime.seconds) + $0 },
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

    private func withoutSilentZones(_ request: AnnounceRequest) -> AnnounceRequest {
        let audible = request.zones.filter { obstacle(in: $0) == nil }
        guard request.isForAllThatSound, !audible.isEmpty else { return request }
        var request = request
        request.zones = audible
        return request
    }

    /// Why a zone cannot sound; `nil` when it can.
    private func obstacle(in zone: Zone) -> CannotBeHeard? {
        guard let room = rooms[zone] else { return .zoneIsGone(zone.name) }
        if zone.shownVolume == 0 { return .volumeIsZero(zone.name) }
        return room.outputs.members.contains(where: \.isEnabled) ? nil : .noOutput(zone.name)
    }

    /// Resolves the announcement's file, or has its text spoken.
    private func prepare(_ id: Int, _ request: AnnounceRequest) {
        if let medium = request.medium {
            media[id] = request.chime + [medium]
            return startAll()
        }
        unspoken.insert(id)
        speakNext()
    }

    /// Speaks the most urgent texts next, a few at a time, on threads that serve no file requests.
    private func speakNext() {
        unspoken.formIntersection(requests.keys)
        while speakerCount < Self.speakerLimit,
            let id = queue.pending.first(where: { unspoken.contains($0.announcement.id) })?.announcement.id,
            let request = requests[id], let text = request.text
        {
            unspoken.remove(id)
            speakerCount += 1
            let (speak, onLoop, settings) = (delegate.speak, onLoop, settings)
            let (chime, voice, cancellation) = (request.chime, request.voice, request.cancellation)
            work.submit(to: .speech) {
                let spoken = Result { try speak(text, voice, settings, cancellation) }
                onLoop { $0.wasSpoken(id, spoken, chime) }
            }
        }
    }

    /// How many speech programs run at once.
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

    private func forget(_ path: String) { work.submit(to: .housekeeping) { _ = unsafe unlink(path) } }

    // MARK: Looking

    package var reports: [AnnouncementReport] { queue.reports }

    package func report(_ id: Int) -> AnnouncementReport? { queue.report(id) }

    // MARK: Playing

    /// Drops announcements that were to be heard only in a zone that was removed.
    package func zoneRemoved() { startAll() }

    private func startAll() {
        for place in Set(queue.pending.flatMap(\.announcement.places)).sorted() { startNext(at: place) }
    }

    private func startNext(at place: String) {
        while !isTaken(place), let next = queue.next(for: place, now: .seconds(saturating: loop.hostTime.seconds)) {
            // A recording would silence it.
            if audioSessions.arbiter(at: place).recorder(silencing: next.announcementClass.sessionClass) != nil {
                waitingPlaces.insert(place)
                return
            }
            // If the most urgent announcement's text is still being spoken, wait for it.
            guard let media = media[next.id], let request = requests[next.id] else { return }
            let zones = request.zones.filter { rooms.place(of: $0) == place }
            guard let zone = zones.first(where: { obstacle(in: $0) == nil }) ?? zones.first else {
                let report = queue.finish(next.id, at: place, failure: "its zone is no longer heard there")
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

    /// Whether an announcement is heard at a place: one of a zone with several sinks, or one that came with its zone.
    private func isTaken(_ place: String) -> Bool {
        voices.values.contains { audioSessions.places[$0.session]?.contains(place) == true }
    }

    /// Takes a zone's announcements along to where the zone is heard now.
    ///
    /// - Parameter old: The place where they waited.
    package func zoneMoved(_ zone: Zone, from old: String) {
        for voice in voices.values where voice.zone == zone.name {
            guard let session = audioSessions.session(voice.session) else { continue }
            audioSessions.move(session.id, to: rooms.places(of: zone), isToPlay: true, session.configuration)
        }
        let new = rooms.place(of: zone)
        guard old != new else { return }
        for (id, request) in requests where request.zones.contains(where: { $0 === zone }) {
            let isHeardThere = request.zones.contains { rooms.place(of: $0) == old }
            queue.move(id, from: old, to: new, keepsOld: isHeardThere)
        }
        onLoop { $0.startAll() }
    }

    private func start(
        _ announcement: Announcement,
        _ request: AnnounceRequest,
        _ media: [MediaEntry],
        in zone: Zone,
        at place: String
    ) throws {
        guard let mixer = rooms[zone]?.mixer else { throw CannotBeHeard.zoneIsGone(zone.name) }
        if let obstacle = obstacle(in: zone) { throw obstacle }
        let session = try audioSessions.open(
            at: rooms.places(of: zone),
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
        audioSessions.duckDepths[session] = request.duck
        let wait: Double
        do {
            wait = try audioSessions.handle(.activate(session), of: session)
            try audioSessions.handle(.playing(session, true), of: session)
        } catch {
            audioSessions.close(session)
            throw error
        }
        let part = AnnouncementQueue.Ending.Part(id: announcement.id, place: place)
        let (onLoop, zoneName) = (onLoop, zone.name)
        voices[part] = Voice(
            of: session,
            in: zone.name,
            media,
            on: mixer,
            volume: volume(of: request, in: zone),
            after: wait,
            patience: Self.outputPatience,
            resolve: delegate.resolve
        ) { end in
            onLoop { $0.finish(part, end, in: zoneName) }
        }
    }

    /// The announcement's own volume, relative to the zone's.
    private func volume(of request: AnnounceRequest, in zone: Zone) -> Volume {
        let percent = settings.volume(
            asked: request.volume,
            class: request.announcementClass,
            zoneVolume: zone.shownVolume,
            minuteOfDay: audioSessions.clock.minuteOfDay
        )
        return Volume(percent: Double(percent))
    }

    /// Changes the volume of an announcement that is playing.
    ///
    /// - Parameter percent: Of the zone's volume.
    package func setVolume(_ percent: Int, of id: Int) {
        requests[id]?.volume = percent
        guard let request = requests[id] else { return }
        for (part, voice) in voices where part.id == id {
            guard let zone = rooms.zone(named: voice.zone) else { continue }
            let volume = volume(of: request, in: zone)
            voice.setVolume(volume)
        }
    }

    /// Applies changed gains of the sessions at a sink; a recording may have begun or ended there.
    package func settle(_ place: String, over ramp: Double) {
        for (part, voice) in voices where audioSessions.places[voice.session]?.contains(place) == true {
            voice.setDuck(Gain(decibels: audioSessions.gain(of: voice.session)), over: ramp)
            if audioSessions.session(voice.session)?.isMuted == true { onLoop { $0.wasMuted(part) } }
        }
        if waitingPlaces.remove(place) != nil { onLoop { $0.startNext(at: place) } }
    }

    /// Ends an announcement that a recording has made inaudible.
    private func wasMuted(_ part: AnnouncementQueue.Ending.Part) {
        guard let voice = voices[part], let session = audioSessions.session(voice.session), session.isMuted else {
            return
        }
        let recorder = audioSessions.arbiter(at: part.place).recorder(silencing: session.sessionClass)
        finish(part, failure: "muted while \(recorder.map(audioSessions.describe) ?? "another session") records")
    }

    /// Seconds to wait for a working output.
    private static let outputPatience = 5.0

    // MARK: The end

    private func finish(_ part: AnnouncementQueue.Ending.Part, _ end: Voice.End, in zone: String) {
        switch end {
        case .heard: finish(part)
        case .failed(let reason): finish(part, failure: reason)
        case .unheard:
            let enabled = rooms[zone]?.outputs.members.filter(\.isEnabled) ?? []
            let fault = enabled.compactMap { member in member.error.map { "\(member.name): \($0)" } }.first
            guard !enabled.isEmpty else { return finish(part, failure: "\(CannotBeHeard.noOutput(zone))") }
            finish(part, failure: "zone \(zone): \(fault ?? "it was stopped")")
        }
    }

    /// Finishes an announcement at a place, after its last sample was heard or it failed.
    private func finish(_ part: AnnouncementQueue.Ending.Part, failure: String? = nil) {
        let report = queue.finish(part.id, at: part.place, failure: failure)
        let voice = voices.removeValue(forKey: part)
        // Start the next one before the music comes back, so that the music dips only once.
        startNext(after: part, voice)
        if let voice { release(voice, after: nil) }
        if let report { ended(report) }
        changed()
    }

    /// Ends an announcement that was interrupted, for example by a call.
    package func interrupted(_ session: SessionID, by interrupter: Interrupter) {
        guard let part = voices.first(where: { $0.value.session == session })?.key else { return }
        var who = "the system"
        if case .session(let id) = interrupter { who = audioSessions.describe(id) }
        let report = queue.finish(part.id, at: part.place, failure: "interrupted by \(who)")
        let voice = voices.removeValue(forKey: part)
        let places = places(of: part, voice)
        if let voice { release(voice, after: audioSessions.fade) }
        if let report { ended(report) }
        for place in places { startNext(at: place) }
        changed()
    }

    private func startNext(after part: AnnouncementQueue.Ending.Part, _ voice: Voice?) {
        for place in places(of: part, voice) { startNext(at: place) }
    }

    /// Where a part was heard or waited.
    private func places(of part: AnnouncementQueue.Ending.Part, _ voice: Voice?) -> [String] {
        let heard = voice.flatMap { audioSessions.places[$0.session] } ?? []
        return heard.contains(part.place) ? heard : [part.place] + heard
    }

    package func cancel(_ id: Int) -> Bool {
        guard let ending = queue.cancel(id) else { return false }
        end(ending)
        return true
    }

    package func cancelAll() { end(queue.cancelAll()) }

    /// Those whose announcements are to be heard.
    package var owners: Set<String> { Set(requests.values.map(\.owner)) }

    /// The owner of an announcement that waits or plays.
    package func owner(of id: Int) -> String? { requests[id]?.owner }

    /// Cancels those announcements of an owner whose zones meet a condition.
    package func cancelAll(of owner: String, where isMeant: ([Zone]) -> Bool) {
        let meant = requests.filter { $0.value.owner == owner && isMeant($0.value.zones) }
        for id in meant.keys.sorted() { _ = cancel(id) }
    }

    private func end(_ ending: AnnouncementQueue.Ending) {
        for part in ending.silenced {
            let voice = voices.removeValue(forKey: part)
            startNext(after: part, voice)
            if let voice { release(voice, after: Self.cancelFade) }
        }
        end(ending.ended)
    }

    private func end(_ reports: [AnnouncementReport]) {
        for report in reports { ended(report) }
        changed()
        startAll()
    }

    /// Fade-out of a cancelled announcement, in seconds.
    private static let cancelFade = 0.05

    /// Releases a voice and its session, after an optional fade.
    private func release(_ voice: Voice, after fade: Double?) {
        voice.end(fadingOver: fade)
        let session = voice.session
        _ = try? audioSessions.handle(.playing(session, false), of: session)
        _ = try? audioSessions.handle(.deactivate(session, notifyOthers: true), of: session)
        audioSessions.close(session)
    }

    private func ended(_ report: AnnouncementReport) {
        let id = report.announcement.id
        let request = requests.removeValue(forKey: id)
        request?.cancellation.cancel()
        if let path = request?.spokenFile { forget(path) }
        media[id] = nil
        audioSessions.recordAnnouncement(report)
        delegate.announcementEnded(id)
    }

    private func changed() {
        delegate.announcementsChanged()
        timer?.cancel()
        timer = nil
        guard let deadline = queue.nextDeadline else { return }
        let delay = deadline - .seconds(saturating: loop.hostTime.seconds)
        timer = onLoop(in: delay.seconds) { $0.expire() }
    }

    private func expire() { end(queue.expire(now: .seconds(saturating: loop.hostTime.seconds))) }
}

/// Why an announcement cannot start.
private enum CannotBeHeard: Error, CustomStringConvertible {
    case zoneIsGone(String)
    case volumeIsZero(String)
    case noOutput(String)

    var description: String {
        switch self {
        case .zoneIsGone(let name): "zone \(name) was removed"
        case .volumeIsZero(let name): "the volume of zone \(name) is 0; raise it"
        case .noOutput(let name): "zone \(name) has no enabled output; enable one"
        }
    }
}
