import DBus
import NIOCore
import ServerBasics
import ServerRooms
import ServerZones
import ServiceTestSupport
import Settings
import TestSupport
import Testing

@testable import ServerNetwork

/// The services that are announced on the network, as a stand-in for avahi-daemon on a real message bus gets them.
@Suite(.enabled("dbus is not installed") { MessageBus.missing.isEmpty })
struct NetworkVisibilityTests {
    /// A service as it was announced.
    fileprivate struct Announced: Sendable, Hashable {
        var name: String
        var type: String
        var port: UInt16
        /// Of the TXT record.
        var attributes: [String]
    }

    /// Answers as Avahi does, and notes what is announced.
    private final class Avahi: BusPeer {
        struct State: Sendable {
            var isReady = false
            var added: [Announced] = []
            /// Everything that was announced at one time, for each such time; an empty one when it was withdrawn.
            var announced: [[Announced]] = []
            var client: String?
        }

        let state = Watched(State())
        private let connection = Watched<BusConnection?>(nil)
        private static let group = ObjectPath(known: "/Client1/EntryGroup1")

        init(_ bus: BusAddress, _ thread: BusThread) {
            let changes = "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged'"
            let plan = BusPlan(bus, names: ["org.freedesktop.Avahi"], matches: [changes])
            let opened = thread.connect(plan, self)
            connection.withLock { $0 = opened }
        }

        func close() { connection.current?.close() }

        func connected(as name: String?) { state.withLock { $0.isReady = name != nil } }

        func receive(_ call: MethodCall, _ answer: BusAnswer) {
            switch call.member {
            case "GetState": return answer(.success([.int32(2)]))
            case "EntryGroupNew": return answer(.success([.objectPath(Self.group)]))
            case "Reset": state.withLock { $0.added = [] }
            case "AddService": state.withLock { state in state.added += [Announced(call.arguments)].compactMap(\.self) }
            case "Commit":
                state.withLock { state in
                    state.client = call.peer
                    state.announced.append(state.added)
                }
                let arguments: [BusValue] = [.int32(2), .string("")]
                let established = BusSignal(
                    "StateChanged",
                    of: "org.freedesktop.Avahi.EntryGroup",
                    at: Self.group,
                    arguments
                )
                connection.current?.emit([established])
            default: break
            }
            answer(.success([]))
        }

        /// Avahi withdraws what a client has announced when the client leaves the bus.
        func receive(_ signal: BusSignal) {
            guard signal.arguments.count == 3, signal.arguments[2].text == "" else { return }
            state.withLock { state in
                guard state.client != nil, state.client == signal.arguments[0].text else { return }
                state.client = nil
                state.announced.append([])
            }
        }
    }

    private let bus: MessageBus
    private let avahi: Avahi
    private let thread = BusThread()
    private let configuration: CurrentConfiguration
    private let lines = Watched<[String]>([])
    private let zones = Watched(["default", "kitchen"])

    init() async throws {
        bus = try await MessageBus()
        avahi = Avahi(BusAddress(bus.address), thread)
        var configuration = Configuration(defaultsFor: .process)
        (configuration.isOnNetwork, configuration.networkName) = (true, "Küche")
        self.configuration = CurrentConfiguration(configuration)
        guard await avahi.state.wait(within: .patience, until: { $0.isReady }) else {
            throw TestRooms.Missing(what: "the stand-in's name")
        }
    }

    private func makeVisibility(on bus: BusAddress?) -> NetworkVisibility {
        let (zones, lines) = (zones, lines)
        return NetworkVisibility(
            configuration,
            bus,
            thread,
            zones: { zones.current },
            log: { _, line in lines.withLock { $0.append(line) } }
        )
    }

    private func makeVisibility() -> NetworkVisibility { makeVisibility(on: BusAddress(bus.address)) }

    /// Waits until something was announced, or withdrawn, so often.
    private func announced(_ count: Int) async throws -> [Announced] {
        guard await avahi.state.wait(within: .patience, until: { $0.announced.count >= count }) else {
            throw TestRooms.Missing(what: "announcement \(count); there was \(avahi.state.current)")
        }
        return avahi.state.current.announced[count - 1]
    }

    private func address(_ text: String, _ port: Int) throws -> NIOCore.SocketAddress {
        try NIOCore.SocketAddress(ipAddress: text, port: port)
    }

