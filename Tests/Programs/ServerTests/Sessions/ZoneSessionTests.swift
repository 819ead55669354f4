import TestSupport
import TestThreads
import Testing

/// Zones give way and come back, as well-behaved players do.
@Suite(.blocking, .enabled("the fixtures' tools are missing") { Music.missing.isEmpty })
struct ZoneSessionTests {
    private func playing() async throws -> LineClient {
        let client = try await Segued.start().connect()
        try client.order("add one.flac")
        try client.order("play")
        try client.wait("audio", "44100:16:2")
        return client
    }

    /// A server that finds no sound server, with the default zone and the kitchen at two sinks, or at one.
    private func twoZones(at sinks: [String]) async throws -> Segued {
        let folder = try TemporaryFolder()
        let outputs = zip(["[[output]]", "[[zone]]\nname = \"kitchen\"\n[[zone.output]]"], sinks).map { table, sink in
            """
            \(table)
            name = "at \(table.count)"
            type = "pulse"
            server = "unix:/nonexistent/pulse"
            device = "\(sink)"
            """
        }
        let listen = "listen = [\"unix:\(folder.file("socket"))\"]"
        return try await Segued.start(.toml(([listen] + outputs).joined(separator: "\n")), in: folder)
    }

    private func call(_ client: LineClient, _ more: String = "") throws -> String {
        try client.values("session interrupt begin call \(more)")["session"] ?? ""
    }

    @Test func aCallPausesAndItsEndResumes() async throws {
        let client = try await playing()
        let id = try call(client, "name \"The office\"")
        var status = try client.values("status")
        #expect(status["state"] == "pause" && status["interrupted"] == id)
        #expect(try client.values("why")["cause"] == "interrupted by a call 'The office'")
        #expect(try client.values("why")["since"]?.hasSuffix("Z") == true)
        let elapsed = try #require(status["elapsed"])
        #expect(try client.values("status")["elapsed"] == elapsed, "it stands")
        try client.order("session interrupt end \(id)")
        status = try client.values("status")
        #expect(status["state"] == "play" && status["interrupted"] == nil)
        #expect(try client.order("why") == ["cause: it is playing at its set volume", "reason: playing"])
    }

    /// Rows 36 and 37: who is paused or stopped meanwhile stays so, however it is done.
    @Test(arguments: ["pause 1", "stop", "clear"])
    func whatIsPausedOrStoppedMeanwhileStaysSo(_ command: String) async throws {
        let client = try await playing()
        let id = try call(client)
        try client.order(command)
        try client.order("session interrupt end \(id)")
        #expect(try client.values("status")["state"] == (command == "pause 1" ? "pause" : "stop"))
        #expect(try client.values("status")["interrupted"] == nil)
    }

    @Test(arguments: ["pause 1", "stop", ""])
    func whatWasNotPlayingDoesNotBegin(_ command: String) async throws {
        let client = try await Segued.start().connect()
        try client.order("add one.flac")
        if !command.isEmpty { for command in ["play", command] { try client.order(command) } }
        let state = try client.values("status")["state"]
        let id = try call(client)
        try client.order("session interrupt end \(id)")
        #expect(try client.values("status")["state"] == state)
    }

    /// Commands during an interruption are remembered: another song waits for the end of the call, too.
    @Test(arguments: [
        ("next", "two"), ("previous", "one"), ("delete 0", "two"), ("seek 1 1", "two"), ("pause\npause", "one"),
    ])
    func whatIsChosenDuringACallWaitsForItsEnd(_ commands: String, _ song: String) async throws {
        let client = try await playing()
        try client.order("add two.flac")
        let id = try call(client)
        for command in commands.split(separator: "\n") { try client.order(String(command)) }
        let status = try client.values("status")
        #expect(status["state"] == "pause" && status["interrupted"] == id)
        #expect(try client.values("currentsong")["file"] == "\(song).flac")
        try client.order("session interrupt end \(id)")
        #expect(try client.values("status")["state"] == "play")
        #expect(try client.values("currentsong")["file"] == "\(song).flac")
    }

