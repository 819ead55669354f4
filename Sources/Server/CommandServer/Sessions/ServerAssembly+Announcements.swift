internal import AudioTypes
internal import LineProtocol
internal import ServerAnnouncements
internal import ServerBasics
internal import ServerMusic
internal import ServerRequests
internal import Songs
internal import Zones

extension ServerAssembly: AnnouncementDelegate {
    var speak: Speak { parts.speak }

    func announcementsChanged() { notify(.announcement) }
    func announcementEnded(_ id: Int) { guests.announcementEnded(id) }
}

extension ServerAssembly: GuestDelegate {
    var chime: [MediaEntry] { media.configuredChime }

    func requireRoom(for songs: [Song]) throws(AckError) { try rooms.requireRoom(for: songs, limits) }

    func viewChanged(of owner: String, in zone: String) {
        for connection in connections.all where connection.sessionOwner == owner && connection.zone.name == zone {
            connection.notify([.playlist, .player, .mixer])
        }
    }
}
