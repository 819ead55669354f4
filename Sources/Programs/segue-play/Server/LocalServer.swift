import ProtocolClient
import TerminalText

/// The segued of this machine, reached through a Unix socket: it trusts its own user, and shares files and sinks with
/// us.
enum LocalServer {
    /// The one of SEGUE_HOST if that is a socket, else the default ones.
    static var choice: ServerChoice {
        let text = TerminalTraits.variable("SEGUE_HOST") ?? ""
        if let host = try? HostText(parsing: text) {
            switch host.address {
            case .socket, .abstract:
                return ServerChoice(addresses: [host.address], password: host.password, origin: .option)
            case .network, .encrypted: break
            }
        }
        let folder = TerminalTraits.variable("XDG_RUNTIME_DIR").flatMap { $0.isEmpty ? nil : $0 }
        let places = (folder.map { [ServerAddress.socket(path: "\($0)/segue/socket")] } ?? [])
        return ServerChoice(addresses: places + [.socket(path: "/run/segue/socket")], origin: .usualPlaces)
    }
}
