import AudioTypes
import HTTP
import TestSupport
import TestThreads
import Testing

/// Who is told what, and who is believed.
@Suite(.blocking) struct TrustTests {
    private static func options(_ headers: (String, String)...) -> HTTPOptions {
        var options = HTTPOptions()
        options.headers = headers.map { HTTPOptions.Header(name: $0.0, value: $0.1) }
        return options
    }

    /// The heads of the requests that a server gets, and one that sends on to it.
    private struct Hosts {
        let heads = Watched<[String]>([])
        let home: HostileServer
        let other: HostileServer

        init() throws {
            let heads = heads
            let other = try HostileServer { exchange in
                heads.withLock { $0.append(exchange.head) }
                exchange.answer("200 OK", "audio/mpeg", [1])
            }
            self.other = other
            home = try HostileServer { exchange in
                heads.withLock { $0.append(exchange.head) }
                switch exchange.path {
                case "/away": exchange.answer("302 Found", headers: ["Location: \(other.url("x"))"])
                case "/named":
                    exchange.answer("302 Found", headers: ["Location: http://you:word@127.0.0.1:\(other.port)/x"])
                case "/near": exchange.answer("302 Found", headers: ["Location: /x"])
                default: exchange.answer("200 OK", "audio/mpeg", [1])
                }
            }
        }

        func url(_ path: String) -> String { "http://m%65:sec%2Fret@127.0.0.1:\(home.port)/\(path)" }
    }

    private static let mine = "authorization: basic bWU6c2VjL3JldA=="
    private static let theirs = "authorization: basic eW91OndvcmQ="

    @Test(
        arguments: [
            ("x", [(mine, true)]), ("near", [(mine, true), (mine, true)]), ("away", [(mine, true), (nil, false)]),
            ("named", [(mine, true), (theirs, false)]),
        ] as [(String, [(String?, Bool)])]
    )
    func otherHostsAreToldNothing(path: String, expected: [(String?, Bool)]) async throws {
        let hosts = try Hosts()
        let url = hosts.url(path)
        let shown = try await onThread {
            let client = client(Self.options(("X-Key", "k"), ("User-Agent", "own")))
            return try client.open(url).head.url
        }
        #expect(!shown.contains("@"))
        let heads = hosts.heads.current
        try #require(heads.count == expected.count)
        for (head, (authorization, isHome)) in zip(heads, expected) {
            let lines = head.split(separator: "\r\n").map {
                $0.prefix { $0 != ":" }.lowercased() + $0.drop { $0 != ":" }
            }
            let found = lines.first { $0.hasPrefix("authorization:") }
            #expect(found == authorization.map { $0.replacing("basic", with: "Basic") })
            #expect(lines.contains("x-key: k") == isHome)
            #expect(lines.contains("user-agent: own") == isHome)
            #expect(lines.filter { $0.hasPrefix("user-agent:") }.count == 1)
        }
    }

    /// What belongs to a client's first host goes to it with later requests too, as those for segments.
    @Test func laterRequestsKnowTheirHost() async throws {
        let hosts = try Hosts()
        let (url, segment, foreign) = (hosts.url("x"), hosts.home.url("segment"), hosts.other.url("segment"))
        try await onThread {
            let client = client(Self.options(("X-Key", "k")))
            for url in [url, segment, foreign] { _ = try client.fetch(url, atMost: 10) }
        }
        let found = hosts.heads.current.map { ($0.contains("Basic"), $0.contains("X-Key")) }
        #expect(found.map(\.0) == [true, true, false])
        #expect(found.map(\.1) == [true, true, false])
    }

    @Test(arguments: [("X-A", "1\r\nX-Evil: 2"), ("X-A\r\nX-Evil", "2"), ("", "x"), ("X-A: b", "x"), ("X", "a\nb")])
    func headersAreLines(name: String, value: String) async throws {
        let hosts = try Hosts()
        let url = hosts.url("x")
        let found = try await onThread {
            failure { () throws(HTTPError) in try client(Self.options((name, value))).open(url) }
        }
        guard case .refused = found else {
            Issue.record("\(String(describing: found))")
            return
        }
        #expect(hosts.heads.current.isEmpty)
    }

    /// A cookie comes back to the host that has set it, for as long as a client lives.
    @Test func cookiesAreTold() async throws {
        let heads = Watched<[String]>([])
        let server = try HostileServer { exchange in
            heads.withLock { $0.append(exchange.head) }
            let port = exchange.head.lowercased().split(separator: "\r\n").first { $0.hasPrefix("host:") }?
                .split(separator: ":").last.map(String.init)
            switch (exchange.path, exchange.head.contains("Cookie: key=1")) {
            case ("/a", false): exchange.answer("302 Found", headers: ["Location: /a", "Set-Cookie: key=1; Path=/"])
            case ("/away", _): exchange.answer("302 Found", headers: ["Location: http://localhost:\(port ?? "")/x"])
            default: exchange.answer("200 OK", "audio/mpeg", [1])
            }
        }
        let url = "http://127.0.0.1:\(server.port)"
        try await onThread {
            let first = client()
            for path in ["a", "b", "away"] { _ = try first.open("\(url)/\(path)").rest() }
            _ = try client().open("\(url)/b").rest()
        }
        let told = heads.current.map { $0.contains("Cookie: ") }
        #expect(told == [false, true, true, true, false, false], "\(heads.current)")
    }

    @Test(.enabled(if: WebServer.missing.isEmpty))
    func aPasswordOpensWhatIsClosed() async throws {
        let server = try await WebServer.start(.closed("closed/", user: "me:a b/c"))
        let bytes = pattern(1000)
        try server.publish(bytes: bytes, as: "a.bin")
        let (right, wrong) = (
            server.url("closed/a.bin", user: "me:a%20b%2Fc"), server.url("closed/a.bin", user: "me:nonsense")
        )
        try await onThread {
            let body = try client().open(right).rest()
            #expect(body == bytes)
            let refusal = failure { () throws(HTTPError) in try client().open(wrong) }
            #expect(refusal == .status(401, "Unauthorized"))
        }
    }

    @Test(.enabled(if: WebServer.missing.isEmpty))
    func certificatesAreChecked() async throws {
        let server = try await WebServer.start(isSecure: true)
        let bytes = pattern(1000)
        try server.publish(bytes: bytes, as: "a.bin")
        let url = server.url("a.bin")
        try await onThread {
            let found = Result { () throws(HTTPError) in try client().open(url) }
            guard case .failure(let error) = found else {
                Issue.record("it was believed")
                return
            }
            #expect(error.domain == "TLS")
            #expect(!error.isTemporary)
            #expect(error.description.contains("--insecure"))
            var options = HTTPOptions()
            options.verifiesCertificates = false
            let body = try client(options).open(url).rest()
            #expect(body == bytes)
        }
    }

    /// A server that breaks off while the connection is being secured may be starting.
    @Test func aBrokenHandshakeIsTemporary() async throws {
        let relay = try HostileServer.silent()
        let mute = "https://127.0.0.1:\(relay.port)/"
        let plain = try Handshakes()
        let url = "https://127.0.0.1:\(plain.port)/"
        let errors = try await onThread {
            [url, mute].map { url in
                switch Result(catching: { () throws(HTTPError) in try client(.impatient()).open(url) }) {
                case .success: nil as HTTPError?
                case .failure(let error): error
                }
            }
        }
        for error in errors {
            #expect(error?.isTemporary == true, "\(String(describing: error))")
        }
    }
}
