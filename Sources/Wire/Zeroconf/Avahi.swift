internal import AudioTypes
internal import DBus
private import Glibc

/// Avahi's daemon on the machine's bus: its names, calls and states (avahi-common/defs.h, org.freedesktop.Avahi.*.xml).
enum Avahi {
    static let name = BusName("org.freedesktop.Avahi")
    static let server = "org.freedesktop.Avahi.Server"
    static let group = "org.freedesktop.Avahi.EntryGroup"
    static let browser = "org.freedesktop.Avahi.ServiceBrowser"
    private static let root = ObjectPath(known: "/")

    /// States of the daemon.
    static let isRunning = 2 as Int32
    /// States of an entry group.
    static let isEstablished = 2 as Int32
    static let collides = 3 as Int32
    static let hasFailed = 4 as Int32

    static let collision = "org.freedesktop.Avahi.CollisionError"
    static let localCollision = "org.freedesktop.Avahi.LocalCollisionError"

    /// Signals about the daemon coming and going, and its own.
    static func matches(_ interfaces: [String]) -> [String] {
        [name.ownerChanges] + interfaces.map { "type='signal',sender='\(name.text)',interface='\($0)'" }
    }

    static func call(_ member: String, _ arguments: [BusValue] = []) -> MethodCall {
        MethodCall(member, of: server, at: root, name.text, arguments)
    }

    static func call(_ member: String, onGroup path: ObjectPath, _ arguments: [BusValue] = []) -> MethodCall {
        MethodCall(member, of: group, at: path, name.text, arguments)
    }
}

extension NetworkService {
    /// The arguments of `AddService`.
    func arguments(name: String) -> [BusValue] {
        [
            .int32(interface ?? -1), .int32(addresses.rawValue), .uint32(0), .string(name), .string(type), .string(""),
            .string(""), .uint16(port),
            .array(attributes.map { .array($0.bytes.map(BusValue.byte), of: "y") }, of: "ay"),
        ]
    }
}

extension FoundService {
    /// The answer of `ResolveService`; `nil` for one that is not of its form.
    init?(_ values: [BusValue]) {
        guard values.count == 11, case .int32(let interface) = values[0], let name = values[2].text,
            let type = values[3].text, let host = values[5].text,
            let address = values[7].text, case .uint16(let port) = values[8], let entries = values[9].elements
        else { return nil }
        let attributes = entries.compactMap { entry in
            ServiceAttribute(entry.elements?.compactMap { if case .byte(let byte) = $0 { byte } else { nil } } ?? [])
        }
        self.init(
            name: name,
            type: type,
            host: host,
            address: Self.scoped(address, on: interface),
            port: port,
            attributes: attributes
        )
    }

    private static let linkLocal = AddressRange("fe80::/10")

    /// A link-local address of IPv6 with its interface, without which it cannot be connected to (RFC 4007, 11.2).
    private static func scoped(_ address: String, on interface: Int32) -> String {
        guard let parsed = IPAddress(address), linkLocal?.contains(parsed) == true,
            let index = UInt32(exactly: interface)
        else { return address }
        var name = [CChar](repeating: 0, count: Int(IF_NAMESIZE))
        guard unsafe if_indextoname(index, &name) != nil else { return "\(address)%\(index)" }
        return "\(address)%\(String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))"
    }
}
