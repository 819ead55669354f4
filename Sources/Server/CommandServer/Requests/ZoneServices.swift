internal import ServerZones

/// The services of commands that control zones and their outputs.
final class ZoneServices: RequestServices {
    let common: CommonServices
    let zones: ZoneHost
    let clients: ClientRegistry<Client>
    let parts: ServerParts

    init(_ server: ServerAssembly) {
        common = server.commonServices
        zones = server.zones
        clients = server.clients
        parts = server.parts
    }

    static func of(_ server: ServerAssembly) -> ZoneServices { server.zoneServices }
}
