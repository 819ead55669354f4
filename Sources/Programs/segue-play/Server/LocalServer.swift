import RemoteControl
import TerminalText

/// The segued of this machine: on a Unix socket, where it trusts its own user and knows this machine's files and sinks.
enum LocalServer {
    /// That of SEGUE_HOST if it names a socket, else the usual ones.
    static var choice: ServerChoice {
        let text = TerminalTraits.variable("SEGUE_HOST") ?? ""
        if let host = try? HostText(parsing: text) {
            switch host.address {
            case .socket, .abstract:
                return ServerChoice(addresses: [host.address], password: host.password, origin: .option)
            case .network: break
            }
        }
        let folder = TerminalTraits.variable("XDG_RUNTIME_DIR").flatMap { $0.isEmpty ? nil : $0 }
        let places = (folder.map { [ServerAddress.socket(path: "\($0)/segue/socket")] } ?? [])
        return ServerChoice(addresses: places + [.socket(path: "/run/segue/socket")], origin: .usualPlaces)
    }
}
