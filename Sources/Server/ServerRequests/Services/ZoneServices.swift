package import OutputGroups
internal import Outputs
package import ServerRooms
package import ServerZones
package import Settings

/// The services of commands that control zones and their outputs.
package final class ZoneServices: RequestServices {
    package let common: CommonServices
    package let zones: ZoneService
    package let connections: ConnectionRegistry
    /// Lists the sound server's sinks; blocks.
    package let sinks: @Sendable () throws -> [Sink]
    /// Describes how an output is opened, given its settings and its zone's name.
    package let describeOutput: @Sendable (Output, String) -> OutputDescription

    package init(
        _ common: CommonServices,
        zones: ZoneService,
        connections: ConnectionRegistry,
        sinks: @escaping @Sendable () throws -> [Sink],
        describeOutput: @escaping @Sendable (Output, String) -> OutputDescription
    ) {
        self.common = common
        self.zones = zones
        self.connections = connections
        self.sinks = sinks
        self.describeOutput = describeOutput
    }

    package static func of(_ groups: ServiceGroups) -> ZoneServices { groups.zone }
}
