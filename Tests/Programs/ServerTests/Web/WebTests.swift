import Foundation
import TestSupport
import TestThreads
import Testing
import TextEncodings

/// Requests by HTTP.
@Suite(.blocking, .enabled("the fixtures' tools are missing") { Music.missing.isEmpty })
struct WebTests {
    @Test("messages by POST are those of connections in JSON")
    func messages() async throws {
        let stage = try await WebStage()
        let client = try stage.connectAsOwner()
        let lines = try stage.server.connect()
        #expect(try client.call("setvol", #"{"volume":31}"#) == .null)
        #expect(try lines.values("status")["volume"] == "31")
        #expect(try client.call("status")["volume"] == .integer(31))
        let batch =
            "[\(WebClient.request("ping", id: 7)),\(WebClient.request("nothing", id: 8)),{\"jsonrpc\":\"2.0\",\"method\":\"ping\"}]"
        let answers = client.post(batch).json.elements
        #expect(answers.map { $0["id"] } == [.integer(7), .integer(8)])
        #expect(answers.last?["error"]?["code"] == .integer(-32_601))
        let notification = client.post(#"{"jsonrpc":"2.0","method":"setvol","params":[32]}"#)
        #expect(notification.status == 204 && notification.body.isEmpty)
        #expect(notification.fields["content-length"] == nil && notification.fields["content-type"] == nil)
        #expect(try lines.values("status")["volume"] == "32")
        let wrong = client.post("{")
        #expect(wrong.status == 200 && wrong.json["error"]?["code"] == .integer(-32_700))
        // Line feeds are blanks between the words of a message, and errors within them.
        #expect(client.post("{\"jsonrpc\":\"2.0\",\n\"id\":1,\r\n\"method\":\"ping\"}\n").json["result"] == .null)
        #expect(
            client.post("{\"jsonrpc\":\"2.0\",\"id\":\"a\nb\",\"method\":\"ping\"}").json["error"]?["code"]
                == .integer(-32_700)
        )
    }

    @Test("a long result comes in chunks, and is the same as elsewhere")
    func longResults() async throws {
        let stage = try await WebStage()
        let owner = try stage.server.connect()
        owner.send("command_list_begin\n" + String(repeating: "add one.flac\n", count: 2_000) + "command_list_end\n")
        #expect(owner.reply() == ["OK"])
        let client = try stage.connect()
        let response = client.post(WebClient.request("playlistinfo"))
        #expect(response.isChunked)
        #expect(response.json["result"]?.elements.count == 2_000)
        let json = try stage.server.connectJSON()
        #expect(response.json["result"] == (try json.result("playlistinfo")))
        // The connection goes on; one of HTTP/1.0 ends instead of telling a length.
        #expect(try client.call("ping") == .null)
        let old = client.ask("POST", "/api", body: WebClient.request("playlistinfo"), version: "1.0")
        #expect(!old.isChunked && old.fields["connection"] == "close" && old.json == response.json)
        #expect(client.hasEnded)
    }

    @Test("requests that come at once are answered one after another")
    func pipelining() async throws {
        let client = try await WebStage().connect()
        for number in 1...50 {
            client.send(
                "POST",
                "/api",
                body: WebClient.request(number.isMultiple(of: 7) ? "nothing" : "status", id: number)
            )
            client.send("GET", "/health")
        }
        for number in 1...50 {
            let answer = client.response()
            #expect(answer.json["id"] == .integer(number), "\(answer)")
            #expect(client.response().json["status"] == .string("ok"))
        }
    }

