internal import Authorization
internal import LineProtocol
internal import Zones

/// The gate that each request passes before it is carried out.
extension ServerState {
    /// Throws unless the client may give a command: with its arguments, and in each zone that the request acts on.
    func checkPermission(of client: Client, for command: Command, _ arguments: [String]) throws(AckError) {
        let needed = command.permissions(for: arguments)
        let rights = client.rights
        guard !rights.zones.isEmpty else {
            return try compare(needed, rights.permissions, command, arguments)
        }
        for zone in zonesMeant(by: command, arguments, from: client) {
            try compare(needed, rights.permissions(in: zone), command, arguments)
        }
    }

    private func zonesMeant(by command: Command, _ arguments: [String], from client: Client) -> [String] {
        let named = command.zones(in: arguments)
        if named.contains("all") { return rooms.zones.map(\.name) }
        return named.isEmpty ? [client.zone.name] : named.map { $0.isEmpty ? client.zone.name : $0 }
    }

    private func compare(
        _ needed: Permissions,
        _ held: Permissions,
        _ command: Command,
        _ arguments: [String]
    ) throws(AckError) {
        var missing = needed.subtracting(held)
        if missing.isEmpty { return }
        if held.contains(.addOnly), command.isForAddOnly(arguments) { missing.subtract(command.permission ?? []) }
        try refuse(command, arguments, missing: missing)
    }

    private func refuse(_ command: Command, _ arguments: [String], missing: Permissions) throws(AckError) {
        if missing.isEmpty { return }
        let reason = missing == .network ? ": URLs need the permission network" : ""
        let isForVerb = missing.isDisjoint(with: command.permission ?? []) && missing != .network
        let verb = isForVerb ? arguments.first.map { " " + $0 } ?? "" : ""
        throw AckError(.permission, "you don't have permission for \"\(command.name)\(verb)\"\(reason)")
    }
}
