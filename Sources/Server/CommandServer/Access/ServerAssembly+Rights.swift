internal import Authorization
internal import DesktopNotifications
internal import LineProtocol
internal import ServerBasics
internal import ServerCommands
internal import ServerPersistence
internal import ServerPicker
internal import ServerRequests
internal import ServerRights
internal import ServerRooms
internal import ServerTimers
internal import ServerZones
internal import Settings
internal import StateStore

extension ServerAssembly: GrantDelegate {
    var lastUses: [(id: PrincipalID, time: Double)] {
        connections.all.compactMap { connection in connection.client.knownAs.map { ($0, connection.lastUse) } }
    }

    func rightsChanged() {
        connections.accessChanged()
        endRequestsThatAreNotPermitted()
        endWhatIsNotPermittedOfAbsentOwners()
        endSignedOut()
        refuseListeners()
    }

    /// Ends what those have asked of the owner who may not ask any more.
    func endRequestsThatAreNotPermitted() {
        picker.rightsChanged { [connections, grants] holder in
            let rights =
                switch holder {
                case .connection(let id): connections[id]?.client.rights
                case .client(let id): grants.rights(ofAbsent: id)
                }
            return rights?.permissions.contains(.pick) == true
        }
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
    func pickerRequestsChanged() {
        notifyOwners(.picker)
        pickerNotifications.update()
    }

    func extendLibrary(
        of client: PrincipalID,
        askedBy holder: PickerRequest.Holder,
        by parts: [LibraryScope.Part],
        _ who: String
    ) throws {
        if case .connection(let id) = holder, connections[id]?.client.identity.id != client {
            throw PickerError.isAnotherClient
        }
        // Without a limit, it sees all songs already.
        guard grants.store[client]?.grants.limits.library != nil else { return }
        try grants.change(client, by: who) { entry in
            guard var library = entry.grants.limits.library else { return }
            for part in parts where !library.insert(part) { throw PickerError.libraryIsFull }
            entry.grants.limits.library = library
        }
    }
}

extension ServerAssembly: PickerNotificationsDelegate {
    func pageAddress(for request: PickerID) -> String? {
        let closed = services.access.closedDoors.map(\.address)
        return PageAddress(configuration, closed: closed)?.link(to: request)
    }

    func makeDesktopPresenter() -> (any DesktopPresenter)? {
        parts.bus.map { bus in
            DesktopNotifier(bus, busThread) { [log = parts.log] event in
                switch event {
                case .notShown(let reason): log(.info, "the desktop does not show a client's request: \(reason)")
                case .notOpened(let reason): log(.notice, "the desktop does not open the page: \(reason)")
                }
            }
        }
    }
}

extension ServerAssembly: PairingDelegate {
    func pairingRequestsChanged() { notifyOwners(.pairing) }
}
