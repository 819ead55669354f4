import Configuration
import LineProtocol
import Testing

@Suite struct AccessTests {
    /// Who needs no password, the client's address, this machine's, and whether it may do anything.
    @Test(arguments: [
        (AnonymousAccess.loopback, "127.0.0.1", "127.0.0.1", true),
        (.loopback, "::1", "::1", true),
        (.loopback, "::ffff:127.0.0.1", "::ffff:127.0.0.1", true),
        (.loopback, "192.168.1.2", "192.168.1.1", false),
        (.lan, "127.0.0.1", "127.0.0.1", true),
        (.lan, "192.168.1.2", "192.168.1.1", true),
        (.lan, "::ffff:10.1.2.3", "::ffff:10.1.2.1", true),
        (.lan, "172.31.0.1", "172.16.0.1", true),
        (.lan, "172.32.0.1", "172.16.0.1", false),
        (.lan, "fe80::1%eth0", "fe80::2", true),
        (.lan, "fd12::1", "fd12::2", true),
        (.lan, "2001:db8:1:2::5", "2001:db8:1:2::1", true),
        (.lan, "2001:db8:1:3::5", "2001:db8:1:2::1", false),
        (.lan, "8.8.8.8", "192.168.1.1", false),
        (.any, "8.8.8.8", "192.168.1.1", true),
    ])
    func anonymousClientsAreToldApart(who: AnonymousAccess, client: String, server: String, isAdmitted: Bool) throws {
        var rules = AccessRules()
        rules.allowAnonymous = who
        rules.anonymousPermissions = [.read, .player]
        let origin = ClientOrigin.network(try #require(IPAddress(client)), server: IPAddress(server))
        let permissions = rules.permissions(of: origin, at: Listener(.tcp(host: nil, port: 1)))
        #expect(permissions == (isAdmitted ? [.read, .player] : []))
    }

    @Test func theNarrowestRuleCounts() throws {
        var rules = AccessRules()
        rules.localPermissions = .admin
        rules.hosts = [
            HostRule(try #require(AddressRange("192.168.0.0/16")), permissions: .read),
            HostRule(try #require(AddressRange("192.168.1.0/24")), permissions: .add),
            HostRule(try #require(AddressRange("192.168.1.5")), permissions: []),
        ]
        let plain = Listener(.tcp(host: nil, port: 1))
        func permissions(_ text: String) throws -> Permissions {
            rules.permissions(of: .network(try #require(IPAddress(text))), at: plain)
        }
        #expect(try permissions("192.168.2.1") == .read)
        #expect(try permissions("192.168.1.1") == .add)
        #expect(try permissions("192.168.1.5") == [])
        #expect(try permissions("10.0.0.1") == [])
        #expect(rules.permissions(of: .unix, at: plain) == .admin)
        let special = Listener(.tcp(host: nil, port: 2), permissions: .control)
        #expect(rules.permissions(of: .unix, at: special) == .control)
        #expect(rules.permissions(of: .network(try #require(IPAddress("8.8.8.8"))), at: special) == .control)
    }

    @Test func passwordsMatchWholly() {
        var rules = AccessRules()
        rules.passwords = [Password("secret", permissions: .read), Password("s", zone: "kitchen")]
        #expect(rules.password(matching: "secret")?.permissions == .read)
        #expect(rules.password(matching: "s")?.zone == "kitchen")
        for wrong in ["", "secre", "secrets", "Secret", "ss", "secretsecret"] {
            #expect(rules.password(matching: wrong) == nil, "\(wrong)")
        }
    }

    @Test(arguments: ["", "1.2.3", "1.2.3.4/33", "::1/129", "fd00::/-1", "host", "1.2.3.4/", "1.2.3.4/x"])
    func otherRangesAreRefused(text: String) { #expect(AddressRange(text) == nil) }

    @Test(
        arguments: [
            ("read", Permissions.read), ("read, add", [.read, .add]), ("all", .all), ("none", []), ("", []),
            ("admin,control,player,add,read", .all),
        ] as [(String, Permissions)]
    )
    func permissionsReadTheirNames(text: String, value: Permissions) {
        #expect(Permissions(parsing: text) == value)
        #expect(Permissions(parsing: value.description) == value)
    }

    @Test(arguments: ["write", "read write", "Read"])
    func otherPermissionsAreRefused(text: String) { #expect(Permissions(parsing: text) == nil) }
}
