package import Announcements
package import AudioTypes

/// Makes announcements of URLs that a client plays, for programs that do not know `announce`.
package struct AnnouncementRule: Sendable, Hashable {
    /// The beginning of the URL.
    package var prefix: String
    /// The network addresses that the client must come from; `nil` if no network client matches.
    package var host: AddressRange?
    /// The user of the client's process on this machine, connected through a Unix socket; `nil` if no local client
    /// matches.
    package var user: UInt32?
    package var announcementClass: AnnouncementClass
    /// In percent of the zone's volume; `nil` for the default.
    package var volume: Int?
    /// The zone to play in; `nil` for the client's.
    package var zone: String?

    package init(
        prefix: String,
        host: AddressRange? = nil,
        user: UInt32? = nil,
        class announcementClass: AnnouncementClass = .normal,
        volume: Int? = nil,
        zone: String? = nil
    ) {
        self.prefix = prefix
        self.host = host
        self.user = user
        self.announcementClass = announcementClass
        self.volume = volume
        self.zone = zone
    }

    /// The zone name that stands for all zones.
    package static let everywhere = "all"

    /// Whether the rule applies to a client.
    package func concerns(_ client: Principal) -> Bool {
        switch client.origin {
        case .unix: user != nil && user == client.peer?.uid
        case .network(let address, _): host?.contains(address) ?? false
        }
    }

    /// Whether the rule makes an announcement of a URL.
    package func covers(_ uri: String) -> Bool { uri.utf8.starts(with: prefix.utf8) }
}

extension Configuration {
    /// The rule that makes an announcement of a URL from this client: the one with the longest matching prefix.
    package func announcementRule(for uri: String, from client: Principal) -> AnnouncementRule? {
        announcementRules.filter { $0.covers(uri) && $0.concerns(client) }
            .max { $0.prefix.utf8.count < $1.prefix.utf8.count }
    }
}
