internal import AudioSessions
internal import Authorization
internal import LineProtocol
internal import Zones

/// What becomes of a client's affairs when it is permitted less.
extension Client {
    /// What the client may do now, in each zone.
    var rights: Rights {
        let rights = identity.rights(from: server.grants, generation: server.clients.accessGeneration)
        guard rights.isTimed else { return rights }
        server.grants.checkTime()
        return identity.rights(from: server.grants, generation: server.clients.accessGeneration)
    }

    /// What the client may do in the zone that it is in.
    var permissions: Permissions { rights.permissions(in: zone.name) }

    func accessChanged() -> Bool {
        let before = identity.lastRights
        guard rights != before else { return false }
        note(.permission)
        return true
    }

    func endWhatIsNotPermitted() {
        refuseWhatRuns()
        endSessions()
        if !permissions.contains(.player) { server.announcer.cancelAll(of: sessionOwner) }
        if !permissions.contains(.read), !subscriptions.channels.isEmpty {
            subscriptions = Subscriptions()
            server.note(.subscription, in: zone)
        }
    }

    /// Ends the sessions that the client is not permitted any more.
    func endSessions() {
        let desk = server.desk
        for (id, known) in desk.clientSessions.sorted(by: { $0.key < $1.key })
        where known.client == self.id || known.isPersistent && known.owner == sessionOwner {
            let sessionClass = desk.session(id)?.sessionClass ?? .normal
            let isPermitted = rights.permissions(in: known.zone).contains(.player) && mayUse(sessionClass)
            if !isPermitted { desk.close(id) }
        }
        if !permissions.contains(.player) { desk.endInterruptions(of: sessionClient) }
    }

    /// Enters the first zone where the client may do something, unless it may here.
    func enterPermittedZone() {
        guard permissions.isEmpty, !rights.isEmpty else { return }
        if let zone = server.rooms.zones.first(where: { !rights.permissions(in: $0.name).isEmpty }) { self.zone = zone }
    }
}
