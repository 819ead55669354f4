internal import AudioTypes
internal import Authorization
internal import LineProtocol
internal import ServerAnnouncements
internal import ServerBasics
internal import ServerMusic
internal import ServerRequests
internal import ServerRooms
internal import Settings
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

/// Announcements of the server's own.
extension ServerAssembly {
    func pairingAsked(_ name: ClientName) {
        let settings = configuration.announcements
        guard let zone = settings.pairingZone else { return }
        do {
            let isEverywhere = zone == AnnouncementRule.everywhere
            var request = AnnounceRequest(
                text: settings.pairingText.replacing("{name}", with: name.text),
                zones: isEverywhere ? rooms.zones : [try rooms.known(zone)],
                owner: "the server"
            )
            request.isForAllThatSound = isEverywhere
            request.expires = settings.expires
            request.chime = media.configuredChime
            _ = try announcer.announce(request)
        } catch {
            log(.warning, "\(name.text) asks to be known, which cannot be announced: \(ackError(for: error).text)")
        }
    }
}
