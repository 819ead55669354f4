package import AudioTypes
package import LineProtocol

/// The clients that need no password.
package enum AnonymousAccess: String, Sendable, Hashable, CaseIterable {
    /// Clients on this machine.
    case loopback
    /// Clients on this machine and on the local network.
    case lan
    /// All clients.
    case any
}

/// A password and what it grants.
package struct Password: Sendable, Hashable {
    package var text: String
    package var permissions: Permissions
    /// The zone that the client moves to; `nil` to stay in its zone.
    package var zone: String?

    package init(_ text: String, permissions: Permissions = .all, zone: String? = nil) {
        self.text = text
        self.permissions = permissions
        self.zone = zone
    }
}

/// The permissions of clients from some addresses without a password.
package struct HostRule: Sendable, Hashable {
    package var addresses: AddressRange
    package var permissions: Permissions

    package init(_ addresses: AddressRange, permissions: Permissions) {
        self.addresses = addresses
        self.permissions = permissions
    }
}

/// Decides the permissions of clients.
package struct AccessRules: Sendable, Hashable {
    package var allowAnonymous = AnonymousAccess.loopback
    /// The permissions of clients that need no password.
    package var anonymousPermissions = Permissions.anonymous
    /// The same for Unix sockets; `nil` for all permissions for the server's owner, all but the owner's for the members of
    /// its group, and `anonymousPermissions` for others.
    package var localPermissions: Permissions?
    /// The users who are members of the group of the system service's account.
    package var groupMembers: Set<UInt32> = []
    package var hosts: [HostRule] = []
    package var passwords: [Password] = []

    package init() {}

    /// The permissions of a client.
    ///
    /// The first of these that applies decides: the client's password, if it is still configured; the listener's own
    /// permissions; those of Unix sockets; the narrowest address range that contains the client; the general rule.
    ///
    /// - Parameter isNamed: Whether it acts for a named client, which is not the server's owner wherever it comes from.
    package func permissions(of client: Principal, isNamed: Bool = false) -> Permissions {
        if let text = client.password, let password = passwords.first(where: { $0.text == text }) {
            return password.permissions
        }
        if let permissions = client.listener.permissions { return permissions }
        switch client.origin {
        case .unix:
            if let localPermissions { return localPermissions }
            if isNamed { return anonymousPermissions }
            if client.isOwner { return .all }
            return client.peer.map { groupMembers.contains($0.uid) } ?? false ? .anonymous : anonymousPermissions
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
    /// The comparison takes the same time however much of the password is right.
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
