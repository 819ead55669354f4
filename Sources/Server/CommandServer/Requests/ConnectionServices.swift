/// The services of commands on connections and on the server itself.
final class ConnectionServices: RequestServices {
    let common: CommonServices
    let connections: ConnectionRegistry<Connection>
    let table: CommandTable
    let stop: @Sendable () -> Void

    init(_ server: ServerAssembly) {
        common = server.commonServices
        connections = server.connections
        table = server.table
        stop = server.parts.stop
    }

    static func of(_ server: ServerAssembly) -> ConnectionServices { server.connectionServices }
}
