import Foundation
import Glibc
import LineProtocol
import Records
import ServerCommands
import ServerRequests
import TestSupport
import TestThreads
import Testing
import TextEncodings

/// Connections that speak JSON-RPC.
@Suite(.blocking, .enabled("the fixtures' tools are missing") { Music.missing.isEmpty })
struct JSONTests {
    // MARK: The same commands

    /// A result has the records of the reply to the same request in MPD's protocol.
    @Test func repliesAreTheRecordsOfLines() async throws {
        let server = try await Segued.start()
        let (lines, json) = (try server.connect(), try server.connectJSON())
        var compared: Set<String> = []
        for line in ReplyShapeTests.lines where line != "idle playlist" {
            let request = try RequestLine(parsing: Array(line.utf8))
            let answer = json.call(request.command, request.arguments)
            let command = try #require(CommandTable.standard[request.command])
            // Only what changes nothing can be asked twice.
            guard answer["result"] != nil, Self.queries.contains(where: line.hasPrefix) else { continue }
            guard let shape = command.reply.shape(request.arguments) else { continue }
            var last = (lines: JSON.null, json: JSON.null)
            do {
                try wait(for: "the same reply to \(line)", within: .seconds(2)) {
                    last.lines = Self.steady(Self.result(shape, of: try lines.order(line)))
                    last.json = Self.steady(json.call(request.command, request.arguments)["result"])
                    return last.lines.text == last.json.text
                }
            } catch {
                Issue.record("\(line): \(last.lines.text), in JSON \(last.json.text)")
            }
            compared.insert(line)
        }
        #expect(compared.count > 60, "\(compared.sorted())")
    }

    /// The beginnings of requests that change nothing, and whose reply is the same on any connection.
    private static let queries = [
        "status", "currentsong", "playlist", "plchanges", "stats", "config", "outputs", "list", "getvol",
        "replay_gain_s",
        "buffer", "mediaselection", "find ", "search ", "count", "searchcount", "lsinfo", "readcomments", "lyrics",
        "identify", "sticker get", "sticker list", "sticker find", "stickern", "stickert", "library s", "library p",
        "library d", "library l", "library m", "session list", "session codes", "session p", "session f", "session ev",
        "session n", "nowplaying", "why", "announcement", "alarm list", "alarm info", "alarm holidays", "schedule list",
        "schedule info", "clients show", "audit", "pairing list", "urlhandlers", "decoders",
        "channels", "route",
    ]

    private static func result(_ shape: RecordShape, of lines: [String]) -> JSON {
        let pairs = lines.map { text -> ReplyLine in
            let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let value = parts.count > 1 ? parts[1] : ""
            return (parts[0], value.hasPrefix(" ") ? String(value.dropFirst()) : value)
        }
        let records = shape.records(of: pairs)
        return shape.isList ? .array(records) : records.first ?? (shape.beginnings.isEmpty ? shape.record([]) : .null)
    }

    /// Without what goes on with the time.
    private static func steady(_ json: JSON?) -> JSON {
        switch json {
        case .object(let fields)?:
            .object(
                fields.filter { !["elapsed", "uptime", "playtime", "sleep", "bit_rate", "expires"].contains($0.name) }
                    .map { .init($0.name, steady($0.value)) }
            )
        case .array(let elements)?: .array(elements.map(steady))
        default: json ?? .null
        }
    }

