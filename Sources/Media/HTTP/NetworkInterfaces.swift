package import AudioTypes
private import CCurl
private import Glibc

/// The current addresses of this machine.
package func ownAddresses() -> [IPAddress] { interfaceAddresses().map(\.address) }

/// This machine's address towards other networks, by the route that the system would take; `nil` without one.
///
/// Nothing is sent: a datagram's socket only looks up its route (udp(7)).
package func addressTowardsNetwork() -> IPAddress? {
    let socket = socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard socket >= 0 else { return nil }
    defer { close(socket) }
    // An address for documentation, which no machine has (RFC 5737).
    var there = sockaddr_in()
    there.sin_family = sa_family_t(AF_INET)
    there.sin_port = in_port_t(9).bigEndian
    there.sin_addr.s_addr = UInt32(0xc000_0201).bigEndian
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isRouted = unsafe withUnsafePointer(to: &there) { place in
        unsafe place.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe connect(socket, $0, size) == 0 }
    }
    var own = sockaddr_in()
    var length = size
    let isKnown = unsafe withUnsafeMutablePointer(to: &own) { place in
        unsafe place.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe getsockname(socket, $0, &length) == 0 }
    }
    guard isRouted, isKnown else { return nil }
    return unsafe withUnsafeBytes(of: own.sin_addr) { unsafe IPAddress(bytes: Array($0)) }
}

/// The networks of the interface with an address: those of a client that connected to this address.
package func networks(ofInterfaceWith address: IPAddress) -> [AddressRange] {
    let all = interfaceAddresses()
    let names = Set(all.filter { $0.address == address }.map(\.interface))
    return all.filter { names.contains($0.interface) }.compactMap {
        AddressRange($0.address, prefix: $0.prefix)
    }
}

/// From getifaddrs(3), which only queries the kernel.
private func interfaceAddresses() -> [(interface: String, address: IPAddress, prefix: Int)] {
    var list: UnsafeMutablePointer<ifaddrs>?
    guard unsafe getifaddrs(&list) == 0 else { return [] }
    defer { unsafe freeifaddrs(list) }
    var found: [(interface: String, address: IPAddress, prefix: Int)] = []
    var next = unsafe list
    while let entry = unsafe next?.pointee {
        unsafe next = entry.ifa_next
        guard let address = unsafe addressBytes(entry.ifa_addr).flatMap({ IPAddress(bytes: $0) }),
            let mask = unsafe addressBytes(entry.ifa_netmask)
        else { continue }
        let prefix = mask.reduce(0) { $0 + $1.nonzeroBitCount }
        unsafe found.append((interface: String(cString: entry.ifa_name), address: address, prefix: prefix))
    }
    return found
}

/// The bytes of an address of IPv4 or IPv6; `nil` for another family's.
private func addressBytes(_ address: UnsafeMutablePointer<sockaddr>?) -> [UInt8]? {
    guard let address = unsafe address else { return nil }
    let start = UnsafeRawPointer(address)
    let family = unsafe Int32(address.pointee.sa_family)
    switch family {
    case AF_INET:
        return unsafe withUnsafeBytes(of: start.loadUnaligned(as: sockaddr_in.self).sin_addr) { unsafe Array($0) }
    case AF_INET6:
        return unsafe withUnsafeBytes(of: start.loadUnaligned(as: sockaddr_in6.self).sin6_addr) { unsafe Array($0) }
    default: return nil
    }
}
