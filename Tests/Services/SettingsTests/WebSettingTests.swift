import ArgumentParser
import AudioTypes
import LineProtocol
import Settings
import Testing

/// `[web]`, and the options that go with it.
@Suite struct WebSettingTests {
    static let everything = """
        [web]
        listen = ["tcp::6680"]
        names = ["Music.Example.net", "203.0.113.9", "2001:db8::1"]
        origins = ["https://App.example.net", "http://[::1]:8080"]
        proxies = ["127.0.0.1", "10.0.0.0/8", "uid 33"]
        metrics = true
        """

    @Test("addresses are those of listen, and the default ones are for this machine")
    func listeners() throws {
        #expect(try parse("").web.listeners == nil)
        #expect(try parse("").webListeners.map { "\($0)" } == ["tcp:127.0.0.1:6680", "tcp:[::1]:6680"])
        #expect(try parse("[web]\nnames = []").web.listeners == nil)
        #expect(try parse("[web]\nlisten = []").webListeners == [])
        let text = """
            [web]
            listen = ["tcp::6680 = kitchen", { address = "unix:web", mode = "0660", permissions = ["read"] }]
            """
        let listeners = try parse(text).webListeners
        #expect(listeners.map { "\($0)" } == ["tcp::6680 = kitchen", "unix:/nonexistent/here/web"])
        #expect(
            listeners[1].permissions == .read
                && listeners[1].address == .unix(path: "/nonexistent/here/web", mode: 0o660)
        )
        #expect(try parse(text).zones.map(\.name).contains("kitchen"))
        let twice = "listen = \"tcp:127.0.0.1:6600\"\n[web]\nlisten = \"tcp:127.0.0.1:6600\""
        #expect(remarks(twice).contains { $0.contains("tcp:127.0.0.1:6600") && $0.contains("is given twice") })
        #expect(
            remarks("[web]\nlisten = \"tcp::6680\"").contains {
                $0.contains("clients of other machines may do nothing")
            }
        )
    }

    @Test("an option for MPD's listeners opens no others")
    func options() throws {
        func listeners(_ words: [String]) throws -> [String] {
            let options = try DaemonOptions.parse(words)
            return try Configuration.load(options, in: person).configuration.webListeners.map { "\($0)" }
        }
        let usual = ["tcp:127.0.0.1:6680", "tcp:[::1]:6680"]
        #expect(try listeners([]) == usual)
        #expect(try listeners(["--listen", "tcp:127.0.0.1:6601"]) == [])
        #expect(try listeners(["--web-listen", "none"]) == [])
        let own = ["--web-listen", "tcp::80", "--web-listen", "unix:web"]
        #expect(try listeners(own + ["--listen", "@x"]) == ["tcp::80", "unix:/nonexistent/here/web"])
        #expect(throws: (any Error).self) { try DaemonOptions.parse(["--web-listen", "80"]) }
    }

    @Test("names, origins and proxies")
    func values() throws {
        let web = try parse(Self.everything).web
        let addresses = ["203.0.113.9", "2001:db8::1"].map { HostAndPort.Host.address(IPAddress($0)!) }
        #expect(web.names == Set(addresses + [.name("music.example.net")]))
        #expect(Set(web.origins.map(\.text)) == ["https://app.example.net", "http://[::1]:8080"])
        #expect(try web.hasMetrics && !parse("").web.hasMetrics)
        #expect(web.proxies.users == [33])
        #expect(web.proxies.contain(IPAddress("10.1.2.3")!) && !web.proxies.contain(IPAddress("11.1.2.3")!))
    }

    @Test(
        "what is none of them is refused",
        arguments: [
            "names = [\"a b\"]", "names = [\"music.example.net:80\"]", "names = [\"*\"]", "names = [\"http://x\"]",
            "names = [1]",
            "origins = [\"*\"]", "origins = [\"null\"]", "origins = [\"app.example.net\"]",
            "origins = [\"https://x/\"]",
            "origins = [\"https://x?\"]", "origins = [\"ftp://x\"]", "proxies = [\"nginx\"]", "proxies = [\"uid\"]",
            "proxies = [\"uid -1\"]", "proxies = [\"uid 99999999999\"]", "proxies = \"127.0.0.1/40\"", "port = 80",
            "metrics = 1", "metrics = \"yes\"",
        ]
    )
    func faults(line: String) {
        #expect(throws: (any Error).self) { try parse("[web]\n\(line)") }
    }

    @Test(
        "the hosts of requests",
        arguments: [
            ("localhost", "localhost"), ("LocalHost.:80", "localhost.:80"), ("127.0.0.1:1", "127.0.0.1:1"),
            ("[::1]", "[::1]"),
            ("[2001:DB8::1]:443", "[2001:db8::1]:443"),
        ]
    )
    func hosts(word: String, text: String) { #expect(HostAndPort(word)?.description == text) }

    @Test(
        "what is no host",
        arguments: [
            "", ":80", "a:", "a:b", "a:65536", "::1", "[::1", "::1]", "[a]", "[127.0.0.1", "1.2.3", "1.2.3.4.5", "a..b",
            "a/b",
            "a b", "a@b", "a:1:2", String(repeating: "a", count: 301),
        ]
    )
    func noHosts(word: String) { #expect(HostAndPort(word) == nil) }
}
