internal import AudioTypes
internal import NIOCore
internal import ServerBasics
internal import ServerRooms
internal import Settings
internal import Zones

/// The services of one group of commands: what their handlers can reach.
///
/// The server's assembly makes one of each group.
protocol RequestServices: AnyObject, SendableMetatype {
    /// The server's own.
    static func of(_ server: ServerAssembly) -> Self

    var common: CommonServices { get }
}

/// The services that requests of all groups use.
final class CommonServices {
    let jobs: ClientJobs
    let rooms: Rooms
    let configuration: CurrentConfiguration
    let clock: any WallClock
    let loop: any EventLoop
    unowned let changes: any ChangeNotifier
    let log: @Sendable (LogLevel, String) -> Void

    init(
        _ jobs: ClientJobs,
        _ rooms: Rooms,
        _ configuration: CurrentConfiguration,
        clock: any WallClock,
        loop: any EventLoop,
        changes: any ChangeNotifier,
        log: @escaping @Sendable (LogLevel, String) -> Void
    ) {
        self.jobs = jobs
        self.rooms = rooms
        self.configuration = configuration
        self.clock = clock
        self.loop = loop
        self.changes = changes
        self.log = log
    }
}

/// Notifies clients, and the services that follow what changes.
protocol ChangeNotifier: AnyObject {
    /// Notifies all clients of changes, or only those in `zone`.
    func notify(_ changes: Subsystems, in zone: Zone?)
}
