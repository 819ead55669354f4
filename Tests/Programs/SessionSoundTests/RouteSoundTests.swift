import AudioTypes
import TestSupport
import Testing

/// Sinks go away and come back under a server: what its clients see, and what is heard where.
extension SessionSoundTests {
    private static let stays = NullSink("stays")
    private static let goes = NullSink("goes")

    /// A server with one zone, beside which a sink can be unloaded and loaded again.
    private func stage(
        _ server: Stage.Server = .pulseAudio,
        device: String? = nil,
        _ more: String = "",
        tables: String = ""
    ) async throws -> Stage {
        let sound: any SoundServer =
            server == .pulseAudio
            ? try await PulseServer.start(Self.stays)
            : try await PipeWireServer.start(Self.stays, quantum: Stage.Server.quantum)
        try sound.load(Self.goes)
        if device == nil { try sound.control("set-default-sink", "goes") }
        let output = """
            [[output]]
            name = "main"
            type = "pulse"
            server = "\(sound.address)"
            \(device.map { "device = \"\($0)\"" } ?? "")
            format = "44100:16:2"
            \(more)
            \(tables.replacing("SERVER", with: sound.address))

            """
        return try await Stage(on: sound, output)
    }

    /// Rows 59, 60 and 62: a zone whose named sink is unloaded waits for it: it says so, nothing is heard elsewhere, and it goes on there.
    @Test(arguments: Stage.Server.installed)
    func aZoneWaitsForItsSink(_ server: Stage.Server) async throws {
        let stage = try await stage(server, device: "goes")
        let client = try stage.connect()
        let fallback = try await MonitorCapture(of: stage.sound, sink: Self.stays)
        let first = try await MonitorCapture(of: stage.sound, sink: Self.goes)
        try client.play("music.wav")
        try await first.waitForMusic()
        try stage.sound.unload(Self.goes)
        let loss = "main: the sink 'goes' is gone; waiting for it"
        try client.wait { try client.values("status")["error"] == loss }
        #expect(try client.values("status")["state"] == "play")
        #expect(try client.values("why")["cause"] == loss)
        let event = try #require(try client.events().last { $0["type"] == "routeChanged" })
        #expect(event["reason"] == "2 oldDeviceUnavailable")
        #expect(event["previousroute"] == "goes" && event["route"] == "")
        // A message that was read is hidden; the zone still waits.
        try client.order("clearerror")
        #expect(try client.values("status")["error"] == nil)
        let silent = fallback.frames
        try await fallback.waitForFrames(Stage.sampleRate / 2, after: silent)
        try stage.sound.load(Self.goes)
        let second = try await MonitorCapture(of: stage.sound, sink: Self.goes)
        try await second.waitForMusic()
        try client.wait { try client.values("why")["cause"] == "it is playing at its set volume" }
        #expect(try client.values("status")["error"] == nil)
        #expect(try client.events().last { $0["type"] == "routeChanged" }?["reason"] == "1 newDeviceAvailable")
        #expect(fallback.stop().soundEnd == 0, "it was heard elsewhere")
        let left = Songs.music.stretches(in: Hearing(first.stop()).left)
        let back = Songs.music.stretches(in: Hearing(second.stop()).left)
        // PipeWire has no real-time rights here, and skips pieces on a busy machine.
        let pieces = server == .pulseAudio ? 1...1 : 1...10
        #expect(pieces.contains(left.count) && pieces.contains(back.count), "\(left) \(back)")
    }

    /// Rows 56, 60 and 61: a zone without a device pauses, whatever it plays, and goes on where a client tells it to play.
    @Test(arguments: Stage.Server.installed)
    func aZoneWithoutADevicePauses(_ server: Stage.Server) async throws {
        let stage = try await stage(server)
        let client = try stage.connect()
        let fallback = try await MonitorCapture(of: stage.sound, sink: Self.stays)
        let first = try await MonitorCapture(of: stage.sound, sink: Self.goes)
        try client.play("music.wav")
        try await first.waitForMusic()
        let announcement = try client.announce("long.wav")
        try client.wait { try client.values("announcement info \(announcement)")["state"] == "playing" }
        try stage.sound.unload(Self.goes)
        try client.wait { try client.values("status")["state"] == "pause" }
        try client.wait { try client.values("status")["error"] == "main: the sink 'goes' is gone" }
        #expect(try client.end(of: announcement).state == "failed")
        let types = try client.events().compactMap { $0["type"] == "interruptionBegan" ? $0["reason"] : nil }
        #expect(types == ["4 routeDisconnected"])
        try client.wait { try client.zoneSession("default")["place"]?.hasSuffix("/stays") == true }
        let silent = fallback.frames
        try await fallback.waitForFrames(Stage.sampleRate / 2, after: silent)
        #expect(fallback.current.soundEnd == 0, "it was heard elsewhere")
        try client.order("play")
        try await fallback.waitForMusic()
        #expect(try client.values("status")["error"] == nil)
    }

