package import AudioTypes
package import Authorization
package import LibraryIndex
package import LineProtocol
package import ServerRights
package import ServerRooms
package import ServerSessions
package import Settings
package import Songs
package import Zones

/// A client of the server: its identity and rights, its zone, and its settings.
///
/// Belongs to the server's event loop.
package final class Client {
    /// The number of its connection.
    package let id: Int
    package var identity: ClientIdentity
    package var zone: Zone
    package var tags: TagMask
    /// Whether `lsinfo` leaves stored playlists out of the root.
    package var hidesPlaylistsInRoot = false
    /// The largest binary chunk in bytes.
    package var binaryLimit = 8_192
    package var subscriptions = Subscriptions()
    /// The only songs that there are for the command that is carried out; `nil` for all.
    package var visible: VisibleSongs?
    /// The schedule that it carries out; `nil` for all other clients.
    package let schedule: Int?
    package let grants: GrantService

    package init(
        id: Int,
        _ identity: ClientIdentity,
        _ grants: GrantService,
        in zone: Zone,
        tags: TagMask,
        schedule: Int? = nil
    ) {
        self.id = id
        self.identity = identity
        self.grants = grants
        self.zone = zone
        self.tags = tags
        self.schedule = schedule
    }

    /// Begins anew, as on a connection of its own.
    package func begin(_ identity: ClientIdentity, in zone: Zone, tags: TagMask) {
        self.identity = identity
        self.zone = zone
        self.tags = tags
        hidesPlaylistsInRoot = false
        binaryLimit = 8_192
        subscriptions = Subscriptions()
        visible = nil
    }

    // MARK: Identity

    package var principal: Principal { identity.principal }
    package var place: ClientPlace { identity.place }
    package var reach: NetworkReach { identity.reach }

    /// The principal that is recorded as used by each request; `nil` for a schedule.
    package var knownAs: PrincipalID? { schedule == nil ? identity.id : nil }

    /// The client's owner as sessions see it: the user on this machine, the address, or the name of a named client.
    package var sessionOwner: String { identity.name }

    /// The connection as the session service sees it.
    package var sessionClient: SessionClient { SessionClient(id: id, owner: sessionOwner, zone: zone) }

    // MARK: Rights

    /// The client's rights now, in each zone.
    package var rights: Rights {
        let rights = identity.rights(from: grants)
        guard rights.isTimed else { return rights }
        grants.checkTime()
        return identity.rights(from: grants)
    }

    /// The permissions in the zone that the client is in.
    package var permissions: Permissions { rights.permissions(in: zone.name) }

    /// Enters the first zone where the client may do something, unless it may here.
    package func enterPermittedZone(in rooms: Rooms) {
        guard permissions.isEmpty, !rights.isEmpty else { return }
        if let zone = rooms.zones.first(where: { !rights.permissions(in: $0.name).isEmpty }) { self.zone = zone }
    }
}
