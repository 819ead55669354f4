import Foundation
import Glibc
import TestSupport
import TestThreads
import Testing

/// How clients become known to a server, by the built `segue`, and what attackers try.
@Suite(.blocking, .enabled("the fixtures' tools are missing") { Music.missing.isEmpty })
struct PairingTests {
    private let (folder, port, plain): (TemporaryFolder, UInt16, UInt16)
    private let server: Segued
    private let owner: LineClient

    init() async throws {
        folder = try TemporaryFolder()
        (port, plain) = (try steadyPort(), try steadyPort())
        let listeners = ["tls:127.0.0.1:\(port)", "tcp:127.0.0.1:\(plain)", "unix:\(folder.file("socket"))"]
        let text = """
            listen = \(listeners)
            anonymous-permissions = "none"
            [announcements]
            pairing-zone = "kitchen"
            pairing-text = "{name} rings"
            [[zone]]
            name = "kitchen"
            """
        server = try await Segued.start(.toml(text), in: folder, waitsForLibrary: false)
        owner = try server.connect()
    }

    private var environment: [String: String] {
        ["HOME": folder.path, "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "SEGUE_HOST": "tls://127.0.0.1:\(port)"]
    }

    private func begin(_ words: [String], host: String? = nil) throws -> ChildProcess {
        let program = try Segued.path().replacing(/segued$/, with: "segue")
        return try ChildProcess(
            program,
            words,
            environment: environment.merging(host.map { ["SEGUE_HOST": $0] } ?? [:]) { $1 }
        )
    }

    private func segue(_ words: String..., host: String? = nil) throws -> ChildProcess.Result {
        try begin(words, host: host).waitBlocking()
    }

    /// What the server has written about clients.
    private var journal: String {
        (try? String(contentsOfFile: folder.file("state/clients.journal"), encoding: .utf8)) ?? ""
    }

    private func requests() throws -> [String: String] { try owner.values("pairing list") }

    private func waitForRequest() throws { try TestSupport.wait(for: "a request") { try requests()["request"] != nil } }

    @Test func aClientIsPairedAndForgotten() async throws {
        #expect(try segue("status").errorText.contains("you don't have permission"))
        try owner.order("session permission grant laptop call")
        let told = try server.connect()
        told.send("idle pairing\n")
        let asking = try begin(["pair", "laptop"])
        #expect(told.reply() == ["changed: pairing", "OK"])
        let request = try requests()
        #expect(request["request"] == "laptop" && request["from"] == "127.0.0.1")
        let code = try #require(request["code"])
        try await asking.waitForOutput("laptop: code \(code)\n")
        #expect(owner.ask("pairing allow laptop code 12").last?.hasPrefix("ACK [2@0]") == true)
        #expect(owner.ask("pairing allow laptop zone attic").last?.hasPrefix("ACK") == true)
        try owner.order("pairing allow laptop code \(code) permissions read,add zone kitchen")
        let answered = try await asking.wait()
        #expect(answered.status == .code(0) && answered.outputText.contains("known as laptop (limited)"))
        #expect(try requests().isEmpty)
        #expect(try owner.values("clients show laptop")["classes"] == "call")
        let file = folder.file(".config/segue/pairings")
        #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
        // By TLS, by a proof on plain TCP, and by the Unix socket of another user it is the same client.
        #expect(try segue("raw", "status").outputText.contains("partition: kitchen"))
        #expect(try segue("raw", "status", host: "127.0.0.1:\(plain)").outputText.contains("partition: kitchen"))
        #expect(try segue("stop").errorText.contains("you don't have permission"))
        #expect(try owner.values("audit why laptop")["text"]?.contains("\"stop\"") == true)
        // The journal has no token, and the pairing outlives the server.
        let token = try #require(
            try String(contentsOfFile: file, encoding: .utf8).split(separator: " ").last?.dropLast()
        )
        try TestSupport.wait(for: "the journal") { journal.contains("token laptop ") }
        #expect(!journal.contains(token))
        #expect(owner.ask("pairing invite x")[0] == "name: x")
        try owner.order("clients forget laptop")
        let forgotten = try segue("status")
        #expect(forgotten.errorText.contains("does not know this client any more"))
    }

