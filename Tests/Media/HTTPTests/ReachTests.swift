import AudioTypes
import HTTP
import TestSupport
import TestThreads
import Testing
import Threads

/// For a client of the network, each address is checked before it is connected to.
@Suite(.blocking) struct ReachTests {
    /// Fetches for a client of another network, with what a configuration allows.
    private func fetch(_ url: String, _ allow: (inout NetworkPolicy) -> Void = { _ in }) -> Result<String, HTTPError> {
        var policy = NetworkPolicy()
        allow(&policy)
        var options = HTTPOptions()
        options.access = NetworkAccess(.networks([]), policy)
        let client = HTTPClient(options, interrupt: Interrupt()) { _ in }
        return Result { () throws(HTTPError) in
            String(decoding: try client.fetch(url, atMost: 1_000).bytes, as: UTF8.self)
        }
    }

    private func isRefused(_ result: Result<String, HTTPError>) -> Bool {
        guard case .failure(let error) = result, case .refused(let reason) = error.kind else { return false }
        return reason.contains("may not fetch from") && !error.isTemporary
    }

    @Test func thisMachineIsNotAsked() throws {
        let server = try HostileServer { $0.answer("200 OK", "text/plain", Array("secret".utf8)) }
        let port = server.port
        for host in [
            "127.0.0.1", "localhost", "127.1", "2130706433", "0x7f.1", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0",
        ] {
            #expect(isRefused(fetch("http://\(host):\(port)/a")), "\(host)")
        }
        #expect(server.state.current.requests.isEmpty)
    }

    @Test func whatIsAllowedIsFetched() throws {
        let server = try HostileServer { $0.answer("200 OK", "text/plain", Array("text".utf8)) }
        let (url, named) = (server.url("a/b?c"), "http://localhost:\(server.port)/a/b")
        #expect(fetch(url) { $0.ranges = [AddressRange("127.0.0.0/8")].compactMap(\.self) } == .success("text"))
        #expect(fetch(named) { $0.hosts = ["localhost"] } == .success("text"))
        #expect(fetch(url) { $0.prefixes = [server.url("a/")] } == .success("text"))
        #expect(isRefused(fetch(url) { $0.hosts = ["localhost"] }))
    }

    /// A rule's prefix is for what is below it on that very server.
    @Test(arguments: ["a/../secret", "a/%2e%2e/secret", "a/..%2fsecret", "secret", "a/..\\secret"])
    func aPrefixIsForWhatIsBelowIt(path: String) throws {
        let server = try HostileServer { $0.answer("200 OK", "text/plain", Array("secret".utf8)) }
        #expect(fetch(server.url(path)) { $0.prefixes = [server.url("a/")] } != .success("secret"))
        #expect(
            isRefused(
                fetch("http://127.0.0.1:\(server.port)/") { $0.prefixes = ["http://127.0.0.1:\(server.port / 10)"] }
            )
        )
        #expect(server.state.current.requests.isEmpty)
    }

    /// Each hop counts, also to the same server, whose connection may be open still.
    @Test func aRedirectionIsCheckedAsWell() throws {
        let secret = try HostileServer { $0.answer("200 OK", "text/plain", Array("secret".utf8)) }
        let server = try HostileServer { exchange in
            let target = exchange.path == "/a/here" ? "/secret" : secret.url("secret")
            exchange.answer("302 Found", headers: ["Location: \(target)"])
        }
        #expect(isRefused(fetch("http://localhost:\(server.port)/a") { $0.hosts = ["localhost"] }))
        #expect(isRefused(fetch(server.url("a/there")) { $0.prefixes = [server.url("a/")] }))
        #expect(isRefused(fetch(server.url("a/here")) { $0.prefixes = [server.url("a/")] }))
        #expect(secret.state.current.requests.isEmpty)
        #expect(!server.state.current.requests.contains { $0.contains("/secret") })
    }
}
