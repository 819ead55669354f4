import TestSupport
import TestThreads
import Testing
import TextEncodings

/// After the reply to a revocation, the server tells the client nothing more, by any of its connections.
@Suite(.blocking, .enabled("the fixtures' tools are missing") { Music.missing.isEmpty })
struct RevocationOrderTests {
    /// Starts a server with two songs; `secret.wav` is played only after a revocation.
    private func start() async throws -> (stage: WebStage, radio: UInt16) {
        let folder = try TemporaryFolder()
        let root = try folder.makeFolder("music")
        for (name, seconds) in [("tone.wav", 60.0), ("secret.wav", 20)] {
            let tone = Signal.tone(1_000, seconds: seconds, sampleRate: 44_100)
            try WaveFile.write(tone, sampleRate: 44_100, to: "\(root)/\(name)")
        }
        let radio = try steadyPort()
        let tables = "[[output]]\ntype = \"httpd\"\nname = \"radio\"\nport = \(radio)\nencoder = \"mp3\"\n"
        let stage = try await WebStage(
            "",
            "anonymous-permissions = \"none\"",
            tables: tables,
            in: folder,
            music: root
        )
        return (stage, radio)
    }

    /// Makes a client.
    ///
    /// - Returns: The fields that its browser sends.
    private func pair(_ stage: WebStage, _ words: String) throws -> [String: String] {
        let invitation = try #require(try stage.server.connect().values("pairing invite \(words)")["invitation"])
        let own = ["Origin": "http://127.0.0.1:\(stage.port)"]
        let response = try stage.connect().post(#"{"invitation":"\#(invitation)"}"#, own, to: "/api/cookie")
        let cookie = try #require(response.fields["set-cookie"], "\(response)")
        return own.merging(["Cookie": String(cookie.prefix { $0 != ";" })]) { $1 }
    }

    @Test(arguments: ["clients set anna permissions none", "clients revoke anna", "clients forget anna"])
    func nothingFollowsTheReply(order: String) async throws {
        let (stage, _) = try await start()
        let owner = try stage.server.connect()
        for command in ["add tone.wav", "play"] { try owner.order(command) }
        let anna = try pair(stage, "anna permissions read,add,player")
        let socket = try stage.connect()
        try socket.openSocket(anna)
        let announced = try socket.socketCall("announce", #"["tone.wav"]"#)["announcement"]
        guard case .integer(let announcement)? = announced else { throw ClientError(description: "no announcement") }
        // Values that change would come between a request and its response.
        _ = try socket.socketCall("watch", #"{"topics":["player","queue","mixer"]}"#)
        let events = try stage.connect()
        events.send("GET", "/api/events?topics=player,queue,mixer", anna)
        #expect(events.head().status == 200)
        let listener = try stage.connect()
        listener.send("GET", "/stream/default.mp3", anna)
        #expect(listener.head().status == 200)
        try wait(for: "the announcement") {
            try owner.values("announcement info \(announcement)")["state"] == "playing"
        }
        try owner.order(order)
        // The reply has come: what happens from here on is not told.
        #expect(try owner.values("announcement info \(announcement)")["state"] == "cancelled")
        for command in ["clear", "add secret.wav", "setvol 37", "play"] { try owner.order(command) }
        let sound = listener.lines.bytes(.max >> 1)
        #expect(sound.count < 1 << 20, "the stream has ended")
        // Forgotten, the client's connections end.
        _ = owner.ask("clients forget anna")
        var told = ""
        while let frame = socket.frame(), frame.opcode != 8 { told += frame.text }
        told += String(decoding: events.lines.bytes(.max >> 1), as: UTF8.self)
        #expect(!told.contains("secret") && !told.contains(#""volume":37"#) && told.contains("tone.wav"), "\(told)")
        #expect(try owner.values("status")["volume"] == "37")
    }
}
