/// The name of a service on the network, as people see it: 1 to 63 bytes without control characters (RFC 6763, 4.1.1).
package struct ServiceName: Sendable, Hashable, CustomStringConvertible {
    package let description: String

    package static let limit = 63

    package init?(_ text: String) {
        guard (1...Self.limit).contains(text.utf8.count), text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else {
            return nil
        }
        description = text
    }

    /// As much of a text as fits; `nil` when nothing of it can be shown.
    package init?(shortening text: String) {
        var short = String(text.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7f })
        while short.utf8.count > Self.limit { short.removeLast() }
        self.init(short)
    }
}

/// A service to be announced on the network (RFC 6763).
package struct NetworkService: Sendable, Hashable {
    /// Such as `_mpd._tcp`.
    package var type: String
    package var port: UInt16
    /// The index of the only network interface that it is reached at; `nil` for all.
    package var interface: Int32?
    package var addresses: AddressFamily
    /// Keys and values of its TXT record, in order.
    package var attributes: [ServiceAttribute]

    package init(
        _ type: String,
        port: UInt16,
        interface: Int32? = nil,
        addresses: AddressFamily = .any,
        attributes: [ServiceAttribute] = []
    ) {
        self.type = type
        self.port = port
        self.interface = interface
        self.addresses = addresses
        self.attributes = attributes
    }

    package enum AddressFamily: Int32, Sendable, Hashable {
        case any = -1
        case ipv4 = 0
        case ipv6 = 1
    }
}

/// A key and its value in a service's TXT record (RFC 6763, 6.4).
package struct ServiceAttribute: Sendable, Hashable {
    package let key: String
    package let value: String

    /// The longest entry of a TXT record, in bytes: `key=value`.
    private static let limit = 255

    /// - Parameter value: Shortened to what fits.
    package init(_ key: String, _ value: String) {
        self.key = key
        var value = value
        while key.utf8.count + 1 + value.utf8.count > Self.limit, !value.isEmpty { value.removeLast() }
        self.value = value
    }

    /// An entry that came in; one without a value has an empty one.
    init?(_ bytes: [UInt8]) {
        guard bytes.count <= Self.limit, let text = String(validating: bytes, as: UTF8.self) else { return nil }
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard let key = parts.first, !key.isEmpty else { return nil }
        self.init(String(key), parts.count > 1 ? String(parts[1]) : "")
    }

    var bytes: [UInt8] { Array("\(key)=\(value)".utf8) }
}

/// A service that was found on the network.
package struct FoundService: Sendable, Hashable {
    package let name: String
    package let type: String
    /// The machine's name, such as `pi.local`.
    package let host: String
    /// The machine's address, as text.
    package let address: String
    package let port: UInt16
    package let attributes: [ServiceAttribute]

    /// The value of the first entry with a key; keys are compared without case.
    package subscript(key: String) -> String? {
        attributes.first { $0.key.lowercased() == key.lowercased() }?.value
    }
}
