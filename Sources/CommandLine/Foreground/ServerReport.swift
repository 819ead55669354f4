internal import CommandOptions
package import TerminalText
package import TextEncodings

/// A server on the network, as `segue discover` shows it.
package struct DiscoveredServer: Sendable, Hashable {
    /// Its own name.
    package var name: String
    /// The machine's name, such as `pi.local`.
    package var host: String
    /// The machine's address.
    package var address: String
    package var port: Int
    /// Segue's version; `nil` for another server of MPD's protocol.
    package var version: String?
    package var zones: [String]

    /// Address and port, as `--host` takes them.
    package var place: String {
        DisplayText.harmless(address.contains(":") ? "[\(address)]:\(port)" : "\(address):\(port)")
    }

    package init(name: String, host: String, address: String, port: Int, version: String? = nil, zones: [String] = []) {
        self.name = name
        self.host = host
        self.address = address
        self.port = port
        self.version = version
        self.zones = zones
    }
}

/// The list of servers, for people and for programs.
package enum ServerReport {
    /// One line per server: its name, host and port, address, and zones.
    package static func lines(_ servers: [DiscoveredServer]) -> [StyledText] {
        let names = servers.map { DisplayText.harmless($0.name) }
        let width = names.map(DisplayText.width).max() ?? 0
        return zip(servers, names).map { server, name in
            var line = StyledText(name, .strong)
            line.append(String(repeating: " ", count: width - DisplayText.width(of: name) + 2))
            line.append(DisplayText.harmless("\(server.host):\(server.port)"))
            let kind = server.version == nil ? "MPD" : "zones: " + server.zones.joined(separator: ", ")
            line.append(DisplayText.harmless("  [\(server.address), \(kind)]"), .faint)
            return line
        }
    }

    package static func json(_ server: DiscoveredServer) -> JSON {
        .compact([
            .init("name", .string(server.name)),
            .init("host", .string(server.host)),
            .init("address", .string(server.address)),
            .init("port", .integer(server.port)),
            .init("version", .optional(server.version)),
            .init("zones", .array(server.zones.map(JSON.string))),
        ])
    }
}