    @Test func pairingsSurviveADeath() async throws {
        let stranger = try LineClient(.ipv4(plain))
        let asking = try begin(["pair", "tablet"])
        try waitForRequest()
        try owner.order("pairing allow tablet")
        _ = try await asking.wait()
        try TestSupport.wait(for: "the journal") { journal.contains("token tablet ") }
        server.process.kill(SIGKILL)
        _ = try? await server.process.wait()
        #expect(stranger.line() == "<closed>")
        let text = try String(contentsOfFile: folder.file("segued.toml"), encoding: .utf8)
        let other = try await Segued.start(.toml(text), in: folder, waitsForLibrary: false)
        let status = try segue("status")
        #expect(status.status == .code(0), "\(status.errorText)")
        withExtendedLifetime(other) {}
    }

    @Test func aDeniedClientIsNotAskedAboutAgain() async throws {
        let first = try begin(["pair", "guest"])
        try waitForRequest()
        try owner.order("pairing deny guest")
        let answered = try await first.wait()
        #expect(answered.status != .code(0) && answered.errorText.contains("denied"))
        let again = try segue("pair", "other")
        #expect(again.errorText.contains("does not want this client") && again.status != .code(0))
        #expect(try requests().isEmpty)
        #expect(owner.ask("pairing reset 127.0.0.2").last?.hasPrefix("ACK [50@0]") == true)
        try owner.order("pairing reset 127.0.0.1")
        let third = try begin(["pair", "other"])
        try waitForRequest()
        third.kill(SIGTERM)
        try TestSupport.wait(for: "the request's end") { try requests().isEmpty }
    }

    /// Whoever asks is announced in the zone that the owner has named, however many come after.
    @Test func theHouseHearsThatSomebodyAsks() async throws {
        let told = try server.connect()
        told.send("idle announcement\n")
        let first = try begin(["pair", "tablet"])
        try waitForRequest()
        #expect(told.reply() == ["changed: announcement", "OK"])
        let events = try owner.order("announcement list")
        #expect(events.contains("text: tablet rings") && events.contains("zone: kitchen"))
        #expect(try LineClient(.unix(server.socket)).ask("pair request phone").last == "OK")
        #expect(try !owner.order("announcement list").contains("text: phone rings"))
        first.kill(SIGTERM)
    }

    @Test func invitationsCountOnce() async throws {
        let result = try segue(
            "clients",
            "invite",
            "anna",
            "--address",
            "127.0.0.1",
            "--add-only",
            "--in",
            "kitchen",
            host: server.socket
        )
        let link = try #require(result.outputText.firstMatch(of: /segue:\/\/[^']+/)).output
        #expect(link.hasPrefix("segue://127.0.0.1:\(port)/"))
        let used = try segue("pair", String(link))
        #expect(used.status == .code(0), "\(used.errorText)")
        #expect(try owner.values("clients show anna")["permissions"] == "add-only")
        let stolen = try segue("pair", String(link))
        #expect(stolen.status != .code(0) && stolen.errorText.contains("used already"))
        // A link of another server's certificate is not used at all.
        let second = try segue("clients", "invite", "bert", "--address", "127.0.0.1", host: server.socket)
        let other = try #require(second.outputText.firstMatch(of: /segue:\/\/[^']+/)).output
        let parts = other.split(separator: "/", omittingEmptySubsequences: false)
        let wrong = parts[0...2].joined(separator: "/") + "/" + String(parts[3].reversed()) + "/" + parts[4]
        #expect(try segue("pair", wrong).errorText.contains("the link"))
        #expect(try segue("pair", String(other)).status == .code(0))
    }

