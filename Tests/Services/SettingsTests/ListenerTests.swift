import LineProtocol
import Settings
import Testing
import ValueText

@Suite struct ListenerTests {
    static let everything = """
        listen = [
            "unix:run/socket",   # beside the file
            "@segue",
            'tcp::6601 = kitchen',
            { address = "tcp:[::1]:6602", permissions = ["read"] },
            { address = "unix:/run/segue/party", mode = "0660", zone = "kitchen" },
        ]
        [[zone]]
        name = "kitchen"
        [[host]]
        address = "192.168.7.0/24"
        permissions = "read"
        """

    @Test func listenersSayWhatIsSpecial() throws {
        #expect(
            try parse(Self.everything).listeners == [
                Listener(.unix(path: "/nonexistent/here/run/socket", mode: 0o600)),
                Listener(.abstract(name: "segue")),
                Listener(.tcp(host: nil, port: 6601), zone: "kitchen"),
                Listener(.tcp(host: "::1", port: 6602), permissions: .read),
                Listener(.unix(path: "/run/segue/party", mode: 0o660), zone: "kitchen"),
            ]
        )
    }

    @Test(arguments: [
        ("unix:/a/b", "unix:/a/b"), ("/a/b", "unix:/a/b"), ("unix:/a=b", "unix:/a=b"), ("unix:/a = z", "unix:/a = z"),
        ("@name", "@name"), ("unix:@name", "@name"), ("tcp:127.0.0.1:6600", "tcp:127.0.0.1:6600"),
        ("tcp::6600", "tcp::6600"), ("tcp:6600", "tcp::6600"), ("tcp:any:6600", "tcp::6600"),
        ("tcp:*:6600", "tcp::6600"), ("tcp:[::1]:6600", "tcp:[::1]:6600"), ("tcp:music.lan:1", "tcp:music.lan:1"),
        ("tls::6601", "tls::6601"), ("tls:any:6601", "tls::6601"), ("tls:[::1]:1=kitchen", "tls:[::1]:1 = kitchen"),
        ("tls:127.0.0.1:6601", "tls:127.0.0.1:6601"),
        ("tcp::6601=kitchen", "tcp::6601 = kitchen"), (" tcp::6601  =  my zone ", "tcp::6601 = my zone"),
    ])
    func listenersReadAsTheyAreWritten(text: String, spelled: String) throws {
        #expect(try Listener(parsing: text).description == spelled)
    }

    @Test(arguments: [
        "", "unix:", "unix:/a/", "@", "tcp:", "tcp::", "tcp::0", "tcp::65536", "tcp:host", "tcp:::1:6600",
        "tcp:[x]:6600", "tls:", "tls::0", "tls:host", "tls:///a:1:2", "tcp:a b:6600", "tcp::6600=", "udp::6600",
        "relative",
        "unix:" + String(repeating: "x", count: 108),
    ])
    func otherListenersAreRefused(text: String) {
        #expect(throws: ArgumentProblem.self) { try Listener(parsing: text) }
    }

    @Test(arguments: [
        ("tcp::1", true), ("tcp:127.0.0.2:1", false), ("tcp:localhost:1", false), ("tcp:[::1]:1", false),
        ("tcp:[::]:1", true), ("tls::1", true), ("tls:127.0.0.1:1", false), ("tcp:0.0.0.0:1", true),
        ("tcp:192.168.0.2:1", true), ("unix:/a", false), ("@a", false),
    ])
    func whatIsOpenToTheNetworkIsKnown(text: String, isOpen: Bool) throws {
        #expect(try Listener.Address(parsing: text).isOpenToNetwork == isOpen)
    }
}
