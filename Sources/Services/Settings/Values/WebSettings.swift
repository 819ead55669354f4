package import AudioTypes

/// Where the server listens for HTTP, and whom it believes there.
package struct WebSettings: Sendable, Hashable {
    /// `nil` for ``defaultListeners``.
    package var listeners: [Listener]?
    /// Names and addresses by which clients may call the server, besides those that it has by itself.
    package var names: Set<HostAndPort.Host> = []
    /// The origins of pages elsewhere whose scripts may use the server.
    package var origins: Set<WebOrigin> = []
    package var proxies = TrustedProxies()
    /// Whether there are figures for Prometheus.
    package var hasMetrics = false

    package init() {}

    /// The port of pages and of programs that speak HTTP.
    package static let standardPort: UInt16 = 6680

    /// This machine only; where they are taken, the server does without them.
    package static let defaultListeners = ["127.0.0.1", "::1"].map {
        Listener(.tcp(host: $0, port: standardPort))
    }
}

/// The programs whose word counts on where a request comes from.
package struct TrustedProxies: Sendable, Hashable {
    package var addresses: [AddressRange] = []
    /// The users of this machine whose processes come by a Unix socket.
    package var users: Set<UInt32> = []

    package init(addresses: [AddressRange] = [], users: Set<UInt32> = []) {
        (self.addresses, self.users) = (addresses, users)
    }

    package func contain(_ address: IPAddress) -> Bool { addresses.contains { $0.contains(address) } }

    package func contain(_ client: Principal) -> Bool {
        switch client.origin {
        case .unix: client.peer.map { users.contains($0.uid) } ?? false
        case .network(let address, _): contain(address)
        }
    }
}

/// The origin of a page, as browsers tell it: scheme, host and port (RFC 6454, section 6.1).
package struct WebOrigin: Sendable, Hashable {
    /// In small letters.
    package let text: String

    /// - Returns: `nil` unless it is `http://HOST` or `https://HOST`, with a port or without.
    package init?(_ word: some StringProtocol) {
        let text = word.lowercased()
        guard let rest = ["http://", "https://"].firstNonNil({ text.tail(after: $0) }),
            HostAndPort(rest) != nil
        else { return nil }
        self.text = text
    }

    /// Whether its pages come encrypted.
    package var isSecure: Bool { text.hasPrefix("https:") }

    /// Whether it is that of pages that the server itself shows at this host, encrypted or not.
    package func isOf(_ host: HostAndPort) -> Bool {
        text == "http://\(host)" || text == "https://\(host)"
    }
}

/// A host, and maybe a port, as in the field `Host` of HTTP (RFC 9110, section 7.2).
package struct HostAndPort: Sendable, Hashable {
    package enum Host: Sendable, Hashable {
        case address(IPAddress)
        /// In small letters, without a point at its end.
        case name(String)

        /// A name, or an address; IPv6 ones in brackets or without.
        package init?(_ word: some StringProtocol) {
            let isBracketed = word.hasPrefix("[") && word.hasSuffix("]")
            if let address = IPAddress(isBracketed ? String(word.dropFirst().dropLast()) : String(word)) {
                self = .address(address)
                return
            }
            let name = word.hasSuffix(".") ? String(word.dropLast()) : String(word)
            guard !isBracketed, isHostName(name) else { return nil }
            self = .name(name.lowercased())
        }
    }

    package let host: Host
    /// As it was written, in small letters.
    private let text: String

    package init?(_ word: some StringProtocol) {
        guard word.utf8.count <= 300 else { return nil }
        text = word.lowercased()
        var name = text[...]
        if let colon = text.lastIndex(of: ":"), !text.hasSuffix("]") {
            guard UInt16(text[text.index(after: colon)...]) != nil else { return nil }
            name = text[..<colon]
        }
        // Without brackets, the colons of an IPv6 address could be taken for that of a port.
        guard let host = Host(name), name.hasPrefix("[") || !name.contains(":") else { return nil }
        self.host = host
    }
}

extension HostAndPort: CustomStringConvertible {
    package var description: String { text }
}

/// Whether a word is a host name: letters, digits, hyphens and points, but not a malformed IPv4 address (RFC 1123).
func isHostName(_ word: some StringProtocol) -> Bool {
    let labels = word.split(separator: ".", omittingEmptySubsequences: false)
    return word.utf8.count <= 253 && !(labels.last?.allSatisfy(\.isNumber) ?? true)
        && labels.allSatisfy { label in
            (1...63).contains(label.utf8.count)
                && label.utf8.allSatisfy { $0 == 0x2d || $0 >= 0x80 || isASCIIAlphanumeric($0) }
        }
}

private func isASCIIAlphanumeric(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
}

extension String {
    fileprivate func tail(after prefix: String) -> Substring? {
        hasPrefix(prefix) ? dropFirst(prefix.count) : nil
    }
}
