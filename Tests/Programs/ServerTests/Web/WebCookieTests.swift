import Foundation
import TestSupport
import TestThreads
import Testing
import TextEncodings

/// Browsers that become known clients, by an invitation or because the owner is asked, and what attackers try.
@Suite(.blocking, .enabled("the fixtures' tools are missing") { Music.missing.isEmpty })
struct WebCookieTests {
    private static let strict = "anonymous-permissions = \"none\""

    private func start() async throws -> WebStage { try await WebStage("", Self.strict, music: nil) }

    /// The fields that a browser sends with what a page of the server asks for.
    private func own(_ stage: WebStage, _ cookie: String = "") -> [String: String] {
        ["Origin": "http://127.0.0.1:\(stage.port)", "Cookie": cookie]
    }

    private func invite(_ stage: WebStage, _ words: String) throws -> String {
        try #require(try stage.server.connect().values("pairing invite \(words)")["invitation"])
    }

    private func post(_ stage: WebStage, _ invitation: String) throws -> WebClient.Response {
        try stage.connect().post(#"{"invitation":"\#(invitation)"}"#, own(stage), to: "/api/cookie")
    }

    /// - Returns: The value of the field `Cookie`.
    private func redeem(_ stage: WebStage, _ invitation: String) throws -> String {
        let response = try post(stage, invitation)
        let field = try #require(response.fields["set-cookie"], "\(response)")
        return String(field.prefix { $0 != ";" })
    }

    /// The client that requests with these fields are of.
    private func name(_ stage: WebStage, _ fields: [String: String]) throws -> String? {
        try stage.connect().call("pair.status", "[]", fields)["client"]?.string
    }

    @Test("an invitation is looked at, and exchanged once for a cookie that stands for its client")
    func invitations() async throws {
        let stage = try await start()
        let words = """
            anna permissions read,add-only zone kitchen songs 5 volume 60 until 4000000000 quiet-hours 13:00-15:00 \
            songs-per-hour 9 megabytes-per-hour 50 commands no-sticker
            """
        let invitation = try invite(stage, words)
        let client = try stage.connect()
        for _ in 0..<2 {
            let told = try client.call("pair.preview", #"["\#(invitation)"]"#)
            #expect(told["name"]?.string == "anna" && told["songs"] == .integer(5) && told["until"] != nil)
            #expect(told["zones"] == .array([.string("kitchen")]) && told["volumes"] == .array([.string("60")]))
            #expect(told["permissions"]?.string == "read,add-only" && told["token"] == nil)
            #expect(told["quiet_hours"]?.string == "13:00-15:00" && told["songs_per_hour"] == .integer(9))
            #expect(told["megabytes_per_hour"] == .integer(50) && told["commands"]?.string == "no-sticker")
        }
        let response = try post(stage, invitation)
        #expect(response.status == 200 && response.json["name"]?.string == "anna")
        let field = try #require(response.fields["set-cookie"])
        #expect(field.hasPrefix("segue=anna.") && field.hasSuffix("; HttpOnly; SameSite=Strict"))
        let cookie = String(field.prefix { $0 != ";" })
        #expect(!response.body.contains(cookie.suffix(64)), "scripts do not see the token")
        #expect(try name(stage, own(stage, cookie)) == "anna")
        let socket = try stage.connect()
        let renewed = try socket.openSocket(own(stage, cookie)).fields["set-cookie"]
        #expect(renewed == field, "the browser keeps it longer")
        let status = try socket.socketCall("pair.status")
        #expect(status["client"]?.string == "anna" && status["proof"]?.string == "token")
        #expect(try socket.socketCall("status")["zone"]?.string == "kitchen")
        // It has been used.
        #expect(try post(stage, invitation).status == 410)
        #expect(throws: ClientError.self) { try client.call("pair.preview", #"["\#(invitation)"]"#) }
        #expect(try name(stage, own(stage, cookie)) == "anna")
    }

    @Test("pages of others, and requests that no page sends, do not act by a cookie")
    func others() async throws {
        let stage = try await start()
        let invitation = try invite(stage, "anna permissions read")
        let body = #"{"invitation":"\#(invitation)"}"#
        let client = try stage.connect()
        for fields in [["Origin": "http://evil.test"], ["Origin": "null"], [:]] {
            #expect(client.post(body, fields, to: "/api/cookie").status == 403, "\(fields)")
        }
        #expect(client.ask("GET", "/api/cookie", own(stage)).status == 405)
        #expect(client.ask("GET", "/").status == 200)
        let cookie = try redeem(stage, invitation)
        #expect(try name(stage, ["Cookie": cookie]) == "127.0.0.1")
        #expect(
            client.post(WebClient.request("status"), ["Cookie": cookie, "Origin": "http://evil.test"]).status == 403
        )
        #expect(throws: ClientError.self) {
            try stage.connect().openSocket(["Cookie": cookie, "Origin": "http://evil.test"])
        }
        // Browsers send no origin with pictures.
        let picture = "/art/current?size=64"
        #expect(client.ask("GET", picture, ["Cookie": cookie]).status == 404)
        #expect(client.ask("GET", picture, ["Cookie": cookie, "Sec-Fetch-Site": "cross-site"]).status == 401)
        #expect(client.ask("GET", picture).status == 401)
    }

