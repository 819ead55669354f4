/// The configured permissions: what segued may fetch beyond what clients could fetch themselves, and with which
/// protocols.
package struct NetworkPolicy: Sendable, Hashable {
    /// Addresses that any client may make segued fetch from.
    package var ranges: [AddressRange] = []
    /// Names of hosts, in lower case, that any client may make segued fetch from, whatever their addresses are.
    package var hosts: Set<String> = []
    /// Prefixes of URLs that any client may make segued fetch.
    package var prefixes: [String] = []
    /// The schemes allowed besides http and https, and ``listening``.
    package var protocols = Self.usualProtocols

    package init() {}

    /// The policy for a program that fetches for the user who started it.
    package static let everything: Self = {
        var policy = Self()
        policy.protocols = Set(Self.optionalProtocols)
        return policy
    }()

    /// Permits URLs that make this machine listen for a sender, such as SRT with `mode=listener`.
    package static let listening = "listen"

    /// Schemes that can be allowed besides http and https, and ``listening``.
    package static let optionalProtocols = [
        "ftp", "gopher", "gophers", listening, "mmsh", "mmst", "rist", "rtmp", "rtmpe", "rtmps", "rtmpt", "rtmpte",
        "rtmpts", "rtp", "rtsp", "rtsps", "sctp", "sftp", "srt", "srtp", "udp", "udplite",
    ]

    /// Those that connect to a server, carry media, and verify certificates if they have any.
    package static let usualProtocols: Set = [
        "mmsh", "mmst", "rtmp", "rtmpe", "rtmps", "rtmpt", "rtmpte", "rtmpts", "rtsp", "srt",
    ]

    /// Whether URLs of a scheme, in lower case, are allowed at all.
    package func permits(scheme: String) -> Bool { ["http", "https"].contains(scheme) || protocols.contains(scheme) }

    /// Whether any client may have a host contacted: a named host, or an address in a permitted range.
    ///
    /// - Parameter host: In lower case; an IPv6 address with or without its brackets.
    package func trusts(host: String) -> Bool {
        if hosts.contains(host) { return true }
        guard let address = IPAddress(host.filter { $0 != "[" && $0 != "]" }) else { return false }
        return ranges.contains { $0.contains(address) }
    }
}

/// The client's reach and the configured policy for a request.
package struct NetworkAccess: Sendable, Hashable {
    package var reach: NetworkReach
    package var policy: NetworkPolicy

    package init(_ reach: NetworkReach = .anywhere, _ policy: NetworkPolicy = .everything) {
        self.reach = reach
        self.policy = policy
    }

    /// Whether an address may be connected to.
    ///
    /// - Parameter own: This machine's addresses.
    package func allows(_ address: IPAddress, own: [IPAddress]) -> Bool {
        policy.ranges.contains { $0.contains(address) } || reach.allows(address, own: own)
    }
}
