internal import AudioTypes
package import DBus
package import NIOCore
package import ServerBasics
package import Settings
internal import Zeroconf

/// Shows the server to other machines on the network, where it listens for them: as MPD's service, as our own, which tells
/// its zones, and as one of HTTP.
///
/// Belongs to the server's event loop.
package final class NetworkVisibility {
    private let configuration: CurrentConfiguration
    private let bus: BusAddress?
    private let thread: BusThread
    private let zones: () -> [String]
    private let log: @Sendable (LogLevel, String) -> Void
    private var publisher: ServicePublisher?
    /// Where the server listens for MPD's protocol.
    private var addresses: [BoundAddress] = []
    /// Where it listens for HTTP.
    private var webAddresses: [BoundAddress] = []

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

    /// Adds an address where the server listens in plain text, for MPD's protocol or for HTTP.
    package func listens(at address: SocketAddress?, forHTTP: Bool = false) {
        guard let text = address?.ipAddress, let place = BoundAddress(text, port: address?.port) else { return }
        if forHTTP { webAddresses.append(place) } else { addresses.append(place) }
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
        let web = Self.services("_http._tcp", [ServiceAttribute("path", "/")], at: webAddresses)
        let own = Self.services("_segue._tcp", facts, at: addresses).map { service in
            var service = service
            if let door = web.first(where: { $0.interface == nil || $0.interface == service.interface }) {
                service.attributes.append(ServiceAttribute("web", "\(door.port)"))
            }
            return service
        }
        return Self.services("_mpd._tcp", [], at: addresses) + own + web
    }

    /// The services of one type at those addresses that others reach.
    ///
    /// One of a type and name has one port on a network: that of the first address.
    private static func services(
        _ type: String,
        _ attributes: [ServiceAttribute],
        at addresses: [BoundAddress]
    ) -> [NetworkService] {
        addresses.compactMap { $0.service(type, attributes) }
            .reduce(into: []) { services, service in
                let isTaken = services.contains {
                    ($0.interface == nil || service.interface == nil || $0.interface == service.interface)
                        && ($0.port != service.port || $0.addresses == .any || $0.addresses == service.addresses)
                }
                if !isTaken { services.append(service) }
            }
    }

    /// - Parameter text: `%h` in it stands for the machine's name.
    private static func name(_ text: String) -> ServiceName? {
        let label = String(hostName().prefix { $0 != "." })
        return ServiceName(shortening: text.replacing("%h", with: label))
    }
}