    /// A toggle changes what is to happen at the end of the call; it never plays over it.
    @Test(arguments: [true, false])
    func aToggleDuringACallIsRemembered(isPlaying: Bool) async throws {
        let client = try await playing()
        if !isPlaying { try client.order("pause 1") }
        let id = try call(client)
        try client.order("pause")
        #expect(try client.values("status")["state"] == "pause")
        try client.order("session interrupt end \(id)")
        #expect(try client.values("status")["state"] == (isPlaying ? "pause" : "play"))
    }

    /// A prompt that has paused speech is no reason to let the next chapter be heard over it.
    @Test func nextDuringAPromptWaitsForItsEnd() async throws {
        let client = try await playing()
        for song in ["one", "two"] { try client.order("sticker set song \(song).flac mode spokenAudio") }
        for command in ["add two.flac", "stop", "play 0"] { try client.order(command) }
        let options = "options interruptSpokenAudioAndMixWithOthers,duckOthers"
        let prompt = try client.openSession("prompt", "playback mode voicePrompt \(options)", playing: true)
        try client.order("next")
        #expect(try client.values("status")["interrupted"] == prompt)
        try client.order("session deactivate \(prompt) notifyothers")
        let status = try client.values("status")
        #expect(status["state"] == "play" && status["song"] == "1")
    }

    @Test func anEndWithoutResumeLeavesItPaused() async throws {
        let client = try await playing()
        let id = try call(client)
        try client.order("session interrupt end \(id) resume 0")
        #expect(try client.values("status")["state"] == "pause")
        try client.order("play")
        #expect(try client.values("status")["state"] == "play")
    }

    /// Row 34, and that playback is admitted beside a call.
    @Test(arguments: ["play", "pause", "pause 0", "next"])
    func playTakesItBack(_ command: String) async throws {
        let client = try await playing()
        try client.order("add two.flac")
        let other = try client.openSession("other", "playback", playing: true)
        #expect(try client.values("status")["interrupted"] == other)
        try client.order(command)
        #expect(try client.values("status")["state"] == "play")
        #expect(try client.values("status")["interrupted"] == nil)
        #expect(try client.session(other)["state"] == "interrupted")
        let id = try call(client)
        #expect(try client.values("status")["interrupted"] == id)
        try client.order("play")
        #expect(try client.values("status")["state"] == "play")
    }

    /// Row 47 for a zone: a category that a call does not admit is refused, and nothing changes.
    @Test func whatACallDoesNotAdmitIsRefused() async throws {
        let client = try await playing()
        try client.order("session category 1 playAndRecord")
        let id = try call(client)
        let reply = client.ask("play")
        #expect(reply.last?.hasPrefix("ACK [52@0] {play} insufficientPriority: ") == true, "\(reply)")
        #expect(try client.values("status")["interrupted"] == id)
    }

    @Test func aBoundInterruptionEndsWithItsConnection() async throws {
        let server = try await Segued.start()
        let client = try server.connect()
        for command in ["add one.flac", "play"] { try client.order(command) }
        var caller: LineClient? = try server.connect()
        let id = try caller?.values("session interrupt begin call bound 1")["session"]
        #expect(try client.values("status")["interrupted"] == id)
        caller = nil
        try client.wait(for: "player") { try $0.values("status")["state"] == "play" ? true : nil }
    }

    /// The call is over by then, as far as anybody can know.
    @Test(arguments: [true, false])
    func aRestartMeanwhileResumes(isPausedMeanwhile: Bool) async throws {
        let server = try await Segued.start()
        let client = try server.connect()
        for command in ["add one.flac", "play"] { try client.order(command) }
        try client.wait("audio", "44100:16:2")
        _ = try call(client)
        if isPausedMeanwhile { try client.order("pause 1") }
        try await server.stop()
        let again = try await Segued.start(in: server.folder).connect()
        #expect(try again.values("status")["state"] == (isPausedMeanwhile ? "pause" : "play"))
    }

