internal import Authorization
internal import LineProtocol
internal import ServerBasics
internal import ServerPersistence
internal import ServerPicker
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
        refuseListeners()
    }

    func grantSettingChanged(_ record: Record) {
        persistence?.grantsChanged(record, isRight: !LastUses.verbs.contains(record.verb))
    }

    func takeRightsChange() -> Bool { persistence?.takeRightsChange() == true }

    /// Has a client wait for the disk, so that a right or a refusal that was told outlives a loss of power.
    func storeRights(for connection: Connection) -> Outcome {
        jobs.wait(for: connection, then: { .done }, until: whenRightsStored)
    }

    /// - Parameter then: Called at once where nothing is stored.
    func whenRightsStored(_ then: @escaping () -> Void) {
        _ = takeRightsChange()
        if let persistence { persistence.whenRightsStored(then) } else { then() }
    }

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

extension ServerAssembly: PickerDelegate {
    func pickerRequestsChanged() { notifyOwners(.picker) }
}

extension ServerAssembly: PairingDelegate {
    func pairingRequestsChanged() { notifyOwners(.pairing) }
}
