import AudioTypes
import Authorization
import NIOHTTP1
import Settings
import Testing

@testable import WebRequests

/// The check that requests by HTTP pass, each of its rules by itself.
@Suite struct WebGateTests {
    private let server = IPAddress("192.168.1.5")
    private let phone = Principal(IPAddress("192.168.1.77")!, server: IPAddress("192.168.1.5"), at: listener)
    private static let listener = Listener(.tcp(host: nil, port: 6680))

    private func gate(_ change: (inout WebSettings) -> Void = { _ in }) -> WebGate {
        var settings = WebSettings()
        change(&settings)
        return WebGate(settings, machine: "Pi.example.org")
    }

    /// - Returns: The refusal's status; `nil` where the request passes.
    private func status(
        _ method: HTTPMethod,
        _ target: String,
        _ fields: KeyValuePairs<String, String>,
        version: HTTPVersion = .http1_1,
        at address: IPAddress?? = nil,
        in gate: WebGate? = nil
    ) -> UInt? {
        do throws(WebRefusal) {
            _ = try request(method, target, fields, version: version, at: address, in: gate)
            return nil
        } catch {
            return error.status.code
        }
    }

    private func request(
        _ method: HTTPMethod,
        _ target: String,
        _ fields: KeyValuePairs<String, String>,
        version: HTTPVersion = .http1_1,
        at address: IPAddress?? = nil,
        from client: Principal? = nil,
        in gate: WebGate? = nil
    ) throws(WebRefusal) -> WebRequest {
        let headers = HTTPHeaders(fields.map { ($0.key, $0.value) })
        let head = HTTPRequestHead(version: version, method: method, uri: target, headers: headers)
        return try (gate ?? self.gate()).admit(head, from: client ?? phone, at: address ?? server)
    }

    @Test("a secret that is none is wrong, and two are no request")
    func secrets() {
        for field in ["Bearer", "bearer ", "Bearer !", "Bearer eA"] {
            #expect(status(.GET, "/", ["Host": "pi", "Authorization": field]) == 401, "\(field)")
        }
        #expect(status(.GET, "/", ["Host": "pi", "Authorization": "Basic eDp5"]) == nil)
        #expect(status(.GET, "/", ["Host": "pi", "Authorization": "Basic eDp5", "authorization": "Basic eDp5"]) == 400)
    }

    @Test(
        "whether gzip is taken",
        arguments: [
            ("gzip", true), ("deflate, gzip;q=1.0, *;q=0.5", true), ("GZIP", true), ("x-gzip", true), ("*", true),
            ("", false), ("identity", false), ("gzip;q=0", false), ("gzip; q=0.0, *", false), ("*;q=0", false),
            ("br", false),
        ]
    )
    func codings(field: String, isTaken: Bool) {
        let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/", headers: ["Accept-Encoding": field])
        #expect(ContentCoding.takesGzip(head) == isTaken)
    }

