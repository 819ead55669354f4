internal import AudioTypes
internal import Authorization
internal import LineProtocol
internal import NIOCore
internal import ServerBasics
internal import ServerPicker
internal import ServerRequests
internal import ServerRights
internal import ServerRooms
internal import ServerSessions
internal import Settings

/// Arrival and departure of clients.
extension ServerAssembly {
    /// - Parameter name: The client's, as its certificate has it.
    /// - Returns: `nil` for a client that is already gone, when a connection limit is reached, and for one that has to
    ///   encrypt what it says.
    func connect(_ id: Int, _ channel: any Channel, _ listener: Listener, as name: ClientName?) -> Connection? {
        guard let principal = Principal(channel, at: listener) else { return nil }
        if mustEncrypt(principal) {
            let text = "ACK [\(AckCode.permission.rawValue)@0] {} this server takes encrypted connections (TLS) only\n"
            channel.writeAndFlush(channel.allocator.buffer(string: text), promise: nil)
            return nil
        }
        return admit(makeClient(id, principal, as: name), channel)
    }

    func makeClient(_ id: Int, _ principal: Principal, as name: ClientName?) -> Client {
        let zone = principal.listener.zone.flatMap(rooms.zone(named:)) ?? rooms.defaultZone
        var identity = ClientIdentity(principal)
        if let name { identity.logIn(as: Login(name: name, proof: .certificate)) }
        let client = Client(id: id, identity, grants, in: zone, tags: configuration.tags)
        client.enterPermittedZone(in: rooms)
        return client
    }

    /// - Returns: `nil` when a connection limit is reached.
    func admit(_ client: Client, _ channel: any Channel) -> Connection? {
        let connection = Connection(client, channel, connectionOwner)
        guard connections.admit(connection) else { return nil }
        connection.greet()
        return connection
    }

    /// Whether a client is refused because it does not encrypt what it says; then that is logged.
    func mustEncrypt(_ principal: Principal) -> Bool {
        guard configuration.tls.isRequired, principal.isPlainFromNetwork else { return false }
        connections.logRefusal(of: principal.name, for: "tls.required")
        return true
    }

    func forget(_ id: Int) {
        guard let connection = connections.remove(id) else { return }
        connection.disconnected()
        jobs.dropAll(of: connection)
        endEverything(of: connection)
    }

    /// Ends what belongs to a client's connection.
    func endEverything(of connection: any ClientConnection) {
        let client = connection.client
        if let known = client.knownAs { grants.used(known, at: connection.lastUse) }
        let wasSubscribed = !client.subscriptions.channels.isEmpty
        client.subscriptions = Subscriptions()
        pairing.disconnected(client.id)
        picker.disconnected(client.id)
        services.access.tickets.end(of: client.id)
        watchHub.end(of: client.id)
        audioSessions.clientIsGone(client.sessionClient)
        if wasSubscribed { notify(.subscription, in: client.zone) }
    }
}
