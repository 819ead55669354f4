internal import LineProtocol
internal import ServerRooms
internal import Zones

extension Rooms {
    /// - Throws: When no zone has that name.
    func known(_ name: String) throws(AckError) -> Zone {
        guard let zone = zone(named: name) else { throw AckError(.doesNotExist, "no such zone: \(name)") }
        return zone
    }
}
