package import Authorization
package import LineProtocol
internal import ServerBasics
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

    /// The ways in that are wider than need be, closed, or about to be.
    package var doors: [OpenDoor] {
        var doors = OpenDoor.find(in: common.configuration.value)
        for (name, seconds) in pairing.openInvitations {
            doors.append(.invitation(name: name.text, hours: Int(saturating: (seconds / 3_600).rounded(.up))))
        }
        if let days = encryption.daysLeft(at: common.clock.now) { doors.append(.certificate(days: days)) }
        return doors + closedDoors.map { .closed(address: "\($0.address)", reason: $0.reason) }
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
