import Foundation
import Glibc
import TestSupport
import TestThreads
import Testing
import TextEncodings

/// Whose requests by HTTP are, and what these may do.
@Suite(.blocking, .enabled("the fixtures' tools are missing") { Music.missing.isEmpty })
struct WebRightsTests {
    private static let strict = "anonymous-permissions = \"read\""

    @Test("a Unix socket knows its users, and TCP none")
    func origins() async throws {
        let stage = try await WebStage("", Self.strict)
        #expect(try stage.connectAsOwner().call("clients.list") != .null)
        let other = try stage.connect()
        #expect(try other.call("status")["state"] == .string("stopped"))
        let refused = other.post(WebClient.request("clear"))
        #expect(refused.status == 200 && refused.json["error"]?["data"]?["ack"] == .integer(4))
        #expect(try stage.server.connect().values("audit why")["client"] == "127.0.0.1")
    }

    @Test("as another user", .enabled(if: getuid() == 0))
    func users() async throws {
        let stage = try await WebStage("", Self.strict)
        let client = try stage.connect(as: 65_534)
        #expect(throws: ClientError.self) { try client.call("clear") }
        try stage.server.connect().order("clients set uid:65534 permissions read,player")
        try client.call("clear")
    }

    @Test("a request has the rights of the client whose name and secret it carries, and the next one has not")
    func secrets() async throws {
        let stage = try await WebStage("", Self.strict)
        let remote = try stage.makeClient("remote", "permissions read,player")
        let guest = try stage.makeClient("guest", "permissions none")
        let client = try stage.connect()
        for _ in 0..<3 {
            try client.call("clear", "[]", ["Authorization": remote])
            #expect(throws: ClientError.self) { try client.call("clear") }
            #expect(throws: ClientError.self) { try client.call("status", "[]", ["Authorization": guest]) }
            #expect(try client.call("status")["state"] == .string("stopped"))
        }
        // Not the owner, although the one who connects is.
        let owner = try stage.connectAsOwner()
        #expect(throws: ClientError.self) { try owner.call("clients.list", "[]", ["Authorization": remote]) }
        #expect(try owner.call("clients.list") != .null)
    }

    @Test("a secret counts as long as its client has it")
    func changes() async throws {
        let stage = try await WebStage("", Self.strict)
        let old = try stage.makeClient("remote", "permissions read,player")
        let client = try stage.connect()
        let socket = try stage.connect()
        try client.call("clear", "[]", ["Authorization": old])
        try socket.openSocket(["Authorization": old])
        #expect(try socket.socketCall("clear") == .null)
        let new = try stage.makeClient("remote", "")
        #expect(client.post(WebClient.request("clear"), ["Authorization": old]).status == 401)
        #expect(throws: ClientError.self) { _ = try socket.socketCall("clear") }
        try client.call("clear", "[]", ["Authorization": new])
        try stage.server.connect().order("clients forget remote")
        let forgotten = client.post(WebClient.request("clear"), ["Authorization": new])
        #expect(forgotten.status == 401 && forgotten.fields["www-authenticate"] == "Bearer")
        #expect(client.ask("GET", "/api/ws", WebClient.upgrade.merging(["Authorization": new]) { $1 }).status == 401)
    }

    @Test("wrong secrets wait, longer and longer, and are refused in the end")
    func guesses() async throws {
        let stage = try await WebStage("", Self.strict)
        let right = try stage.makeClient("remote", "permissions read,player")
        let clients = try (0..<12).map { _ in try stage.connect() }
        for (number, client) in clients.enumerated() {
            client.send(
                "POST",
                "/api",
                ["Authorization": WebClient.bearer("remote:wrong\(number)")],
                body: WebClient.request("ping")
            )
        }
        // Each waits behind those before it; the ones that would wait for too long are refused at once.
        let last = try #require(clients.last)
        let refused = last.response()
        #expect(refused.status == 429 && refused.fields["retry-after"] == "32")
        #expect(clients[0].response().status == 401)
        // The right one, which is not remembered yet, has to wait like all from there; the owner comes from elsewhere.
        #expect(last.post(WebClient.request("ping"), ["Authorization": right]).status == 429)
        try stage.connectAsOwner().call("clear", "[]", ["Authorization": right])
        // Now it is known, and guesses hold up nobody.
        try last.call("clear", "[]", ["Authorization": right])
        #expect(stage.server.process.errorText.contains("a wrong password from 127.0.0.1"))
    }

