internal import Authorization
internal import LineProtocol
internal import ServerBasics
internal import ServerPersistence
internal import ServerRequests
internal import ServerRights
internal import ServerRooms
internal import ServerTimers
internal import ServerZones
internal import StateStore

extension ServerAssembly: GrantDelegate {
    var lastUses: [(id: PrincipalID, time: Double)] {
        connections.all.compactMap { connection in connection.client.knownAs.map { ($0, connection.lastUse) } }
    }

    func rightsChanged() {
        connections.accessChanged()
        endWhatIsNotPermittedOfAbsentOwners()
        endSignedOut()
    }

    func grantSettingChanged(_ record: Record) { persistence?.grantsChanged(record) }

    func rightsDecided(of id: PrincipalID, before: Rights, after: Rights) {
        alarms.disableAll(of: id.description) {
            before.permit(.player, in: [$0]) && !after.permit(.player, in: [$0])
        }
    }

    func rightsChanged(of client: String, _ text: String) { audit.rightsChanged(of: client, text) }
}

extension ServerAssembly: CeilingDelegate {
    func ceilingsChanged() { for zone in rooms.zones { zones.holdCeiling(of: zone) } }
}

extension ServerAssembly: AuditDelegate {
    func auditChanged() { notifyOwners(.audit) }
}

extension ServerAssembly: PairingDelegate {
    func pairingRequestsChanged() { notifyOwners(.pairing) }
}
