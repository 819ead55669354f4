import Foundation
import Glibc
import TestSupport
import TestThreads
import TestTiming
import Testing

/// What arbitration does to the streams of other programs, at real sound servers.
@Suite(
    .blocking,
    .serialized,
    .timeLimit(.minutes(5)),
    .enabled("PulseAudio is not installed") { PulseServer.missing.isEmpty }
)
struct ForeignSoundTests {
    private static let ducks = "playback options duckOthers"
    private static let full = 65_536

    /// The programs that are installed, at each sound server.
    static let players: [(Stage.Server, String)] = Stage.Server.installed.flatMap { server in
        ["paplay", "mpv"].filter { ChildProcess.missing($0).isEmpty }.map { (server, $0) }
    }

    @Test(.timed, arguments: players)
    func aDuckIsQuickAndGivesTheVolumeBack(_ server: Stage.Server, _ program: String) async throws {
        let stage = try await ForeignStage(server)
        let client = try stage.connect()
        let player = try stage.play(program)
        defer { player.end() }
        try client.waitForForeign()
        let capture = try await MonitorCapture(of: stage.sound)
        try await capture.waitForMusic()
        let before = try stage.streams()
        let ordered = ContinuousClock.now
        let ducker = try client.openSession("navigation", Self.ducks)
        try stage.wait(for: "the duck") {
            $0.first.map { abs($0.volumes[0] - ForeignStage.ducked(Self.full)) <= 64 } ?? false
        }
        #expect(stage.journal.contains("65536,65536"), "\(stage.journal)")
        let session = try #require(try client.foreignSessions().first)
        #expect(session["ducked"] == "1" && session["gain"] == "-14" && session["levelheld"] == "1")
        #expect(session["process"] == String(player.pid) || program == "mpv")
        try await capture.hear(0.4 + server.grace)
        try client.order("session close \(ducker)")
        try stage.wait(for: "the volume") { $0 == before }
        try client.wait { stage.journal.isEmpty }
        #expect(try client.foreignSessions().first?["levelheld"] == "0")
        try await capture.hear(0.3)
        let recording = capture.stop()
        guard server == .pulseAudio, program == "paplay" else { return }
        let hearing = Hearing(recording)
        let music = Songs.music.stretches(in: hearing.left)
        let longest = try #require(music.max { $0.heard.count < $1.heard.count })
        let dip = try #require(hearing.curve(Songs.music, longest.heard).dips().first, "\(music)")
        #expect(abs(dip.depth - 14) < 1, "\(dip)")
        let reached = longest.heard.lowerBound + dip.range.lowerBound + Int(dip.fall * 44_100)
        let delay = recording.time(of: reached) - ordered
        print("ducked after \(delay), fell for \(dip.fall) s, rose for \(dip.rise) s")
        try expect(delay, atMost: .milliseconds(400), since: ordered)
    }

    /// A server that was killed leaves streams lowered, and restores them at its next start: those that still play, and
    /// those that have begun since.
    @Test func aKilledServerRestoresAtItsNextStart() async throws {
        let stage = try await ForeignStage()
        let client = try stage.connect()
        let player = try stage.play()
        try client.waitForForeign()
        let call = try client.begin("call")
        try stage.wait(for: "the mute") { $0.first?.isMuted == true }
        #expect(try client.order("why").contains("cause: 'paplay' (pacat) is muted, since it cannot be paused"))
        #expect(try client.events().contains { $0["type"] == "foreignMuted" })
        try client.order("session interrupt end \(call)")
        try stage.wait(for: "its sound") { $0.first?.isMuted == false }
        _ = try client.openSession("navigation", Self.ducks)
        let ducked = ForeignStage.ducked(Self.full)
        try stage.wait(for: "the duck") { $0.first?.volumes == [ducked, ducked] }
        stage.kill()
        #expect(try stage.streams().first?.volumes == [ducked, ducked])
        #expect(stage.journal.contains("65536,65536"))
        try await stage.restart()
        try stage.wait(for: "the volume") { $0.first?.volumes == [Self.full, Self.full] }
        try TestSupport.wait(for: "the journal") { stage.journal.isEmpty }

        let other = try stage.connect()
        try other.waitForForeign()
        _ = try other.openSession("navigation", Self.ducks)
        try stage.wait(for: "the duck") { $0.first?.volumes == [ducked, ducked] }
        stage.kill()
        player.end()
        let next = try stage.play()
        defer { next.end() }
        try stage.wait(for: "the remembered volume") { $0.first?.volumes == [ducked, ducked] }
        try await stage.restart()
        try stage.wait(for: "the volume") { $0.first?.volumes == [Self.full, Self.full] }
    }

