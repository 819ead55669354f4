package import AudioSessions
internal import Authorization
internal import LineProtocol
internal import ServerNowPlaying
internal import ServerRooms
package import ServerSessions
internal import Zones

/// A session, by its number.
package struct SessionObject: NamedObject {
    package let session: AudioSession
    package let zones: [String]
    package let isOwn: Bool

    package var id: SessionID { session.id }

    package init(named word: String, for client: Client, in audioSessions: SessionService, _: AccessProof) throws {
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

    package func refusal(of action: Action, in zone: String) -> String {
        "you don't have permission for session \(id)"
    }
}

/// An interruption by the system, by its number.
package struct InterruptionObject: NamedObject {
    package let id: SessionID
    package let zones: [String]

    package init(named word: String, for client: Client, in audioSessions: SessionService, _: AccessProof) throws {
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
package struct WaitingCommand: NamedObject {
    package let token: Int
    package let session: SessionObject

    package var zones: [String] { session.zones }
    package var isOwn: Bool { session.isOwn }

    package init(named word: String, for client: Client, in services: SessionServices, _ pass: AccessProof) throws {
        token = try parseInteger(word, in: 1...Int.max)
        guard let id = services.nowPlaying.session(of: token) else {
            throw AckError(.doesNotExist, "no command waits for \(token): it was answered, or a second has passed")
        }
        session = try SessionObject(named: "\(id)", for: client, in: services.audioSessions, pass)
    }
}

extension Action {
    package static let look = Action("session info", [])
    package static let manageSession = Action("session", [.player, .control], isFreeToOwner: true)
    package static let sendRemoteCommand = Action("session send", .player)
    package static let interrupt = Action("session interrupt", [.player, .control])
    package static let setSwitches = Action("session silence and lock", [.player, .control])
}
