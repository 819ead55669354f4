internal import AudioSessions
internal import Authorization
internal import LineProtocol
internal import ServerNowPlaying
internal import ServerRooms
internal import ServerSessions
internal import Zones

/// A session, by its number.
struct SessionObject: NamedObject {
    let session: AudioSession

    var id: SessionID { session.id }

    init(named word: String, for client: Client, _: GatePass) throws {
        guard let number = Int(word), number > 0 else { throw badParam("'\(word)' is not a session's number") }
        guard let session = client.server.desk.session(SessionID(number)) else {
            throw AckError(.doesNotExist, "no such session: \(number)")
        }
        self.session = session
    }

    func zones(in server: ServerAssembly) -> [String] { server.desk.zonesConcerned(by: id) }

    func belongs(to client: Client) -> Bool {
        guard let known = client.server.desk.clientSessions[id] else { return false }
        return known.client == client.id || known.isPersistent && known.owner == client.sessionOwner
    }

    func refusal(of action: Action, in zone: String) -> String {
        "you don't have permission for session \(id)"
    }
}

/// An interruption by the system, by its number.
struct InterruptionObject: NamedObject {
    let id: SessionID

    init(named word: String, for client: Client, _: GatePass) throws {
        guard let number = Int(word), number > 0 else { throw badParam("'\(word)' is not a session's number") }
        let id = SessionID(number)
        guard client.server.desk.session(id)?.kind == .system else {
            throw AckError(.doesNotExist, "no such interruption: \(number)")
        }
        self.id = id
    }

    func zones(in server: ServerAssembly) -> [String] { server.desk.zonesConcerned(by: id) }
}

/// A remote command that waits for a session's reply, by its token.
struct WaitingCommand: NamedObject {
    let token: Int
    let session: SessionObject

    init(named word: String, for client: Client, _ pass: GatePass) throws {
        token = try parseInteger(word, in: 1...Int.max)
        guard let id = client.server.nowPlaying.session(of: token) else {
            throw AckError(.doesNotExist, "no command waits for \(token): it was answered, or a second has passed")
        }
        session = try SessionObject(named: "\(id)", for: client, pass)
    }

    func zones(in server: ServerAssembly) -> [String] { session.zones(in: server) }

    func belongs(to client: Client) -> Bool { session.belongs(to: client) }
}

/// The switches of all sessions: silence and lock.
struct SessionSwitches: ActedOn {
    func zones(in server: ServerAssembly) -> [String] { server.rooms.zones.map(\.name) }
}

extension Action {
    static let look = Action("session info", [])
    static let manageSession = Action("session", [.player, .control], isFreeToOwner: true)
    static let sendRemoteCommand = Action("session send", .player)
    static let interrupt = Action("session interrupt", [.player, .control])
    static let setSwitches = Action("session silence and lock", [.player, .control])
}
