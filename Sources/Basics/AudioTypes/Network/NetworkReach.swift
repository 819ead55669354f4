/// The addresses that segued fetches from on a client's behalf: those that the client could have fetched from itself.
///
/// Of files that a client names by their whole paths, `anywhere` allows all, and any other reach those that everybody may read.
package enum NetworkReach: Sendable, Hashable {
    /// Every address: for a client on this machine.
    case anywhere
    /// Public addresses and those of some networks: for a client connected through an interface in these networks.
    case networks([AddressRange])

    /// Public addresses only, and files that everybody may read.
    package static let publicOnly = NetworkReach.networks([])

    /// An interface hardly ever has more addresses.
    private static let mostNetworks = 16

    /// The reach of a client connected through an interface with these networks.
    package init(networks: [AddressRange]) {
        var known: [AddressRange] = []
        for network in networks where !known.contains(network) { known.append(network) }
        self = .networks(Array(known.prefix(Self.mostNetworks)))
    }

    /// Whether an address may be connected to.
    ///
    /// Never this machine's loopback, a link-local, a multicast or an unspecified address, nor an address that embeds
    /// one of these for another protocol.
    ///
    /// - Parameter own: This machine's addresses; only those in the reach's networks may be connected to.
    package func allows(_ address: IPAddress, own: [IPAddress]) -> Bool {
        guard case .networks(let networks) = self else { return true }
        if let inner = address.embeddedIPv4 { return allows(inner, own: own) }
        if AddressRange.neverForOthers.contains(where: { $0.contains(address) }) { return false }
        if networks.contains(where: { $0.contains(address) }) { return true }
        return address.isPublic && !own.contains(address)
    }

    /// The addresses that both this and the other reach allow.
    package func narrowed(to other: NetworkReach) -> NetworkReach {
        switch (self, other) {
        case (.anywhere, let reach), (let reach, .anywhere): reach
        case (.networks(let networks), .networks(let others)):
            NetworkReach(networks: networks.flatMap { network in others.compactMap(network.intersection) })
        }
    }
}

extension NetworkReach {
    /// The stored form: `anywhere`, `public`, or networks separated by commas.
    package var text: String {
        switch self {
        case .anywhere: "anywhere"
        case .networks([]): "public"
        case .networks(let networks): networks.map(\.description).joined(separator: ",")
        }
    }

    /// - Returns: `nil` for text that ``text`` does not produce.
    package init?(text: some StringProtocol) {
        switch text {
        case "anywhere": self = .anywhere
        case "public": self = .networks([])
        default:
            let words = text.split(separator: ",", omittingEmptySubsequences: false)
            let networks = words.prefix(Self.mostNetworks + 1).compactMap { AddressRange($0) }
            guard networks.count == words.count, networks.count <= Self.mostNetworks else { return nil }
            self = .networks(networks)
        }
    }
}

extension AddressRange {
    /// The intersection of both ranges; `nil` when it is empty.
    func intersection(_ other: AddressRange) -> AddressRange? {
        if prefix <= other.prefix, contains(other.address) { return other }
        return prefix > other.prefix && other.contains(address) ? self : nil
    }

    /// Loopback, link-local, unspecified, multicast, reserved and broadcast addresses (RFC 6890, 5771, 4291).
    fileprivate static let neverForOthers = [
        "0.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16", "224.0.0.0/3", "::/127", "fe80::/10", "ff00::/8",
    ].compactMap { AddressRange($0) }

    /// In addition: private, shared, special and documentation addresses of IPv4 (IANA's registry, RFC 6890).
    fileprivate static let notPublicIPv4 = [
        "10.0.0.0/8", "100.64.0.0/10", "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24",
        "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
    ].compactMap { AddressRange($0) }

    /// Exceptions within `2000::/3`, the public part of IPv6: protocol assignments, Teredo and documentation addresses.
    fileprivate static let notPublicIPv6 = ["2001::/23", "2001:db8::/32", "3fff::/20"].compactMap { AddressRange($0) }
}

extension IPAddress {
    /// The IPv4 address embedded in an IPv6 address of a translator or tunnel: NAT64 (RFC 6052), 6to4 (RFC 3056), and
    /// IPv4-compatible addresses (RFC 4291).
    fileprivate var embeddedIPv4: IPAddress? {
        guard bytes.count == 16 else { return nil }
        if bytes.starts(with: [0x20, 0x02]) { return IPAddress(bytes: Array(bytes[2..<6])) }
        let isNAT64 = bytes.starts(with: [0x00, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0])
        let isCompatible = bytes.prefix(12).allSatisfy { $0 == 0 } && bytes[12...14] != [0, 0, 0]
        return isNAT64 || isCompatible ? IPAddress(bytes: Array(bytes[12...])) : nil
    }

    /// Whether the address is on the public Internet, and not reserved for private networks.
    fileprivate var isPublic: Bool {
        guard bytes.count == 16 else { return !AddressRange.notPublicIPv4.contains { $0.contains(self) } }
        return bytes[0] & 0xe0 == 0x20 && !AddressRange.notPublicIPv6.contains { $0.contains(self) }
    }
}
