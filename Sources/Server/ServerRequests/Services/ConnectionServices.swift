/// The services of commands on connections and on the server itself.
package final class ConnectionServices: RequestServices {
    package let common: CommonServices
    package let connections: ConnectionRegistry
    package let table: CommandTable
    package let stop: @Sendable () -> Void

    package init(
        _ common: CommonServices,
        connections: ConnectionRegistry,
        table: CommandTable,
        stop: @escaping @Sendable () -> Void
    ) {
        self.common = common
        self.connections = connections
        self.table = table
        self.stop = stop
    }

    package static func of(_ groups: ServiceGroups) -> ConnectionServices { groups.connection }
}
