package import AudioSessions
internal import ServerBasics
internal import ServerRooms
internal import Settings
internal import Zones

/// Sessions that clients open.
extension SessionService {
    /// - Parameter sink: The sink that the client plays to; `nil` for its zone's.
    package func open(
        _ name: String,
        _ sessionClass: SessionClass,
        persistent: Bool,
        sink: String?,
        for client: SessionClient
    ) throws -> SessionID {
        let places = sink.map { [rooms.place(ofSink: $0, in: client.zone)] } ?? rooms.places(of: client.zone)
        let id = try open(at: places, name: name, kind: .client, owner: client.owner, class: sessionClass)
        clientSessions[id] = ClientSession(
            client: client.id,
            zone: client.zone.name,
            followsZone: sink == nil,
            owner: client.owner,
            isPersistent: persistent
        )
        renewLease(of: id, by: client)
        delegate.clientOpenedSession()
        return id
    }

    /// Closes the sessions of a connection that has ended.
    package func clientIsGone(_ client: SessionClient) {
        let gone = clientSessions.filter { $0.value.client == client.id && !$0.value.isPersistent }
        for id in gone.keys.sorted() { close(id) }
        endInterruptions(of: client)
        beginLeases(of: client)
    }

    /// The session that a connection means without naming one: the last one it opened, else its zone's.
    package func ownSession(of client: SessionClient) -> SessionID? {
        clientSessions.filter { $0.value.client == client.id }.keys.max() ?? zoneSessions[client.zone.name]?.id
    }

    /// The zone that a session belongs to.
    package func zoneName(of id: SessionID) -> String? {
        if let zone = clientSessions[id]?.zone { return zone }
        if let zone = zoneSessions.first(where: { $0.value.id == id })?.key { return zone }
        return rooms.zones(at: places[id, default: []]).first?.name
    }

    /// The zones whose permissions count for acting on a session.
    ///
    /// These are its own zone, or all that are heard where it is, for a session that has no zone or named a sink. A sink
    /// of no zone concerns all zones, so that a client of some of them has no rights there.
    package func zonesConcerned(by id: SessionID) -> [String] {
        if let known = clientSessions[id], known.followsZone { return [known.zone] }
        if let zone = zoneSessions.first(where: { $0.value.id == id })?.key { return [zone] }
        return rooms.namesOfZones(concernedAt: places[id, default: []])
    }
}
