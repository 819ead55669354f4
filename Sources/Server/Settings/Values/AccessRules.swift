package import LineProtocol

/// Who needs no password.
package enum AnonymousAccess: String, Sendable, Hashable, CaseIterable {
    /// Clients on this machine.
    case loopback
    /// And those on the local network.
    case lan
    /// Everybody.
    case any
}

/// What a password gives.
package struct Password: Sendable, Hashable {
    package var text: String
    package var permissions: Permissions
    /// The zone that the client goes to; `nil` leaves it where it is.
    package var zone: String?

    package init(_ text: String, permissions: Permissions = .all, zone: String? = nil) {
        self.text = text
        self.permissions = permissions
        self.zone = zone
    }
}

/// What clients from some addresses may do without a password.
package struct HostRule: Sendable, Hashable {
    package var addresses: AddressRange
    package var permissions: Permissions

    package init(_ addresses: AddressRange, permissions: Permissions) {
        self.addresses = addresses
        self.permissions = permissions
    }
}

/// Where a client comes from.
package enum ClientOrigin: Sendable, Hashable {
    /// A process on this machine, through a Unix socket.
    case unix
    /// `server` is this machine's address in the connection, if it is known.
    case network(IPAddress, server: IPAddress? = nil)
}

/// Decides what a client may do.
package struct AccessRules: Sendable, Hashable {
    package var allowAnonymous = AnonymousAccess.loopback
    /// What those may do who need no password.
    package var anonymousPermissions = Permissions.all
    /// The same for Unix sockets; `nil` when they are no exception.
    package var localPermissions: Permissions?
    package var hosts: [HostRule] = []
    package var passwords: [Password] = []

    package init() {}

    /// What a client may do before it gives a password.
    ///
    /// What is said of the listener counts most, then what is said of Unix sockets, then the narrowest range of addresses
    /// that the client is in, then the general rule.
    package func permissions(of client: ClientOrigin, at listener: Listener) -> Permissions {
        if let permissions = listener.permissions { return permissions }
        switch client {
        case .unix: return localPermissions ?? anonymousPermissions
        case .network(let address, let server):
            let rules = hosts.filter { $0.addresses.contains(address) }
            if let rule = rules.max(by: { $0.addresses.prefix < $1.addresses.prefix }) { return rule.permissions }
            return needsNoPassword(address, server: server) ? anonymousPermissions : []
        }
    }

    private func needsNoPassword(_ address: IPAddress, server: IPAddress?) -> Bool {
        switch allowAnonymous {
        case .loopback: address.isLoopback
        case .lan: address.isLocal(to: server)
        case .any: true
        }
    }

    /// The password that a client gave; `nil` when it is wrong.
    ///
    /// How long the comparison takes says nothing of how much was right.
    package func password(matching text: String) -> Password? {
        var match: Password?
        for password in passwords where password.text.matchesInConstantTime(text) { match = password }
        return match
    }
}

extension String {
    fileprivate func matchesInConstantTime(_ other: String) -> Bool {
        let expected = Array(utf8)
        var difference = expected.count ^ other.utf8.count
        for (place, byte) in other.utf8.enumerated() {
            difference |= Int(byte ^ (expected.isEmpty ? 0 : expected[place % expected.count]))
        }
        return difference == 0
    }
}
