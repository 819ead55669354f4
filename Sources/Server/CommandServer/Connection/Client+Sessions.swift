internal import Authorization
internal import LineProtocol
internal import ServerBasics
internal import ServerRights
internal import ServerSessions

extension Client: ConnectedClient, Guest, JobClient {
    /// The client's owner as sessions see it: the user on this machine, the address, or the name of a named client.
    var sessionOwner: String { identity.name }

    /// The connection as the session desk sees it.
    var sessionClient: SessionClient { SessionClient(id: id, owner: sessionOwner, zone: zone) }

    /// Whether the client may act on sessions that are not its own.
    var mayControlSessions: Bool { permissions.contains(.control) }
}
