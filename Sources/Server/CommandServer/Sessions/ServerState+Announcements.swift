internal import ServerAnnouncements
internal import ServerBasics

extension ServerState: AnnouncementDelegate {
    var speak: Speak { parts.speak }

    func announcementsChanged() { note(.announcement) }
    func announcementEnded(_ id: Int) { guests.announcementEnded(id) }
}
