internal import Announcements
package import AudioSessions
internal import AudioTypes
internal import OutputGroups
internal import Playback
internal import Playlists
internal import ServerBasics
package import ServerRooms
internal import Songs
package import Zones

/// A reason why a zone is silent or quiet now.
package struct Cause {
    package let text: String
    /// Seconds since 1970.
    package var since: Double?
}

/// Finds out why a zone is silent or quiet.
package struct ZoneDiagnosis {
    package let rooms: Rooms
    package let audioSessions: SessionService
    /// Seconds until the sleep timer pauses a zone that it fades out.
    package var sleepFade: (Zone) -> Double?

    package init(
        rooms: Rooms,
        audioSessions: SessionService,
        sleepFade: @escaping (Zone) -> Double? = { _ in nil }
    ) {
        (self.rooms, self.audioSessions, self.sleepFade) = (rooms, audioSessions, sleepFade)
    }

    /// The causes of a zone's silence or low level in plain words; a zone that plays normally gets one that says so.
    package func causes(of zone: Zone) -> [Cause] {
        var causes: [Cause] = []
        if let error = zone.lastingError, !zone.isStreamError, error != Room.noOutput {
            causes.append(Cause(text: error))
        }
        causes += transportCauses(of: zone)
        if zone.state == .play { causes += waitingCauses(of: zone) }
        causes += gainCauses(of: zone)
        if let seconds = sleepFade(zone) {
            causes.append(Cause(text: "fading out for the sleep timer, paused in \(Int(saturating: seconds)) s"))
        }
        if let volume = zone.shownVolume, volume == 0 { causes.append(Cause(text: "the volume is 0")) }
        if rooms[zone]?.hasEnabledOutput != true { causes.append(Cause(text: Room.noOutput)) }
        if causes.isEmpty { causes.append(Cause(text: "it is playing at its set volume")) }
        return causes + foreignCauses(of: zone)
    }

    private func transportCauses(of zone: Zone) -> [Cause] {
        let known = audioSessions.zoneSessions[zone.name]
        if let session = known.flatMap({ audioSessions.session($0.id) }), zone.interruption != nil {
            return session.interruptions.map { interruption in
                var who = "the loss of its sink"
                if case .session(let id) = interruption.by { who = audioSessions.describe(id) }
                return Cause(text: "interrupted by \(who)", since: audioSessions.wallTime(interruption.since))
            }
        }
        guard zone.state != .play else { return [] }
        let verb = zone.state == .pause ? "paused" : "stopped"
        let since = known?.word?.time
        if let who = known?.word?.who { return [Cause(text: "\(verb) by \(who)", since: since)] }
        if zone.queue.count == 0 { return [Cause(text: "the queue is empty", since: since)] }
        if zone.state == .stop, since != nil { return [Cause(text: "the queue has ended", since: since)] }
        return [Cause(text: verb, since: since)]
    }

    private func waitingCauses(of zone: Zone) -> [Cause] {
        if let lost = lostStreamCause(of: zone) { return [lost] }
        guard let player = zone.player, case .waitingToPlayAtSpecifiedRate(let reason) = player.status.timeControlStatus
        else { return [] }
        switch reason {
        case .outputUnavailable: return zone.error == nil ? [Cause(text: "there is no sound server to play to")] : []
        case .toMinimizeStalls:
            let place = zone.queue.currentEntry.map { " for \(withoutCredentials($0.song.uri))" } ?? ""
            return [Cause(text: "waiting\(place): not enough data buffered to continue")]
        case .evaluatingBufferingRate: return [Cause(text: "opening the medium")]
        case .noItemToPlay: return []
        }
    }

    /// Streams of other programs that were silenced beside the zone, though not paused.
    private func foreignCauses(of zone: Zone) -> [Cause] {
        let places = Set(rooms.places(of: zone))
        return audioSessions.all.compactMap { session in
            guard session.kind == .foreign, session.state == .interrupted,
                !places.isDisjoint(with: audioSessions.places[session.id, default: []]),
                let isMuted = audioSessions.delegate.foreignSessions.isMuted(session.id)
            else { return nil }
            let who = audioSessions.describe(session.id)
            let text = isMuted ? "is muted, since it cannot be paused" : "can be neither paused nor muted, and is heard"
            return Cause(
                text: "\(who) \(text)",
                since: session.interruptions.first.map { audioSessions.wallTime($0.since) }
            )
        }
    }

    /// While the stream is being retried, the data read ahead may still be heard.
    private func lostStreamCause(of zone: Zone) -> Cause? {
        guard let entry = zone.queue.currentEntry, case .reconnecting(let wait)? = zone.stream?.connection else {
            return nil
        }
        let seconds = Int(saturating: max(0, wait.next - .now).rounded(.up))
        let next = seconds > 0 ? "next try in \(seconds) s" : "trying again"
        return Cause(
            text: "waiting for \(withoutCredentials(entry.song.uri)): \(wait.reason), \(next)",
            since: audioSessions.wallTime(wait.since.seconds)
        )
    }

    private func gainCauses(of zone: Zone) -> [Cause] {
        guard let id = audioSessions.zoneSessions[zone.name]?.id else { return [] }
        return audioSessions.causes(for: id).compactMap { cause in
            switch cause {
            case .ducked(let ducker, let since):
                let depth = short(-audioSessions.gain(of: id))
                return Cause(
                    text: "\(depth) dB quieter for \(audioSessions.describe(ducker))",
                    since: audioSessions.wallTime(since)
                )
            case .mutedBySilenceSwitch(let since):
                return Cause(text: "muted by the silence switch", since: audioSessions.wallTime(since))
            case .mutedByLock(let since): return Cause(text: "muted while locked", since: audioSessions.wallTime(since))
            case .mutedByRecording(let recorder, let since):
                return Cause(
                    text: "muted while \(audioSessions.describe(recorder)) records",
                    since: audioSessions.wallTime(since)
                )
            case .interrupted: return nil
            }
        }
    }
}

extension SessionService {
    /// Describes a session in words.
    package func describe(_ id: SessionID) -> String {
        guard let session = session(id) else { return "session \(id)" }
        switch session.kind {
        case .zone: return "zone \(session.name)"
        case .announcement: return "the announcement '\(session.name)'"
        case .alarm: return "the alarm '\(session.name)'"
        case .system:
            return session.name == session.sessionClass.rawValue
                ? "\(session.sessionClass.article) \(session.name)"
                : "\(session.sessionClass.article) \(session.sessionClass.rawValue) '\(session.name)'"
        case .client, .foreign: return "'\(session.name)' (\(session.owner))"
        }
    }
}

extension SessionClass {
    fileprivate var article: String { self == .call || self == .normal ? "a" : "an" }
}
