internal import AudioTypes
internal import LineProtocol
internal import NIOHTTP1
internal import ProtocolClient
internal import ServerBasics
internal import ServerRequests
internal import TextEncodings
internal import WebRequests

/// The server, as its connections see it.
final class ConnectionOwner {
    let common: CommonServices
    let connections: ConnectionRegistry
    let table: CommandTable
    unowned let delegate: any ConnectionDelegate
    /// A buffer lent to the command that builds a reply.
    var spareBytes: [UInt8] = []
    var date = HTTPDate()
    var headOfJSON = KnownHead(type: "application/json")
    let commandCounts = CommandCounts()

    /// The methods of JSON-RPC, as bytes.
    private(set) lazy var methodDescription = description(of: nil)

    /// A description of methods (``OpenRPC``), as bytes.
    ///
    /// - Parameter methods: All, without it.
    func description(of methods: [Method]?) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(OpenRPC(table, methods, version: Product.version).json)
        return bytes
    }

    init(
        _ common: CommonServices,
        _ connections: ConnectionRegistry,
        _ table: CommandTable,
        delegate: any ConnectionDelegate
    ) {
        self.common = common
        self.connections = connections
        self.table = table
        self.delegate = delegate
        spareBytes.reserveCapacity(64 * 1024)
    }
}

/// Carries out the requests of connections, and receives their events.
protocol ConnectionDelegate: AnyObject {
    var watchHub: WatchHub { get }
    var webPings: WebPings { get }
    /// Lets a request by HTTP pass.
    func admit(_ head: HTTPRequestHead, for connection: Connection) throws(WebRefusal) -> WebRequest
    /// Finds out whose a request by HTTP is, and lets the client be that one.
    func identify(
        _ request: WebRequest,
        for connection: Connection,
        then: @escaping (Result<Void, WebRefusal>) -> Void
    )
    /// Makes a browser the client that an invitation is for.
    func redeem(
        _ secret: String,
        for connection: Connection,
        then: @escaping (Result<ClientCookie, WebRefusal>) -> Void
    )
    /// Takes the token from the client that a browser is.
    func signOut(_ connection: Connection, then: @escaping () -> Void)
    /// A request by HTTP has been answered: what belongs to a connection ends with it.
    func exchangeEnded(of connection: Connection)
    /// Carries out a request, or begins to.
    func run(_ request: RequestLine, for connection: Connection) throws -> Outcome
    /// The server's figures, as far as a client may see them.
    ///
    /// - Parameter stats: The reply to `stats`.
    func metrics(for connection: Connection, _ stats: [Pair]) -> String
    /// - Returns: Whether rights have changed since the last call: by the command that was just carried out.
    func takeRightsChange() -> Bool
    /// Has a client wait until changed rights are on the disk.
    func storeRights(for connection: Connection) -> Outcome
    /// A client has sent something.
    func wasUsed()
    /// A client will ask nothing more.
    func inputEnded(of client: Client)
    /// A client was refused something for lack of rights.
    func refused(_ client: Client, _ error: AckError)
    /// A client has fewer rights now: what it has begun elsewhere and is not permitted any more is to end.
    func endWhatIsNotPermitted(of client: Client)
}
