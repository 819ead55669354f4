package import Authorization
package import LineProtocol
package import ServerMusic
package import ServerNetwork
package import ServerRights
package import Settings

/// The services of commands on clients and their rights.
package final class AccessServices: LibraryServices {
    package let common: CommonServices
    package let connections: ConnectionRegistry
    package let grants: GrantService
    package let ceilings: CeilingService
    package let pairing: PairingService
    package let encryption: Encryption
    package let audit: AuditService
    package let upkeep: LibraryUpkeep
    package var passwords = PasswordThrottle()
    package var tickets = Tickets()
    /// The addresses for HTTP that could not be opened, and why.
    package var closedDoors: [(address: Listener.Address, reason: String)] = []

    package init(
        _ common: CommonServices,
        connections: ConnectionRegistry,
        grants: GrantService,
        ceilings: CeilingService,
        pairing: PairingService,
        encryption: Encryption,
        audit: AuditService,
        upkeep: LibraryUpkeep
    ) {
        self.common = common
        self.connections = connections
        self.grants = grants
        self.ceilings = ceilings
        self.pairing = pairing
        self.encryption = encryption
        self.audit = audit
        self.upkeep = upkeep
    }

    /// Makes whoever has an invitation's secret its client, which uses it up.
    ///
    /// - Returns: `nil` for a secret of no invitation.
    package func redeem(_ secret: String) throws(AckError) -> (name: ClientName, token: ClientToken)? {
        try grants.requireRoomForToken()
        guard let name = pairing.takeInvitation(secret) else { return nil }
        let token = ClientToken()
        try grants.setToken(of: name, to: token.digest, by: "an invitation")
        return (name, token)
    }

    package static func of(_ groups: ServiceGroups) -> AccessServices { groups.access }
}
