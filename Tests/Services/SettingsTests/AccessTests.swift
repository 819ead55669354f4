import AudioTypes
import Glibc
import LineProtocol
import Settings
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
        let network = Listener(.tcp(host: nil, port: 1))
        let principal = Principal(try #require(IPAddress(client)), server: IPAddress(server), at: network)
        #expect(rules.permissions(of: principal) == (isAdmitted ? [.read, .player] : []))
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
        func permissions(_ text: String, at listener: Listener? = nil) throws -> Permissions {
            rules.permissions(of: Principal(try #require(IPAddress(text)), server: nil, at: listener ?? plain))
        }
        #expect(try permissions("192.168.2.1") == .read)
        #expect(try permissions("192.168.1.1") == .add)
        #expect(try permissions("192.168.1.5") == [])
        #expect(try permissions("10.0.0.1") == [])
        #expect(rules.permissions(of: Principal(nil, at: plain)) == .admin)
        let special = Listener(.tcp(host: nil, port: 2), permissions: .control)
        #expect(rules.permissions(of: Principal(nil, at: special)) == .control)
        #expect(try permissions("8.8.8.8", at: special) == .control)
    }

    /// The owner, and root, have everything through a Unix socket; others of this machine have not the server itself.
    @Test func theOwnerHasEverything() throws {
        var rules = AccessRules()
        let local = Listener(.unix(path: "/s", mode: 0o666))
        let owner = Principal(UnixPeer(uid: geteuid(), process: 1), at: local)
        let root = Principal(UnixPeer(uid: 0, process: 1), at: local)
        let other = Principal(UnixPeer(uid: 54_321, process: 1), at: local)
        let here = try #require(IPAddress("127.0.0.1"))
        let loopback = Principal(here, server: here, at: Listener(.tcp(host: "127.0.0.1", port: 6600)))
        #expect(rules.permissions(of: owner) == .all)
        #expect(rules.permissions(of: root) == .all)
        for client in [other, Principal(nil, at: local), loopback] {
            #expect(rules.permissions(of: client) == .anonymous)
            #expect(!rules.permissions(of: client).contains(.owner))
            #expect(rules.permissions(of: client).isSuperset(of: [.read, .add, .player, .control, .outputs]))
        }
        rules.anonymousPermissions = []
        #expect(rules.permissions(of: owner) == .all)
        #expect(rules.permissions(of: other) == [])
        rules.localPermissions = .read
        #expect(rules.permissions(of: owner) == .read)
    }

    /// Members of the service's group have everything but the server itself, however little others have.
    @Test func membersOfTheGroupHaveAllButTheServer() throws {
        var rules = AccessRules()
        rules.anonymousPermissions = .read
        rules.groupMembers = [54_321]
        let local = Listener(.unix(path: "/s", mode: 0o660))
        let member = Principal(UnixPeer(uid: 54_321, process: 1), at: local)
        let other = Principal(UnixPeer(uid: 54_322, process: 1), at: local)
        #expect(rules.permissions(of: member) == Permissions.all.subtracting(.owner))
        #expect(rules.permissions(of: member, isNamed: true) == .read)
        #expect(rules.permissions(of: other) == .read)
        #expect(rules.permissions(of: Principal(nil, at: local)) == .read)
        let listener = Listener(.unix(path: "/t", mode: 0o660), permissions: .player)
        #expect(rules.permissions(of: Principal(UnixPeer(uid: 54_321, process: 1), at: listener)) == .player)
        rules.localPermissions = .control
        #expect(rules.permissions(of: member) == .control)
        // Only Unix sockets tell who a client is.
        let here = try #require(IPAddress("127.0.0.1"))
        #expect(rules.permissions(of: Principal(here, server: here, at: listener)) == .player)
    }

    @Test func theGroupComesFromTheSurroundings() throws {
        var environment = service
        environment.groupMembers = [1_000, 1_001]
        let loaded = try Configuration.parse("anonymous-permissions = \"read\"", file: "/x.toml", in: environment)
        #expect(loaded.configuration.access.groupMembers == [1_000, 1_001])
    }

    /// A password counts for as long as it is one.
    @Test func passwordsCanBeTakenBack() throws {
        var rules = AccessRules()
        rules.passwords = [Password("secret", permissions: .control)]
        var client = Principal(
            try #require(IPAddress("192.0.2.1")),
            server: nil,
            at: Listener(.tcp(host: nil, port: 1))
        )
        client.password = "secret"
        #expect(rules.permissions(of: client) == .control)
        rules.passwords = [Password("secret", permissions: .read)]
        #expect(rules.permissions(of: client) == .read)
        rules.passwords = [Password("other", permissions: .control)]
        #expect(rules.permissions(of: client) == [])
    }

    /// Ranges in IPv6's form of IPv4 addresses are about the same clients as in their own.
    @Test(arguments: [
        ("::ffff:192.168.1.0/120", "192.168.1.7", true), ("::ffff:192.168.1.0/120", "192.168.2.7", false),
        ("::ffff:192.168.1.7", "::ffff:192.168.1.7", true), ("192.168.1.0/24", "::ffff:192.168.1.7", true),
        ("::ffff:0:0/96", "8.8.8.8", true), ("::ffff:0:0/96", "2001:db8::1", false),
    ])
    func mappedAddressesMatch(range: String, address: String, isIn: Bool) throws {
        let address = try #require(IPAddress(address))
        #expect(try #require(AddressRange(range)).contains(address) == isIn)
        #expect(Principal(address, server: nil, at: Listener(.tcp(host: nil, port: 1))).name == address.description)
        #expect(!address.description.contains("ffff"))
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

    @Test(arguments: [
        "", "1.2.3", "1.2.3.4/33", "::ffff:1.2.3.4/95", "::1/129", "fd00::/-1", "host", "1.2.3.4/", "1.2.3.4/x",
    ])
    func otherRangesAreRefused(text: String) { #expect(AddressRange(text) == nil) }

    @Test(
        arguments: [
            ("read", Permissions.read), ("read, add", [.read, .add, .network]), ("all", .all), ("none", []), ("", []),
            ("admin,control,player,add,read", .all), ("read,add,no-network", [.read, .add]),
            ("no-network,add", .add), ("all,no-network", Permissions.all.subtracting(.network)),
            ("read,network", [.read, .network]), ("no-network", []),
            ("outputs", .outputs), ("owner", .owner), ("outputs,owner", .admin),
        ] as [(String, Permissions)]
    )
    func permissionsReadTheirNames(text: String, value: Permissions) {
        #expect(Permissions(parsing: text) == value)
        #expect(Permissions(parsing: value.description) == value)
    }

    @Test(arguments: ["write", "read write", "Read"])
    func otherPermissionsAreRefused(text: String) { #expect(Permissions(parsing: text) == nil) }
}
