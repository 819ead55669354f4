import Foundation
import TestSupport
import TestThreads
import Testing

/// The page behind Caddy, as segue-clients(7) has it: its examples are what runs here.
@Suite(
    .blocking,
    .enabled("caddy, curl or openssl is not installed") {
        ChildProcess.missing("caddy", "curl", "openssl").isEmpty
    }
)
struct WebProxyTests {
    private let (folder, server, caddy): (TemporaryFolder, Segued, ChildProcess)
    private let secure: UInt16
    private var page: String { "https://music.example.org:\(secure)" }

    init() async throws {
        folder = try TemporaryFolder()
        let (port, secure) = (try steadyPort(), try steadyPort())
        self.secure = secure
        let examples = try ManualPage.examples(in: "AWAY FROM HOME", of: "segue-clients.7")
        func example(_ word: String) throws -> String {
            try #require(examples.first { $0.contains(word) }).replacing("127.0.0.1:6680", with: "127.0.0.1:\(port)")
        }
        let own = "listen = [\"unix:\(folder.file("socket"))\"]\n"
        let output = "\n[[output]]\nname = \"here\"\ntype = \"null\"\n"
        server = try await Segued.start(
            .toml(own + example("proxies =") + output),
            in: folder,
            waitsForLibrary: false
        )
        try await waitForPort(port, of: server.process)
        // No authority of the internet's gives this test a certificate.
        let site = try example("reverse_proxy").replacing("{\n", with: "{\n    tls internal\n")
        let global = """
            {
                admin off
                auto_https disable_redirects
                skip_install_trust
                https_port \(secure)
                storage file_system "\(folder.file("caddy"))"
            }

            """
        let file = try folder.write("Caddyfile", global + site + "\n")
        caddy = try ChildProcess(
            "caddy",
            ["run", "--adapter", "caddyfile", "--config", file],
            environment: ["PATH": "/usr/bin:/bin", "HOME": folder.path]
        )
        try await waitForPort(secure, of: caddy)
        // It listens before it has a certificate.
        try wait(for: "Caddy's certificate") { (try? curl("/")) != nil }
    }

    /// The certificate that Caddy has signed its own with.
    private var authority: String { folder.file("caddy/pki/authorities/local/root.crt") }

    /// - Returns: The response with its head.
    private func curl(_ path: String, _ fields: [String] = [], body: String? = nil) throws -> String {
        let words =
            ["-s", "-i", "--cacert", authority, "--max-time", "20"]
            + ["--resolve", "music.example.org:\(secure):127.0.0.1"]
            + fields.flatMap { ["-H", $0] } + (body.map { ["-d", $0, "-H", "Content-Type: application/json"] } ?? [])
        return try ChildProcess.run("curl", words + [page + path]).outputText
    }

    private static let whoAmI = #"{"jsonrpc":"2.0","id":1,"method":"pair.status"}"#

    @Test func anInvitedBrowserIsLetIn() async throws {
        defer { caddy.end() }
        let owner = try server.connect()
        #expect(try curl("/").hasPrefix("HTTP/2 200"))
        let stranger = try curl("/api", body: Self.whoAmI)
        #expect(stranger.contains(#""client":"127.0.0.1","state":"notDetermined""#), "\(stranger)")
        // The client's word on where it comes from is not the proxy's.
        let liar = try curl("/api", ["X-Forwarded-For: 10.1.2.3"], body: Self.whoAmI)
        #expect(!liar.contains("10.1.2.3"), "\(liar)")
        let invited = try owner.values("pairing invite anna page \(page)/ permissions add-only")
        let secret = try #require(invited["invitation"])
        #expect(invited["page"] == "\(page)/#/join/\(secret)")
        let own = "Origin: \(page)"
        let redeemed = try curl("/api/cookie", [own], body: #"{"invitation":"\#(secret)"}"#)
        let cookie = try #require(redeemed.firstMatch(of: /set-cookie: (__Host-segue=[^;]+);[^\r]*; Secure/)?.1)
        let known = try curl("/api", [own, "Cookie: \(cookie)"], body: Self.whoAmI)
        #expect(known.contains(#""client":"anna","state":"limited""#), "\(known)")
        let foreign = try curl("/api", ["Origin: https://other.example", "Cookie: \(cookie)"], body: Self.whoAmI)
        #expect(!foreign.contains("anna"), "\(foreign)")
        let socket = try await openSocket("Origin: \(page)\r\nCookie: \(cookie)")
        #expect(socket.hasPrefix("HTTP/1.1 101"), "\(socket)")
    }

    /// Opens a WebSocket and ends it.
    ///
    /// - Parameter fields: Further ones of the request.
    private func openSocket(_ fields: String) async throws -> String {
        let head = """
            GET /api/ws HTTP/1.1\r\nHost: music.example.org:\(secure)\r\n\(fields)\r\nConnection: Upgrade\r
            Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n
            """
        let words = ["s_client", "-quiet", "-verify_return_error", "-CAfile", authority]
        let client = try ChildProcess(
            "openssl",
            words + ["-connect", "127.0.0.1:\(secure)", "-servername", "music.example.org"],
            input: .live
        )
        client.write(Array(head.utf8))
        // Caddy 2.6 loses what comes with the request.
        try await client.waitForOutput("\r\n\r\n")
        let close: [UInt8] = [0x88, 0x80, 1, 2, 3, 4]
        client.write(close)
        return try await client.wait().outputText
    }
}