    @Test("a secret is hashed once for a thousand requests")
    func rememberedSecrets() async throws {
        let stage = try await WebStage("", Self.strict)
        let secret = try stage.makeClient("remote", "permissions read")
        let client = try stage.connect()
        let before = stage.server.process.cpuSeconds
        for number in 0..<3 {
            let wrong = try stage.connectAsOwner()
            wrong.send(
                "POST",
                "/api",
                ["Authorization": WebClient.bearer("nobody\(number):x")],
                body: WebClient.request("ping")
            )
            #expect(wrong.response().status == 401)
        }
        let hashes = stage.server.process.cpuSeconds - before
        for _ in 0..<1_000 { client.send("POST", "/api", ["Authorization": secret], body: WebClient.request("ping")) }
        for _ in 0..<1_000 { #expect(client.response().status == 200) }
        let requests = stage.server.process.cpuSeconds - before - hashes
        // Three hashes took `hashes`; a thousand would take more than three hundred times as long.
        #expect(requests < hashes * 30, "\(requests) s for 1,000 requests, \(hashes) s for 3 hashes")
    }

    // MARK: Proxies

    @Test(
        "a request that someone forwards has no local user's rights",
        arguments: ["X-Forwarded-For", "Forwarded", "X-Forwarded-Proto", "Via"]
    )
    func strangersForward(field: String) async throws {
        let stage = try await WebStage("", Self.strict)
        for client in [try stage.connectAsOwner(), try stage.connect()] {
            let fields = [field: "127.0.0.1"]
            let status = client.post(WebClient.request("status"), fields)
            #expect(status.json["error"]?["data"]?["ack"] == .integer(4), "\(status)")
            // It is so for that request only.
            #expect(try client.call("status")["state"] == .string("stopped"))
            try client.openSocket(fields)
            #expect(throws: ClientError.self) { _ = try client.socketCall("status") }
        }
    }

    /// nginx in front of segued, at a port of its own.
    private func proxy(_ target: String, _ name: String) async throws -> WebServer {
        try await WebServer.start(
            WebServer.Place(
                "music/",
                [
                    "proxy_pass \(target);", "proxy_http_version 1.1;", "proxy_set_header Host \(name);",
                    "proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;",
                    "proxy_set_header Upgrade $http_upgrade;", "proxy_set_header Connection $http_connection;",
                ]
            )
        )
    }

    private func client(of proxy: WebServer) throws -> WebClient {
        let descriptor = try SocketAddress.ipv4(proxy.port).connect()
        return WebClient(LineClient(descriptor: descriptor, of: proxy), host: "127.0.0.1:\(proxy.port)")
    }

    @Test(
        "nginx forwards requests, and counts only where the owner says so",
        .enabled("nginx is missing") { WebServer.missing.isEmpty },
        arguments: [false, true]
    )
    func nginx(bySocket: Bool) async throws {
        let user = getuid() == 0 ? ServerUser.id : getuid()
        let trust = bySocket ? "uid \(user)" : "127.0.0.1"
        let settings = "anonymous-permissions = \"read\"\nlocal-permissions = \"all\""
        let tables = "[[host]]\naddress = \"203.0.113.7\"\npermissions = \"read,player\"\n"
        let trusting = try await WebStage("proxies = [\"\(trust)\"]", settings, tables: tables)
        let plain = try await WebStage("", settings, tables: tables)
        func forward(to stage: WebStage) async throws -> WebServer {
            if bySocket {
                return try await proxy("http://unix:\(stage.folder.file("web")):/", "localhost")
            }
            return try await proxy("http://127.0.0.1:\(stage.port)/", "127.0.0.1")
        }
        // The address that nginx has seen counts, and not what its client has said.
        let servers = [try await forward(to: trusting), try await forward(to: plain)]
        for (server, isTrusted) in zip(servers, [true, false]) {
            let client = try client(of: server)
            let spoofed = ["X-Forwarded-For": "203.0.113.7"]
            let clear = client.post(WebClient.request("clear"), spoofed, to: "/music/api")
            // Who comes from an address of a proxy is believed like one.
            let isBelieved = isTrusted && !bySocket
            #expect((clear.json["error"]?["data"]?["ack"] == .integer(4)) != isBelieved, "\(isTrusted): \(clear)")
            let status = client.post(WebClient.request("status"), to: "/music/api")
            #expect((status.json["result"] != nil) == isTrusted, "\(status)")
            // Its client is nobody local to the socket, although nginx is.
            let list = client.post(WebClient.request("clients.list"), to: "/music/api")
            #expect(list.json["error"]?["data"]?["ack"] == .integer(4))
            try client.openSocket(at: "/music/api/ws")
            client.sendMessage(WebClient.request("status"))
            #expect((try client.message().json["result"] != nil) == isTrusted)
            // The page names its files by relative addresses, so they are below the same path.
            let browser = try self.client(of: server)
            let text = browser.ask("GET", "/music/").body
            let file = try #require(text.firstMatch(of: /src="(page\/[^"]+\.js)"/)?.1)
            #expect(browser.ask("GET", "/music/\(file)").fields["content-type"]?.hasPrefix("text/javascript") == true)
        }
        withExtendedLifetime((trusting, plain)) {}
    }
}