    /// The volume is the user's, whatever happens meanwhile.
    @Test(arguments: Stage.Server.installed)
    func aVolumeThatTheUserSetsMeanwhileStays(_ server: Stage.Server) async throws {
        let stage = try await ForeignStage(server)
        let client = try stage.connect()
        let player = try stage.play()
        defer { player.end() }
        try client.waitForForeign()
        let ducker = try client.openSession("navigation", Self.ducks)
        try stage.wait(for: "the duck") { abs(($0.first?.volumes[0] ?? 0) - ForeignStage.ducked(Self.full)) <= 64 }
        let index = try #require(try stage.streams().first).index
        try stage.sound.control("set-sink-input-volume", "\(index)", "45000")
        try client.wait { try client.foreignSessions().first?["levelheld"] == "0" }
        try client.order("session close \(ducker)")
        try client.wait { stage.journal.isEmpty }
        #expect(abs(try #require(try stage.streams().first).volumes[0] - 45_000) <= 64)
        // The next duck begins with it.
        let second = try client.openSession("navigation", Self.ducks)
        try stage.wait(for: "the duck") { abs(($0.first?.volumes[0] ?? 0) - ForeignStage.ducked(45_000)) <= 64 }
        try client.order("session close \(second)")
        try stage.wait(for: "the volume") { abs(($0.first?.volumes[0] ?? 0) - 45_000) <= 64 }
    }

    /// module-stream-restore keeps nothing of a duck: not of a stream that ended meanwhile, nor of one that the server left.
    @Test func theSoundServerRemembersTheUsersVolume() async throws {
        let stage = try await ForeignStage()
        let client = try stage.connect()
        let player = try stage.play()
        try client.waitForForeign()
        let ducker = try client.openSession("navigation", Self.ducks)
        let ducked = ForeignStage.ducked(Self.full)
        try stage.wait(for: "the duck") { $0.first?.volumes == [ducked, ducked] }
        player.end()
        // The server's memory is written, and the journal then forgets it.
        try client.wait { stage.journal.isEmpty }
        try client.order("session close \(ducker)")
        let second = try stage.play()
        defer { second.end() }
        try stage.wait(for: "the volume") { $0.first?.volumes == [Self.full, Self.full] }
        try client.waitForForeign()
        _ = try client.openSession("navigation", Self.ducks)
        try stage.wait(for: "the duck") { $0.first?.volumes == [ducked, ducked] }
        try await stage.terminate()
        #expect(try stage.streams().first?.volumes == [Self.full, Self.full], "at once when it ends")
        #expect(stage.journal.isEmpty)
    }

    /// A stream that follows one that ended while it was ducked begins with the user's volume, too, and is ducked.
    @Test func theNextStreamIsDuckedFromTheUsersVolume() async throws {
        let stage = try await ForeignStage()
        let client = try stage.connect()
        _ = try client.openSession("navigation", Self.ducks)
        let ducked = ForeignStage.ducked(Self.full)
        for _ in 0..<3 {
            let player = try stage.play()
            try stage.wait(for: "the duck") { $0.first?.volumes == [ducked, ducked] }
            player.end()
            try stage.wait(for: "its end") { $0.isEmpty }
        }
        try client.wait { stage.journal.isEmpty }
    }

    /// The key takes effect at once, both ways, and ducks that follow each other quickly leave nothing behind.
    @Test func switchingOffGivesBack() async throws {
        let stage = try await ForeignStage()
        let client = try stage.connect()
        let player = try stage.play()
        defer { player.end() }
        try client.waitForForeign()
        let ducker = try client.openSession("navigation", Self.ducks)
        for _ in 0..<50 {
            try client.order("session deactivate \(ducker)")
            try client.order("session activate \(ducker)")
        }
        let ducked = ForeignStage.ducked(Self.full)
        try stage.wait(for: "the duck") { $0.first?.volumes == [ducked, ducked] }
        try stage.reload { $0.replacing("foreign-streams = true", with: "foreign-streams = false") }
        try stage.wait(for: "the volume") { $0.first?.volumes == [Self.full, Self.full] }
        try client.wait { try client.values("session foreign")["foreign"] == "off" && stage.journal.isEmpty }
        #expect(try client.foreignSessions().isEmpty)
        try stage.reload { $0.replacing("foreign-streams = false", with: "foreign-streams = true") }
        try stage.wait(for: "the duck") { $0.first?.volumes == [ducked, ducked] }
        for _ in 0..<51 {
            try client.order("session deactivate \(ducker)")
            try client.order("session activate \(ducker)")
        }
        try client.order("session close \(ducker)")
        try stage.wait(for: "the volume") { $0.first?.volumes == [Self.full, Self.full] }
        try client.wait { stage.journal.isEmpty }
    }