    @Test("of many who open it at once, one is let in")
    func race() async throws {
        let stage = try await start()
        let invitation = try invite(stage, "anna permissions read")
        let clients = try (0..<20).map { _ in try stage.connect() }
        for client in clients {
            client.send("POST", "/api/cookie", own(stage), body: #"{"invitation":"\#(invitation)"}"#)
        }
        let responses = clients.map { $0.response(to: "POST").status }
        #expect(responses.count { $0 == 200 } == 1 && responses.count { $0 == 410 } == 19, "nobody guesses here")
        // Nor does a browser that opens a link again and again; one that guesses waits longer and longer.
        for _ in 0..<20 { #expect(try post(stage, invitation).status == 410) }
        let wrong = String(repeating: "0", count: 32)
        for client in clients {
            client.send("POST", "/api/cookie", own(stage), body: #"{"invitation":"\#(wrong)"}"#)
        }
        #expect(clients.last?.response(to: "POST").status == 429)
    }

    @Test("what is no invitation")
    func malformed() async throws {
        let stage = try await start()
        let client = try stage.connect()
        for body in ["", "{}", "[]", "1", #"{"invitation":1}"#, #"{"invitation":null}"#, "{\"invitation\":"] {
            #expect(client.post(body, own(stage), to: "/api/cookie").status == 400, "\(body)")
        }
        #expect(client.post(#"{"invitation":""}"#, own(stage), to: "/api/cookie").status == 410)
        let long = String(repeating: "0", count: 100_000)
        let response = try stage.connect().post(#"{"invitation":"\#(long)"}"#, own(stage), to: "/api/cookie")
        #expect(response.status == 413)
        #expect(try stage.server.connect().order("status").count > 1)
    }

    @Test("a cookie ends with its client, with another pairing, and when the browser signs out")
    func ends() async throws {
        let stage = try await start()
        let owner = try stage.server.connect()
        let first = try redeem(stage, try invite(stage, "anna permissions read"))
        let socket = try stage.connect()
        try socket.openSocket(own(stage, first))
        #expect(try socket.socketCall("status")["zone"] != nil)
        // Another browser that is invited by the name takes its place.
        let second = try redeem(stage, try invite(stage, "anna permissions read"))
        #expect(socket.frame()?.code == 1_008, "the page connects again")
        #expect(try name(stage, own(stage, first)) == "127.0.0.1" && name(stage, own(stage, second)) == "anna")
        let over = try stage.connect().openSocket(own(stage, first)).fields["set-cookie"]
        #expect(over?.hasPrefix("segue=; Path=/; Max-Age=0;") == true, "the browser forgets it")
        try owner.order("clients set anna permissions none")
        #expect(try stage.connect().ask("GET", "/art/current", ["Cookie": second]).status == 403)
        try owner.order("clients set anna permissions read")
        #expect(try stage.connect().ask("GET", "/art/current", ["Cookie": second]).status == 404)
        let gone = try stage.connect().ask("DELETE", "/api/cookie", own(stage, second))
        #expect(gone.status == 204 && gone.fields["set-cookie"]?.contains("Max-Age=0") == true)
        #expect(try name(stage, own(stage, second)) == "127.0.0.1")
        #expect(try owner.values("clients show anna")["granted"] == "read", "what was granted stays")
        let third = try redeem(stage, try invite(stage, "anna permissions read"))
        try owner.order("clients forget anna")
        #expect(try name(stage, own(stage, third)) == "127.0.0.1")
        #expect(try stage.connect().ask("DELETE", "/api/cookie", own(stage, third)).status == 204)
        let unused = try invite(stage, "anna permissions read")
        try owner.order("clients forget anna")
        #expect(try post(stage, unused).status == 410, "a client that is forgotten is not invited any more")
    }

    @Test("a page that asks shows a code, and is invited when the owner allows it")
    func asking() async throws {
        let stage = try await start()
        let owner = try stage.server.connect()
        let socket = try stage.connect()
        try socket.openSocket(own(stage))
        let code = try #require(try socket.socketCall("pair.request", #"["phone"]"#)["code"]?.string)
        #expect(try owner.values("pairing list")["from"] == "127.0.0.1")
        #expect(
            owner.ask("pairing allow phone code \(code == "000000" ? "1" : "000000")").last?.hasPrefix("ACK") == true
        )
        try owner.order("pairing allow phone code \(code) permissions read zone kitchen")
        let answer = try socket.socketCall("pair.wait")
        #expect(answer["name"]?.string == "phone" && answer["token"] == nil)
        let cookie = try redeem(stage, try #require(answer["invitation"]?.string))
        #expect(try name(stage, own(stage, cookie)) == "phone")
        #expect(owner.ask("pairing allow phone code \(code)").last?.hasPrefix("ACK [50@0]") == true, "it was answered")
        // One that was denied is told so, and not asked about again.
        _ = try socket.socketCall("pair.request", #"["other"]"#)
        try owner.order("pairing deny other")
        #expect(try socket.socketCall("pair.wait")["state"]?.string == "denied")
        #expect(throws: ClientError.self) { _ = try socket.socketCall("pair.request", #"["third"]"#) }
        // By the owner's Unix socket, an invitation can be looked at as well.
        #expect(try owner.values("pair preview \(invite(stage, "x"))")["name"] == "x")
    }

    /// A request that nobody shows any more would keep others of the address from asking.
    @Test("a page that is closed while it waits takes its request along")
    func closing() async throws {
        let stage = try await start()
        let owner = try stage.server.connect()
        let socket = try stage.connect()
        try socket.openSocket(own(stage))
        _ = try socket.socketCall("pair.request", #"["phone"]"#)
        socket.sendMessage(WebClient.request("pair.wait"))
        socket.sendFrame(9, Array("x".utf8))
        #expect(socket.frame() == WebClient.Frame(isLast: true, opcode: 10, payload: Array("x".utf8)))
        #expect(try owner.values("pairing list")["request"] == "phone")
        // Messages behind it wait, as many as there are.
        for _ in 0..<100 { socket.sendMessage(WebClient.request("ping")) }
        let other = try stage.connect()
        try other.openSocket(own(stage))
        #expect(throws: ClientError.self) { _ = try other.socketCall("pair.request", #"["tablet"]"#) }
        let third = try stage.connect()
        try owner.order("pairing allow phone permissions read")
        #expect(socket.frame()?.text.contains("\"invitation\":") == true)
        for _ in 0..<100 { #expect(socket.frame()?.text.contains("\"result\":null") == true) }
        try third.openSocket(own(stage))
        // The wait for the next request of an address is over.
        try wait(for: "a request") { (try? third.socketCall("pair.request", #"["tablet"]"#)) != nil }
        third.sendMessage(WebClient.request("pair.wait"))
        third.sendFrame(8, [0x03, 0xe8])
        #expect(third.frame()?.code == 1_000)
        #expect(try owner.order("pairing list").isEmpty)
    }

    @Test("cookies outlive a server that dies right after it has given them")
    func survives() async throws {
        let stage = try await start()
        let cookie = try redeem(stage, try invite(stage, "anna permissions read"))
        let open = try invite(stage, "ben permissions read")
        stage.server.process.kill(SIGKILL)
        let journal = try String(contentsOfFile: stage.folder.file("state/clients.journal"), encoding: .utf8)
        #expect(journal.contains("token anna ") && !journal.contains(cookie.suffix(64)))
        _ = try? await stage.server.process.wait()
        let settings = try String(contentsOfFile: stage.folder.file("segued.toml"), encoding: .utf8)
        let next = try await Segued.start(.toml(settings), in: stage.folder, waitsForLibrary: false)
        // A server listens for HTTP after it has begun to listen for lines.
        try wait(for: "the page") { (try? stage.connect()) != nil }
        #expect(try name(stage, own(stage, cookie)) == "anna")
        let other = try redeem(stage, open)
        #expect(try name(stage, own(stage, other)) == "ben", "a link is good after a restart")
        withExtendedLifetime(next) {}
    }

    @Test("the owner gets a link for a browser, and its code")
    func link() async throws {
        let stage = try await start()
        let owner = try stage.server.connect()
        let none = try owner.order("pairing invite anna permissions read")
        #expect(!none.contains { $0.hasPrefix("page: ") || $0.hasPrefix("qr: ") }, "no other machine reaches it")
        let told = try owner.order("pairing invite anna page https://pi.example.org/music permissions read")
        let secret = try #require(told.first { $0.hasPrefix("invitation: ") }?.dropFirst(12))
        let link = "https://pi.example.org/music/#/join/\(secret)"
        #expect(told.contains("page: \(link)"))
        let rows = told.filter { $0.hasPrefix("qr: ") }.map { String($0.dropFirst(4)) }
        if let code = QRCode(link) { #expect(rows == code.rows) }
        #expect(owner.ask("pairing invite bert page ftp://pi").last?.hasPrefix("ACK [2@0]") == true)
        #expect(owner.ask("clients show bert").last?.hasPrefix("ACK [50@0]") == true, "nothing was granted")
    }
}
