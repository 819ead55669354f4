package import Announcements

/// Says that what somebody lets play is an announcement, for programs that know no `announce`.
package struct AnnouncementRule: Sendable, Hashable {
    /// What the URL begins with.
    package var prefix: String
    /// Where on the network it has to come from; `nil` for nowhere.
    package var host: AddressRange?
    /// Whose process on this machine it has to come from, through a Unix socket; `nil` for nobody's.
    package var user: UInt32?
    package var announcementClass: AnnouncementClass
    /// In percent of the zone's volume; `nil` for the usual.
    package var volume: Int?
    /// The zone to be heard in; `nil` for the client's.
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

    /// The zone's name that stands for all of them.
    package static let everywhere = "all"

    /// Whether the rule is about a client.
    ///
    /// - Parameter user: The user of a client that came through a Unix socket, if it is known.
    package func concerns(_ client: ClientOrigin, user clientUser: UInt32?) -> Bool {
        switch client {
        case .unix: user != nil && user == clientUser
        case .network(let address, _): host?.contains(address) ?? false
        }
    }

    /// Whether the rule makes an announcement of a URL.
    package func covers(_ uri: String) -> Bool { uri.utf8.starts(with: prefix.utf8) }
}

extension Configuration {
    /// The rule, if there is one, by which what this client lets play is an announcement: the one with the longest prefix.
    package func announcementRule(for uri: String, from client: ClientOrigin, user: UInt32?) -> AnnouncementRule? {
        announcementRules.filter { $0.covers(uri) && $0.concerns(client, user: user) }
            .max { $0.prefix.utf8.count < $1.prefix.utf8.count }
    }
}
