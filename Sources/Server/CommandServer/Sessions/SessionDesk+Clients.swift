internal import AudioSessions
internal import LineProtocol
internal import Zones

/// Clients open sessions of their own.
extension SessionDesk {
    /// - Parameter sink: Where the client is heard, if not where its zone is.
    func open(
        _ name: String,
        _ sessionClass: SessionClass,
        persistent: Bool,
        sink: String?,
        for client: Client
    ) throws -> SessionID {
        let place = sink.map { server.place(ofSink: $0, in: client.zone) } ?? server.place(of: client.zone)
        let id = try open(at: place, name: name, kind: .client, owner: client.sessionOwner, class: sessionClass)
        clientSessions[id] = ClientSession(
            client: client.id,
            zone: client.zone.name,
            owner: client.sessionOwner,
            isPersistent: persistent
        )
        return id
    }

    /// The end of a connection is the end of its sessions.
    func clientIsGone(_ client: Client) {
        let gone = clientSessions.filter { $0.value.client == client.id && !$0.value.isPersistent }
        for id in gone.keys.sorted() { close(id) }
        endInterruptions(of: client)
    }

    /// The session that a connection means when it names none: the one it opened last, else its zone's.
    func ownSession(of client: Client) -> SessionID? {
        clientSessions.filter { $0.value.client == client.id }.keys.max() ?? zoneSessions[client.zone.name]?.id
    }

    /// The zone that a session belongs to.
    func zoneName(of id: SessionID) -> String? {
        if let zone = clientSessions[id]?.zone { return zone }
        if let zone = zoneSessions.first(where: { $0.value.id == id })?.key { return zone }
        return places[id].flatMap { place in server.zones.first { server.place(of: $0) == place }?.name }
    }
}

extension Client {
    /// Who the client is, to sessions: the user on this machine, or the address.
    var sessionOwner: String { peer.uid.map { "uid \($0)" } ?? peer.description }

    /// Whether the client may act on what is not its own.
    var mayControlSessions: Bool { peer.isSameUser || permissions.contains(.control) }
}

extension Client {
    /// Whether the owner of the server has decided that the client may not be so urgent.
    func isDenied(_ sessionClass: SessionClass) -> Bool {
        server.desk.grants[Grant(owner: sessionOwner, kind: sessionClass)] == false
    }
}
