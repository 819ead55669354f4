package import AudioSessions
internal import DBus
package import MPRIS
package import NIOCore
package import NowPlaying
internal import ServerBasics
package import ServerRooms
package import ServerSessions
package import Zones

/// The server, as the players that it shows to other programs see it.
package protocol NowPlayingDelegate: AnyObject {
    /// Something changed that remote controls may see.
    func nowPlayingChanged()
    /// The cover of a client's session was made.
    func sessionCoverMade()
}

/// The sessions' descriptions of their media, the election of the now-playing session, and remote commands that wait for
/// answers.
///
/// Belongs to the server's event loop.
package final class NowPlayingService {
    private let rooms: Rooms
    private let audioSessions: SessionService
    private let loop: any EventLoop
    private unowned let delegate: any NowPlayingDelegate
    private lazy var onLoop = LoopExecutor(for: self, on: loop)
    private var players: [SessionID: SessionPlayer] = [:]
    private var pending = PendingCommands<SessionID, (RemoteCommandStatus) -> Void>()

    package init(_ rooms: Rooms, _ audioSessions: SessionService, loop: any EventLoop, delegate: any NowPlayingDelegate)
    {
        self.rooms = rooms
        self.audioSessions = audioSessions
        self.loop = loop
        self.delegate = delegate
    }

    // MARK: Election

    /// The owner of the player that is now playing.
    package enum Elected {
        case zone(Zone)
        case session(AudioSession, SessionPlayer)
    }

    /// The elected player; the default zone's before any has played.
    package var elected: Elected {
        let id = audioSessions.election.elected { isEligible($0) }
        if let id, let zone = audioSessions.zone(of: id) { return .zone(zone) }
        if let id, let session = audioSessions.session(id), let player = players[id] {
            return .session(session, player)
        }
        return .zone(rooms.defaultZone)
    }

    /// The elected session's number; `nil` before any has played.
    package var electedSession: SessionID? { audioSessions.election.elected { isEligible($0) } }

    private func isEligible(_ id: SessionID) -> Bool {
        guard let session = audioSessions.session(id), !session.configuration.isMixable else { return false }
        return session.kind == .zone || players[id]?.commands.isEmpty == false
    }

    // MARK: Descriptions

    /// A session's description of its current media; empty where it gave none.
    package func info(of id: SessionID) -> NowPlayingInfo {
        if let zone = audioSessions.zone(of: id) { return NowPlayingInfo(zone) }
        return players[id]?.info ?? NowPlayingInfo()
    }

    /// The commands that a session takes.
    package func commands(of id: SessionID) -> Set<RemoteCommand.Kind> {
        audioSessions.zone(of: id) != nil ? ZoneCommandKinds.all : players[id]?.commands ?? []
    }

    /// The artwork that a client's session told of.
    package func artwork(of id: SessionID) -> ToldArtwork? { players[id]?.artwork }

    /// - Parameter reader: The rights with which artwork is read for the client that tells.
    package func setInfo(_ info: NowPlayingInfo, of id: SessionID, for reader: ArtworkReader = ArtworkReader()) {
        players[id, default: SessionPlayer(at: loop.hostTime)].tell(info, for: reader, at: loop.hostTime)
        delegate.nowPlayingChanged()
    }

    package func setCommands(_ commands: Set<RemoteCommand.Kind>, of id: SessionID) {
        players[id, default: SessionPlayer(at: loop.hostTime)].commands = commands
        delegate.nowPlayingChanged()
    }

    /// A session began to play, or stopped.
    package func played(_ id: SessionID) {
        if let session = audioSessions.session(id) {
            players[id]?.record(isPlaying: session.isPlaying, at: loop.hostTime)
        }
        delegate.nowPlayingChanged()
    }

    /// A session is gone; what waits for its answers has failed.
    package func closed(_ id: SessionID) {
        players[id] = nil
        for waiter in pending.takeAll(of: id) { waiter(.commandFailed) }
        delegate.nowPlayingChanged()
    }

    // MARK: Commands

    /// Passes a command on to a session of a client, which answers within a second.
    ///
    /// - Parameter then: Called once.
    package func send(_ command: RemoteCommand, to id: SessionID, then: @escaping (RemoteCommandStatus) -> Void) {
        guard commands(of: id).contains(command.kind) else { return then(.commandFailed) }
        guard let token = pending.enter(then, for: id) else { return then(.commandFailed) }
        var fields: [(key: StaticString, value: String)] = [
            ("token", String(token)), ("command", command.kind.rawValue),
        ]
        if let key = command.key, let value = command.value { fields.append((key, value)) }
        audioSessions.record("remoteCommand", of: id, fields)
        audioSessions.delegate.sessionsChanged()
        _ = onLoop(in: PendingCommands<SessionID, Void>.patience) { $0.reply(.commandFailed, to: token) }
    }

    /// The session that waits for an answer; `nil` for a token that none waits for any more.
    package func session(of token: Int) -> SessionID? { pending.session(of: token) }

    package func reply(_ status: RemoteCommandStatus, to token: Int) { pending.take(token)?(status) }

    /// Carries out what a remote control of the bus wants of a client's session.
    package func perform(
        _ command: MediaPlayerCommand,
        _ session: AudioSession,
        _ player: SessionPlayer,
        then: @escaping (PlayerReply) -> Void
    ) {
        guard let remote = player.remoteCommand(for: command, isPlaying: session.isPlaying, at: loop.hostTime) else {
            return then(.success([]))
        }
        send(remote, to: session.id) { status in
            then(status == .success ? .success([]) : .failure(.failed("the player answers \(status.name)")))
        }
    }
}
