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
    /// The port where it speaks HTTP; `nil` where other machines cannot ask it so.
    package var webPort: UInt16?

    /// Address and port, as `--host` takes them.
    package var place: String { place(port) }

    /// Its address in a browser.
    package var webAddress: String? { webPort.map { "http://\(place(Int($0)))/" } }

    private func place(_ port: Int) -> String {
        DisplayText.harmless(address.contains(":") ? "[\(address)]:\(port)" : "\(address):\(port)")
    }

    package init(
        name: String,
        host: String,
        address: String,
        port: Int,
        version: String? = nil,
        zones: [String] = [],
        webPort: UInt16? = nil
    ) {
        self.name = name
        self.host = host
        self.address = address
        self.port = port
        self.version = version
        self.zones = zones
        self.webPort = webPort
    }
}

/// The list of servers, for people and for programs.
package enum ServerReport {
    /// One line per server: its name, host and port, address, zones, and address in a browser.
    package static func lines(_ servers: [DiscoveredServer]) -> [StyledText] {
        let names = servers.map { DisplayText.harmless($0.name) }
        let width = names.map(DisplayText.width).max() ?? 0
        return zip(servers, names).map { server, name in
            var line = StyledText(name, .strong)
            line.append(String(repeating: " ", count: width - DisplayText.width(of: name) + 2))
            line.append(DisplayText.harmless("\(server.host):\(server.port)"))
            let kind = server.version == nil ? "MPD" : "zones: " + server.zones.joined(separator: ", ")
            let facts = [server.address, kind, server.webAddress].compactMap(\.self).joined(separator: ", ")
            line.append(DisplayText.harmless("  [\(facts)]"), .faint)
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
            .init("web", .optional(server.webAddress)),
        ])
    }
}
