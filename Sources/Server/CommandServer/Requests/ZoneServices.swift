internal import OutputGroups
internal import Outputs
internal import ServerRooms
internal import ServerZones
internal import Settings

/// The services of commands that control zones and their outputs.
final class ZoneServices: RequestServices {
    let common: CommonServices
    let zones: ZoneService
    let connections: ConnectionRegistry<Connection>
    /// Lists the sound server's sinks; blocks.
    let sinks: @Sendable () throws -> [Sink]
    /// Describes how an output is opened, given its settings and its zone's name.
    let describeOutput: @Sendable (Output, String) -> OutputDescription

    init(_ server: ServerAssembly) {
        common = server.commonServices
        zones = server.zones
        connections = server.connections
        sinks = server.parts.sinks
        describeOutput = server.parts.describeOutput
    }

    static func of(_ server: ServerAssembly) -> ZoneServices { server.zoneServices }
}
