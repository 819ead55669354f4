import Cryptography
import Foundation
import Glibc
import TestSupport
import TestThreads
import Testing

/// Encrypted listeners, with OpenSSL, the built `segue` and python-mpd2 as clients.
@Suite(
    .blocking,
    .enabled("the fixtures' tools or openssl are missing") { (Music.missing + ChildProcess.missing("openssl")).isEmpty }
)
struct EncryptionTests {
    private let (folder, port, plain): (TemporaryFolder, UInt16, UInt16)

    init() throws {
        folder = try TemporaryFolder()
        (port, plain) = (try steadyPort(), try steadyPort())
    }

    private func start(_ settings: String = "", waitsForLibrary: Bool = false) async throws -> Segued {
        let listeners = ["tls:127.0.0.1:\(port)", "tcp:127.0.0.1:\(plain)", "unix:\(folder.file("socket"))"]
        let text = "listen = \(listeners)\n\(settings)\n[[output]]\nname = \"here\"\ntype = \"null\"\n"
        return try await Segued.start(.toml(text), in: folder, waitsForLibrary: waitsForLibrary)
    }

    // MARK: Clients

    /// What `status` and the end of a client's words bring by OpenSSL.
    private func openssl(_ options: String...) throws -> String {
        let arguments = ["s_client", "-connect", "127.0.0.1:\(port)", "-quiet", "-ign_eof"] + options
        let client = try ChildProcess("openssl", arguments, input: .bytes(Array("status\nclose\n".utf8)))
        let result = try client.waitBlocking()
        return result.outputText + result.errorText
    }

    /// Runs the built `segue`, whose own files are in a folder of the test.
    private func segue(_ words: String...) throws -> ChildProcess.Result {
        let program = try Segued.path().replacing(/segued$/, with: "segue")
        let host = ["SEGUE_HOST": "tls://127.0.0.1:\(port)"]
        return try ChildProcess(program, words, environment: environment.merging(host) { $1 }).waitBlocking()
    }

    private var environment: [String: String] {
        ["HOME": folder.path, "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "TZ": "UTC"]
    }

    private var known: String { folder.file(".config/segue/known-hosts") }

    private func log(_ server: Segued) -> String { server.process.errorText }

    // MARK: What is agreed on

    @Test func openSSLGetsWhatItAsksFor() async throws {
        let server = try await start()
        let reply = try openssl()
        #expect(reply.contains("OK MPD 0.24.0\n") && reply.contains("\nvolume: "))
        #expect(reply.contains("self-signed certificate"))
        let file = folder.file("state/tls-identity.pem")
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        withExtendedLifetime(server) {}
    }

    @Test func olderVersionsAreForThoseWhoAllowThem() async throws {
        let server = try await start()
        #expect(try openssl("-tls1_2").contains("alert protocol version"))
        try TestSupport.wait(for: "the reason in the log") {
            log(server).contains("no encrypted connection: unsupported protocol")
        }
        try await server.stop()
        let other = try await start("[tls]\noldest-version = \"1.2\"")
        #expect(try openssl("-tls1_2").contains("OK MPD 0.24.0\n"))
        #expect(try !openssl("-tls1_1", "-cipher", "ALL:@SECLEVEL=0").contains("OK MPD"))
        withExtendedLifetime(other) {}
    }

    /// Long replies come whole, and commands that are sent at once are answered in turn.
    @Test func longReplies() async throws {
        let server = try await start()
        let client = try server.connect()
        try client.order("stickernames")
        let value = String(repeating: "x", count: 3_000)
        for number in 0..<200 { try client.order("sticker set song one.flac n\(number) \(value)") }
        let shown = try segue("raw", "sticker", "list", "song", "one.flac")
        #expect(shown.outputText.utf8.count > 600_000 && shown.status == .code(0), "\(shown.errorText)")
    }

    // MARK: Whose certificate

    @Test func aServerIsRememberedAndAnotherOneRefused() async throws {
        let server = try await start()
        let first = try segue("status")
        #expect(first.status == .code(0) && first.errorText.contains("first connection to tls://127.0.0.1:\(port)"))
        let mode = try FileManager.default.attributesOfItem(atPath: known)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(try segue("status").errorText == "")
        try await server.stop()
        try FileManager.default.removeItem(atPath: folder.file("state/tls-identity.pem"))
        let other = try await start()
        let refused = try segue("status")
        #expect(refused.status != .code(0) && refused.outputText == "")
        #expect(
            refused.errorText.contains("it has the certificate") && refused.errorText.contains("line 1 of \(known)")
        )
        try "".write(toFile: known, atomically: true, encoding: .utf8)
        #expect(try segue("status").status == .code(0))
        withExtendedLifetime(other) {}
    }

