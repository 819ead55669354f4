package import AudioTypes
package import LineProtocol
package import NIOCore
package import ServerBasics
package import ServerRights
package import Settings
package import Zones

/// A client's connection, whatever it speaks, as its requests and the registry see it.
///
/// Belongs to the server's event loop.
package protocol ClientConnection: JobClient, SendableMetatype {
    var context: RequestContext { get }
    var principal: Principal { get }
    var place: ClientPlace { get }
    var zone: Zone { get }
    var permissions: Permissions { get }
    /// Whether its requests are HTTP's, or messages of a WebSocket.
    var comesByHTTP: Bool { get }
    /// Bytes of its requests that have not been executed.
    var requestBytes: Int { get }
    var isClosing: Bool { get }
    /// Whether the client will ask nothing more: it has closed its side.
    var hasSaidAll: Bool { get }
    /// Whether the client is waiting in `idle`.
    var isIdle: Bool { get }
    /// Whether the connection timeout applies.
    var timesOut: Bool { get }
    /// When the client connected, in seconds since 1970.
    var connectedAt: Double { get }
    /// When the client connected, or last asked something, in seconds since 1970.
    var lastUse: Double { get }
    /// The time of the last bytes received from it.
    var lastHeard: NIODeadline { get }
    /// Records changes, and reports them at once if the client is in `idle`.
    func notify(_ changes: Subsystems)
    /// Executes its pending requests.
    func pump()
    /// Goes on with a command that waited for the zone's player.
    func playerHasRoom()
    func close()
    /// The socket is gone; no request goes on.
    func disconnected()
    /// Looks up the client's rights again, and tells it when they have changed.
    ///
    /// - Returns: Whether they have.
    func accessChanged() -> Bool
    /// Ends the request that is being carried out, if it is not permitted any more.
    func refuseWhatRuns()
    /// Ends what the client has begun and is not permitted any more.
    func endWhatIsNotPermitted()
    /// The first arguments of the requests right behind the one that is being carried out, while these are of some kinds.
    func upcoming(_ commands: Set<String>) -> [String]
}

extension ClientConnection {
    package var client: Client { context.client }
    package var id: Int { client.id }
    package var principal: Principal { client.principal }
    package var place: ClientPlace { client.place }
    package var zone: Zone { client.zone }
    package var permissions: Permissions { client.permissions }
    package var reach: NetworkReach { client.reach }
    package var sessionOwner: String { client.sessionOwner }
}
