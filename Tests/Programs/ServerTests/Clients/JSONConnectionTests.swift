import Foundation
import TestSupport
import TestThreads
import Testing
import TextEncodings

/// The end of connections that speak JSON-RPC, their flow, and `segue json`.
@Suite(.blocking, .enabled("the fixtures' tools are missing") { Music.missing.isEmpty })
struct JSONConnectionTests {
    private static func request(_ id: Int, _ method: String, _ params: String = "[]") -> String {
        #"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":\#(params)}"#
    }

    // MARK: The end

    /// A batch whose connection ends in the middle has a whole line of responses, up to the request that ended it.
    @Test(arguments: ["close", "kill"]) func aBatchEndsWithTheConnection(method: String) async throws {
        let client = try await Segued.start().connectJSON()
        let requests = [Self.request(1, "ping"), Self.request(2, method), Self.request(3, "ping")]
        client.lines.send("[\(requests.joined(separator: ","))]\n\(Self.request(4, "ping"))\n")
        let responses = client.response().elements
        #expect(responses.map { $0["id"] } == [.integer(1), .integer(2)])
        #expect(responses.allSatisfy { $0["result"] == .null })
        #expect(client.lines.line() == "<closed>")
    }

    /// So has one in which the password is wrong too often.
    @Test func wrongPasswordsEndABatch() async throws {
        let folder = try TemporaryFolder()
        let text = """
            listen = ["unix:\(folder.file("socket"))"]
            [[password]]
            password = "secret"
            permissions = "read"
            [[output]]
            type = "null"
            name = "null"
            """
        let client = try await Segued.start(.toml(text), in: folder).connectJSON()
        let requests = (1...20).map { Self.request($0, "password", #"["wrong"]"#) }
        client.lines.send("[\(requests.joined(separator: ","))]\n")
        let responses = client.response().elements
        #expect((1..<20).contains(responses.count))
        #expect(responses.allSatisfy { $0["error"]?["data"]?["ack"] == .integer(3) })
        #expect(client.lines.line() == "<closed>")
    }

    // MARK: Flow

    /// Pictures that are asked for all at once are made as they are read, whatever they come to together.
    @Test func picturesAreMadeAsTheyAreRead() async throws {
        let music = try TemporaryFolder()
        let one = URL(filePath: try await Music.folder()).appending(path: "one.flac")
        try FileManager.default.copyItem(at: one, to: URL(filePath: music.file("one.flac")))
        let picture = (0..<2_000_000).map { UInt8(truncatingIfNeeded: $0 * 7 + $0 >> 11) }
        try music.write("cover.jpg", picture)
        let server = try await Segued.start(music: music.path)
        let (client, other) = (try server.connectJSON(), try server.connect())
        let requests = (1...12).map { Self.request($0, "albumart", #"{"uri":"one.flac","offset":0}"#) }
        // Some in a batch, some one after another; with Base64 32 MB, of which 8 may wait.
        client.lines.send("[\(requests[..<6].joined(separator: ","))]\n\(requests[6...].joined(separator: "\n"))\n")
        for _ in 0..<50 { #expect(other.ask("ping") == ["OK"]) }
        let base64 = JSON.string(String(decoding: Base64.encoded(picture), as: UTF8.self))
        let responses = client.response().elements + (0..<6).map { _ in client.response() }
        #expect(responses.map { $0["id"] } == (1...12).map(JSON.integer))
        #expect(responses.allSatisfy { $0["result"]?["data"] == base64 })
    }

    // MARK: Rights

    /// A client that may not call a method is told so, whatever its arguments.
    @Test func aMissingRightIsToldFirst() async throws {
        let folder = try TemporaryFolder()
        let text = """
            listen = ["unix:\(folder.file("socket"))"]
            local-permissions = "read"
            [[output]]
            type = "null"
            name = "null"
            """
        let client = try await Segued.start(.toml(text), in: folder).connectJSON()
        for (method, params) in [("move", "{}"), ("rangeid", #"{"id":"x"}"#), ("alarm.add", #"{"fly":1}"#)] {
            let error = client.call(method, params)["error"]
            #expect(error?["data"]?["ack"] == .integer(4) && error?["code"] == .integer(-32_000), "\(method)")
            #expect(error?["data"]?["command"] == .string(String(method.prefix { $0 != "." })))
        }
        #expect(client.call("find", "{}")["error"]?["data"]?["ack"] == .integer(2))
    }

    // MARK: Methods

    @Test func oneMethodIsDescribed() async throws {
        let client = try await Segued.start().connectJSON()
        for params in [#"{"method":"alarm.add"}"#, #"["alarm.add"]"#] {
            let methods = try client.result("rpc.describe", params)["methods"]?.elements ?? []
            #expect(methods.map { $0["name"] } == [.string("alarm.add")])
            let names = methods.first?["params"]?.elements.map { $0["name"]?.string } ?? []
            #expect(names.prefix(4) == ["time", "days", "date", "zone"] && names.contains("thenplay"))
        }
        #expect(client.call("rpc.describe", #"{"method":"fly"}"#)["error"]?["code"] == .integer(-32_601))
        #expect(client.call("rpc.describe", #"{"name":"x"}"#)["error"]?["code"] == .integer(-32_602))
    }

    /// The description is long and anybody's, so a batch does not have it many times.
    @Test func allMethodsAreDescribedOnceInABatch() async throws {
        let client = try await Segued.start().connectJSON()
        let one = #"{"jsonrpc":"2.0","id":1,"method":"rpc.describe"}"#
        for _ in 0..<2 {
            client.lines.send("[\(one),\(one),\(one)]\n")
            let responses = client.response().elements
            #expect(responses.map { $0["error"]?["data"]?["ack"] } == [nil, .integer(4), .integer(4)])
        }
    }

    /// Methods that only change something return nothing, and those beside them a list.
    @Test func changesHaveNoResult() async throws {
        let client = try await Segued.start().connectJSON()
        for method in ["tagtypes", "protocol"] {
            #expect(try client.result("\(method).clear") == .null && client.result("\(method).all") == .null)
            #expect(try client.result(method).elements.isEmpty == false)
            #expect(try client.result("\(method).available").elements.isEmpty == false)
        }
    }

    // MARK: segue json

    private func segue(_ server: Segued, _ words: String) async throws -> ChildProcess.Result {
        let program = try Segued.path().replacing(/segued$/, with: "segue")
        let environment = ["MPD_HOST": server.socket, "LANG": "C.UTF-8", "PATH": "/usr/bin:/bin"]
        return try await ChildProcess("/bin/sh", ["-c", "\(program) \(words)"], environment: environment).wait()
    }

    /// A value is read as the method takes it: a text keeps its spelling, whatever it looks like.
    @Test func valuesAreOfTheMethodsTypes() async throws {
        let server = try await Segued.start()
        for name in ["2024.10", "true", "[1]", "null"] {
            #expect(try await segue(server, "json save 'name=\(name)'").outputText == "null\n")
        }
        let names = Set(try server.connect().order("listplaylists").filter { $0.hasPrefix("playlist: ") })
        #expect(names.isSuperset(of: ["2024.10", "true", "[1]", "null"].map { "playlist: \($0)" }))
        let sticker = "type=song uri=one.flac name=x"
        #expect(try await segue(server, "json sticker.set \(sticker) value=1.50").outputText == "null\n")
        #expect(try await segue(server, "json sticker.get \(sticker)").outputText.contains(#""1.50""#))
        #expect(try await segue(server, "json repeat state=true").outputText == "null\n")
        #expect(try server.connect().values("status")["repeat"] == "1")
    }

    /// Output that cannot be written is a failure, of all verbs.
    @Test(arguments: ["json status", "status", "outputs"]) func theDiskIsFull(words: String) async throws {
        let server = try await Segued.start()
        let result = try await segue(server, "\(words) >/dev/full")
        #expect(result.status == .code(1))
        #expect(result.errorText == "segue: the output cannot be written: No space left on device\n")
    }

    @Test func anUnknownZoneIsRefused() async throws {
        let result = try await segue(try await Segued.start(), "json partition name=zz")
        #expect(result.status == .code(1) && result.errorText.contains("'partition': "), "\(result.errorText)")
    }
}
