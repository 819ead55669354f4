private import Glibc

/// A client's or a server's address on a network.
package struct IPAddress: Sendable, Hashable {
    /// Four bytes, or sixteen; an IPv4-mapped IPv6 address (`::ffff:192.0.2.1`) has four.
    package let bytes: [UInt8]

    /// - Returns: `nil` unless there are 4 or 16 bytes.
    package init?(bytes: [UInt8]) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        let isMapped = bytes.count == 16 && bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10...11] == [0xff, 0xff]
        self.bytes = isMapped ? Array(bytes[12...]) : bytes
    }

    /// An address as people write it, `192.0.2.1` or `2001:db8::1`; a zone (`%eth0`) is left out.
    package init?(_ text: some StringProtocol) {
        let plain = String(text.prefix { $0 != "%" })
        var buffer = [UInt8](repeating: 0, count: 16)
        if unsafe inet_pton(AF_INET, plain, &buffer) == 1 {
            self.init(bytes: Array(buffer.prefix(4)))
        } else if unsafe inet_pton(AF_INET6, plain, &buffer) == 1 {
            self.init(bytes: buffer)
        } else {
            return nil
        }
    }

    /// No host's address (RFC 1122, section 3.2.1.3).
    package static let unknown = IPAddress(fourBytes: [0, 0, 0, 0])

    private init(fourBytes bytes: [UInt8]) { self.bytes = bytes }

    /// Whether the address is a loopback address.
    package var isLoopback: Bool {
        bytes.count == 4 ? bytes[0] == 127 : bytes == Array(repeating: 0, count: 15) + [1]
    }

    /// Whether the address is on a local network.
    ///
    /// Private and link-local addresses are. So are global IPv6 addresses that share their first 64 bits with `server`,
    /// which is how routers assign them.
    ///
    /// - Parameter server: This machine's address in the connection.
    package func isLocal(to server: IPAddress?) -> Bool {
        if isLoopback || AddressRange.local.contains(where: { $0.contains(self) }) { return true }
        guard let server, bytes.count == 16, server.bytes.count == 16 else { return false }
        return bytes.prefix(8) == server.bytes.prefix(8)
    }
}

/// The addresses with a common prefix: `192.168.1.0/24`, `fd00::/8`, or a single one.
package struct AddressRange: Sendable, Hashable {
    package let address: IPAddress
    /// The length of the prefix, in bits.
    package let prefix: Int

    package init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = IPAddress(parts[0]) else { return nil }
        let limit = address.bytes.count * 8
        // For an IPv4 address in IPv6 form the first 96 bits only mark it as one.
        let form = address.bytes.count == 4 && parts[0].contains(":") ? 96 : 0
        guard let prefix = parts.count == 1 ? limit : Int(parts[1]).map({ $0 - form }), (0...limit).contains(prefix)
        else { return nil }
        self.address = address
        self.prefix = prefix
    }

    /// - Returns: `nil` when the address has fewer bits than the prefix.
    package init?(_ address: IPAddress, prefix: Int) {
        guard (0...address.bytes.count * 8).contains(prefix) else { return nil }
        self.address = address
        self.prefix = prefix
    }

    package func contains(_ other: IPAddress) -> Bool {
        guard other.bytes.count == address.bytes.count else { return false }
        return zip(address.bytes, other.bytes).enumerated().allSatisfy { place, pair in
            let bits = min(max(prefix - place * 8, 0), 8)
            let mask = UInt8(truncatingIfNeeded: 0xff00 >> bits)
            return pair.0 & mask == pair.1 & mask
        }
    }

    /// Networks that are not routed on the Internet (RFC 1918, 3927, 4193, 4291).
    fileprivate static let local = [
        "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "fc00::/7", "fe80::/10",
    ].compactMap { AddressRange($0) }
}

extension IPAddress: CustomStringConvertible {
    package var description: String {
        var bytes = bytes
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let family = bytes.count == 4 ? AF_INET : AF_INET6
        guard unsafe inet_ntop(family, &bytes, &text, socklen_t(text.count)) != nil else { return "" }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

extension AddressRange: CustomStringConvertible {
    package var description: String { "\(address)/\(prefix)" }
}
