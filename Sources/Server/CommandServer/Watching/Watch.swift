internal import Authorization
internal import ServerBasics
internal import ServerRequests
internal import Songs
internal import Zones

/// A topic of a zone, or one of the server.
struct WatchedItem: Hashable {
    let topic: Topic
    /// `nil` for one of the server.
    let zone: String?
}

/// A client's watch: the values that it is sent, and those that it could not take yet.
final class Watch {
    unowned let connection: Connection
    /// The client's view when it was told its values.
    var view: View
    let topics: Set<Topic>
    let zones: Zones
    /// The items that may have changed while the client could take nothing, however often; it is told when it can.
    var pending: [WatchedItem: Known] = [:]
    /// The versions of the queues that the client knows, by zone.
    var queueVersions: [String: UInt32] = [:]
    /// The number of unread messages that the client knows.
    var unreadCount = 0

    /// The things of a client on which its values depend.
    struct View: Equatable {
        let rights: Rights
        let tags: TagMask

        init(_ client: Client) { (rights, tags) = (client.rights, client.tags) }
    }

    /// The things that a client knows of an item that waits for it.
    enum Known {
        /// The value that it was told last: another one alone is told.
        case value(WatchedValue)
        /// Nothing that counts any more.
        case nothing
    }

    enum Zones {
        case all
        case named(Set<String>)
    }

    init(_ request: WatchRequest, _ connection: Connection) {
        self.connection = connection
        view = View(connection.client)
        topics = Set(request.topics)
        zones =
            switch request.zones {
            case .all?: .all
            case .named(let names)?: .named(Set(names))
            case nil: .named([connection.zone.name])
            }
    }

    /// The client is to be told some items whatever it knows of them.
    func renew(_ items: [WatchedItem]) { for item in items { pending[item] = .nothing } }

    func includes(_ item: WatchedItem) -> Bool {
        guard topics.contains(item.topic) else { return false }
        guard case .named(let names) = zones, let zone = item.zone else { return true }
        return names.contains(zone)
    }
}