    /// A program adds, plays, pauses, searches and sets an alarm by named arguments.
    @Test func namedArgumentsControl() async throws {
        let client = try await Segued.start().connectJSON()
        #expect(try client.result("add", #"{"uri":"Blue"}"#) == .null)
        #expect(try client.result("addid", #"{"uri":"one.flac","position":1}"#)["id"] != nil)
        #expect(try client.result("play", #"{"position":1}"#) == .null)
        try client.wait { try client.result("status")["state"] == .string("playing") }
        #expect(try client.result("status")["position"] == .integer(1))
        #expect(try client.result("currentsong")["file"] == .string("one.flac"))
        #expect(try client.result("pause", #"{"state":true}"#) == .null)
        #expect(try client.result("status")["state"] == .string("paused"))
        let found = try client.result("find", #"{"filter":"(title == 'One')","offset":0,"limit":1}"#)
        #expect(found.elements.count == 1)
        let alarm = try client.result("alarm.add", #"{"time":"07:00","days":"mon-fri","name":"wörk \"1\""}"#)["alarm"]
        #expect(alarm == .integer(1))
        #expect(try client.result("alarm.info", #"{"alarm":1}"#)["name"] == .string("wörk \"1\""))
        #expect(try client.result("alarm.info", "[1]")["days"] == .string("mon-fri"))
        #expect(try client.result("clear") == .null && client.result("playlistinfo") == .array([]))
        #expect(try client.result("currentsong") == .null)
    }

    /// A whole picture, in one piece.
    @Test func picturesAreBase64() async throws {
        let server = try await Segued.start()
        let uri = "Blue/01 So What.flac"
        let lines = try server.connect()
        var picture: [UInt8] = []
        while true {
            let size = try lines.values("albumart \"\(uri)\" \(picture.count)")["size"]
            picture += lines.chunk
            if picture.count == size.flatMap({ Int($0) }) { break }
        }
        let result = try server.connectJSON().result("albumart", #"{"uri":"\#(uri)","offset":0}"#)
        #expect(result["binary"] == .integer(picture.count) && result["size"] == .integer(picture.count))
        #expect(Base64.decoded(Array((result["data"]?.string ?? "").utf8)[...]) == picture)
    }

    // MARK: Messages

    /// The connection changes between two lines, wherever the bytes are cut.
    @Test func requestsMayComeWithTheChange() async throws {
        let server = try await Segued.start()
        let client = try server.connect()
        client.send("ping\njson\n" + Self.ping(1) + Self.ping(2))
        #expect((0..<4).map { _ in client.line() } == ["OK", "OK", Self.pong(1), Self.pong(2)])
        for byte in Self.ping(3).utf8 { client.send([byte]) }
        #expect(client.line() == Self.pong(3))
    }

    private static func ping(_ id: Int) -> String { #"{"jsonrpc":"2.0","id":\#(id),"method":"ping"}"# + "\n" }
    private static func pong(_ id: Int) -> String { #"{"jsonrpc":"2.0","id":\#(id),"result":null}"# }

    @Test func aListCannotChange() async throws {
        let client = try await Segued.start().connect()
        client.send("command_list_begin\nping\njson\nping\ncommand_list_end\n")
        #expect(client.reply() == ["ACK [2@1] {json} json cannot be in a command list"])
        #expect(client.ask("ping") == ["OK"])
        #expect(client.ask("json x") == ["ACK [2@0] {json} wrong number of arguments for \"json\""])
    }

    /// Each failure has its code, and the connection goes on.
    @Test func failuresAreTold() async throws {
        let client = try await Segued.start().connectJSON()
        for (line, code, ack, command) in [
            ("nonsense", -32_700, nil, nil), ("", -32_700, nil, nil), ("{}", -32_600, nil, nil),
            ("[]", -32_600, nil, nil),
            (#"{"jsonrpc":"2.0","id":1,"method":"fly"}"#, -32_601, 5, ""),
            (#"{"jsonrpc":"2.0","id":1,"method":"idle"}"#, -32_601, 5, ""),
            (#"{"jsonrpc":"2.0","id":1,"method":"json"}"#, -32_601, 5, ""),
            (#"{"jsonrpc":"2.0","id":1,"method":"setvol","params":[101]}"#, -32_602, 2, "setvol"),
            (#"{"jsonrpc":"2.0","id":1,"method":"setvol","params":{"volume":"x"}}"#, -32_602, 2, "setvol"),
            (#"{"jsonrpc":"2.0","id":1,"method":"setvol"}"#, -32_602, 2, "setvol"),
            (#"{"jsonrpc":"2.0","id":1,"method":"add","params":["none.flac"]}"#, -32_000, 50, "add"),
            (#"{"jsonrpc":"2.0","id":1,"method":"load","params":{"name":"none"}}"#, -32_000, 50, "load"),
        ] as [(String, Int, Int?, String?)] {
            client.lines.send(line + "\n")
            let error = try #require(client.response()["error"], "\(line)")
            #expect(error["code"] == .integer(code), "\(line)")
            #expect(error["data"]?["ack"] == ack.map(JSON.integer), "\(line)")
            #expect(error["data"]?["command"] == command.map(JSON.string), "\(line)")
            #expect(error["message"]?.string?.isEmpty == false)
        }
        #expect(try client.result("ping") == .null)
    }

    /// Each call of a batch is carried out, also behind one that fails; notifications have no response.
    @Test func batchesAreCarriedOutInOrder() async throws {
        let client = try await Segued.start().connectJSON()
        client.lines.send(
            #"[{"jsonrpc":"2.0","id":"a","method":"add","params":["one.flac"]},{"jsonrpc":"2.0","method":"add","#
                + #""params":["two.flac"]},7,{"jsonrpc":"2.0","id":"b","method":"delete","params":[9]},"#
                + #"{"jsonrpc":"2.0","id":"c","method":"playlistinfo"},{"jsonrpc":"2.0","method":"fly"}]"# + "\n"
        )
        let responses = client.response().elements
        #expect(responses.map { $0["id"] } == [.string("a"), .null, .string("b"), .string("c")])
        #expect(responses[2]["error"]?["data"]?["index"] == .integer(3))
        #expect(responses[3]["result"]?.elements.map { $0["file"] } == [.string("one.flac"), .string("two.flac")])
        // Without a response to any.
        client.lines.send(#"[{"jsonrpc":"2.0","method":"clear"},{"jsonrpc":"2.0","method":"nothing"}]"# + "\n")
        client.lines.send(#"{"jsonrpc":"2.0","method":"playlistinfo"}"# + "\n")
        #expect(try client.result("playlistinfo") == .array([]))
        client.lines.send("[" + Array(repeating: "1", count: 1_001).joined(separator: ",") + "]\n")
        #expect(client.response()["error"]?["code"] == .integer(-32_600))
    }

    // MARK: Long replies

    /// Many songs come as fast as they are read, and no faster; another client does not wait meanwhile.
    @Test func longResultsComeInPieces() async throws {
        let server = try await Segued.start()
        let client = try server.connectJSON()
        let songs = 20_000
        let other = try server.connect()
        other.send("command_list_begin\n" + String(repeating: "add one.flac\n", count: songs) + "command_list_end\n")
        #expect(other.reply() == ["OK"])
        client.lines.send(#"{"jsonrpc":"2.0","id":1,"method":"playlistinfo"}"# + "\n")
        // The socket is full by now, and the server goes on with others.
        for _ in 0..<50 { #expect(other.ask("ping") == ["OK"]) }
        let result = client.response()["result"]?.elements ?? []
        #expect(result.count == songs)
        #expect(
            result.enumerated().allSatisfy { $1["position"] == .integer($0 + 1) && $1["file"] == .string("one.flac") }
        )
        // One that leaves in the middle.
        client.lines.send(#"[{"jsonrpc":"2.0","id":1,"method":"playlistinfo"}]"# + "\n")
        _ = client.lines.bytes(1_000)
        client.lines.endOutput()
        #expect(other.ask("ping") == ["OK"])
    }

    /// However fast one client reads, the others have their turns.
    @Test(arguments: ["playlistinfo\n", #"{"jsonrpc":"2.0","id":1,"method":"playlistinfo"}"# + "\n"])
    func othersHaveTheirTurns(request: String) async throws {
        let server = try await Segued.start()
        let other = try server.connect()
        other.send("command_list_begin\n" + String(repeating: "add one.flac\n", count: 40_000) + "command_list_end\n")
        #expect(other.reply() == ["OK"])
        let reader = try server.connect()
        if request.hasPrefix("{") { try reader.order("json") }
        reader.send(request)
        let (descriptor, isRead) = (reader.descriptor, Watched(false))
        let thread = Thread {
            var (bytes, last) = ([UInt8](repeating: 0, count: 1 << 20), [UInt8]())
            while last != Array("\nOK\n".utf8), !(last.last == 0x0a && request.hasPrefix("{")) {
                let count = unsafe recv(descriptor, &bytes, bytes.count, 0)
                guard count > 0 else { break }
                last = (last + bytes[..<count].suffix(4)).suffix(4)
            }
            isRead.withLock { $0 = true }
        }
        thread.start()
        var pings = 0
        while !isRead.current {
            #expect(other.ask("ping") == ["OK"])
            pings += 1
        }
        #expect(pings > 5)
        withExtendedLifetime(reader) {}
    }

    // MARK: Limits and rights

    @Test func aLineMayBeTooLong() async throws {
        let folder = try TemporaryFolder()
        let text = """
            listen = ["unix:\(folder.file("socket"))"]
            limits.max-line-size = 4096
            [[output]]
            type = "null"
            name = "null"
            """
        let server = try await Segued.start(.toml(text), in: folder)
        let client = try server.connectJSON()
        client.lines.send(String(repeating: " ", count: 4_096 - Self.ping(1).utf8.count + 1) + Self.ping(1))
        #expect(client.lines.line() == Self.pong(1))
        client.lines.send(String(repeating: " ", count: 4_096 - Self.ping(2).utf8.count + 2) + Self.ping(2))
        let error = try #require(client.response()["error"])
        #expect(error["code"] == .integer(-32_600) && error["message"]?.string?.contains("max-line-size") == true)
        #expect(client.lines.line() == "<closed>")
    }

    /// The rights are those of the same user, address or password in MPD's protocol.
    @Test func rightsAreTheSame() async throws {
        let port = try steadyPort()
        let folder = try TemporaryFolder()
        let text = """
            listen = ["tcp:127.0.0.1:\(port)", "unix:\(folder.file("socket"))"]
            [[host]]
            address = "127.0.0.1"
            permissions = "read"
            [[password]]
            password = "secret"
            permissions = "read,player"
            [[output]]
            type = "null"
            name = "null"
            """
        let server = try await Segued.start(.toml(text), in: folder)
        let client = try JSONClient(LineClient(.ipv4(port), of: server))
        #expect(try client.result("status")["state"] == .string("stopped"))
        let refused = client.call("clear", [])
        #expect(refused["error"]?["data"]?["ack"] == .integer(4) && refused["error"]?["code"] == .integer(-32_000))
        #expect(client.call("alarm.add", #"{"time":"07:00"}"#)["error"]?["data"]?["ack"] == .integer(4))
        #expect(client.call("password", ["wrong"])["error"]?["data"]?["ack"] == .integer(3))
        #expect(try client.result("password", #"{"password":"secret"}"#) == .null)
        #expect(try client.result("clear") == .null)
    }

    @Test func clientsLeave() async throws {
        let client = try await Segued.start().connectJSON()
        client.lines.send(Self.ping(1) + #"{"jsonrpc":"2.0","id":2,"method":"close"}"# + "\n" + Self.ping(3))
        #expect((0..<3).map { _ in client.lines.line() } == [Self.pong(1), Self.pong(2), "<closed>"])
    }

    /// A line of MPD's protocol is as long as its clients can read, and a text of JSON is whole.
    @Test func longTextsAreWhole() async throws {
        let server = try await Segued.start()
        let (client, lines) = (try server.connectJSON(), try server.connect())
        let text = String(repeating: "x", count: 4_090)
        _ = try client.result("sticker.set", #"["song","one.flac","k","\#(text)"]"#)
        for method in ["sticker.get", "sticker.find"] {
            let uri = method == "sticker.get" ? "one.flac" : ""
            #expect(try client.result(method, #"["song","\#(uri)","k"]"#).elements.first?["value"] == .string(text))
        }
        #expect(try lines.order("sticker get song one.flac k") == ["sticker: k=" + text.prefix(3_998)])
        _ = try client.result("subscribe", #"["news"]"#)
        _ = try client.result("sendmessage", #"["news","\#(text + text)"]"#)
        #expect(try client.result("readmessages").elements.first?["message"] == .string(text + text))
    }

    // MARK: segue json

    @Test func segueCallsMethods() async throws {
        let server = try await Segued.start()
        func segue(_ words: String...) async throws -> ChildProcess.Result {
            let program = try Segued.path().replacing(/segued$/, with: "segue")
            let environment = ["MPD_HOST": server.socket, "LANG": "C.UTF-8", "PATH": "/usr/bin:/bin"]
            return try await ChildProcess(program, ["json"] + words, environment: environment).wait()
        }
        #expect(try await segue("add", "uri=one.flac").outputText == "null\n")
        #expect(try await segue("playlistlength", "name=a=b").errorText.contains("No such playlist"))
        let songs = try await segue("playlistinfo", "position=1", "count=5").outputText
        #expect(try JSON(parsing: Array(songs.utf8)).elements.map { $0["file"] } == [.string("one.flac")])
        #expect(try await segue("playlistinfo", #"{"position":1}"#).outputText == songs)
        #expect(try await segue("playlistinfo", "0:1").outputText == songs)
        let wrong = try await segue("setvol", "volume=loud")
        #expect(wrong.errorText == "segue: the server refuses 'setvol': 'volume' must be a whole number\n")
        #expect(wrong.status == .code(1) && wrong.outputText.isEmpty)
        #expect(try await segue("add", "uri=x", "y").errorText.contains("either all arguments have names"))
    }

    /// Other programs' parsers read the description, and find that replies are as it says.
    @Test(.enabled("python3-jsonschema is not installed") { Self.hasSchemas })
    func theDescriptionIsTrue() async throws {
        let server = try await Segued.start()
        let result = try await ChildProcess("/usr/bin/python3", ["-c", Self.script, server.socket]).wait()
        #expect(result.errorText == "")
        #expect(result.outputText.hasPrefix("valid: "))
        let printed = try await ChildProcess(try Segued.path(), ["--describe"]).wait().outputText
        #expect(try printed == server.connectJSON().result("rpc.describe").text + "\n")
    }

    /// No call that the description has as an example is refused for its arguments, if the things that it names are there.
    @Test func examplesAreCarriedOut() async throws {
        let server = try await Segued.start()
        let client = try server.connectJSON()
        let methods = try client.result("rpc.describe")["methods"]?.elements ?? []
        var (successes, refusals): (Int, [String]) = (0, [])
        for method in methods {
            guard let name = method["name"]?.string, let example = method["examples"]?.elements.first else { continue }
            // Wrong secrets end the connection, notifications come between responses, no owner answers requests, and nothing is
            // mounted or has attributes.
            let others = [
                "pair.prove", "pair.token", "pair.invitation", "watch", "picker.wait", "unmount", "outputset",
            ]
            if (others + ["password"]).contains(name) { continue }
            let arguments = (example["params"]?.elements ?? []).compactMap { argument in
                argument["name"]?.string.map { JSON.Field($0, argument["value"] ?? .null) }
            }
            // Some calls take the songs away that others need.
            for _ in 0..<20 { _ = try client.result("add", #"["one.flac"]"#) }
            let response = client.call(name, JSON.object(arguments).text)
            if response["result"] != nil { successes += 1 }
            guard let code = response["error"]?["data"]?["ack"] else { continue }
            if code == .integer(2) { refusals.append("\(name): \(response["error"]?.text ?? "")") }
        }
        #expect(refusals == [])
        #expect(successes > 50)
    }

    private static var hasSchemas: Bool {
        (try? ChildProcess.run("/usr/bin/python3", ["-c", "import jsonschema"])) != nil
    }

    /// Reads the description, asks for everything that takes no argument, and holds each result to its schema.
    private static let script = """
        import json, jsonschema, socket, sys
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(sys.argv[1])
        file = connection.makefile("rwb", buffering=0)
        assert file.readline() == b"OK MPD 0.24.0\\n"
        file.write(b"json\\n")
        assert file.readline() == b"OK\\n"
        def call(method, **params):
            request = {"jsonrpc": "2.0", "id": method, "method": method, "params": params}
            file.write(json.dumps(request).encode() + b"\\n")
            # Notifications of `watch` may come between.
            while "id" not in (response := json.loads(file.readline())): pass
            assert response["jsonrpc"] == "2.0" and response["id"] == method, response
            return response
        document = call("rpc.describe")["result"]
        assert document == call("rpc.discover")["result"]
        assert document["openrpc"].startswith("1.3.") and document["info"]["version"]
        call("add", uri="/")
        call("play", position=2)
        call("alarm.add", time="07:00", days="mon-fri", name="x")
        call("alarm.addholiday", first="2026-12-24")
        call("schedule.add", time="22:00", commands=["stop", "ping"])
        call("announce", uri="one.flac", volume=1)
        call("sticker.set", type="song", uri="one.flac", name="x", value=1)
        call("clients.set", client="tablet", permissions="read")
        call("save", name="mine")
        valid = 0
        for method in document["methods"]:
            schema = method["result"]["schema"]
            jsonschema.Draft7Validator.check_schema(schema)
            for param in method["params"]:
                jsonschema.Draft7Validator.check_schema(param["schema"])
                assert isinstance(param["required"], bool) and param["name"]
            schemas = {param["name"]: param["schema"] for param in method["params"]}
            for argument in [argument for example in method.get("examples", []) for argument in example["params"]]:
                jsonschema.validate(argument["value"], schemas[argument["name"]])
            if any(param["required"] for param in method["params"]): continue
            if method["name"] in ("kill", "close", "pair.wait", "clear", "stop", "next", "previous", "mount"): continue
            response = call(method["name"])
            if "error" in response: continue
            if schema.get("type") != "null" or response["result"] is None:
                jsonschema.validate(response["result"], schema)
                valid += 1
        schemas = {method["name"]: method["result"]["schema"] for method in document["methods"]}
        for params in ({"filter": "(title == 'One')"}, {"filter": "(title == 'One')", "group": "artist"}):
            jsonschema.validate(call("count", **params)["result"], schemas["count"])
        assert valid > 50, valid
        print("valid:", valid)
        """
}

/// A client that speaks JSON.
struct JSONClient {
    let lines: LineClient

    init(_ lines: LineClient) throws {
        self.lines = lines
        try lines.order("json")
    }

    /// The next line, which has to be JSON.
    func response() -> JSON {
        let line = lines.line()
        do { return try JSON(parsing: Array(line.utf8)) } catch {
            Issue.record("\(line.prefix(200)): \(error)")
            return .null
        }
    }

    func call(_ method: String, _ params: JSON) -> JSON {
        let request = JSON.object([
            .init("jsonrpc", .string("2.0")), .init("id", .integer(1)), .init("method", .string(method)),
            .init("params", params),
        ])
        lines.send(request.text + "\n")
        return response()
    }

    func call(_ method: String, _ words: [String]) -> JSON { call(method, .array(words.map(JSON.string))) }

    func call(_ method: String, _ params: String) -> JSON {
        (try? JSON(parsing: Array(params.utf8))).map { call(method, $0) } ?? .null
    }

    /// - Throws: The response is a failure.
    func result(_ method: String, _ params: String = "[]") throws -> JSON {
        let response = call(method, params)
        guard let result = response["result"] else { throw ClientError(description: "\(method): \(response.text)") }
        return result
    }

    func wait(until isSo: () throws -> Bool) throws { try TestSupport.wait(for: "the client's state", until: isSo) }
}

extension TestServer {
    func connectJSON() throws -> JSONClient { try JSONClient(connect()) }
}