    @Test func serverAndZonesAreAnnounced() async throws {
        let visibility = makeVisibility()
        visibility.listens(at: try address("0.0.0.0", 6_600))
        let services = try await announced(1)
        #expect(services.map(\.type) == ["_mpd._tcp", "_segue._tcp"])
        #expect(services.allSatisfy { $0.name == "Küche" && $0.port == 6_600 })
        #expect(services[0].attributes.isEmpty && services[1].attributes.contains("zones=default,kitchen"))
        #expect(await lines.wait(within: .patience) { !$0.isEmpty })
        #expect(lines.current == ["other machines see this server as \"Küche\" (Zeroconf)"])
        // A zone more; then nothing new.
        zones.withLock { $0.append("attic") }
        visibility.update()
        #expect(try await announced(2).last?.attributes.contains("zones=default,kitchen,attic") == true)
        visibility.update()
        configuration.value.networkName = "Attic"
        visibility.update()
        #expect(try await announced(3).map(\.name) == ["Attic", "Attic"])
        visibility.close()
        #expect(try await announced(4) == [])
        avahi.close()
    }

    /// Other machines cannot connect to sockets and this machine's own addresses, and a type has one port.
    @Test func whatOthersReachIsAnnounced() async throws {
        let visibility = makeVisibility()
        visibility.listens(at: nil)
        visibility.listens(at: try NIOCore.SocketAddress(unixDomainSocketPath: "/run/segue"))
        visibility.listens(at: try address("127.0.0.1", 6_601))
        visibility.listens(at: try address("::1", 6_602))
        visibility.listens(at: try address("0.0.0.0", 6_603))
        #expect(try await announced(1).map(\.port) == [6_603, 6_603])
        visibility.listens(at: try address("0.0.0.0", 6_604))
        zones.withLock { $0 = [] }
        visibility.update()
        let services = try await announced(2)
        #expect(services.map(\.port) == [6_603, 6_603] && services[1].attributes.contains("zones="))
        visibility.close()
        avahi.close()
    }

    /// Our own service has the port for HTTP, where that is one of the same network.
    @Test func whereHTTPIsSpokenIsAnnounced() async throws {
        let visibility = makeVisibility()
        visibility.listens(at: try address("127.0.0.1", 6_680), forHTTP: true)
        visibility.listens(at: try address("0.0.0.0", 6_600))
        #expect(try await announced(1).map(\.type) == ["_mpd._tcp", "_segue._tcp"])
        visibility.listens(at: try address("::", 6_681), forHTTP: true)
        let services = try await announced(2)
        #expect(services.map(\.type) == ["_mpd._tcp", "_segue._tcp", "_http._tcp"])
        #expect(services.map(\.port) == [6_600, 6_600, 6_681])
        #expect(services.map { $0.attributes.contains("web=6681") } == [false, true, false])
        #expect(services[2].attributes == ["path=/"])
        visibility.close()
        avahi.close()
    }

    @Test func itIsSwitchedOffAndOn() async throws {
        configuration.value.isOnNetwork = false
        let visibility = makeVisibility()
        visibility.listens(at: try address("0.0.0.0", 6_600))
        configuration.value.isOnNetwork = true
        visibility.update()
        #expect(try await announced(1).count == 2)
        configuration.value.isOnNetwork = false
        visibility.update()
        #expect(try await announced(2) == [])
        configuration.value.isOnNetwork = true
        visibility.update()
        #expect(try await announced(3).count == 2)
        visibility.close()
        avahi.close()
    }

    /// The machine's name is that before the first dot.
    @Test func theMachinesNameIsKnown() async throws {
        configuration.value.networkName = "x%hy"
        let visibility = makeVisibility()
        visibility.listens(at: try address("0.0.0.0", 6_600))
        let name = try #require(try await announced(1).first?.name)
        #expect(name.hasPrefix("x") && name.hasSuffix("y") && name.count > 2)
        #expect(!name.contains("%") && !name.contains("."))
        visibility.close()
        avahi.close()
    }

    @Test func withoutABusNothingIsAnnounced() throws {
        let visibility = makeVisibility(on: nil)
        visibility.listens(at: try address("0.0.0.0", 6_600))
        visibility.update()
        visibility.close()
        #expect(avahi.state.current.announced.isEmpty && lines.current.isEmpty)
        avahi.close()
    }
}

extension NetworkVisibilityTests.Announced {
    /// The arguments of `AddService`.
    fileprivate init?(_ values: [BusValue]) {
        guard values.count == 9, let name = values[3].text, let type = values[4].text,
            case .uint16(let port) = values[7]
        else { return nil }
        let attributes = (values[8].elements ?? []).map { entry in
            let bytes = (entry.elements ?? []).compactMap { if case .byte(let byte) = $0 { byte } else { nil } }
            return String(decoding: bytes, as: UTF8.self)
        }
        self.init(name: name, type: type, port: port, attributes: attributes)
    }
}