    @Test(
        "the names that the server has",
        arguments: [
            "192.168.1.5", "192.168.1.5:6680", "localhost", "LOCALHOST:80", "pi", "pi.local", "Pi.Lan:6680",
            "pi.home.arpa",
            "pi.example.org", "pi.local.",
        ]
    )
    func ownNames(host: String) { #expect(status(.GET, "/health", ["Host": host]) == nil) }

    @Test(
        "other names are misdirected, whatever their origin",
        arguments: [
            "evil.test", "127.0.0.1", "192.168.1.6", "[::1]", "pi.evil.test", "xpi.local", "localhost.evil.test",
            "local",
        ]
    )
    func otherNames(host: String) {
        #expect(status(.GET, "/health", ["Host": host]) == 421)
        let fields: KeyValuePairs = ["Host": host, "Origin": "http://\(host)", "Content-Type": "application/json"]
        #expect(status(.POST, "/api", fields) == 421)
    }

    @Test("names and addresses that the owner gives")
    func givenNames() {
        let gate = gate { $0.names = [.name("music.example.net"), .address(IPAddress("203.0.113.9")!)] }
        #expect(status(.GET, "/health", ["Host": "Music.example.net:443"], in: gate) == nil)
        #expect(status(.GET, "/health", ["Host": "203.0.113.9"], in: gate) == nil)
        #expect(status(.GET, "/health", ["Host": "example.net"], in: gate) == 421)
    }

    @Test("each address is known by itself, and a Unix socket by loopback addresses")
    func addresses() {
        let local = IPAddress("::1")
        #expect(status(.GET, "/health", ["Host": "[::1]:6680"], at: local) == nil)
        #expect(status(.GET, "/health", ["Host": "127.0.0.1"], at: local) == 421)
        #expect(status(.GET, "/health", ["Host": "127.0.0.1"], at: .some(nil)) == nil)
        #expect(status(.GET, "/health", ["Host": "192.168.1.5"], at: .some(nil)) == 421)
    }

    @Test("requests without Host, with two, or with none that could be one")
    func missingHost() {
        #expect(status(.GET, "/health", [:]) == 400)
        #expect(status(.GET, "/health", [:], version: .http1_0) == nil)
        #expect(status(.HEAD, "/health", [:], version: .http1_0) == nil)
        #expect(status(.POST, "/api", ["Content-Type": "application/json"], version: .http1_0) == 400)
        #expect(status(.GET, "/health", ["Host": "pi", "host": "pi"]) == 400)
        for host in ["", "pi:", "pi:99999999", "a b", "pi/x", "[::1", "::1", "pi@evil"] {
            #expect(status(.GET, "/health", ["Host": host]) == 400, "\(host)")
        }
        // Both have to be the server's.
        #expect(status(.GET, "http://evil.test/health", ["Host": "pi"]) == 421)
        #expect(status(.GET, "http://pi/health", ["Host": "evil.test"]) == 421)
        #expect(status(.GET, "http://pi/health", ["Host": "pi"]) == nil)
    }

    @Test("requests that change something, and WebSockets, come from pages of the server or from none")
    func origins() {
        func post(_ origin: String, in gate: WebGate? = nil) -> UInt? {
            status(.POST, "/api", ["Host": "pi:6680", "Origin": origin, "Content-Type": "application/json"], in: gate)
        }
        #expect(status(.POST, "/api", ["Host": "pi:6680", "Content-Type": "application/json"]) == nil)
        #expect(post("http://pi:6680") == nil)
        #expect(post("https://pi:6680") == nil)
        for origin in [
            "null", "http://pi", "http://pi:6681", "http://evil.test", "http://localhost:6680", "pi:6680", "",
        ] {
            #expect(post(origin) == 403, "\(origin)")
            let fields = Self.upgrade(["Host", "pi:6680", "Origin", origin])
            #expect(refusal(fields) == 403, "\(origin)")
        }
        let gate = gate { $0.origins = [WebOrigin("https://app.example.org")!] }
        #expect(post("https://app.example.org", in: gate) == nil)
        #expect(post("http://app.example.org", in: gate) == 403)
        #expect(post("https://app.example.org:444", in: gate) == 403)
        // What changes nothing may be asked by any page, which cannot read it.
        #expect(status(.GET, "/health", ["Host": "pi", "Origin": "http://evil.test"]) == nil)
    }

    /// Of all the fields, a browser alone decides on these: a page of another site cannot leave them out.
    @Test("a cookie counts for the server's own pages alone")
    func cookies() throws {
        let cookie = "segue=anna.\(ClientToken().text)"
        func name(_ target: String, _ fields: KeyValuePairs<String, String>, in gate: WebGate? = nil) throws -> String?
        {
            let isCall = target.hasPrefix("/api")
            var all = [("Host", "pi:6680"), ("Cookie", cookie)] + fields.map { ($0.key, $0.value) }
            if isCall { all.append(("Content-Type", "application/json")) }
            let method: HTTPMethod = isCall ? .POST : .GET
            let head = HTTPRequestHead(version: .http1_1, method: method, uri: target, headers: HTTPHeaders(all))
            return try (gate ?? self.gate()).admit(head, from: phone, at: server).cookie?.name.text
        }
        let own: KeyValuePairs = ["Origin": "http://pi:6680"]
        #expect(try name("/api", own) == "anna")
        #expect(try name("/api", [:]) == nil, "no browser leaves the origin out")
        #expect(try name("/art/song?uri=x", [:]) == "anna")
        #expect(try name("/art/song?uri=x", own) == "anna")
        #expect(try name("/art/song?uri=x", ["Origin": "http://evil.test"]) == nil)
        for (site, isOwn) in [("same-origin", true), ("none", true), ("same-site", false), ("cross-site", false)] {
            #expect(try (name("/stream/kitchen.opus", ["Sec-Fetch-Site": site]) != nil) == isOwn, "\(site)")
        }
        // A page elsewhere may use the server, but as the address that it is shown at.
        let gate = gate { $0.origins = [WebOrigin("https://app.example.org")!] }
        #expect(try name("/api", ["Origin": "https://app.example.org"], in: gate) == nil)
        #expect(try name("/art/song?uri=x", ["Origin": "https://app.example.org"], in: gate) == nil)
    }

    @Test("cookies are given to the server's own pages alone")
    func cookieResource() {
        let type = ("Content-Type", "application/json")
        func status(_ method: HTTPMethod, _ fields: [(String, String)]) -> UInt? {
            let headers = HTTPHeaders([("Host", "pi")] + fields)
            let head = HTTPRequestHead(version: .http1_1, method: method, uri: "/api/cookie", headers: headers)
            do throws(WebRefusal) {
                _ = try gate().admit(head, from: phone, at: server)
                return nil
            } catch {
                return error.status.code
            }
        }
        #expect(status(.POST, [type, ("Origin", "http://pi")]) == nil)
        #expect(status(.DELETE, [("Origin", "http://pi")]) == nil)
        #expect(status(.POST, [type]) == 403 && status(.DELETE, []) == 403)
        #expect(status(.POST, [type, ("Origin", "http://evil.test")]) == 403)
        #expect(status(.POST, [("Content-Type", "text/plain"), ("Origin", "http://pi")]) == 415)
        #expect(status(.GET, [("Origin", "http://pi")]) == 405, "what messengers fetch changes nothing")
    }

    @Test("only pages that are allowed are told so")
    func preflights() throws {
        let gate = gate { $0.origins = [WebOrigin("https://app.example.org")!] }
        let fields: KeyValuePairs = ["Host": "pi", "Origin": "https://app.example.org"]
        let asked = try request(.OPTIONS, "/api", fields, in: gate)
        #expect(asked.isPreflight)
        #expect(asked.origin?.text == "https://app.example.org")
        #expect(status(.OPTIONS, "/api", ["Host": "pi", "Origin": "http://evil.test"], in: gate) == 403)
        #expect(status(.OPTIONS, "/api", ["Host": "pi"], in: gate) == 405)
        #expect(try request(.GET, "/health", ["Host": "pi", "Origin": "http://pi"], in: gate).origin == nil)
    }

    @Test(
        "a message is JSON, which no form can send",
        arguments: [
            "text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/json-rpc", "",
            "json",
        ]
    )
    func contentTypes(type: String) { #expect(status(.POST, "/api", ["Host": "pi", "Content-Type": type]) == 415) }

    @Test func contentTypesThatPass() {
        #expect(status(.POST, "/api", ["Host": "pi", "Content-Type": "Application/JSON; charset=utf-8"]) == nil)
        #expect(status(.POST, "/api", ["Host": "pi"]) == 415)
        let packed: KeyValuePairs = ["Host": "pi", "Content-Type": "application/json", "Content-Encoding": "gzip"]
        #expect(status(.POST, "/api", packed) == 415)
    }

    @Test("resources and their methods")
    func resources() {
        #expect(status(.GET, "/nothing", ["Host": "pi"]) == 404)
        #expect(status(.GET, "/api/", ["Host": "pi"]) == 404)
        #expect(status(.GET, "api", ["Host": "pi"]) == 400)
        #expect(status(.GET, "/api", ["Host": "pi"]) == 405)
        #expect(status(.DELETE, "/health", ["Host": "pi"]) == 405)
        #expect(status(.HEAD, "/", ["Host": "pi"]) == nil)
        #expect(status(.GET, "/api/ws", ["Host": "pi"]) == 426)
        #expect(status(.GET, "/health", ["Host": "pi", "X": String(repeating: "x", count: 9_000)]) == 431)
    }

    @Test("a zone in the address")
    func zones() throws {
        let type: KeyValuePairs = ["Host": "pi", "Content-Type": "application/json"]
        #expect(try request(.POST, "/api?zone=living%20room", type).zone == "living room")
        #expect(try request(.POST, "/api?a=b&zone=%C3%BC", type).zone == "ü")
        // As HTML's forms write it.
        #expect(try request(.POST, "/api?zone=living+room%2B", type).zone == "living room+")
        #expect(try request(.POST, "/api?zones=x", type).zone == nil)
        #expect(status(.POST, "/api?zone=%zz", type) == 400)
        #expect(status(.POST, "/api?zone=%ff", type) == 400)
    }

    // MARK: Upgrades

    private static func upgrade(_ changed: [String]) -> [(String, String)] {
        var fields = [
            ("Host", "pi"), ("Upgrade", "websocket"), ("Connection", "keep-alive, Upgrade"),
            ("Sec-WebSocket-Version", "13"),
            ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
        ]
        for index in stride(from: 0, to: changed.count, by: 2) {
            fields.removeAll { $0.0 == changed[index] }
            fields.append((changed[index], changed[index + 1]))
        }
        return fields
    }

    private func refusal(_ fields: [(String, String)]) -> UInt? {
        let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/api/ws", headers: HTTPHeaders(fields))
        do throws(WebRefusal) {
            _ = try gate().admit(head, from: phone, at: server)
            return nil
        } catch {
            return error.status.code
        }
    }

    @Test("an upgrade is one of RFC 6455")
    func upgrades() {
        #expect(refusal(Self.upgrade([])) == nil)
        #expect(refusal(Self.upgrade(["Upgrade", "h2c"])) == 426)
        #expect(refusal(Self.upgrade(["Connection", "keep-alive"])) == 426)
        #expect(refusal(Self.upgrade(["Sec-WebSocket-Version", "8"])) == 426)
        #expect(refusal(Self.upgrade(["Sec-WebSocket-Key", "dGhl"])) == 426)
        #expect(refusal(Self.upgrade(["Sec-WebSocket-Key", "~"])) == 426)
    }

    @Test("the answer to the key that RFC 6455 has as its example")
    func accept() { #expect(webSocketAccept(of: "dGhlIHNhbXBsZSBub25jZQ==") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=") }

    // MARK: Clients

    private func forwarding(
        _ fields: KeyValuePairs<String, String>,
        from client: Principal? = nil,
        by proxies: TrustedProxies = TrustedProxies()
    ) throws -> Forwarding {
        let headers = [("Host", "pi")] + fields.map { ($0.key, $0.value) }
        let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/", headers: HTTPHeaders(headers))
        return try gate { $0.proxies = proxies }.admit(head, from: client ?? phone, at: server).forwarding
    }

    @Test(
        "who is no trusted proxy and forwards a request is no local user",
        arguments: ["Forwarded", "X-Forwarded-For", "x-forwarded-proto", "X-Forwarded-Anything", "Via", "X-Real-IP"]
    )
    func strangersForward(field: String) throws {
        #expect(try forwarding([field: "127.0.0.1"]) == .unknown)
        let local = Principal(UnixPeer(uid: 0, process: 1), at: Self.listener)
        #expect(try forwarding([field: "127.0.0.1"], from: local) == .unknown)
        #expect(try forwarding([:], from: local) == .none)
    }

    @Test("a trusted proxy tells the last address that is not one")
    func proxiesForward() throws {
        let proxies = TrustedProxies(addresses: [AddressRange("192.168.1.0/24")!], users: [33])
        func last(_ text: String) throws -> Forwarding { try forwarding(["X-Forwarded-For": text], by: proxies) }
        #expect(try last("203.0.113.7") == .address(IPAddress("203.0.113.7")!))
        #expect(try last("127.0.0.1, 203.0.113.7") == .address(IPAddress("203.0.113.7")!))
        #expect(try last("127.0.0.1, 203.0.113.7,192.168.1.9") == .address(IPAddress("203.0.113.7")!))
        #expect(try last("192.168.1.8, 192.168.1.9") == .address(IPAddress("192.168.1.8")!))
        #expect(try last("[2001:db8::1]:4711") == .address(IPAddress("2001:db8::1")!))
        #expect(try last("203.0.113.7:80") == .address(IPAddress("203.0.113.7")!))
        #expect(try last("127.0.0.1, unknown") == .unknown)
        #expect(try last("") == .unknown)
        #expect(
            try forwarding(["X-Forwarded-For": "127.0.0.1", "x-forwarded-for": "203.0.113.7"], by: proxies)
                == .address(IPAddress("203.0.113.7")!)
        )
        // One that forwards without a word tells nothing.
        #expect(try forwarding([:], by: proxies) == .unknown)
        let nginx = Principal(UnixPeer(uid: 33, process: 1), at: Self.listener)
        #expect(
            try forwarding(["X-Forwarded-For": "203.0.113.7"], from: nginx, by: proxies)
                == .address(IPAddress("203.0.113.7")!)
        )
        let other = Principal(UnixPeer(uid: 34, process: 1), at: Self.listener)
        #expect(try forwarding(["X-Forwarded-For": "203.0.113.7"], from: other, by: proxies) == .unknown)
    }

    @Test("a name and a secret, in base64url")
    func claims() throws {
        func claim(_ field: String) throws -> String? {
            try request(.GET, "/", ["Host": "pi", "Authorization": field]).claim?.text
        }
        // phone:üüü?? needs both of the letters in which base64url differs.
        #expect(try claim("Bearer cGhvbmU6w7zDvMO8Pz8-") == "phone:üüü??>")
        #expect(try claim("bearer cGhvbmU6YWJj") == "phone:abc")
        #expect(try claim("Basic cGhvbmU6YWJj") == nil)
        for wrong in ["Bearer cGhvbmU", "Bearer ~", "Bearer OmFiYw", "Bearer //8"] {
            #expect(status(.GET, "/", ["Host": "pi", "Authorization": wrong]) == 401, "\(wrong)")
        }
    }

    @Test("a picture's address has the arguments of artwork")
    func pictures() throws {
        func picture(_ target: String) throws -> PictureRequest? { try request(.GET, target, ["Host": "pi"]).picture }
        let song = try picture("/art/song?uri=a%2Fb+c.flac&size=300&format=webp&version=0f")
        #expect(song?.subject == .init(type: "song", uri: "a/b c.flac"))
        #expect(song?.size == "300" && song?.format == "webp" && song?.version == "0f")
        let current = try picture("/art/current?uri=x")
        #expect(current != nil && current?.subject == nil && current?.size == "512" && current?.format == "jpeg")
        for type in ["file", "directory", "playlist", "filter"] {
            #expect(try picture("/art/\(type)?uri=")?.subject == .init(type: type, uri: ""))
        }
        #expect(try picture("/health") == nil)
        for wrong in ["/art/song", "/art/song?uri=a&uri=b", "/art/song?uri=%zz", "/art/song?uri=a&size=1&size=2"] {
            #expect(status(.GET, wrong, ["Host": "pi"]) == 400, "\(wrong)")
        }
        for wrong in ["/art", "/art/", "/art/album?uri=a", "/art/song/a.flac", "/art/Song?uri=a"] {
            #expect(status(.GET, wrong, ["Host": "pi"]) == 404, "\(wrong)")
        }
        #expect(status(.POST, "/art/song?uri=a", ["Host": "pi"]) == 405)
    }
}
