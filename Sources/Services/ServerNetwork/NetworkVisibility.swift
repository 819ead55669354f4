internal import AudioTypes
package import DBus
package import NIOCore
package import ServerBasics
package import Settings
internal import Zeroconf

/// Shows the server to other machines on the network, where it listens for them: as MPD's service, and as our own, which
/// tells its zones.
///
/// Belongs to the server's event loop.
package final class NetworkVisibility {
    private let configuration: CurrentConfiguration
    private let bus: BusAddress?
    private let thread: BusThread
    private let zones: () -> [String]
    private let log: @Sendable (LogLevel, String) -> Void
    private var publisher: ServicePublisher?
    /// Where the server listens.
    private var addresses: [BoundAddress] = []

    /// - Parameter bus: The machine's; `nil` for none.
    package init(
        _ configuration: CurrentConfiguration,
        _ bus: BusAddress?,
        _ thread: BusThread,
        zones: @escaping () -> [String],
        log: @escaping @Sendable (LogLevel, String) -> Void
    ) {
        self.configuration = configuration
        self.bus = bus
        self.thread = thread
        self.zones = zones
        self.log = log
    }

    package func listens(at address: SocketAddress?) {
        guard let text = address?.ipAddress, let place = BoundAddress(text, port: address?.port) else { return }
        addresses.append(place)
        update()
    }

    /// Announces what is to be seen now, or withdraws it.
    package func update() {
        let services = configuration.value.isOnNetwork ? self.services : []
        guard let bus, let name = Self.name(configuration.value.networkName) else { return }
        if publisher == nil, !services.isEmpty {
            publisher = ServicePublisher(bus, thread, name: name) { [log] event in
                switch event {
                case .published(let name): log(.info, "other machines see this server as \"\(name)\" (Zeroconf)")
                case .failed(let reason): log(.info, "other machines do not see this server: \(reason) (Zeroconf)")
                }
            }
        }
        publisher?.publish(services, as: name)
        if services.isEmpty { close() }
    }

    package func close() {
        publisher?.close()
        publisher = nil
    }

    private var services: [NetworkService] {
        let facts = [
            ServiceAttribute("version", Product.version),
            ServiceAttribute("protocol", "0.24.0"),
            ServiceAttribute("zones", zones().joined(separator: ",")),
            ServiceAttribute("features", "sessions,announcements,zones,artwork"),
        ]
        var services: [NetworkService] = []
        for address in addresses {
            for (type, attributes) in [("_mpd._tcp", []), ("_segue._tcp", facts)] {
                guard let service = address.service(type, attributes) else { continue }
                // One service of a type and name has one port: that of the first listener.
                let isTaken = services.contains {
                    $0.type == type
                        && ($0.interface == nil || service.interface == nil || $0.interface == service.interface)
                        && ($0.port != service.port || $0.addresses == .any || $0.addresses == service.addresses)
                }
                if !isTaken { services.append(service) }
            }
        }
        return services
    }

    /// - Parameter text: `%h` in it stands for the machine's name.
    private static func name(_ text: String) -> ServiceName? {
        let label = String(hostName().prefix { $0 != "." })
        return ServiceName(shortening: text.replacing("%h", with: label))
    }
}
