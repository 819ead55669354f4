internal import AudioSessions
internal import AudioTypes
internal import DBus
internal import MPRIS
internal import NIOCore
internal import NowPlaying
internal import ServerBasics
internal import ServerRooms
internal import ServerSessions
internal import Songs
internal import Zones

/// The sessions' descriptions of their media, the election of the now-playing session, and remote commands that wait for
/// answers.
///
/// Belongs to the server's event loop.
final class NowPlayingDesk {
    private let rooms: Rooms
    private let desk: SessionDesk
    private let loop: any EventLoop
    /// Something changed that remote controls may see.
    private let changed: () -> Void
    private lazy var hop = Hop(to: self, on: loop)
    private var players: [SessionID: SessionPlayer] = [:]
    private var book = CommandBook<SessionID, (RemoteCommandStatus) -> Void>()

    init(_ rooms: Rooms, _ desk: SessionDesk, loop: any EventLoop, changed: @escaping () -> Void) {
        self.rooms = rooms
        self.desk = desk
        self.loop = loop
        self.changed = changed
    }

    // MARK: Election

    /// Whose player is now playing.
    enum Elected {
        case zone(Zone)
        case session(AudioSession, SessionPlayer)
    }

    /// The elected player; the default zone's before any has played.
    var elected: Elected {
        let id = desk.election.elected { isEligible($0) }
        if let id, let zone = desk.zone(of: id) { return .zone(zone) }
        if let id, let session = desk.session(id), let player = players[id] { return .session(session, player) }
        return .zone(rooms.defaultZone)
    }

    /// The elected session's number; `nil` before any has played.
    var electedSession: SessionID? { desk.election.elected { isEligible($0) } }

    private func isEligible(_ id: SessionID) -> Bool {
        guard let session = desk.session(id), !session.configuration.isMixable else { return false }
        return session.kind == .zone || players[id]?.commands.isEmpty == false
    }

    // MARK: What sessions tell

    /// A session's description of its current media; empty where it gave none.
    func info(of id: SessionID) -> NowPlayingInfo {
        if let zone = desk.zone(of: id) { return NowPlayingInfo(zone) }
        return players[id]?.info ?? NowPlayingInfo()
    }

    /// The commands that a session takes.
    func commands(of id: SessionID) -> Set<RemoteCommand.Kind> {
        desk.zone(of: id) != nil ? ZoneCommandKinds.all : players[id]?.commands ?? []
    }

    /// The artwork that a client's session told of.
    func artwork(of id: SessionID) -> ToldArtwork? { players[id]?.artwork }

    /// - Parameter reader: What is read for the client that tells.
    func setInfo(_ info: NowPlayingInfo, of id: SessionID, for reader: ArtworkReader = ArtworkReader()) {
        players[id, default: SessionPlayer(at: loop.hostTime)].tell(info, for: reader, at: loop.hostTime)
        changed()
    }

    func setCommands(_ commands: Set<RemoteCommand.Kind>, of id: SessionID) {
        players[id, default: SessionPlayer(at: loop.hostTime)].commands = commands
        changed()
    }

    /// A session began to play, or stopped.
    func played(_ id: SessionID) {
        if let session = desk.session(id) { players[id]?.note(isPlaying: session.isPlaying, at: loop.hostTime) }
        changed()
    }

    /// A session is gone; what waits for its answers has failed.
    func closed(_ id: SessionID) {
        players[id] = nil
        for waiter in book.takeAll(of: id) { waiter(.commandFailed) }
        changed()
    }

    // MARK: Commands

    /// Passes a command on to a session of a client, which answers within a second.
    ///
    /// - Parameter then: Called once.
    func send(_ command: RemoteCommand, to id: SessionID, then: @escaping (RemoteCommandStatus) -> Void) {
        guard commands(of: id).contains(command.kind) else { return then(.commandFailed) }
        guard let token = book.enter(then, for: id) else { return then(.commandFailed) }
        var fields: [(key: StaticString, value: String)] = [
            ("token", String(token)), ("command", command.kind.rawValue),
        ]
        if let key = command.key, let value = command.value { fields.append((key, value)) }
        desk.record("remoteCommand", of: id, fields)
        desk.delegate.sessionsChanged()
        _ = hop(in: CommandBook<SessionID, Void>.patience) { $0.reply(.commandFailed, to: token) }
    }

    /// The session that waits for an answer; `nil` for a token that none waits for any more.
    func session(of token: Int) -> SessionID? { book.session(of: token) }

    func reply(_ status: RemoteCommandStatus, to token: Int) { book.take(token)?(status) }

    /// Carries out what a remote control of the bus wants of a client's session.
    func perform(
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
