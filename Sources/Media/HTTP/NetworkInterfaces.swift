package import AudioTypes
private import CCurl
private import Glibc

/// The current addresses of this machine.
package func ownAddresses() -> [IPAddress] { interfaceAddresses().map(\.address) }

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