    /// Row 66: without a source nothing can be recorded, until one comes.
    @Test(arguments: Stage.Server.installed) func nothingToRecordFrom(_ server: Stage.Server) async throws {
        let stage = try await stage(server, device: "goes")
        let client = try stage.connect()
        try client.wait { try client.values("route outputs")["sink"] == "goes" }
        let session = try #require(try client.values("session open memo")["session"])
        try client.order("session category \(session) record")
        try client.wait { client.ask("session activate \(session)").last?.contains("resourceNotAvailable: ") == true }
        let event = try #require(try client.events().last { $0["session"] == session })
        #expect(event["type"] == "routeChanged" && event["reason"] == "7 noSuitableRouteForCategory", "\(event)")
        switch server {
        case .pulseAudio:
            try stage.sound.load(NullSink("wire"))
            try stage.sound.control("load-module", "module-remap-source", "source_name=mic", "master=wire.monitor")
        case .pipeWire:
            let kind = "media.class=Audio/Source/Virtual"
            try stage.sound.control("load-module", "module-null-sink", "sink_name=mic", kind)
        }
        try client.wait { client.ask("session activate \(session)").last == "OK" }
        #expect(try client.events().last { $0["session"] == session }?["type"] == "didBecomeActive")
    }

    /// Row 64: a route that a client sets tells at once where the zone is heard and why, and nothing that did not happen.
    @Test func aRouteThatIsSet() async throws {
        let stage = try await stage(device: "goes")
        let client = try stage.connect()
        let second = try await MonitorCapture(of: stage.sound, sink: Self.stays)
        try client.play("music.wav")
        try client.wait { try client.values("route outputs")["sink"] == "goes" }
        let before = try client.events().count
        for (sink, route, old) in [("stays", "stays", "goes"), ("goes", "goes", "stays"), ("default", "stays", "goes")]
        {
            try client.order("route set \(sink)")
            let output = try client.values("route outputs")
            #expect(output["sink"] == route && output["reason"] == "4 override" && output["previousroute"] == old)
        }
        try await second.waitForMusic()
        let events = try client.events().dropFirst(before)
        let routes = events.map { [$0["type"], $0["reason"], $0["previousroute"], $0["route"]] }
        #expect(
            routes == [
                ["routeChanged", "4 override", "goes", "stays"], ["routeChanged", "4 override", "stays", "goes"],
                ["routeChanged", "4 override", "goes", "stays"],
            ]
        )
        #expect(try client.values("route outputs")["reason"] == "4 override")
        #expect(!stage.process.errorText.contains("no output is enabled"))
        second.stop()
    }

    /// Row 64: when the user chooses another default sink, the zone is heard and arbitrated at that sink.
    @Test func theDefaultSinkTakesTheZoneAlong() async throws {
        let fixed = """
            [[zone]]
            name = "fixed"
            [[zone.output]]
            name = "fixed"
            type = "pulse"
            server = "SERVER"
            device = "stays"
            """
        let stage = try await stage(tables: fixed)
        let (client, other) = (try stage.connect(), try stage.connect("fixed"))
        try client.play("music.wav")
        try other.play("second.wav")
        #expect(try client.values("status")["state"] == "play")
        try stage.sound.control("set-default-sink", "stays")
        // It comes to where the other one plays, and takes the sink.
        try client.wait { try other.values("status")["state"] == "pause" }
        #expect(try client.values("status")["state"] == "play")
        #expect(try client.events().last { $0["type"] == "routeChanged" }?["reason"] == "4 override")
        #expect(try client.zoneSession("default")["place"]?.hasSuffix("/stays") == true)
        try client.wait { try client.values("route outputs")["sink"] == "stays" }
    }

    /// Row 69: a sink that is turned down or muted is an event of the sessions there.
    @Test(arguments: Stage.Server.installed)
    func theVolumeOfASinkIsTold(_ server: Stage.Server) async throws {
        let stage = try await stage(server)
        let client = try stage.connect()
        func told() throws -> [String] {
            try client.events().filter { $0["type"] == "outputVolumeChanged" }.map {
                "\($0["route"] ?? "") \($0["volume"] ?? "") \($0["muted"] ?? "")"
            }
        }
        try stage.sound.control("set-sink-volume", "goes", "40%")
        try client.wait { try told().last == "goes 0.4 0" }
        #expect(try client.zoneSession()["outputvolume"] == "0.4")
        // A sink where the zone is not heard is none of its business.
        try stage.sound.control("set-sink-volume", "stays", "70%")
        try stage.sound.control("set-sink-mute", "goes", "1")
        try client.wait { try told().last == "goes 0.4 1" }
        #expect(try client.zoneSession()["outputvolume"] == "0")
        #expect(try told().allSatisfy { $0.hasPrefix("goes") })
    }

    /// Row 66: the reason tells that there is no other sink.
    @Test func theLastSinkIsGone() async throws {
        let stage = try await stage(device: "goes")
        let client = try stage.connect()
        try client.play("music.wav")
        try client.wait { try client.elapsed() > 0.1 }
        for sink in [Self.stays, Self.goes] { try stage.sound.unload(sink) }
        try client.wait {
            try client.events().last { $0["type"] == "routeChanged" }?["reason"] == "7 noSuitableRouteForCategory"
        }
        // The zone is told by another way than the session.
        try client.wait { try client.values("status")["error"] == "main: the sink 'goes' is gone; waiting for it" }
    }

    /// Row 72: what module-role-cork asks for is an interruption, which ends by itself.
    @Test func aRequestToCorkIsAnInterruption() async throws {
        let stage = try await stage()
        let client = try stage.connect()
        try client.play("music.wav")
        // The module asks only streams that play.
        try client.wait { try client.elapsed() > 0.3 }
        try stage.sound.control("load-module", "module-role-cork", "trigger_roles=phone", "cork_roles=music")
        let call = try stage.sound.playSilence(role: "phone")
        try client.wait { try client.values("status")["state"] == "pause" }
        #expect(try client.values("why")["cause"] == "interrupted by a call 'sound server'")
        call.end()
        try client.wait { try client.values("status")["state"] == "play" }
    }
}
