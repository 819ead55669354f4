/// Something to be said or played over the music: what, how urgently, and where.
package struct Announcement: Sendable, Hashable, Identifiable {
    /// A positive number that is never used again.
    package let id: Int
    /// What is played; `nil` when only the text is, which somebody then has to speak.
    package var uri: String?
    package var text: String?
    package var announcementClass: AnnouncementClass
    /// Within its class; higher is earlier.
    package var priority: Int
    /// When it is no longer worth being heard, unless it is being heard by then.
    ///
    /// On the clock that the queue's callers tell the time by.
    package var expiry: Duration?
    /// The zones that it was meant for, as clients see them.
    package var zones: [String]
    /// The sinks that it is heard from, each once.
    package var places: [String]

    package init(
        id: Int,
        uri: String? = nil,
        text: String? = nil,
        class announcementClass: AnnouncementClass = .normal,
        priority: Int = 0,
        expiry: Duration? = nil,
        zones: [String] = [],
        places: [String]
    ) {
        self.id = id
        self.uri = uri
        self.text = text
        self.announcementClass = announcementClass
        self.priority = priority
        self.expiry = expiry
        self.zones = zones
        self.places = places
    }

    func isExpired(at now: Duration) -> Bool { expiry.map { $0 <= now } ?? false }

    /// Whether it is heard before `other`, which came earlier.
    func precedes(_ other: Announcement) -> Bool {
        (announcementClass, priority) > (other.announcementClass, other.priority)
    }
}
