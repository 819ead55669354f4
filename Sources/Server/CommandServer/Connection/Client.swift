internal import AudioTypes
internal import Authorization
internal import LibraryIndex
internal import LineProtocol
internal import ServerRights
internal import ServerRooms
internal import ServerSessions
internal import Settings
internal import Songs
internal import Zones

/// A client of the server: its identity and rights, its zone, and its settings.
///
/// Belongs to the server's event loop.
final class Client {
    /// The number of its connection.
    let id: Int
    var identity: ClientIdentity
    var zone: Zone
    var tags: TagMask
    /// Whether `lsinfo` leaves stored playlists out of the root.
    var hidesPlaylistsInRoot = false
    /// The largest binary chunk in bytes.
    var binaryLimit = 8_192
    var subscriptions = Subscriptions()
    /// The only songs that there are for the command that is carried out; `nil` for all.
    var visible: VisibleSongs?
    /// The schedule that it carries out; `nil` for all other clients.
    let schedule: Int?
    let grants: GrantService

    init(
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

    // MARK: Identity

    var principal: Principal { identity.principal }
    var place: ClientPlace { identity.place }
    var reach: NetworkReach { identity.reach }

    /// The principal that is recorded as used by each request; `nil` for a schedule.
    var knownAs: PrincipalID? { schedule == nil ? identity.id : nil }

    /// The client's owner as sessions see it: the user on this machine, the address, or the name of a named client.
    var sessionOwner: String { identity.name }

    /// The connection as the session service sees it.
    var sessionClient: SessionClient { SessionClient(id: id, owner: sessionOwner, zone: zone) }

    // MARK: Rights

    /// The client's rights now, in each zone.
    var rights: Rights {
        let rights = identity.rights(from: grants)
        guard rights.isTimed else { return rights }
        grants.checkTime()
        return identity.rights(from: grants)
    }

    /// The permissions in the zone that the client is in.
    var permissions: Permissions { rights.permissions(in: zone.name) }

    /// Enters the first zone where the client may do something, unless it may here.
    func enterPermittedZone(in rooms: Rooms) {
        guard permissions.isEmpty, !rights.isEmpty else { return }
        if let zone = rooms.zones.first(where: { !rights.permissions(in: $0.name).isEmpty }) { self.zone = zone }
    }
}
