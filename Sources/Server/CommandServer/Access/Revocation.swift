internal import AudioSessions
internal import Authorization
internal import LineProtocol
internal import ServerAnnouncements
internal import ServerBasics
internal import ServerRequests
internal import ServerRights
internal import ServerRooms
internal import ServerSessions
internal import Zones

/// The end of affairs that clients are not permitted any more.
extension ServerAssembly {
    func endWhatIsNotPermitted(of client: Client) {
        endSessions(of: client)
        if !client.permissions.contains(.read), !client.subscriptions.channels.isEmpty {
            client.subscriptions = Subscriptions()
            notify(.subscription, in: client.zone)
        }
    }

    /// Ends the sessions, interruptions and announcements that a client is not permitted any more.
    private func endSessions(of client: Client) {
        let permissions = client.permissions
        endWhatIsNotPermitted(client.rights, holding: permissions, of: client.sessionOwner, connection: client.id)
        if !permissions.contains(.player) { audioSessions.endInterruptions(of: client.sessionClient) }
    }

    /// Ends what an owner has where it may not play any more.
    ///
    /// - Parameters:
    ///   - permissions: Its own in the zone that it is in.
    ///   - connection: The connection whose rights these are; `nil` for those of an owner without one.
    private func endWhatIsNotPermitted(
        _ rights: Rights,
        holding permissions: Permissions,
        of owner: String,
        connection: Int?
    ) {
        let known = audioSessions.clientSessions.filter {
            $0.value.client == connection || $0.value.isPersistent && $0.value.owner == owner
        }
        let interruptions = audioSessions.all.filter { $0.kind == .system && $0.owner == owner }.map(\.id)
        for id in known.keys.sorted() + interruptions {
            let isClassPermitted = rights.permit(
                audioSessions.session(id)?.sessionClass ?? .normal,
                holding: permissions
            )
            if isClassPermitted, rights.permit(.player, in: audioSessions.zonesConcerned(by: id)) { continue }
            if !audioSessions.endInterruption(id, resume: true) { audioSessions.close(id) }
        }
        announcer.cancelAll(of: owner) { !rights.permit(.player, in: $0.map(\.name)) }
    }

    /// Ends what owners have that left it behind and may not play any more: persistent sessions, interruptions and
    /// announcements.
    ///
    /// Their rights are those that the server's owner has granted; the configuration's depend on the connection.
    func endWhatIsNotPermittedOfAbsentOwners() {
        let present = Set(connections.all.map(\.sessionOwner))
        let owners = Set(audioSessions.all.map(\.owner)).union(announcer.owners).subtracting(present)
        for owner in owners.sorted() {
            guard let id = PrincipalID(owner) else { continue }
            let rights = (grants.store[id]?.grants ?? Grants()).rights(configured: .all, at: clock.moment)
            endWhatIsNotPermitted(rights, holding: rights.permissions, of: owner, connection: nil)
        }
    }
}
