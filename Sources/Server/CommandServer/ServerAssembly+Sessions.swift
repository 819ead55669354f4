internal import AudioSessions
internal import ForeignAudio
internal import ServerAnnouncements
internal import ServerBasics
internal import ServerNowPlaying
internal import ServerPersistence
internal import ServerRequests
internal import ServerSessions
internal import ServerTimers
internal import Settings
internal import Songs
internal import StateStore
internal import Stickers
internal import Zones

/// Events of audio sessions, for all that follow them.
extension ServerAssembly: SessionDelegate {
    var foreignSessions: any ForeignSessions { foreign }

    func sessionsChanged() { notify(.session) }

    func sessionStatesChanged() { watchHub.changed(.session, in: nil) }

    func sessionSettingChanged(_ record: Record) { persistence?.sessionsChanged(record) }

    func sessionPlayed(_ id: SessionID) {
        nowPlaying.played(id)
        machineSleep.played()
    }

    func sessionClosed(_ id: SessionID) {
        nowPlaying.closed(id)
        sessionCovers.remove(id)
        foreign.settleOwnStreams()
        sessionStatesChanged()
    }

    func clientOpenedSession() { foreign.clientOpenedSession() }

    func announcementInterrupted(_ id: SessionID, by interrupter: Interrupter) {
        if !alarms.ringer.interrupted(id, by: interrupter) { announcer.interrupted(id, by: interrupter) }
    }

    func settleAnnouncements(at place: String, over ramp: Double) {
        announcer.settle(place, over: ramp)
        alarms.ringer.settle(place, over: ramp)
    }

    func zoneMoved(_ zone: Zone, from old: String) {
        announcer.zoneMoved(zone, from: old)
        alarms.ringer.zoneMoved(zone)
    }

    /// Whether a song is speech, which prompts pause instead of ducking.
    func isSpoken(_ song: Song) -> Bool {
        let genres = song.tags.compactMap { $0.0 == .genre ? $0.1 : nil }
        return configuration.spoken.covers(song.uri, genres: genres)
            || stickers.store.get(.song, withoutCredentials(song.uri), "mode") == SessionMode.spokenAudio.rawValue
    }
}
