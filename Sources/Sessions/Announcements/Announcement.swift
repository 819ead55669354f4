/// A text or sound to play over the music, with its urgency and its zones.
package struct Announcement: Sendable, Hashable, Identifiable {
    /// A positive number, never reused.
    package let id: Int
    /// The sound to play; `nil` when there is only the text, which still has to be synthesized.
    package var uri: String?
    package var text: String?
    package var announcementClass: AnnouncementClass
    /// Within its class; higher comes first.
    package var priority: Int
    /// When it expires, unless it is playing by then.
    ///
    /// On the clock of the queue's callers.
    package var expiry: Duration?
    /// The zones it is addressed to, as clients see them.
    package var zones: [String]
    /// The sinks it plays on, each once.
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

    /// Whether it plays before `other`, which was added earlier.
    func precedes(_ other: Announcement) -> Bool {
        (announcementClass, priority) > (other.announcementClass, other.priority)
    }
}
