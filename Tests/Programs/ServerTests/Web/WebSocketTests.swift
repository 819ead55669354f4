import TestSupport
import TestThreads
import Testing
import TextEncodings

/// WebSockets: the messages of connections in JSON, and what RFC 6455 asks for around them.
@Suite(.blocking, .enabled("the fixtures' tools are missing") { Music.missing.isEmpty })
struct WebSocketTests {
    @Test("messages, and values that change")
    func messages() async throws {
        let stage = try await WebStage()
        let client = try stage.connect()
        let head = try client.openSocket(["Sec-WebSocket-Protocol": "other, segue.v1"])
        #expect(head.fields["sec-websocket-accept"] == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
        #expect(head.fields["sec-websocket-protocol"] == "segue.v1")
        #expect(try client.socketCall("status")["state"] == .string("stopped"))
        _ = try client.socketCall("partition", #"["kitchen"]"#)
        #expect(try client.socketCall("status")["zone"] == .string("kitchen"))
        let snapshot = try client.socketCall("watch", #"{"topics":["mixer"],"zones":["default"]}"#)
        #expect(snapshot["values"]?.elements.first?["value"]?["volume"] == .integer(100))
        try stage.server.connect().order("setvol 40")
        let told = try client.message().json
        #expect(told["method"] == .string("changed") && told["params"]?["value"]?["volume"] == .integer(40))
        // What has no response in lines has none here.
        client.sendMessage(#"{"jsonrpc":"2.0","method":"ping"}"#)
        client.sendMessage("[\(WebClient.request("ping", id: 1)),\n\(WebClient.request("ping", id: 2))]")
        #expect(try client.message().json.elements.count == 2)
        client.sendMessage("{")
        #expect(try client.message().json["error"]?["code"] == .integer(-32_700))
        _ = try stage.connect().openSocket(["Sec-WebSocket-Protocol": "other"]).fields["sec-websocket-protocol"] == nil
    }

    @Test("a zone in the address, and one that is not there")
    func zones() async throws {
        let stage = try await WebStage()
        let client = try stage.connect()
        try client.openSocket(at: "/api/ws?zone=kitchen")
        #expect(try client.socketCall("status")["zone"] == .string("kitchen"))
        let other = try stage.connect()
        other.send("GET", "/api/ws?zone=attic", WebClient.upgrade)
        #expect(other.response().status == 404)
    }

    @Test("a WebSocket may follow requests on its connection, and one that was refused ends it")
    func upgradesLater() async throws {
        let stage = try await WebStage()
        let client = try stage.connect()
        #expect(try client.call("ping") == .null)
        #expect(client.ask("GET", "/health").status == 200)
        try client.openSocket()
        #expect(try client.socketCall("ping") == .null)
        let refused = try stage.connect()
        refused.send("GET", "/api/ws", WebClient.upgrade.merging(["Origin": "http://evil.test"]) { $1 })
        let response = refused.response()
        #expect(response.status == 403 && response.fields["connection"] == "close")
        #expect(refused.hasEnded)
        let plain = try stage.connect().ask("GET", "/api/ws")
        #expect(plain.status == 426 && plain.fields["sec-websocket-version"] == "13")
    }

    @Test("frames that come with the request for the WebSocket")
    func hastyFrames() async throws {
        let client = try await WebStage().connect()
        client.send("GET", "/api/ws", WebClient.upgrade)
        for number in 1...100 { client.sendMessage(WebClient.request("ping", id: number)) }
        #expect(client.response().status == 101)
        for number in 1...100 { #expect(try client.message().json["id"] == .integer(number)) }
    }

    @Test("long results come in frames, as they are made")
    func longResults() async throws {
        let stage = try await WebStage()
        let owner = try stage.server.connect()
        owner.send("command_list_begin\n" + String(repeating: "add one.flac\n", count: 2_000) + "command_list_end\n")
        #expect(owner.reply() == ["OK"])
        let client = try stage.connect()
        try client.openSocket()
        client.sendMessage(WebClient.request("playlistinfo"))
        client.sendMessage(WebClient.request("ping", id: 2))
        let (result, frames) = try client.message()
        #expect(result["result"]?.elements.count == 2_000)
        #expect(frames > 3)
        #expect(try client.message().json["id"] == .integer(2))
    }

    @Test("messages in parts, with pings between them")
    func fragments() async throws {
        let client = try await WebStage().connect()
        try client.openSocket()
        let message = Array(WebClient.request("ping").utf8)
        client.sendFrame(1, Array(message[..<5]), isLast: false)
        client.sendFrame(9, Array("are you there".utf8))
        client.sendFrame(0, [], isLast: false)
        client.sendFrame(0, Array(message[5...]))
        #expect(client.frame() == WebClient.Frame(isLast: true, opcode: 10, payload: Array("are you there".utf8)))
        #expect(try client.message().json["result"] == .null)
        // A pong that was not asked for means nothing.
        client.sendFrame(10, [1, 2, 3])
        #expect(try client.socketCall("ping") == .null)
    }

    /// What is no message ends the connection, with the code of its fault.
    @Test(
        arguments: [
            ("unmasked", 1_002), ("a reserved bit", 1_002), ("a reserved opcode", 1_002),
            ("a part without a beginning", 1_002),
            ("a beginning within a message", 1_002), ("binary", 1_003), ("not UTF-8", 1_007), ("too long", 1_009),
            ("too long in parts", 1_009), ("a long ping", 1_002), ("goodbye", 1_000), ("close", 1_000),
            ("goodbye with half a status", 1_002), ("goodbye with a status of nobody", 1_002),
            ("goodbye with a status that is never sent", 1_002), ("goodbye with bytes", 1_007),
            ("goodbye of a program", 1_000),
        ]
    )
    func faults(what: String, code: Int) async throws {
        let stage = try await WebStage("", "limits.max-line-size = 4096")
        let client = try stage.connect()
        try client.openSocket()
        let ping = Array(WebClient.request("ping").utf8)
        switch what {
        case "unmasked": client.sendFrame(1, ping, isMasked: false)
        case "a reserved bit": client.sendFrame(1, ping, bits: 0x40)
        case "a reserved opcode": client.sendFrame(3, ping)
        case "a part without a beginning": client.sendFrame(0, ping)
        case "a beginning within a message":
            client.sendFrame(1, ping, isLast: false)
            client.sendFrame(1, ping)
        case "binary": client.sendFrame(2, ping)
        case "not UTF-8": client.sendFrame(1, [0x22, 0xff, 0x22])
        case "too long": client.sendFrame(1, Array(repeating: 0x20, count: 4_097))
        case "too long in parts":
            client.sendFrame(1, Array(repeating: 0x20, count: 4_000), isLast: false)
            client.sendFrame(0, Array(repeating: 0x20, count: 97))
        case "a long ping": client.sendFrame(9, Array(repeating: 0x20, count: 126))
        case "goodbye": client.sendFrame(8, [0x03, 0xe8])
        case "goodbye with half a status": client.sendFrame(8, [0x03])
        case "goodbye with a status of nobody": client.sendFrame(8, [0x03, 0xe7])
        case "goodbye with a status that is never sent": client.sendFrame(8, [0x03, 0xee])
        case "goodbye with bytes": client.sendFrame(8, [0x03, 0xe8, 0xff])
        case "goodbye of a program": client.sendFrame(8, [0x0f, 0xa0] + Array("bye".utf8))
        default:
            client.sendMessage(WebClient.request("close"))
            #expect(try client.message().json["result"] == .null)
        }
        #expect(client.frame()?.code == code, "\(what)")
        #expect(client.frame() == nil)
        #expect(try stage.connect().call("ping") == .null)
    }

    @Test("a server that ends says goodbye to nobody for long, and keeps no sockets")
    func ends() async throws {
        let stage = try await WebStage()
        let clients = try (0..<20).map { _ in
            let client = try stage.connect()
            try client.openSocket()
            return client
        }
        let before = stage.server.process.openDescriptors
        for client in clients.prefix(10) { client.sendFrame(8, [0x03, 0xe8]) }
        for client in clients.prefix(10) {
            #expect(client.frame()?.code == 1_000)
            #expect(client.frame() == nil)
        }
        try wait(for: "sockets to be closed") { stage.server.process.openDescriptors <= before - 10 }
        try await stage.server.stop()
        for client in clients.suffix(10) { while client.frame() != nil {} }
    }

    @Test("an independent client gets along", .enabled("python3-websockets is missing") { Tools.hasPythonWebSockets })
    func python() async throws {
        let program = """
            import asyncio, json, sys, websockets
            async def main():
                async with websockets.connect(sys.argv[1], subprotocols=["segue.v1"]) as ws:
                    assert ws.subprotocol == "segue.v1"
                    await ws.send([ '{"jsonrpc":"2.0","id":1,', '"method":"watch","params":{"topics":["mixer"]}}' ])
                    snapshot = json.loads(await ws.recv())["result"]
                    assert snapshot["values"][0]["value"] == {"volume": 100}, snapshot
                    await ws.send(json.dumps({"jsonrpc": "2.0", "id": 2, "method": "setvol", "params": {"volume": 31}}))
                    answers = [json.loads(await ws.recv()), json.loads(await ws.recv())]
                    assert answers[0]["id"] == 2 and answers[1]["params"]["value"] == {"volume": 31}, answers
                    await (await ws.ping())
                    await ws.send(json.dumps({"jsonrpc": "2.0", "id": 3, "method": "rpc.describe"}))
                    assert json.loads(await ws.recv())["result"]["openrpc"] == "1.3.2"
                try:
                    await websockets.connect(sys.argv[1], origin="http://evil.test")
                    assert False
                except websockets.InvalidStatusCode as error:
                    assert error.status_code == 403
                print("fine")
            asyncio.run(main())
            """
        let stage = try await WebStage()
        let words = ["-c", program, "ws://127.0.0.1:\(stage.port)/api/ws"]
        let result = try ChildProcess(Tools.python, words).waitBlocking()
        #expect(result.outputText == "fine\n", "\(result.errorText)")
    }
}
