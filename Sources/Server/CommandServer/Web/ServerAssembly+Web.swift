internal import AudioTypes
internal import Authorization
internal import NIOCore
internal import NIOHTTP1
internal import NIOWebSocket
internal import OutputGroups
internal import Outputs
internal import ServerBasics
internal import ServerNetwork
internal import ServerRequests
internal import ServerRights
internal import ServerRooms
internal import Settings
internal import WebRequests
internal import Zones

/// Clients who come by HTTP, and whose their requests are.
extension ServerAssembly {
    func makeWebGate() -> WebGate { WebGate(configuration.web, machine: hostName()) }

    /// - Parameter name: The client's, as its certificate has it.
    func connectByWeb(
        _ id: Int,
        _ channel: any Channel,
        _ listener: Listener,
        as name: ClientName?
    ) -> Result<Connection, WebRefusal> {
        guard let principal = Principal(channel, at: listener) else { return .failure(.malformed) }
        if mustEncrypt(principal) { return .failure(.encryptionRequired) }
        let client = makeClient(id, principal, as: name)
        let server = channel.localAddress?.ipAddress.flatMap { IPAddress($0) }
        let side = WebSide(client.identity, in: client.zone, at: server)
        let connection = Connection(client, channel, connectionOwner, web: side)
        return connections.admit(connection) ? .success(connection) : .failure(.crowded)
    }

    func admit(_ head: HTTPRequestHead, for connection: Connection) throws(WebRefusal) -> WebRequest {
        guard let side = connection.web else { throw .malformed }
        if let passed = side.passed, passed.gate === webGate, passed.isSame(as: head) { return passed.request }
        let request = try webGate.admit(head, from: side.identity.principal, at: side.server)
        side.passed = PassedRequest(head: head, gate: webGate, request: request)
        return request
    }

    func identify(
        _ request: WebRequest,
        for connection: Connection,
        then: @escaping (Result<Void, WebRefusal>) -> Void
    ) {
        guard let side = connection.web else { return then(.failure(.malformed)) }
        if let ticket = request.ticket { return then(enter(request, with: ticket, connection)) }
        var identity = origin(of: request, side)
        guard let claim = request.claim else {
            if let login = request.cookie.flatMap(login) { identity.logIn(as: login) }
            return then(enter(request, identity, connection))
        }
        webSecrets.check(claim, from: identity) { [unowned self] result in
            switch result {
            case .failure(let refusal):
                then(.failure(refusal))
            case .success(let login):
                identity.logIn(as: login)
                then(enter(request, identity, connection))
            }
        }
    }

    /// The client that a cookie proves; `nil` where it is not that client's token any more.
    private func login(_ cookie: ClientCookie) -> Login? {
        let digest = cookie.token.digest
        return grants.tokens[cookie.name] == digest ? Login(name: cookie.name, proof: .token(digest)) : nil
    }

    /// Makes a browser the client that an invitation is for.
    ///
    /// - Parameter then: Called with its cookie, once the server knows that after a loss of power as well.
    func redeem(
        _ secret: String,
        for connection: Connection,
        then: @escaping (Result<ClientCookie, WebRefusal>) -> Void
    ) {
        webSecrets.redeem(secret, from: connection.client.identity) { [unowned self] result in
            if case .success = result { whenRightsStored { then(result) } } else { then(result) }
        }
    }

    /// Takes the token from the client that a browser is, so that no copy of its cookie is one any more.
    ///
    /// - Parameter then: Called once that is on the disk.
    func signOut(_ connection: Connection, then: @escaping () -> Void) {
        guard let login = connection.client.identity.login, case .token = login.proof else { return then() }
        grants.endToken(of: login.name, by: login.name.text)
        whenRightsStored(then)
    }

    /// Ends the WebSockets and events of clients whose token is not theirs any more: a browser connects again, as the one that
    /// it is now.
    func endSignedOut() {
        for case let connection as Connection in connections.all {
            guard let login = connection.client.identity.login, case .token(let digest) = login.proof,
                grants.tokens[login.name] != digest
            else { continue }
            switch connection.web?.stay {
            case .socket?: connection.endWebSocket(.policyViolation)
            case .events?: connection.close()
            case .stream?, nil: break
            }
        }
    }

    /// The one whom a request comes from, before any claim.
    private func origin(of request: WebRequest, _ side: WebSide) -> ClientIdentity {
        let listener = side.identity.principal.listener
        switch request.forwarding {
        case .none:
            // Looked up once, for all its requests.
            _ = side.identity.rights(from: grants)
            return side.identity
        case .unknown: return ClientIdentity(Principal(ofUnknownAddressAt: listener))
        case .address(let address): return ClientIdentity(Principal(address, server: nil, at: listener))
        }
    }

    /// Lets a request be that of the connection that a ticket stands for.
    private func enter(_ request: WebRequest, with ticket: String, _ connection: Connection) -> Result<Void, WebRefusal>
    {
        let holder = services.access.tickets.connection(of: ticket, at: loop.hostTime.seconds)
        guard let client = holder.flatMap({ connections[$0] })?.client else { return .failure(.ticketIsOver) }
        return enter(request, client.identity, connection)
    }

    private func enter(
        _ request: WebRequest,
        _ identity: ClientIdentity,
        _ connection: Connection
    ) -> Result<Void, WebRefusal> {
        var zone: Zone?
        if let name = request.zone {
            zone = rooms.zone(named: name)
            if zone == nil { return .failure(.noZone(name)) }
        }
        connection.become(identity, in: zone)
        // One that stays counts where it comes from.
        if request.resource.stays, !connections.admit(connection) { return .failure(.crowded) }
        return .success(())
    }

    /// Outputs have come, gone, or moved to other zones.
    func checkStreams() {
        for connection in connections.all { (connection as? Connection)?.checkStream() }
        refuseListeners()
    }

    /// Keeps addresses that the owner has taken the right from from listening at the ports of outputs.
    func refuseListeners() {
        for room in rooms.all {
            let streams = room.outputs.sharedStreams
            guard !streams.isEmpty else { continue }
            let refused = grants.addresses(withoutReadingIn: room.name)
            for stream in streams { stream.refuse(refused) }
        }
    }

    func exchangeEnded(of connection: Connection) { endEverything(of: connection) }
}
