internal import ServerMusic
internal import ServerNetwork
internal import ServerRights

/// The services of commands on clients and their rights.
final class AccessServices: LibraryServices {
    let common: CommonServices
    let connections: ConnectionRegistry<Connection>
    let grants: GrantService
    let pairing: PairingService
    let encryption: Encryption
    let audit: AuditService
    let upkeep: LibraryUpkeep
    var passwords = PasswordThrottle()

    init(_ server: ServerAssembly) {
        common = server.commonServices
        connections = server.connections
        grants = server.grants
        pairing = server.pairing
        encryption = server.encryption
        audit = server.audit
        upkeep = server.upkeep
    }

    static func of(_ server: ServerAssembly) -> AccessServices { server.accessServices }
}