    @Test("requests behind one that takes its time, and behind the end of their client's side")
    func patientPipelining() async throws {
        let stage = try await WebStage()
        // A batch that takes more than a turn, and a search, which waits for a thread.
        let search = WebClient.request("search", #"["(file contains \u0027.flac\u0027)"]"#)
        for first in [Self.batch(900), search] {
            for endsOutput in [false, true] {
                let client = try stage.connect()
                client.send("POST", "/api", body: first)
                for number in 1...2_000 {
                    if number.isMultiple(of: 100) {
                        client.send("POST", "/api", body: WebClient.request("ping", id: number))
                    } else {
                        client.send("GET", "/health")
                    }
                }
                if endsOutput { client.lines.endOutput() }
                #expect(client.response().status == 200)
                for number in 1...2_000 {
                    let response = client.response()
                    guard response.status == 200 else {
                        Issue.record("\(number): \(response)")
                        return
                    }
                    if number.isMultiple(of: 100) { #expect(response.json["id"] == .integer(number)) }
                }
                if endsOutput { #expect(client.hasEnded) }
            }
        }
    }

    /// Some 60 KB.
    private static func batch(_ count: Int) -> String {
        "[" + (1...count).map { WebClient.request("status", id: $0) }.joined(separator: ",") + "]"
    }

    @Test("what follows a request that ends HTTP is not kept", arguments: ["CONNECT /api", "GET /health"])
    func floods(request: String) async throws {
        let stage = try await WebStage()
        let client = try stage.connect()
        let fields = request.hasPrefix("GET") ? "Connection: Upgrade\r\nUpgrade: x\r\n" : ""
        client.lines.send("\(request) HTTP/1.1\r\nHost: 127.0.0.1\r\n\(fields)\r\n")
        let before = try stage.server.process.residentBytes()
        let block = Array(repeating: UInt8(ascii: "a"), count: 1 << 20)
        for _ in 0..<64 { client.lines.send(block) }
        #expect(try stage.server.process.residentBytes() - before < 16 << 20)
    }

    @Test("nothing of a request is left for the next one of its connection")
    func requestsAreApart() async throws {
        let stage = try await WebStage(
            "",
            "anonymous-permissions = \"read\"",
            tables: "[[password]]\npassword = \"all\"\n"
        )
        let client = try stage.connect()
        let status = try client.call("status", to: "/api?zone=kitchen")
        #expect(status["zone"] == .string("kitchen"))
        #expect(try client.call("status")["zone"] == .string("default"))
        _ = try client.call("partition", #"{"name":"kitchen"}"#)
        _ = try client.call("tagtypes.clear")
        _ = try client.call("subscribe", #"{"name":"news"}"#)
        #expect(try client.call("status")["zone"] == .string("default"))
        #expect(try client.call("tagtypes") != .array([]))
        let lines = try stage.server.connect()
        #expect(try lines.order("channels") == [])
        // A password counts in its message, and not behind it.
        let batch = client.post("[\(WebClient.request("password", #"["all"]"#)),\(WebClient.request("clear"))]").json
        #expect(batch.elements.map { $0["result"] } == [.null, .null])
        #expect(throws: ClientError.self) { try client.call("clear") }
        // Neither do sessions and watches last.
        let owner = try stage.connectAsOwner()
        _ = try owner.call("session.open", #"{"name":"door"}"#)
        #expect(try owner.call("session.list").elements.contains { $0["name"] == .string("door") } == false)
        let watch = try owner.call("watch", #"{"topics":["mixer"]}"#)
        #expect(watch["values"]?.elements.count == 1)
        try lines.order("setvol 12")
        #expect(try owner.call("status")["volume"] == .integer(12))
        #expect(client.post(WebClient.request("ping"), to: "/api?zone=attic").status == 404)
    }

    @Test("a connection that a message ends")
    func endings() async throws {
        let stage = try await WebStage()
        let client = try stage.connect()
        #expect(try client.call("close") == .null)
        #expect(client.hasEnded)
        // Three wrong passwords end it, as in lines; the first two wait.
        let guesser = try stage.connect()
        let wrong = WebClient.request("password", #"["wrong"]"#)
        let answers = guesser.post("[\(wrong),\(wrong),\(wrong),\(WebClient.request("ping"))]").json.elements
        #expect(answers.count == 3)
        #expect(guesser.hasEnded)
        // What was asked for before the client's side ends is answered.
        let half = try stage.connect()
        half.send("POST", "/api", body: WebClient.request("status"))
        half.lines.endOutput()
        #expect(half.response().status == 200)
        #expect(half.hasEnded)
    }

    @Test("resources, methods and their errors")
    func resources() async throws {
        let client = try await WebStage().connect()
        let root = client.ask("GET", "/")
        #expect(root.status == 200 && root.body.contains("<title>Segue</title>"))
        let head = client.ask("HEAD", "/health")
        #expect(head.status == 200 && head.fields["content-length"] == "34" && head.body.isEmpty)
        #expect(client.ask("GET", "/nothing").status == 404)
        let wrong = client.ask("DELETE", "/api")
        #expect(wrong.status == 405 && wrong.fields["allow"] == "POST")
        #expect(client.ask("POST", "/api", ["Content-Type": "text/plain"], body: "{}").status == 415)
        #expect(client.ask("GET", "/health", ["Host": "evil.test"]).status == 421)
        #expect(
            client.ask("POST", "/api", ["Origin": "http://evil.test"], body: WebClient.request("ping")).status == 403
        )
        for field in ["access-control-allow-origin", "access-control-allow-credentials", "server"] {
            #expect(root.fields[field] == nil)
        }
        #expect(root.fields["x-content-type-options"] == "nosniff")
        #expect(client.ask("GET", "/health", ["Host": ""], version: "1.0").status == 200)
        #expect(client.hasEnded)
    }

    @Test(
        "a body that is none gets an answer before the connection ends",
        arguments: ["zz", "-1", " 28", "0x28", "10000000000000028"]
    )
    func chunks(size: String) async throws {
        let client = try await WebStage().connect()
        client.send("POST", "/api", ["Content-Type": "application/json", "Transfer-Encoding": "chunked"])
        client.lines.send("\(size)\r\n\(WebClient.request("ping"))\r\n0\r\n\r\n")
        #expect(client.response().status == 400 && client.hasEnded)
    }

    @Test("pages of the origins that the owner names may read responses")
    func allowedOrigins() async throws {
        let client = try await WebStage("origins = [\"https://app.example.org\"]").connect()
        let origin = ["Origin": "https://app.example.org"]
        let asked = client.ask("OPTIONS", "/api", origin.merging(["Access-Control-Request-Method": "POST"]) { $1 })
        #expect(asked.status == 204 && asked.fields["access-control-allow-origin"] == origin["Origin"])
        #expect(asked.fields["access-control-allow-headers"]?.contains("Content-Type") == true)
        let answer = client.post(WebClient.request("ping"), origin)
        #expect(answer.status == 200 && answer.fields["access-control-allow-origin"] == origin["Origin"])
        #expect(answer.fields["vary"] == "Origin")
        #expect(client.post(WebClient.request("ping")).fields["access-control-allow-origin"] == nil)
    }

    // MARK: Limits

    @Test("requests that are too long are refused before they are read")
    func longRequests() async throws {
        let stage = try await WebStage("", "limits.max-line-size = 4096")
        let padded =
            WebClient.request("ping") + String(repeating: " ", count: 4_096 - WebClient.request("ping").utf8.count)
        #expect(try stage.connect().post(padded).status == 200)
        let client = try stage.connect()
        client.send("POST", "/api", ["Content-Length": "4097"], body: "{")
        #expect(client.response().status == 413)
        #expect(client.hasEnded)
        let chunks = try stage.connect()
        let body = "1000\r\n\(String(repeating: " ", count: 4_096))\r\n1\r\n \r\n0\r\n\r\n"
        chunks.send("POST", "/api", ["Content-Length": "", "Transfer-Encoding": "chunked"], body: body)
        #expect(chunks.response().status == 413)
        let endless = try stage.connect()
        endless.send("POST", "/api", ["Content-Length": "99999999999999999999"], body: "{")
        #expect([400, 413].contains(endless.response().status))
        let long = try stage.connect()
        long.send("GET", "/health", ["X": String(repeating: "x", count: 8_200)])
        #expect(long.response().status == 431)
        #expect(long.hasEnded)
        let target = try stage.connect()
        target.send("GET", "/health?" + String(repeating: "x", count: 20_000))
        #expect([400, 431].contains(target.response().status))
        for text in [
            "nonsense\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\u{0}b\r\n\r\n", "OK MPD\n",
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        ] {
            let client = try stage.connect()
            client.lines.send(text)
            #expect(client.response().status == 400, "\(text)")
        }
    }

    @Test("a client waits for leave to send a long request")
    func expectations() async throws {
        let stage = try await WebStage()
        let client = try stage.connect()
        let message = WebClient.request("ping")
        client.send(
            "POST",
            "/api",
            ["Expect": "100-continue", "Content-Length": "\(message.utf8.count)", "Content-Type": "application/json"]
        )
        #expect(client.response().status == 100)
        client.lines.send(message)
        #expect(client.response().json["result"] == .null)
        let refused = try stage.connect()
        refused.send("POST", "/api", ["Expect": "100-continue", "Content-Length": "5", "Content-Type": "text/plain"])
        #expect(refused.response().status == 415)
        #expect(refused.hasEnded)
    }

    @Test("a request that does not come to its end")
    func slowRequests() async throws {
        let stage = try await WebStage()
        let (head, body, idle) = (try stage.connect(), try stage.connect(), try stage.connect())
        #expect(idle.ask("GET", "/health").status == 200)
        head.lines.send("GET /health HTTP/1.1\r\nHost: 127")
        body.send("POST", "/api", ["Content-Length": "100"], body: "{")
        #expect(head.response().status == 408)
        #expect(head.hasEnded)
        #expect(body.response().status == 408)
        // One that has nothing to ask may wait longer.
        #expect(idle.ask("GET", "/health").status == 200)
    }

    @Test("as many connections as may be")
    func crowds() async throws {
        let stage = try await WebStage("", "limits.max-local-connections = 3")
        let clients = try (0..<3).map { _ in try stage.connect() }
        for client in clients { #expect(client.ask("GET", "/health").status == 200) }
        let next = try stage.connect()
        #expect(next.response().status == 503)
        clients[0].lines.endOutput()
        #expect(clients[0].hasEnded)
        try wait(for: "room") { try stage.connect().ask("GET", "/health").status == 200 }
    }

    @Test("curl reads all that it is sent", .enabled("curl is missing") { ChildProcess.missing("curl").isEmpty })
    func curl() async throws {
        let stage = try await WebStage()
        let type = ["-H", "Content-Type: application/json"]
        func curl(_ words: String...) throws -> String {
            try ChildProcess("curl", ["-sS", "--max-time", "60"] + words).waitBlocking().outputText
        }
        let address = "http://127.0.0.1:\(stage.port)"
        #expect(try curl("\(address)/health").hasPrefix("{\"status\":\"ok\""))
        let message = WebClient.request("status")
        let twice = try curl("\(address)/api", "\(address)/api", "-d", message, type[0], type[1])
        #expect(twice.split(separator: "\n").count == 2)
        // It offers HTTP/2, and goes on without it.
        #expect(
            try curl("--http2", "\(address)/api", "-d", message, type[0], type[1]) == twice.split(separator: "\n")[0]
                + "\n"
        )
        let socket = stage.folder.file("web")
        let chunked = try curl(
            "--unix-socket",
            socket,
            "http://localhost/api",
            "-d",
            message,
            "-H",
            "Transfer-Encoding: chunked",
            type[0],
            type[1]
        )
        #expect(chunked.contains("\"state\":\"stopped\""))
    }
}