    /// A client's duck lowers the zone; the volume stays what it is and may be changed.
    @Test func duckersLowerAndRelease() async throws {
        let client = try await playing()
        let first = try client.openSession("first", "playback options duckOthers", playing: false)
        let second = try client.openSession("second", "ambient options duckOthers", playing: false)
        #expect(try client.session("1")["ducked"] == "1" && client.session("1")["gain"] == "-14")
        #expect(
            try client.values("why")["cause"]?.hasPrefix("14 dB quieter for 'second'") == true
                || client.values("why")["cause"]?.hasPrefix("14 dB quieter for 'first'") == true
        )
        try client.order("setvol 40")
        #expect(try client.values("status")["volume"] == "40")
        try client.order("session deactivate \(second)")
        #expect(try client.session("1")["ducked"] == "1", "the other one ducks still")
        try client.order("session close \(first)")
        #expect(try client.session("1")["ducked"] == "0" && client.session("1")["gain"] == "0")
        #expect(try client.values("status")["volume"] == "40" && client.values("status")["state"] == "play")
    }

    /// Speech is paused for a prompt, and comes back.
    @Test func spokenContentGivesWay() async throws {
        let client = try await playing()
        try client.order("sticker set song one.flac mode spokenAudio")
        try client.order("stop")
        try client.order("play")
        #expect(try client.session("1")["mode"] == "spokenAudio")
        let prompt = try client.openSession(
            "prompt",
            "playback mode voicePrompt options interruptSpokenAudioAndMixWithOthers,duckOthers",
            playing: true
        )
        #expect(try client.values("status")["interrupted"] == prompt)
        try client.order("session deactivate \(prompt) notifyothers")
        #expect(try client.values("status")["state"] == "play")
        try client.order("add two.flac")
        try client.order("next")
        #expect(try client.session("1")["mode"] == "default", "music is music")
    }

    /// What is handed over takes its part in the other zone's arbitration.
    @Test func aHandoverTakesTheSessionAlong() async throws {
        let client = try await playing()
        try client.order("newpartition kitchen")
        try client.order("zone handover kitchen")
        #expect(try client.session("1")["state"] == "inactive")
        #expect(try client.session("2")["state"] == "active" && client.session("2")["playing"] == "1")
        try client.order("partition kitchen")
        let id = try call(client)
        #expect(try client.values("status")["interrupted"] == id)
    }

    /// Another sink is another arbitration; the music goes on, and what was set stays.
    @Test func aRouteTakesTheSessionAlong() async throws {
        let server = try await twoZones(at: ["here", "there"])
        let client = try server.connect()
        for command in ["session prefer 1 autoResume 0", "add one.flac", "play", "zone handover kitchen"] {
            try client.order(command)
        }
        try client.order("partition kitchen")
        #expect(try client.values("status")["state"] == "play")
        #expect(try client.session("2")["state"] == "active")
        #expect(try client.session("1")["state"] == "inactive")
    }

    @Test func aZoneCannotBeWhatPlaysNothing() async throws {
        let client = try await playing()
        let reply = client.ask("session category 1 record")
        #expect(reply.last?.hasPrefix("ACK [52@0] {session} incompatibleCategory: ") == true, "\(reply)")
        #expect(try client.session("1")["category"] == "playback")
    }

    /// Zones on different sinks never disturb each other; those on one give way to each other.
    @Test(arguments: [true, false])
    func zonesAtOneSinkAreInOneArbitration(isSameSink: Bool) async throws {
        let server = try await twoZones(at: ["here", isSameSink ? "here" : "there"])
        let (first, second) = (try server.connect(), try server.connect())
        try second.order("partition kitchen")
        for client in [first, second] {
            try client.order("add one.flac")
            try client.order("play")
        }
        #expect(try second.values("status")["state"] == "play")
        #expect(try first.values("status")["state"] == (isSameSink ? "pause" : "play"))
        guard isSameSink else { return }
        #expect(try first.order("why").contains("cause: interrupted by zone kitchen"))
        // A player that ends is no call: the other one does not begin by itself.
        try second.order("stop")
        #expect(try first.values("status")["state"] == "pause")
        #expect(try first.values("status")["interrupted"] == nil)
    }
}