    // MARK: Attackers

    @Test func secretsNeverTravelInPlainText() throws {
        let client = try LineClient(.ipv4(plain))
        for command in ["pair request a", "pair token a \(String(repeating: "0", count: 64))", "pair invitation b"] {
            #expect(client.ask(command).last?.contains("takes an encrypted connection") == true, "\(command)")
        }
        #expect(client.ask("pair status") == ["client: 127.0.0.1", "state: notDetermined", "OK"])
        #expect(client.ask("pair wait").last?.hasPrefix("ACK [50@0]") == true)
    }

    /// What was overheard proves nothing a second time, and a proof without a nonce of the server's nothing at all.
    @Test func proofsCannotBeReplayed() throws {
        let invited = try owner.values("pairing invite spy permissions read")
        let local = try server.connect()
        let invitation = try #require(invited["invitation"])
        let token = try #require(try local.values("pair invitation \(invitation)")["token"])
        let python = """
            import hashlib, hmac, socket, sys
            port, token = int(sys.argv[1]), bytes.fromhex(sys.argv[2])
            def talk():
                s = socket.create_connection(("127.0.0.1", port)); f = s.makefile("rw"); f.readline(); return f
            def ask(f, line):
                f.write(line + "\\n"); f.flush(); lines = []
                while True:
                    line = f.readline().strip(); lines.append(line)
                    if line == "OK" or line.startswith("ACK") or not line: return lines
            def proof(nonce):
                mask = hmac.new(hashlib.sha256(token).digest(), bytes.fromhex(nonce) + b"spy", hashlib.sha256).digest()
                return bytes(a ^ b for a, b in zip(token, mask)).hex()
            f = talk(); nonce = ask(f, "pair nonce")[0].split()[1]; p = proof(nonce)
            assert ask(f, "pair prove spy " + p) == ["OK"]
            assert ask(f, "pair status")[0] == "client: spy"
            assert ask(f, "pair prove spy " + p)[0].startswith("ACK [2@0]")
            g = talk()
            assert ask(g, "pair prove spy " + p)[0].startswith("ACK [2@0]")
            ask(g, "pair nonce"); assert ask(g, "pair prove spy " + p)[0].startswith("ACK [3@0]")
            print("fine")
            """
        #expect(try ChildProcess.run("/usr/bin/python3", ["-c", python, "\(plain)", token]).outputText == "fine\n")
    }

