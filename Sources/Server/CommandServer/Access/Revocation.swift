internal import AudioSessions
internal import Authorization
internal import LineProtocol
internal import ServerAnnouncements
internal import ServerBasics
internal import ServerRights
internal import ServerRooms
internal import ServerSessions
internal import Zones

/// The end of a client's affairs that it is not permitted any more.
extension Client {
    /// The client's rights now, in each zone.
    var rights: Rights {
        let rights = identity.rights(from: server.grants, generation: server.clients.accessGeneration)
        guard rights.isTimed else { return rights }
        server.grants.checkTime()
        return identity.rights(from: server.grants, generation: server.clients.accessGeneration)
    }

    /// The permissions in the zone that the client is in.
    var permissions: Permissions { rights.permissions(in: zone.name) }

    func accessChanged() -> Bool {
        let before = identity.lastRights
        guard rights != before else { return false }
        let isLibraryChanged = rights.limits.library != before?.limits.library
        // The reply under way was chosen from another part of the library.
        if isLibraryChanged { endLibraryReply() }
        note(isLibraryChanged ? [.permission, .database, .storedPlaylist] : .permission)
        return true
    }

    func endWhatIsNotPermitted() {
        refuseWhatRuns()
        endSessions()
        if !permissions.contains(.read), !subscriptions.channels.isEmpty {
            subscriptions = Subscriptions()
            server.note(.subscription, in: zone)
        }
    }

    /// Ends the sessions, interruptions and announcements that the client is not permitted any more.
    func endSessions() {
        server.endWhatIsNotPermitted(rights, holding: permissions, of: sessionOwner, connection: id)
        if !permissions.contains(.player) { server.desk.endInterruptions(of: sessionClient) }
    }

    /// Enters the first zone where the client may do something, unless it may here.
    func enterPermittedZone(in rooms: Rooms) {
        guard permissions.isEmpty, !rights.isEmpty else { return }
        if let zone = rooms.zones.first(where: { !rights.permissions(in: $0.name).isEmpty }) { self.zone = zone }
    }
}

extension ServerAssembly {
    /// Ends what an owner has where it may not play any more.
    ///
    /// - Parameters:
    ///   - permissions: Its own in the zone that it is in.
    ///   - connection: The connection whose rights these are; `nil` for those of an owner without one.
    fileprivate func endWhatIsNotPermitted(
        _ rights: Rights,
        holding permissions: Permissions,
        of owner: String,
        connection: Int?
    ) {
        let known = desk.clientSessions.filter {
            $0.value.client == connection || $0.value.isPersistent && $0.value.owner == owner
        }
        let interruptions = desk.sessions.filter { $0.kind == .system && $0.owner == owner }.map(\.id)
        for id in known.keys.sorted() + interruptions {
            let isClassPermitted = rights.permit(desk.session(id)?.sessionClass ?? .normal, holding: permissions)
            if isClassPermitted, rights.permit(.player, in: desk.zonesConcerned(by: id)) { continue }
            if !desk.endInterruption(id, resume: true) { desk.close(id) }
        }
        announcer.cancelAll(of: owner) { !rights.permit(.player, in: $0.map(\.name)) }
    }

    /// Ends what owners have that left it behind and may not play any more: persistent sessions, interruptions and
    /// announcements.
    ///
    /// Their rights are those that the server's owner has granted; the configuration's depend on the connection.
    func endWhatIsNotPermittedOfAbsentOwners() {
        let present = Set(clients.all.map(\.sessionOwner))
        let owners = Set(desk.sessions.map(\.owner)).union(announcer.owners).subtracting(present)
        for owner in owners.sorted() {
            guard let id = PrincipalID(owner) else { continue }
            let rights = (grants.book[id]?.grants ?? Grants()).rights(configured: .all, at: clock.moment)
            endWhatIsNotPermitted(rights, holding: rights.permissions, of: owner, connection: nil)
        }
    }
}