    /// Where the volume cannot be written down, it is not changed.
    @Test func withoutAFileNothingIsChanged() async throws {
        let stage = try await ForeignStage()
        let client = try stage.connect()
        let player = try stage.play()
        defer { player.end() }
        try client.waitForForeign()
        // A folder in the file's place cannot be replaced by one.
        _ = try stage.folder.makeFolder("state/foreign-levels")
        try stage.folder.write("state/foreign-levels/full", "")
        let ducker = try client.openSession("navigation", Self.ducks)
        try TestSupport.wait(for: "the warning") { stage.daemon.errorText.contains("other programs' volumes stay") }
        #expect(try stage.streams().first?.volumes == [Self.full, Self.full])
        #expect(try client.foreignSessions().first?["levelheld"] == "0")
        try client.order("session close \(ducker)")
    }

    /// Streams are arbitrated at the sink where they are heard.
    @Test func aStreamThatIsMovedLeavesTheDuckBehind() async throws {
        let other = NullSink("other")
        let stage = try await ForeignStage(sinks: [NullSink(), other])
        let client = try stage.connect()
        let player = try stage.play(sink: other)
        defer { player.end() }
        try client.waitForForeign()
        #expect(try client.foreignSessions().first?["place"]?.hasSuffix("/other") == true)
        _ = try client.openSession("navigation", Self.ducks)
        let index = String(try #require(try stage.streams().first).index)
        try stage.sound.control("move-sink-input", index, "bench")
        let ducked = ForeignStage.ducked(Self.full)
        try stage.wait(for: "the duck") { $0.first?.volumes == [ducked, ducked] }
        try stage.sound.control("move-sink-input", index, "other")
        try stage.wait(for: "the volume") { $0.first?.volumes == [Self.full, Self.full] }
        #expect(try client.foreignSessions().first?["place"]?.hasSuffix("/other") == true)
    }

    /// What a stream's role says counts as a client's category does.
    @Test(arguments: [("phone", "pause"), ("a11y", "play"), ("event", "play"), ("music", "play")])
    func aRoleActsOnZones(_ role: String, _ state: String) async throws {
        let stage = try await ForeignStage()
        let client = try stage.connect()
        try client.play("music.wav")
        let player = try stage.play("paplay", sink: nil, "--property=media.role=\(role)")
        try client.waitForForeign()
        #expect(try client.foreignSessions().first?["role"] == role)
        #expect(try client.values("status")["state"] == state)
        #expect(try client.zoneSession()["gain"] == (role == "a11y" ? "-14" : "0"))
        player.end()
        try client.wait { try client.foreignSessions().isEmpty }
        try client.wait { try client.values("status")["state"] == "play" }
        #expect(try client.zoneSession()["gain"] == "0")
    }

    @Test func rulesDecide() async throws {
        let rules = """
            [[foreign]]
            name = "film"
            options = []
            [[foreign]]
            name = "lamp"
            ignore = true
            [[foreign]]
            name = "org.example.Lamp"
            ignore = true
            """
        let stage = try await ForeignStage(tables: rules)
        let client = try stage.connect()
        let ignored = try stage.play("paplay", sink: nil, "--client-name=lamp")
        defer { ignored.end() }
        // As a Flatpak's, whose portal names the application.
        let portal = "--property=pipewire.access.portal.app_id=org.example.Lamp"
        let flatpak = try stage.play("paplay", sink: nil, portal, "--client-name=other")
        defer { flatpak.end() }
        try stage.wait(for: "the streams") { $0.count == 2 }
        try client.play("music.wav")
        let film = try stage.play("paplay", sink: nil, "--client-name=film")
        try client.wait { try client.values("status")["state"] == "pause" }
        #expect(try client.foreignSessions().map { $0["name"] } == ["film"])
        #expect(try client.order("why").contains("cause: interrupted by 'film' (pacat)"))
        // The music takes the sink back; the film, which cannot pause, is muted until the music stops.
        try client.order("play")
        try stage.wait(for: "the mute") { $0.contains(where: \.isMuted) }
        try client.order("stop")
        try stage.wait(for: "its sound") { !$0.contains(where: \.isMuted) }
        try client.waitForForeign()
        film.end()
    }

    /// A program that `segue exec` runs has the session of that.
    @Test func whatAClientPlaysIsNotForeign() async throws {
        let stage = try await ForeignStage()
        let client = try stage.connect()
        let script = """
            import socket, subprocess, sys
            place = socket.socket(socket.AF_UNIX)
            place.connect(sys.argv[1])
            lines = place.makefile("rw")
            lines.write("session open own\\n"); lines.flush()
            for _ in range(3): lines.readline()
            subprocess.run(sys.argv[2:])
            """
        let words = ["-c", script, stage.folder.file("socket"), "paplay", stage.folder.file("music/music.wav")]
        let owner = try ChildProcess("/usr/bin/python3", words, environment: stage.sound.clientEnvironment)
        let player = try stage.play()
        defer { player.end() }
        try stage.wait(for: "both streams") { $0.count == 2 }
        try client.waitForForeign(1)
        #expect(try client.foreignSessions().first?["process"] == String(player.pid))
        owner.end()
        for stream in try stage.streams() where stream.process != player.pid { Glibc.kill(stream.process, SIGKILL) }
    }

    /// A program of Segue's that was stopped plays on what its sound server has; it is muted while its session is
    /// interrupted, and heard again afterwards.
    ///
    /// On PipeWire it is not always muted, as segue-session(7) says.
    @Test(.enabled("pulseaudio is not installed") { PulseServer.missing.isEmpty })
    func aStoppedPlayerIsMuted() async throws {
        let stage = try await ForeignStage(.pulseAudio)
        let client = try stage.connect()
        let player = try ChildProcess(
            "setsid",
            [try builtProgram("segue-play"), "play", stage.folder.file("music/music.wav")],
            environment: stage.sound.clientEnvironment.merging(["SEGUE_HOST": stage.folder.file("socket")]) { $1 }
        )
        defer { player.end() }
        func session() throws -> [String: String]? {
            try client.blocks("session list", startingWith: "session").first { $0["kind"] == "client" }
        }
        try client.wait { try session()?["state"] == "active" && session()?["playing"] == "1" }
        func streamSays(_ words: String) throws -> Bool {
            let text = try stage.sound.control("list", "sink-inputs").split(separator: "Sink Input #")
            return text.contains { $0.contains("application.process.id = \"\(player.pid)\"") && $0.contains(words) }
        }
        func isMuted() throws -> Bool { try streamSays("Mute: yes") }
        // Its session plays a moment before its stream does.
        try TestSupport.wait(for: "its sound") { try streamSays("Corked: no") }
        #expect(try !isMuted())
        player.kill(SIGSTOP)
        let call = try client.begin("call")
        try TestSupport.wait(for: "the mute") { try isMuted() }
        #expect(stage.journal.contains("segue"), "\(stage.journal)")
        player.kill(SIGCONT)
        // It learns of the interruption, and pauses.
        try TestSupport.wait(for: "its level") { try streamSays("Mute: no") }
        try client.order("session interrupt end \(call)")
        try client.wait { try session()?["state"] == "active" && session()?["playing"] == "1" }
        #expect(try streamSays("Mute: no"))
        try TestSupport.wait(for: "the journal") { stage.journal.isEmpty }
    }

    /// Names are cut and harmless, and no more streams than configured are watched.
    @Test func hostileStreams() async throws {
        let stage = try await ForeignStage(tables: "[limits]\nmax-foreign-streams = 3")
        let client = try stage.connect()
        let names = ["", String(repeating: "x", count: 30_000), "a\u{1b}]0;b\u{7}\nOK\nc", "d", "e", "f"]
        let players = try names.map { try stage.play("paplay", sink: nil, "--property=application.name=\($0)") }
        defer { for player in players { player.end() } }
        // pactl's JSON is not JSON with such names in it.
        try TestSupport.wait(for: "all streams") {
            try stage.sound.control("list", "short", "sink-inputs").split(separator: "\n").count == names.count + 1
        }
        try client.wait { try client.values("session foreign")["streams"] == "3" }
        let known = try client.foreignSessions().compactMap { $0["name"] }
        #expect(known.allSatisfy { $0.utf8.count <= 256 && !$0.isEmpty && !$0.contains("\u{1b}") }, "\(known)")
        _ = try client.openSession("navigation", Self.ducks)
        try client.wait { try client.foreignSessions().filter { $0["ducked"] == "1" }.count == 3 }
        #expect(try client.values("status")["state"] == "stop", "it still answers")
        // One that was over the limit is watched when there is room.
        let ended = Set(try client.foreignSessions().compactMap { $0["session"] })
        let process = try #require(try client.foreignSessions().first?["process"])
        try #require(players.first { String($0.pid) == process }).end()
        try client.wait {
            let sessions = try client.foreignSessions().compactMap { $0["session"] }
            return sessions.count == 3 && !ended.isSuperset(of: sessions)
        }
        let words = ["--host", stage.folder.file("socket"), "session", "list"]
        let list = try ChildProcess.run(try builtProgram("segue"), words, within: .patience).outputText
        #expect(list.split(separator: "\n").count { $0.contains("\tforeign\t") } == 3, "\(list)")
    }
}
