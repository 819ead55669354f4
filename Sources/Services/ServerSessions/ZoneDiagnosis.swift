internal import Announcements
internal import AudioSessions
internal import AudioTypes
internal import OutputGroups
internal import Playback
internal import Playlists
internal import ServerBasics
package import ServerRooms
internal import Songs
package import Zones

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

    /// The causes of a zone's silence or low level; a zone that plays normally gets one that says so.
    package func causes(of zone: Zone) -> [Cause] {
        var causes: [Cause] = []
        if let error = zone.lastingError, !zone.isStreamError, error != Room.noOutput {
            causes.append(Cause(.error(error)))
        }
        causes += transportCauses(of: zone)
        if zone.state == .play { causes += waitingCauses(of: zone) }
        causes += gainCauses(of: zone)
        if let seconds = sleepFade(zone) { causes.append(Cause(.sleepFade(left: Int(saturating: seconds)))) }
        if let volume = zone.shownVolume, volume == 0 { causes.append(Cause(.volumeZero)) }
        if rooms[zone]?.hasEnabledOutput != true { causes.append(Cause(.noOutput)) }
        if causes.isEmpty { causes.append(Cause(.playing)) }
        return causes + foreignCauses(of: zone)
    }

    private func transportCauses(of zone: Zone) -> [Cause] {
        let known = audioSessions.zoneSessions[zone.name]
        if let session = known.flatMap({ audioSessions.session($0.id) }), zone.interruption != nil {
            return session.interruptions.map { interruption in
                var reason = Cause.Reason.sinkLost
                if case .session(let id) = interruption.by { reason = .interrupted(by: audioSessions.title(id)) }
                return Cause(reason, since: audioSessions.wallTime(interruption.since))
            }
        }
        guard zone.state != .play else { return [] }
        let (since, who) = (known?.word?.time, known?.word?.who)
        if zone.queue.count == 0 { return [Cause(.queueEmpty)] }
        if who == nil, zone.state == .stop, since != nil { return [Cause(.queueEnded, since: since)] }
        return [Cause(zone.state == .pause ? .paused(by: who) : .stopped(by: who), since: since)]
    }

    private func waitingCauses(of zone: Zone) -> [Cause] {
        if let lost = lostStreamCause(of: zone) { return [lost] }
        guard let player = zone.player, case .waitingToPlayAtSpecifiedRate(let reason) = player.status.timeControlStatus
        else { return [] }
        switch reason {
        case .outputUnavailable: return zone.error == nil ? [Cause(.noSoundServer)] : []
        case .toMinimizeStalls:
            return [Cause(.buffering(uri: zone.queue.currentEntry.map { withoutCredentials($0.song.uri) }))]
        case .evaluatingBufferingRate: return [Cause(.opening)]
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
            let title = audioSessions.title(session.id)
            return Cause(
                isMuted ? .foreignMuted(title) : .foreignHeard(title),
                since: session.interruptions.first.map { audioSessions.wallTime($0.since) }
            )
        }
    }

    /// While the stream is being retried, the data read ahead may still be heard.
    private func lostStreamCause(of zone: Zone) -> Cause? {
        guard let entry = zone.queue.currentEntry, case .reconnecting(let wait)? = zone.stream?.connection else {
            return nil
        }
        let retry = Int(saturating: max(0, wait.next - .now).rounded(.up))
        return Cause(
            .streamLost(uri: withoutCredentials(entry.song.uri), error: "\(wait.reason)", retry: retry),
            since: audioSessions.wallTime(wait.since.seconds)
        )
    }

    private func gainCauses(of zone: Zone) -> [Cause] {
        guard let id = audioSessions.zoneSessions[zone.name]?.id else { return [] }
        return audioSessions.causes(for: id).compactMap { cause in
            switch cause {
            case .ducked(let ducker, let since):
                let decibels = -audioSessions.gain(of: id)
                return self.cause(.ducked(for: audioSessions.title(ducker), decibels: decibels), since)
            case .mutedBySilenceSwitch(let since): return self.cause(.silenceSwitch, since)
            case .mutedByLock(let since): return self.cause(.locked, since)
            case .mutedByRecording(let recorder, let since):
                return self.cause(.recording(by: audioSessions.title(recorder)), since)
            case .interrupted: return nil
            }
        }
    }

    /// - Parameter since: In seconds on the monotonic clock.
    private func cause(_ reason: Cause.Reason, _ since: Double) -> Cause {
        Cause(reason, since: audioSessions.wallTime(since))
    }
}
