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
    let zones: [String]
    let isOwn: Bool

    var id: SessionID { session.id }

    init(named word: String, for client: Client, in audioSessions: SessionService, _: AccessProof) throws {
        guard let number = Int(word), number > 0 else { throw badParam("'\(word)' is not a session's number") }
        guard let session = audioSessions.session(SessionID(number)) else {
            throw AckError(.doesNotExist, "no such session: \(number)")
        }
        self.session = session
        zones = audioSessions.zonesConcerned(by: session.id)
        isOwn =
            audioSessions.clientSessions[session.id].map { known in
                known.client == client.id || known.isPersistent && known.owner == client.sessionOwner
            } ?? false
    }

    func refusal(of action: Action, in zone: String) -> String {
        "you don't have permission for session \(id)"
    }
}

/// An interruption by the system, by its number.
struct InterruptionObject: NamedObject {
    let id: SessionID
    let zones: [String]

    init(named word: String, for client: Client, in audioSessions: SessionService, _: AccessProof) throws {
        guard let number = Int(word), number > 0 else { throw badParam("'\(word)' is not a session's number") }
        let id = SessionID(number)
        guard audioSessions.session(id)?.kind == .system else {
            throw AckError(.doesNotExist, "no such interruption: \(number)")
        }
        self.id = id
        zones = audioSessions.zonesConcerned(by: id)
    }
}

/// A remote command that waits for a session's reply, by its token.
struct WaitingCommand: NamedObject {
    let token: Int
    let session: SessionObject

    var zones: [String] { session.zones }
    var isOwn: Bool { session.isOwn }

    init(named word: String, for client: Client, in services: SessionServices, _ pass: AccessProof) throws {
        token = try parseInteger(word, in: 1...Int.max)
        guard let id = services.nowPlaying.session(of: token) else {
            throw AckError(.doesNotExist, "no command waits for \(token): it was answered, or a second has passed")
        }
        session = try SessionObject(named: "\(id)", for: client, in: services.audioSessions, pass)
    }
}

extension Action {
    static let look = Action("session info", [])
    static let manageSession = Action("session", [.player, .control], isFreeToOwner: true)
    static let sendRemoteCommand = Action("session send", .player)
    static let interrupt = Action("session interrupt", [.player, .control])
    static let setSwitches = Action("session silence and lock", [.player, .control])
}