    /// Ten thousand requests cost next to no memory, one line in the log, and one entry in the list.
    @Test func manyRequestsAreOneLine() throws {
        let before = Int(try #require(server.process.privateDirty))
        let attackers = try (0..<20).map { _ in try LineClient(.unix(server.socket)) }
        for round in 0..<500 {
            for (number, client) in attackers.enumerated() { client.send("pair request n\(round)-\(number)\n") }
            for client in attackers { _ = client.reply() }
        }
        #expect(try owner.order("pairing list").count { $0.hasPrefix("request: ") } <= 1)
        #expect(server.process.errorText.matches(of: /asks to be known/).count == 1)
        let after = Int(try #require(server.process.privateDirty))
        #expect(after < before + 4_000_000)
        try owner.order("status")
    }

    /// Wrong tokens are counted as wrong passwords are.
    @Test func guessingIsSlow() throws {
        let (client, start) = (try LineClient(.unix(server.socket)), ContinuousClock.now)
        let wrong = String(repeating: "0", count: 64)
        for _ in 0..<3 { #expect(client.ask("pair token laptop \(wrong)").last?.hasPrefix("ACK [3@0]") == true) }
        #expect(client.line() == "<closed>")
        #expect(ContinuousClock.now - start >= .milliseconds(1_400))
    }

    /// Owners, and only they, see refusals and changes of rights as they happen.
    @Test func theLogIsFollowed() async throws {
        let follower = try begin(["clients", "log", "--follow"], host: server.socket)
        let (stranger, told) = (try LineClient(.ipv4(plain)), try server.connect())
        told.send("idle audit\n")
        #expect(stranger.ask("play").last?.hasPrefix("ACK [4@0]") == true)
        #expect(told.reply() == ["changed: audit", "OK"])
        try await follower.waitForOutput("127.0.0.1: you don't have permission for \"play\"\n")
        #expect(stranger.ask("play").last?.hasPrefix("ACK [4@0]") == true)
        try await follower.waitForOutput("you don't have permission for \"play\" (2 times)\n")
        try owner.order("clients set 127.0.0.1 permissions read,player")
        try await follower.waitForOutput("set the grants of 127.0.0.1")
        #expect(follower.outputText.split(separator: "\n").count == 3)
        // One who may do much, but not the owner's, is not told.
        stranger.send("idle audit permission\n")
        try owner.order("clients set 127.0.0.1 permissions read")
        #expect(stranger.reply() == ["changed: permission", "OK"])
        follower.kill(SIGINT)
        #expect(try await follower.wait().errorText == "")
    }

    /// Refusals in one turn of the event loop are told once, however many they are.
    @Test func manyRefusalsAreToldOnce() throws {
        let (stranger, told) = (try LineClient(.ipv4(plain)), try server.connect())
        told.send("idle audit\n")
        // The server reads what came first first, so it has read `idle` when it answers this.
        try owner.order("ping")
        // So many are always one turn: its time is looked at after 16 steps, two for each command.
        stranger.send(String(repeating: "play\n", count: 8))
        #expect(told.reply() == ["changed: audit", "OK"])
        told.send("idle audit\nnoidle\n")
        #expect(told.reply() == ["OK"], "nothing is left to be told")
        #expect(try owner.values("audit why")["count"] == "8")
    }

    @Test func theOwnerIsToldOfOpenDoors() async throws {
        #expect(try owner.order("audit doors") == [])
        try owner.order("pairing invite anna permissions read")
        #expect(try owner.order("audit doors").contains(["reason: invitation", "name: anna", "hours: 24"]))
        #expect(try segue("doctor", host: server.socket).outputText.contains("whoever has its link is anna"))
        try owner.order("clients forget anna")
        #expect(try owner.order("audit doors") == [])
        let text = try String(contentsOfFile: folder.file("segued.toml"), encoding: .utf8)
        _ = try folder.write("segued.toml", "allow-anonymous = \"any\"\n[[password]]\npassword = \"x\"\n" + text)
        try await server.stop()
        let open = text.replacing("tcp:127.0.0.1:\(plain)", with: "tcp:0.0.0.0:\(plain)")
            .replacing("anonymous-permissions = \"none\"", with: "allow-anonymous = \"any\"")
        let stream = try steadyPort()
        let broadcast = "[[output]]\nname = \"Radio\"\ntype = \"httpd\"\nport = \(stream)\nbind-to-address = \"any\"\n"
        let password = "[[password]]\npassword = \"kitchen\"\npermissions = \"read\"\n"
        let other = try await Segued.start(
            .toml(open + "\n" + broadcast + password),
            in: folder,
            waitsForLibrary: false
        )
        let doors = try other.connect().order("audit doors")
        #expect(doors.contains { $0.hasPrefix("door: tcp:0.0.0.0:\(plain): other machines need no password") })
        #expect(doors.contains("door: output \"Radio\": whoever reaches port \(stream) of this machine hears it"))
        #expect(doors.contains { $0.hasPrefix("door: every user of this machine can read the passwords in /") })
        let stated = ["reason: stream", "output: Radio", "port: \(stream)"]
        #expect(doors.contains(stated), "programs read what it is about from its reason")
        #expect(doors.contains(["reason: anonymous", "address: tcp:0.0.0.0:\(plain)"]))
        let doctor = try segue("doctor", host: other.socket)
        #expect(doctor.outputText.contains("open door"))
    }
}
