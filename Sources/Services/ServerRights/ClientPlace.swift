internal import AudioTypes
package import Settings

/// Where clients come from, as far as they share what one place may have.
package enum ClientPlace: Sendable, Hashable {
    /// A user of this machine, by a Unix socket.
    case user(UInt32)
    /// This machine, by TCP: any process on it can have each of the addresses.
    case loopback
    /// An IPv4 address, or the first 64 bits of an IPv6 address: a single machine has all addresses of such a network.
    case network([UInt8])
    case unknown

    package init(_ principal: Principal) {
        switch principal.origin {
        case .unix: self = principal.peer.map { .user($0.uid) } ?? .unknown
        case .network(let address, _) where address.isLoopback: self = .loopback
        case .network(let address, _):
            self = .network(address.bytes.count == 4 ? address.bytes : Array(address.bytes.prefix(8)))
        }
    }

    /// How many connections there may be from the place.
    package func mostConnections(_ limits: Limits) -> Int {
        if case .network = self { limits.maxConnectionsPerAddress } else { limits.maxLocalConnections }
    }
}

/// How many clients there are, before another one is let in.
package struct Crowd: Sendable {
    package var total = 0
    /// From where the new one comes.
    package var neighbours = 0
    /// Those who may do nothing yet.
    package var unpermitted = 0

    package init(total: Int = 0, neighbours: Int = 0, unpermitted: Int = 0) {
        (self.total, self.neighbours, self.unpermitted) = (total, neighbours, unpermitted)
    }

    /// The limit that keeps a client out; `nil` when it may come in.
    package func limitReached(by client: Principal, mayDoNothing: Bool, _ limits: Limits) -> String? {
        let most = limits.maxConnections + (client.isOwner ? limits.ownerConnections : 0)
        if total >= most { return "max-connections" }
        let place = ClientPlace(client)
        if neighbours >= place.mostConnections(limits) {
            if case .network = place { return "max-connections-per-address" }
            return "max-local-connections"
        }
        return mayDoNothing && unpermitted >= limits.maxConnectionsBeforePermission
            ? "max-connections-before-permission" : nil
    }
}
