package import AudioTypes
internal import Glibc

/// An address where a server listens, as far as other machines are concerned.
package struct BoundAddress: Sendable, Hashable {
    package let address: IPAddress
    package let port: UInt16

    package init?(_ address: String, port: Int?) {
        guard let address = IPAddress(address), let port = port.flatMap(UInt16.init(exactly:)), port > 0 else {
            return nil
        }
        (self.address, self.port) = (address, port)
    }

    /// Whether it stands for every address of this machine.
    var isAny: Bool { address.bytes.allSatisfy { $0 == 0 } }

    /// A service at this address; `nil` where other machines cannot connect, or there is no such interface.
    package func service(_ type: String, _ attributes: [ServiceAttribute]) -> NetworkService? {
        guard !address.isLoopback else { return nil }
        // The IPv6 wildcard accepts IPv4 clients as well.
        let isIPv4 = address.bytes.count == 4
        if isAny { return NetworkService(type, port: port, addresses: isIPv4 ? .ipv4 : .any, attributes: attributes) }
        guard let interface else { return nil }
        let family = isIPv4 ? NetworkService.AddressFamily.ipv4 : .ipv6
        return NetworkService(type, port: port, interface: interface, addresses: family, attributes: attributes)
    }

    /// The index of the network interface that has the address.
    private var interface: Int32? {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard unsafe getifaddrs(&list) == 0 else { return nil }
        defer { unsafe freeifaddrs(list) }
        var next = unsafe list
        while let entry = unsafe next {
            if unsafe Self.address(of: entry.pointee.ifa_addr) == address {
                return Int32(exactly: unsafe if_nametoindex(entry.pointee.ifa_name))
            }
            unsafe next = entry.pointee.ifa_next
        }
        return nil
    }

    private static func address(of place: UnsafeMutablePointer<sockaddr>?) -> IPAddress? {
        guard let place = unsafe place else { return nil }
        let raw = UnsafeRawPointer(place)
        switch Int32(unsafe place.pointee.sa_family) {
        case AF_INET:
            let bytes = unsafe raw.loadUnaligned(as: sockaddr_in.self).sin_addr
            return unsafe withUnsafeBytes(of: bytes) { unsafe IPAddress(bytes: Array($0)) }
        case AF_INET6:
            let bytes = unsafe raw.loadUnaligned(as: sockaddr_in6.self).sin6_addr
            return unsafe withUnsafeBytes(of: bytes) { unsafe IPAddress(bytes: Array($0)) }
        default: return nil
        }
    }
}
