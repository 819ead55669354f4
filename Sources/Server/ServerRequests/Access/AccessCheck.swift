package import Authorization
package import LineProtocol
package import ServerRooms
internal import Zones

/// The check that each request passes before it is carried out: whether the client's rights permit it.
package struct AccessCheck {
    package let rights: Rights
    /// The client's own zone.
    package let zone: String
    /// The names of all zones.
    package let zones: () -> [String]

    package init(rights: Rights, zone: String, zones: @escaping () -> [String]) {
        (self.rights, self.zone, self.zones) = (rights, zone, zones)
    }

    /// Throws unless a command is permitted with its arguments, in each zone that the request acts on.
    package func check(_ command: Command, _ arguments: [String]) throws(AckError) {
        if rights.limits.withheld.contains(command.name) {
            throw AckError(.permission, "you don't have permission for \"\(command.name)\"")
        }
        let needed = command.permissions(for: arguments)
        guard !rights.zones.isEmpty else {
            return try check(command, arguments, needed, in: zone)
        }
        for zone in zonesMeant(by: command, arguments) { try check(command, arguments, needed, in: zone) }
    }

    private func zonesMeant(by command: Command, _ arguments: [String]) -> [String] {
        let named = command.zones(in: arguments)
        if named.contains("all") { return zones() }
        return named.isEmpty ? [zone] : named.map { $0.isEmpty ? zone : $0 }
    }

    private func check(
        _ command: Command,
        _ arguments: [String],
        _ needed: Permissions,
        in zone: String
    ) throws(AckError) {
        func lacking(_ held: Permissions) -> Permissions {
            let isForIt = held.contains(.addOnly) && command.isForAddOnly(arguments)
            return needed.subtracting(held).subtracting(isForIt ? command.permission ?? [] : [])
        }
        let missing = lacking(rights.permissions(in: zone))
        if missing.isEmpty { return }
        let isPermittedLater = rights.isRestricted && lacking(rights.permissionsLater(in: zone)).isEmpty
        if isPermittedLater, command.isForRestricted(arguments) { return }
        let reason = missing == .network ? ": URLs need the permission network" : isPermittedLater ? " now" : ""
        let isForVerb = missing.isDisjoint(with: command.permission ?? []) && missing != .network
        let verb = isForVerb ? arguments.first.map { " " + $0 } ?? "" : ""
        throw AckError(.permission, "you don't have permission for \"\(command.name)\(verb)\"\(reason)")
    }
}

extension Client {
    /// Throws unless the client may give a command with its arguments, in each zone that the request acts on.
    ///
    /// - Parameter rights: The client's, now.
    package func require(
        _ command: Command,
        with arguments: [String],
        _ rights: Rights,
        in rooms: Rooms
    ) throws(AckError) {
        // Nearly all requests.
        if rights.zones.isEmpty, rights.limits.withheld.isEmpty,
            command.permissions(for: arguments).isSubset(of: rights.permissions)
        {
            return
        }
        let check = AccessCheck(rights: rights, zone: zone.name) { rooms.zones.map(\.name) }
        try check.check(command, arguments)
    }
}
