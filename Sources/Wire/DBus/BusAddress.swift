private import Glibc

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
        path.utf8.reduce(into: "") { result, byte in
            let isPlain =
                (0x30...0x39).contains(byte) || (0x61...0x7a).contains(byte | 0x20)
                || [0x2d, 0x5f, 0x2f, 0x2e, 0x5c, 0x2a].contains(byte)
            let digits = String(byte, radix: 16)
            result += isPlain ? String(Unicode.Scalar(byte)) : "%" + (digits.count < 2 ? "0" : "") + digits
        }
    }
}