    /// A certificate that was renewed with the same key is the one that is known; a damaged one changes nothing.
    @Test func renewedCertificates() async throws {
        let (certificate, key) = (folder.file("c.pem"), folder.file("k.pem"))
        try sign(certificate, key)
        let server = try await start("[tls]\ncertificate = \"\(certificate)\"\nkey = \"\(key)\"")
        #expect(try segue("status").status == .code(0))
        let before = try serial()
        try ChildProcess.run("openssl", ["req", "-x509", "-key", key, "-subj", "/CN=new", "-out", certificate])
        server.process.kill(SIGHUP)
        try TestSupport.wait(for: "the new certificate") { try serial() != before }
        let again = try segue("status")
        #expect(again.status == .code(0) && again.errorText == "")
        let renewed = try serial()
        try "nothing".write(toFile: certificate, atomically: true, encoding: .utf8)
        server.process.kill(SIGHUP)
        try TestSupport.wait(for: "the complaint") {
            log(server).contains("\(certificate) has no certificate in PEM form")
        }
        #expect(try serial() == renewed)
    }

    @Test func expiredCertificatesAreToldOf() async throws {
        let made = try MadeCertificate(for: ["old"], now: 1_000_000_000)
        let file = try folder.write("old.pem", made.key + made.certificate)
        let server = try await start("[tls]\ncertificate = \"\(file)\"")
        #expect(
            try openssl("-verify_return_error").contains("certificate has expired") || openssl().contains("expired")
        )
        #expect(log(server).contains("the server's certificate is not valid any more"))
        // Who has its key is the one that is known, however old the certificate is.
        #expect(try segue("status").status == .code(0))
        let doctor = try segue("doctor").outputText
        #expect(doctor.contains("encryption: the server's certificate is ") && doctor.contains("as known before"))
        #expect(try server.connect().order("audit doors").contains(["state: closed", "reason: certificate"]))
        let soon = folder.file("soon.pem")
        try sign(soon, soon + ".key")
        try ChildProcess.run("sh", ["-c", "cat '\(soon).key' >> '\(soon)'; mv '\(soon)' '\(file)'"])
        server.process.kill(SIGHUP)
        let owner = try server.connect()
        try TestSupport.wait(for: "the other certificate") {
            try owner.order("audit doors").contains(["state: open", "reason: certificate", "days: 1"])
        }
    }

    @Test func aServerWithoutItsCertificateListensElsewhere() async throws {
        let server = try await start("[tls]\ncertificate = \"\(folder.file("nothing.pem"))\"")
        #expect(log(server).contains("cannot listen at tls:127.0.0.1:\(port): \(folder.file("nothing.pem"))"))
        try server.connect().order("ping")
    }

    // MARK: Clients' certificates

    @Test func aClientsCertificateIsItsName() async throws {
        let (authority, key) = (folder.file("ca.pem"), folder.file("ca-key.pem"))
        try sign(authority, key)
        let server = try await start("[tls]\nclient-ca = \"\(authority)\"")
        let owner = try server.connect()
        for (name, issuer) in [("tablet", authority), ("stranger", nil)] {
            let (own, request) = (folder.file("\(name).key"), folder.file("\(name).csr"))
            let certificate = folder.file("\(name).crt")
            try ChildProcess.run(
                "openssl",
                ["req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", own]
                    + ["-subj", "/CN=\(name)"] + (issuer == nil ? ["-x509", "-out", certificate] : ["-out", request])
            )
            guard issuer != nil else { continue }
            let signing = ["x509", "-req", "-in", request, "-CA", authority, "-CAkey", key, "-out", certificate]
            try ChildProcess.run("openssl", signing + ["-CAcreateserial", "-days", "2"])
        }
        try owner.order("clients set tablet permissions read")
        let pair = ["-cert", folder.file("tablet.crt"), "-key", folder.file("tablet.key")]
        #expect(try openssl(pair[0], pair[1], pair[2], pair[3]).contains("volume: "))
        let connected = try ChildProcess(
            "openssl",
            ["s_client", "-connect", "127.0.0.1:\(port)", "-quiet"] + pair,
            input: .live
        )
        try await connected.waitForOutput("OK MPD")
        #expect(try owner.values("clients show tablet")["permissions"] == "read")
        try owner.order("clients revoke tablet")
        connected.write("status\n")
        try await connected.waitForOutput("ACK [4@0]")
        #expect(try openssl(pair[0], pair[1], pair[2], pair[3]).contains("ACK [4@0]"))
        let wrong = try openssl("-cert", folder.file("stranger.crt"), "-key", folder.file("stranger.key"))
        #expect(!wrong.contains("OK MPD"))
        #expect(try openssl().contains("volume: "))
        // The thin client has its certificate in a file of its own.
        try owner.order("clients set tablet permissions read,add-only")
        _ = try segue("status")
        let both = try ["tablet.crt", "tablet.key"].map { try String(contentsOfFile: folder.file($0), encoding: .utf8) }
        try both.joined().write(toFile: folder.file(".config/segue/client.pem"), atomically: true, encoding: .utf8)
        #expect(try segue("raw", "clear").errorText.contains("you don't have permission"))
    }

    // MARK: Those who never finish

    @Test func slowHandshakesDisturbNobodyElse() async throws {
        let server = try await start(
            "[limits]\nmax-tls-handshakes = 20\nmax-tls-handshakes-per-address = 10\ntls-handshake-timeout = 10",
            waitsForLibrary: true
        )
        let (other, before) = (try server.connect(), try descriptors(server))
        var slow: [Int32] = []
        defer { for one in slow { close(one) } }
        for number in 0..<1_000 {
            let one = try SocketAddress.ipv4(port).connect()
            slow.append(one)
            // Nothing, the head of a record that never comes, or half of one.
            let start: [UInt8] = number % 3 == 0 ? [] : [0x16, 3, 1, 2, 0] + (number % 3 == 1 ? [] : [1, 0])
            _ = unsafe send(one, start, start.count, Int32(MSG_NOSIGNAL))
            if number % 100 == 0 { try other.order("ping") }
        }
        let status = try segue("status")
        #expect(status.status == .code(0), "\(status.errorText)")
        try other.order("status")
        try TestSupport.wait(for: "few handshakes") { try descriptors(server) <= before + 12 }
        try TestSupport.wait(for: "their end") { try descriptors(server) <= before }
        #expect(log(server).contains("limits.max-tls-handshakes"))
        #expect(try openssl().contains("volume: "))
    }

    @Test func halfOpenConnectionsEnd() async throws {
        let server = try await start("[limits]\ntls-handshake-timeout = 1", waitsForLibrary: true)
        let before = try descriptors(server)
        let clients = try (0..<3).map { _ in try SocketAddress.ipv4(port).connect() }
        shutdown(clients[0], Int32(SHUT_WR))
        _ = unsafe send(clients[1], "GET / HTTP/1.0\r\n\r\n", 18, Int32(MSG_NOSIGNAL))
        for client in clients {
            var byte: UInt8 = 0
            while unsafe recv(client, &byte, 1, 0) > 0 {}
            close(client)
        }
        try TestSupport.wait(for: "their end") { try descriptors(server) <= before }
    }

    // MARK: Stubs, and plain connections

    @Test(.enabled("python3-mpd is not installed") { Tools.missingForPython.isEmpty })
    func pythonByAStub() async throws {
        let server = try await start()
        let (program, socket) = (try Segued.path().replacing(/segued$/, with: "segue"), folder.file("stub"))
        let words = ["proxy", "--host", "tls://127.0.0.1:\(port)", "--listen", socket]
        let stub = try ChildProcess(program, words, environment: environment)
        try TestSupport.wait(for: "the stub") { FileManager.default.fileExists(atPath: socket) }
        let mode = try FileManager.default.attributesOfItem(atPath: socket)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let python = """
            import mpd, sys, threading, time
            c, d = mpd.MPDClient(), mpd.MPDClient()
            c.connect(sys.argv[1], None); d.connect(sys.argv[1], None)
            c.clear(); c.add("one.flac"); assert c.playlistinfo()[0]["file"] == "one.flac"
            seen = []
            def watch(): seen.extend(d.idle("options"))
            t = threading.Thread(target=watch); t.start(); time.sleep(0.2)
            c.repeat(1); t.join(10); assert seen == ["options"], seen
            assert len(c.listallinfo()) > 3
            c.close(); c.disconnect(); print("fine")
            """
        #expect(try ChildProcess.run(Tools.python, ["-c", python, socket]).outputText == "fine\n")
        stub.kill(SIGTERM)
        #expect(try await stub.wait().status == .code(0))
        #expect(!FileManager.default.fileExists(atPath: socket))
        withExtendedLifetime(server) {}
    }

    @Test(.enabled("the system lets no test have networks of its own") { NetworkNamespace.isAllowed })
    func plainConnectionsOfOthersCanBeRefused() async throws {
        let (here, there) = try NetworkNamespace.pair("10.78.0.1", "10.78.0.2")
        let text = """
            listen = ["tcp::6600", "tls::6601", "unix:\(folder.file("socket"))"]
            allow-anonymous = "any"
            tls.required = true
            [[output]]
            name = "here"
            type = "null"
            """
        let server = try await Segued.start(.toml(text), in: folder, network: here, waitsForLibrary: false)
        let stranger = LineClient(descriptor: try there.connect("10.78.0.1", 6600), of: server)
        #expect(stranger.line() == "ACK [4@0] {} this server takes encrypted connections (TLS) only")
        #expect(stranger.line() == "<closed>")
        let own = LineClient(descriptor: try here.connect("10.78.0.1", 6600), of: server)
        #expect(own.line().hasPrefix("OK MPD"))
        let words = there.command(["openssl", "s_client", "-connect", "10.78.0.1:6601", "-quiet", "-ign_eof"])
        let client = try ChildProcess(words[0], Array(words.dropFirst()), input: .bytes(Array("status\nclose\n".utf8)))
        #expect(try client.waitBlocking().outputText.contains("volume: "))
    }

    // MARK: Helpers

    private func sign(_ certificate: String, _ key: String) throws {
        let words = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
        try ChildProcess.run("openssl", words + ["-subj", "/CN=test", "-keyout", key, "-out", certificate])
    }

    private func serial() throws -> String {
        let text = try ChildProcess.run(
            "sh",
            ["-c", "openssl s_client -connect 127.0.0.1:\(port) </dev/null 2>/dev/null | openssl x509 -noout -serial"]
        )
        return text.outputText
    }

    private func descriptors(_ server: Segued) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/\(server.process.pid)/fd").count
    }
}
