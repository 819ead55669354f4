import AudioTypes
import Settings
import Testing

@testable import ServerCommands

/// The address by which a client that is invited opens the page.
@Suite struct PageAddressTests {
    private func address(
        _ listeners: [String],
        names: [String] = [],
        hasCertificate: Bool = false
    ) throws -> String? {
        var settings = WebSettings()
        settings.listeners = try listeners.map { Listener(try Listener.Address(parsing: $0)) }
        settings.names = Set(try names.map { try #require(HostAndPort.Host($0)) })
        return PageAddress(settings, machine: "192.168.1.5", hasCertificate: hasCertificate)?.text
    }

    @Test("one by which other machines reach it")
    func reachable() throws {
        #expect(PageAddress(WebSettings(), machine: "192.168.1.5", hasCertificate: false) == nil)
        #expect(try address([]) == nil)
        #expect(try address(["tcp:localhost:6680", "tcp:[::1]:6680", "unix:/run/web"]) == nil)
        #expect(try address(["tcp::6680"]) == "http://192.168.1.5:6680/")
        #expect(try address(["tcp:127.0.0.1:80", "tcp:0.0.0.0:80"]) == "http://192.168.1.5/")
        #expect(try address(["tls::443"]) == "https://192.168.1.5/")
        #expect(try address(["tcp:10.0.0.1:6680"]) == "http://10.0.0.1:6680/")
        #expect(try address(["tcp:[fd00::1]:6680"]) == "http://[fd00::1]:6680/")
    }

    /// A certificate that the server has made itself is one of which browsers warn.
    @Test("encrypted, where browsers take the certificate")
    func encrypted() throws {
        let both = ["tcp::6680", "tls::6681"]
        #expect(try address(both) == "http://192.168.1.5:6680/")
        #expect(try address(both, hasCertificate: true) == "https://192.168.1.5:6681/")
    }

    @Test("a name that the owner gives, before an address")
    func names() throws {
        #expect(try address(["tcp::6680"], names: ["203.0.113.9"]) == "http://203.0.113.9:6680/")
        #expect(try address(["tcp::6680"], names: ["203.0.113.9", "pi.example.org"]) == "http://pi.example.org:6680/")
        // A proxy's name, where the server listens for nobody else.
        #expect(try address(["unix:/run/web"], names: ["pi.example.org"]) == "https://pi.example.org/")
        #expect(try address(["tcp:127.0.0.1:6680"], names: ["203.0.113.9"]) == nil)
    }

    /// On this machine one that others use is used, too, because an invited browser is known there.
    @Test("for the owner's desktop")
    func here() throws {
        func address(_ listeners: [String]?, closed: [String] = []) throws -> String? {
            var configuration = Configuration(defaultsFor: .process)
            configuration.web.listeners = try listeners?.map { Listener(try Listener.Address(parsing: $0)) }
            return PageAddress(configuration, closed: try closed.map { try Listener.Address(parsing: $0) })?.text
        }
        #expect(try address(nil) == "http://127.0.0.1:6680/")
        #expect(try address(nil, closed: ["tcp:127.0.0.1:6680"]) == "http://[::1]:6680/")
        #expect(try address(nil, closed: ["tcp:127.0.0.1:6680", "tcp:[::1]:6680"]) == nil)
        #expect(try address([]) == nil)
        #expect(try address(["unix:/run/web"]) == nil)
        #expect(try address(["tls:localhost:443", "tcp:localhost:7000"]) == "http://localhost:7000/")
        #expect(try address(["tls:localhost:443"]) == nil)
        #expect(try address(["tcp:127.0.0.1:7000", "tcp:10.0.0.1:6680"]) == "http://10.0.0.1:6680/")
    }

    @Test("as the owner says")
    func words() {
        #expect(PageAddress("https://pi.example.org")?.link(to: "12ab") == "https://pi.example.org/#/join/12ab")
        #expect(PageAddress("http://pi:80/music/")?.text == "http://pi:80/music/")
        let wrong = [
            "", "http://", "http:///x", "ftp://pi/", "pi", "javascript:alert(1)", "https://pi/?x", "https://pi/#/x",
            "https://p i/", "https://pi/\n", "https://user@pi/", "https://pi/\"", "https://pi/ü",
            "https://pi/" + String(repeating: "x", count: 300),
        ]
        for word in wrong { #expect(PageAddress(word) == nil, "\(word)") }
    }
}
