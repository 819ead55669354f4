internal import Alarms
internal import AudioSessions
internal import LineProtocol
internal import Playlists
internal import ServerMusic
internal import ServerRequests
internal import ServerRights
internal import ServerSessions
internal import ServerTimers
internal import Songs
internal import Zones

/// Sessions and alarms as a client with a limited library sees them: their names may be those of songs.
extension Client {
    /// Whether the client is told a session's name: a zone's is one of the server's, its own it knows.
    func seesName(of session: AudioSession) -> Bool {
        visible == nil || session.kind == .zone || session.owner == sessionOwner
    }
}

extension Request<SessionServices> {
    /// Whether the client is told what a session plays.
    func seesNowPlaying(of id: SessionID) -> Bool {
        guard let visible = client.visible, let session = services.audioSessions.session(id) else { return true }
        guard let zone = services.audioSessions.zone(of: id) else { return session.owner == client.sessionOwner }
        let view = QueueView(visible: visible, owner: client.identity.name)
        return zone.queue.current.map { view.shows(zone.queue, $0) } ?? true
    }
}

extension Request<TimerServices> {
    /// An alarm's settings; what it plays and what it is called are private unless the client sees all of what it plays.
    func shownSettings(of alarm: Alarm) -> [(key: String, value: String)] {
        let settings = alarm.settings
        guard client.visible != nil else { return settings }
        let isShown = settings.allSatisfy { setting in
            guard setting.key == "uri" || setting.key == "fallback", !setting.value.isEmpty else { return true }
            let uri = services.media.uriInMusic(setting.value)
            return !hasScheme(uri) && (client.sees(song: uri) || client.sees(playlist: setting.value))
        }
        if isShown { return settings }
        return settings.map { setting in
            ["uri", "fallback", "name"].contains(setting.key) ? (key: setting.key, value: privateEntry) : setting
        }
    }
}
