package import LineProtocol
package import ServerRooms
package import Zones

extension Rooms {
    /// - Throws: When no zone has that name.
    package func known(_ name: String) throws(AckError) -> Zone {
        guard let zone = zone(named: name) else { throw AckError(.doesNotExist, "no such zone: \(name)") }
        return zone
    }
}
