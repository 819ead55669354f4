private import Glibc
internal import TextEncodings

/// Where a message bus listens.
package struct BusAddress: Sendable, Hashable, CustomStringConvertible {
    /// As the D-Bus Specification writes it, such as `unix:path=/run/user/1000/bus`.
    package let description: String

    package init(_ text: String) { description = text }

    /// The user's session bus; `nil` where the environment names none and has no place for one.
    package static var session: BusAddress? {
        if let address = variable("DBUS_SESSION_BUS_ADDRESS") { return BusAddress(address) }
        return variable("XDG_RUNTIME_DIR").map { BusAddress("unix:path=\(escaped($0))/bus") }
    }

    /// The machine's bus.
    package static var system: BusAddress {
        BusAddress(variable("DBUS_SYSTEM_BUS_ADDRESS") ?? "unix:path=/var/run/dbus/system_bus_socket")
    }

    private static func variable(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        let text = unsafe String(cString: value)
        return text.isEmpty ? nil : text
    }

    /// A path as an address's value: bytes other than `-0-9A-Za-z_/.\*` become `%` and two hexadecimal digits.
    private static func escaped(_ path: String) -> String {
        ByteEscape.percent.encode(path.utf8) { $0.isASCIIAlphanumeric || #"-_/.\*"#.utf8.contains($0) }
    }
}
