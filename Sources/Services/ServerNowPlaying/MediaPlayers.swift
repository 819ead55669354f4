internal import AudioTypes
package import DBus
private import Glibc
internal import MPRIS
internal import NIOCore
internal import ServerBasics
internal import ServerRooms
internal import Settings
internal import Zones

/// Shows the players on a bus, and carries out the commands that they get.
protocol MediaPlayerSource: AnyObject {
    /// The zones that are to be players.
    var zonesOnBus: [Zone] { get }
    /// The elected player.
    var shownElected: ShownPlayer { get }
    var log: @Sendable (LogLevel, String) -> Void { get }

    /// A zone as the bus is to show it.
    func shown(_ zone: Zone) -> ShownPlayer
    /// - Parameter then: Called once.
    func perform(_ command: MediaPlayerCommand, in zone: Zone, then: @escaping (PlayerReply) -> Void)
    /// - Parameter then: Called once.
    func performOnElected(_ command: MediaPlayerCommand, then: @escaping (PlayerReply) -> Void)
    /// A zone is gone.
    func removed(_ zone: String)
}

/// The answer to a call of the bus.
package typealias PlayerReply = Result<[BusValue], BusError>

/// The zones, and the elected session, as players on the user's message bus, each on a connection of its own:
/// `mpris-proxy` knows players by their connections.
///
/// Belongs to the server's event loop; the bus has a thread of its own, which answers reads by itself.
final class MediaPlayers {
    private let rooms: Rooms
    private let bus: BusAddress
    private let loop: any EventLoop
    private unowned let source: any MediaPlayerSource
    private let thread: BusThread
    private lazy var onLoop = LoopExecutor(for: self, on: loop)
    private var zones: [String: MediaPlayerService] = [:]
    private var elected: MediaPlayerService?
    /// The names that the players have on the bus, by the zones' names, and the elected player's under `nil`.
    private(set) var names: [String?: String] = [:]
    private var willRefresh = false
    private var isClosed = false
    private var lastRefresh: HostTime?

    init(
        _ rooms: Rooms,
        _ bus: BusAddress,
        _ thread: BusThread,
        loop: any EventLoop,
        _ source: any MediaPlayerSource
    ) {
        self.rooms = rooms
        self.bus = bus
        self.thread = thread
        self.loop = loop
        self.source = source
    }

    /// How long changes are gathered after the last time that some were told, in seconds: a client may add songs one by one.
    private static let rest = 0.02

    /// Something changed that clients of the bus may see.
    func changed() {
        guard !willRefresh, !isClosed else { return }
        willRefresh = true
        let delay = lastRefresh.map { Self.rest - (loop.hostTime - $0) } ?? 0
        if delay > 0 { _ = onLoop(in: delay) { $0.refresh() } } else { onLoop { $0.refresh() } }
    }

    /// Gives the names back.
    func close() {
        isClosed = true
        for player in zones.values { player.close() }
        elected?.close()
        (zones, elected) = ([:], nil)
    }

    private func refresh() {
        willRefresh = false
        guard !isClosed else { return }
        lastRefresh = loop.hostTime
        let wanted = source.zonesOnBus
        for name in zones.keys where !wanted.contains(where: { $0.name == name }) {
            zones.removeValue(forKey: name)?.close()
            names[name] = nil
            source.removed(name)
        }
        for zone in wanted { refresh(zone) }
        refreshElected()
    }

    private func refresh(_ zone: Zone) {
        let shown = source.shown(zone)
        if let player = zones[zone.name] { return player.update(shown.state, shown.position, elapsed: shown.elapsed) }
        let (name, onLoop) = (zone.name, onLoop)
        let plan = BusPlan(bus, names: MediaPlayerName.zone(name, process: getpid()))
        let named: @Sendable (String?) -> Void = { busName in
            // The zone may be gone meanwhile.
            onLoop { if $0.zones[name] != nil { $0.names[name] = busName } }
        }
        zones[name] = MediaPlayerService(plan, thread, shown.state, shown.position, named: named) { command, answer in
            onLoop { $0.perform(command, inZone: name, answer) }
        }
    }

    private func refreshElected() {
        let shown = source.shownElected
        if let elected { return elected.update(shown.state, shown.position, elapsed: shown.elapsed) }
        let (onLoop, log) = (onLoop, source.log)
        let plan = BusPlan(bus, names: MediaPlayerName.daemon(process: getpid()))
        let named: @Sendable (String?) -> Void = { name in
            if let name { log(.info, "media keys and desktops reach this server as \(name)") }
            onLoop { $0.names[nil] = name }
        }
        elected = MediaPlayerService(plan, thread, shown.state, shown.position, named: named) { command, answer in
            onLoop { $0.performOnElected(command, answer) }
        }
    }

    // MARK: Commands

    private func perform(_ command: MediaPlayerCommand, inZone name: String, _ answer: BusAnswer) {
        guard let zone = rooms.zone(named: name) else { return answer(.failure(.failed("the zone is gone"))) }
        source.perform(command, in: zone) { [unowned self] in reply($0, to: answer) }
    }

    private func performOnElected(_ command: MediaPlayerCommand, _ answer: BusAnswer) {
        source.performOnElected(command) { [unowned self] in reply($0, to: answer) }
    }

    /// Answers when the bus shows what the command led to.
    private func reply(_ reply: PlayerReply, to answer: BusAnswer) {
        refresh()
        answer(reply)
    }
}
