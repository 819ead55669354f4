internal import AudioTypes
package import NIOCore
package import ServerBasics
package import ServerMusic
package import ServerRooms
package import Settings
package import Zones

/// The services of one group of commands: what their handlers can reach.
///
/// There is one of each group (`ServiceGroups`).
package protocol RequestServices: AnyObject, SendableMetatype {
    static func of(_ groups: ServiceGroups) -> Self

    var common: CommonServices { get }
}

/// The services of commands that ask the library.
package protocol LibraryServices: RequestServices {
    var upkeep: LibraryUpkeep { get }
}

/// The services that requests of all groups use.
package final class CommonServices {
    package let jobs: ClientJobs
    package let rooms: Rooms
    package let configuration: CurrentConfiguration
    package let clock: any WallClock
    package let loop: any EventLoop
    package unowned let changes: any ChangeNotifier
    package let log: @Sendable (LogLevel, String) -> Void

    package init(
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
package protocol ChangeNotifier: AnyObject {
    /// Notifies all clients of changes, or only those in `zone`.
    func notify(_ changes: Subsystems, in zone: Zone?)
}
