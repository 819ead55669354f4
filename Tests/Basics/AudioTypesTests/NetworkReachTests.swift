import AudioTypes
import Testing

/// What is fetched for a client of the network is what it could have fetched itself.
@Suite struct NetworkReachTests {
    /// Of a client that came by an interface with 192.168.1.5/24 and fd00:1::5/64, on a machine that has other addresses.
    private let reach = NetworkReach(networks: ["192.168.1.0/24", "fd00:1::/64"].compactMap { AddressRange($0) })
    private let own = ["127.0.0.1", "192.168.1.5", "fd00:1::5", "172.17.0.1", "1.2.3.4", "2a00::5"].compactMap {
        IPAddress($0)
    }

    @Test(arguments: [
        "93.184.216.34", "8.8.8.8", "192.168.1.1", "192.168.1.5", "192.168.1.255", "fd00:1::1", "fd00:1::5", "2a00::1",
        "2606:2800:220:1:248:1893:25c8:1946", "::ffff:8.8.8.8", "64:ff9b::808:808", "2002:808:808::1",
        "64:ff9b::192.168.1.9", "172.32.0.1", "100.128.0.1", "198.20.0.1", "223.255.255.255",
    ])
    func whatAClientCouldFetchIsAllowed(text: String) throws {
        #expect(reach.allows(try #require(IPAddress(text)), own: own))
    }

    @Test(arguments: [
        // This machine, by whatever name.
        "127.0.0.1", "127.255.255.254", "0.0.0.0", "0.1.2.3", "::", "::1", "::ffff:127.0.0.1", "::127.0.0.1",
        "64:ff9b::7f00:1", "2002:7f00:1::", "2002:0:0::1", "1.2.3.4", "2a00::5", "172.17.0.1",
        // Link-local, multicast and unspecified addresses.
        "169.254.169.254", "fe80::1", "febf::1", "64:ff9b::a9fe:a9fe", "224.0.0.1", "239.255.255.250", "ff02::1",
        "240.0.0.1", "255.255.255.255",
        // Other networks that are not public.
        "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.2.1", "192.168.0.255", "100.64.0.1", "100.127.255.255",
        "192.0.0.8", "192.0.2.1", "192.88.99.1", "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1",
        "fc00::1", "fd00:2::1", "fd00:1:0:1::1", "fec0::1", "64:ff9b:1::808:808", "100::1", "2001:db8::1", "2001::1",
        "2001:20::1", "3fff::1", "4000::1", "2002:a00:1::1", "::a00:1",
    ])
    func whatItCouldNotIsNot(text: String) throws {
        #expect(!reach.allows(try #require(IPAddress(text)), own: own))
        #expect(NetworkReach.anywhere.allows(try #require(IPAddress(text)), own: own))
    }

    @Test func aNetworkOfItsOwnNeverHoldsThisMachinesLoopback() throws {
        let wide = NetworkReach(networks: ["0.0.0.0/0", "::/0"].compactMap { AddressRange($0) })
        for text in ["127.0.0.1", "169.254.1.1", "::1", "fe80::1", "0.0.0.0"] {
            #expect(!wide.allows(try #require(IPAddress(text)), own: []), "\(text)")
        }
    }

    @Test(arguments: [
        ("anywhere", "anywhere", "anywhere"), ("anywhere", "public", "public"), ("10.0.0.0/8", "public", "public"),
        ("10.0.0.0/8", "10.1.0.0/16", "10.1.0.0/16"), ("10.1.0.0/16,fd00::/8", "10.0.0.0/8", "10.1.0.0/16"),
        ("10.0.0.0/8", "11.0.0.0/8", "public"), ("10.0.0.0/8", "10.0.0.0/8", "10.0.0.0/8"),
        ("10.0.0.0/8,fd00:1::/64", "fd00::/8,10.0.0.0/8", "10.0.0.0/8,fd00:1::/64"),
    ])
    func theNarrowerOfTwoIsWhatBothAllow(one: String, other: String, both: String) throws {
        let (first, second) = (try #require(NetworkReach(text: one)), try #require(NetworkReach(text: other)))
        #expect(first.narrowed(to: second).text == both)
        #expect(Set(second.narrowed(to: first).text.split(separator: ",")) == Set(both.split(separator: ",")))
    }

    @Test(arguments: ["", "everywhere", "10.0.0.0/33", "10.0.0.0/8,", "10.0.0.0/8,x", "Public"])
    func otherTextsAreNoReach(text: String) { #expect(NetworkReach(text: text) == nil) }

    @Test func aTextOfTooManyNetworksIsNone() {
        #expect(NetworkReach(text: Array(repeating: "10.0.0.0/8", count: 17).joined(separator: ",")) == nil)
        #expect(
            NetworkReach(networks: (0..<40).compactMap { AddressRange("10.\($0).0.0/16") }).text.split(separator: ",")
                .count == 16
        )
    }

    @Test func policiesTrustWhatTheyName() {
        var policy = NetworkPolicy()
        policy.hosts = ["nas"]
        policy.ranges = ["127.0.0.1", "fd00::/8"].compactMap { AddressRange($0) }
        for host in ["nas", "127.0.0.1", "[fd00::1]", "fd00::1"] { #expect(policy.trusts(host: host), "\(host)") }
        for host in ["nas.evil", "127.0.0.2", "localhost", "[fe80::1]", ""] {
            #expect(!policy.trusts(host: host), "\(host)")
        }
        for scheme in ["http", "https", "rtsp", "srt"] { #expect(policy.permits(scheme: scheme)) }
        for scheme in ["sftp", "ftp", "gopher", "udp", "rtp", "tcp", "file", "listen"] {
            #expect(!policy.permits(scheme: scheme), "\(scheme)")
        }
    }
}
