import Foundation
import TestSupport
import TestThreads
import Testing

/// `session` and its verbs, as clients use them.
@Suite(.blocking, .enabled("the fixtures' tools are missing") { Music.missing.isEmpty })
struct SessionProtocolTests {
    /// Rows 2, 10 to 12.
    @Test func aNewSessionIsSoloAmbientAndOptionsAreNotKept() async throws {
        let client = try await Segued.start().connect()
        let id = try #require(try client.values("session open mine")["session"])
        let info = try client.session(id)
        #expect(info["name"] == "mine" && info["kind"] == "client" && info["zone"] == "default")
        #expect(info["category"] == "soloAmbient" && info["mode"] == "default" && info["options"] == "")
        #expect(info["state"] == "inactive" && info["playing"] == "0" && info["gain"] == "0")
        #expect(try client.values("session info")["session"] == id, "the one that was opened last")
        try client.order("session category \(id) playback options duckOthers")
        #expect(try client.session(id)["options"] == "mixWithOthers,duckOthers")
        try client.order("session category \(id) playback")
        #expect(try client.session(id)["options"] == "")
    }

    @Test(arguments: [
        ("session category 3 ambient options defaultToSpeaker", "ACK [2@0] {session} badParam: "),
        ("session category 3 soloAmbient options mixWithOthers", "ACK [2@0] {session} badParam: "),
        ("session category 3 nonsense", "ACK [2@0] {session} badParam: there is no category 'nonsense'"),
        ("session category 3 playback mode voiceChat", "ACK [2@0] {session} badParam: "),
        ("session category 3 playback options duckOthers policy longFormAudio", "ACK [2@0] {session} badParam: "),
        ("session activate 99", "ACK [50@0] {session} no such session: 99"),
        ("session activate x", "ACK [2@0] {session} badParam: 'x' is not a session's number"),
        ("session deactivate 3 now", "ACK [2@0] {session} badParam: "),
        ("session playing 3 2", "ACK [2@0] {session} badParam: playing is 0 or 1, not '2'"),
        ("session playing 3 1", "ACK [52@0] {session} sessionNotActive: "),
        ("session close 1", "ACK [4@0] {session} session 1 is the server's own"),
        ("session playing 1 1", "ACK [4@0] {session} session 1 is the server's own"),
        ("session", "ACK [2@0] {session} too few arguments for \"session\""),
        ("session dance", "ACK [2@0] {session} badParam: there is no verb 'dance'"),
        ("session interrupt begin party", "ACK [2@0] {session} badParam: "),
        ("session interrupt end 77", "ACK [50@0] {session} no such interruption: 77"),
        ("session open \"\"", "ACK [2@0] {session} badParam: a name has 1 to 64 bytes"),
        ("why nowhere", "ACK [50@0] {why} no such zone: nowhere"),
    ])
    func whatIsWrongIsRefusedAndChangesNothing(_ line: String, _ wanted: String) async throws {
        let client = try await Segued.start().connect()
        // The zone's session is number 1.
        #expect(try client.openSession("two", "playback") == "2")
        #expect(try client.openSession("three", "playback") == "3")
        let before = try client.order("session list")
        let reply = client.ask(line)
        #expect(reply.count == 1 && reply[0].hasPrefix(wanted), "\(reply)")
        #expect(try client.order("session list") == before)
    }

    /// Rows 29 and 40.
    @Test func theEndOfAConnectionEndsItsSessions() async throws {
        let server = try await Segued.start()
        let watcher = try server.connect()
        let a = try watcher.openSession("a", "playback", playing: true)
        var other: LineClient? = try server.connect()
        let b = try #require(try other?.openSession("b", "playback", playing: true))
        #expect(try watcher.session(a)["interruptedby"] == b)
        let since = try watcher.newestEvent()
        other = nil
        try watcher.wait(for: "session") { try $0.session(a)["state"] == "inactive" ? true : nil }
        #expect(watcher.ask("session info \(b)").last?.hasPrefix("ACK [50@0]") == true)
        #expect(
            try watcher.events(after: since, of: a)
                == ["interruptionEnded shouldresume=0", "resumptionRecommendation recommendation=shouldNotResume"]
        )
    }

    @Test func aPersistentSessionStays() async throws {
        let server = try await Segued.start()
        var other: LineClient? = try server.connect()
        let id = try #require(try other?.values("session open kept persistent")["session"])
        try other?.order("session activate \(id)")
        other = nil
        let client = try server.connect()
        #expect(try client.session(id)["state"] == "active")
        try client.order("session close \(id)")
        #expect(client.ask("session info \(id)").last?.hasPrefix("ACK [50@0]") == true)
    }

    /// Section 2.5: a call that only shows a banner interrupts a session that asked for it when it is accepted.
    @Test func aBannerIsAccepted() async throws {
        let client = try await Segued.start().connect()
        let a = try client.openSession("a", "playback", playing: true)
        try client.order("session prefer \(a) noInterruptionsFromSystemAlerts 1")
        let call = try client.values("session interrupt begin call style banner")["session"] ?? ""
        #expect(try client.session(a)["state"] == "active")
        try client.order("session interrupt accept \(call)")
        #expect(try client.session(a)["interruptedby"] == call)
        try client.order("session interrupt end \(call)")
        #expect(try client.events(of: a).suffix(2).first == "interruptionEnded shouldresume=1")
        for (words, reply) in [
            ("accept 99", "ACK [50@0] {session} no such interruption: 99"),
            ("accept \(a)", "ACK [50@0] {session} no such interruption: \(a)"),
            ("accept", "ACK [2@0] {session} badParam: ID is missing"),
            ("accept 1 2", "ACK [2@0] {session} badParam: unexpected argument '2'"),
        ] { #expect(client.ask("session interrupt \(words)") == [reply]) }
    }

    /// Row 35: the server activates a client's session by itself when the client prefers that.
    @Test(arguments: [true, false])
    func aClientMayBeResumedByTheServer(isPreferred: Bool) async throws {
        let client = try await Segued.start().connect()
        let a = try client.openSession("a", "playback", playing: true)
        try client.order("session prefer \(a) autoResume \(isPreferred ? 1 : 0)")
        let call = try client.values("session interrupt begin call")["session"] ?? ""
        try client.order("session interrupt end \(call)")
        let info = try client.session(a)
        #expect(info["state"] == (isPreferred ? "active" : "inactive") && info["playing"] == (isPreferred ? "1" : "0"))
        #expect(
            try client.events(of: a).last
                == (isPreferred ? "didBecomeActive" : "resumptionRecommendation recommendation=shouldResume")
        )
    }

    private func leased(_ lease: String) async throws -> Segued {
        let folder = try TemporaryFolder()
        let settings = """
            listen = ["unix:\(folder.file("socket"))"]
            session.lease = "\(lease)"
            [[output]]
            name = "null"
            type = "null"
            """
        return try await Segued.start(.toml(settings), in: folder)
    }

    /// A call that was not bound to a connection, and whose program was killed, ends with its lease.
    @Test func aForgottenInterruptionEnds() async throws {
        let server = try await leased("1s")
        let client = try server.connect()
        for command in ["add one.flac", "play"] { try client.order(command) }
        let call = try server.connect().values("session interrupt begin call")["session"] ?? ""
        let bound = try client.values("session interrupt begin alarm bound 1")["session"] ?? ""
        try client.wait(for: "session") { try $0.events(of: call).contains("leaseEnded") ? true : nil }
        #expect(try client.session("1")["interruptedby"] == bound, "a connection needs no lease")
        try client.order("session interrupt end \(bound)")
        #expect(try client.values("status")["state"] == "play")
        #expect(client.ask("session interrupt end \(call)") == ["ACK [50@0] {session} no such interruption: \(call)"])
    }

    /// A persistent session stays, but ducks no longer.
    @Test func aForgottenDuckEnds() async throws {
        let server = try await leased("1s")
        let client = try server.connect()
        for command in ["add one.flac", "play"] { try client.order(command) }
        var opener: LineClient? = try server.connect()
        let id = try opener?.values("session open kept persistent")["session"] ?? ""
        try opener?.order("session category \(id) playback options duckOthers")
        try opener?.order("session activate \(id)")
        #expect(try client.session("1")["ducked"] == "1")
        opener = nil
        try client.wait(for: "session") { try $0.session("1")["ducked"] == "0" ? true : nil }
        #expect(try client.session(id)["state"] == "inactive")
        #expect(try client.events(of: id).suffix(2) == ["leaseEnded", "didBecomeInactive source=app"])
    }

    /// Rows 55, 56 and 58, and the style of prompts: what an event says once can be asked for at any time.
    @Test func reasonsAndNumbersCanBeAskedFor() async throws {
        let client = try await Segued.start().connect()
        let prompt = try client.openSession("prompt", "playback mode voicePrompt options duckOthers")
        #expect(try client.session(prompt)["promptstyle"] == "normal")
        let music = try client.openSession("music", "playback", playing: true)
        let call = try client.values("session interrupt begin call")["session"] ?? ""
        #expect(try client.order("session info \(music)").suffix(2) == ["interruptedby: \(call)", "reason: 0 default"])
        #expect(try client.session(prompt)["promptstyle"] == "short")
        try client.order("session interrupt end \(call)")
        let memo = try client.openSession("memo", "record")
        try client.order("session activate \(memo)")
        #expect(try client.session(prompt)["promptstyle"] == "none")
        let lines = try client.order("session codes")
        let codes = lines.split { $0.hasPrefix("error: ") || !$0.contains("number: ") && !$0.hasPrefix("fourcc: ") }
        #expect(
            codes.count == lines.count { !$0.hasPrefix("number: ") && !$0.hasPrefix("fourcc: ") },
            "each has a number"
        )
        for known in [
            ["error: insufficientPriority", "number: 561017449", "fourcc: !pri"], ["error: badParam", "number: -50"],
            ["reason: routeDisconnected", "number: 4"], ["type: interruptionBegan", "number: 1"],
            ["type: interruptionEnded", "number: 0"], ["source: system", "number: 2"],
            ["recommendation: shouldResume", "number: 1"],
            ["option: interruptSpokenAudioAndMixWithOthers", "number: 17"],
            ["policy: longFormVideo", "number: 3"],
        ] { #expect(lines.contains(known), "\(known)") }
        #expect(client.ask("session codes all") == ["ACK [2@0] {session} badParam: unexpected argument 'all'"])
    }

    /// A command is answered after its effects are in the log, and numbers have no holes.
    @Test func theLogHasEverythingInOrder() async throws {
        let client = try await Segued.start().connect()
        let a = try client.openSession("a", "playback", playing: true)
        let b = try client.openSession("b", "playback", playing: true)
        try client.order("session deactivate \(b) notifyothers")
        #expect(
            try client.events(of: a) == [
                "categoryChanged", "didBecomeActive", "didBecomeInactive source=system reason=0 default",
                "interruptionBegan reason=0 default", "interruptionEnded shouldresume=1",
                "resumptionRecommendation recommendation=shouldResume",
            ]
        )
        let lines = try client.order("session events")
        let numbers = lines.compactMap { $0.hasPrefix("event: ") ? Int($0.dropFirst(7)) : nil }
        #expect(lines[0] == "oldest: 1" && numbers == Array(1...numbers.count))
        let last = try #require(numbers.last)
        for since in [last, last + 1, .max] { #expect(try client.order("session events \(since)") == ["oldest: 1"]) }
        let window = try client.order("session events 1 window 0:2")
        #expect(window.filter { $0.hasPrefix("event: ") } == ["event: 2", "event: 3"])
    }

    /// Ours are told only to clients that name them.
    @Test func idleTellsThoseWhoAsk() async throws {
        let server = try await Segued.start()
        let (asker, other, actor) = (try server.connect(), try server.connect(), try server.connect())
        asker.send("idle session\n")
        other.send("idle\n")
        _ = try actor.openSession("a", "playback", playing: true)
        #expect(asker.reply() == ["changed: session", "OK"])
        try actor.order("random 1")
        #expect(other.reply() == ["changed: options", "OK"])
    }

    /// Rows 3 to 5.
    @Test func theSilenceSwitchAndTheLockMuteWhatTheyAreFor() async throws {
        let client = try await Segued.start().connect()
        let ambient = try client.openSession("a", "ambient", playing: true)
        let playback = try client.openSession("b", "playback options mixWithOthers", playing: true)
        for command in ["silence", "lock"] {
            try client.order("session \(command) 1")
            #expect(try client.session(ambient)["muted"] == "1" && client.session(ambient)["gain"] == "-120")
            #expect(try client.session(playback)["muted"] == "0")
            try client.order("session \(command) 0")
            #expect(try client.session(ambient)["muted"] == "0" && client.session(ambient)["gain"] == "0")
        }
    }

    /// Who may only play may neither interrupt nor act on others' sessions.
    @Test func whoMayNotControlActsOnItsOwnOnly() async throws {
        let folder = try TemporaryFolder()
        let port = try steadyPort()
        let server = try await Segued.start(
            .toml(
                """
                listen = ["tcp:127.0.0.1:\(port)", "unix:\(folder.file("socket"))"]
                anonymous-permissions = ["read", "player"]
                local-permissions = "all"
                [[output]]
                name = "null"
                type = "null"
                """
            ),
            in: folder
        )
        let owner = try server.connect()
        let own = try owner.openSession("own", "playback", playing: true)
        let guest = try LineClient(.ipv4(port))
        for verb in ["deactivate", "close", "activate"] {
            let reply = guest.ask("session \(verb) \(own)")
            #expect(reply == ["ACK [4@0] {session} you don't have permission for session \(own)"])
        }
        for words in ["interrupt begin call", "silence 1", "lock 1"] {
            let verb = String(words.prefix { $0 != " " })
            let wanted = "ACK [4@0] {session} you don't have permission for \"session \(verb)\""
            #expect(guest.ask("session \(words)") == [wanted])
        }
        let its = try guest.openSession("its", "ambient", playing: true)
        try guest.order("session close \(its)")
        #expect(try owner.session(own)["state"] == "active")
    }

    /// Row 41: who is not granted a class does not get it, and what was decided is kept.
    @Test func classesAreGranted() async throws {
        let folder = try TemporaryFolder()
        let port = try steadyPort()
        let settings = """
            listen = ["tcp:127.0.0.1:\(port)", "unix:\(folder.file("socket"))"]
            anonymous-permissions = ["read", "player"]
            local-permissions = "all"
            [[output]]
            name = "null"
            type = "null"
            """
        let server = try await Segued.start(.toml(settings), in: folder)
        let refused = ["ACK [52@0] {session} missingEntitlement: class alarm is denied to 127.0.0.1"]
        #expect(try LineClient(.ipv4(port)).ask("session open clock class alarm") == refused)
        let owner = try server.connect()
        try owner.order("session permission grant 127.0.0.1 alarm")
        try owner.order("session silence 1")
        try owner.order("session category 1 ambient")
        try await server.stop()
        let again = try await Segued.start(.toml(settings), in: folder)
        let guest = try LineClient(.ipv4(port))
        let id = try #require(try guest.values("session open clock class alarm")["session"])
        #expect(try guest.session(id)["class"] == "alarm")
        let client = try again.connect()
        #expect(try client.session("1")["category"] == "ambient", "a zone's category is kept")
        for command in ["add one.flac", "play"] { try client.order(command) }
        #expect(try client.session("1")["muted"] == "1", "the silence switch is kept")
        #expect(
            try client.order("session permission list") == ["owner: 127.0.0.1", "kind: alarm", "state: granted"]
        )
        try client.order("session permission deny 127.0.0.1 alarm")
        #expect(guest.ask("session open clock class alarm") == refused)
        try client.order("clients set 127.0.0.1 classes alarm")
        try guest.order("session open clock class alarm")
        #expect(guest.ask("session permission grant 127.0.0.1 call").last?.hasPrefix("ACK [4@0]") == true)
        try client.order("clients forget 127.0.0.1")
        #expect(guest.ask("session open clock class alarm") == refused)
    }

    /// Decisions that an earlier version has kept with the sessions become grants, once, and never more than they were.
    @Test func classesOfEarlierVersions() async throws {
        let folder = try TemporaryFolder()
        let settings = """
            listen = ["unix:\(folder.file("socket"))"]
            [[output]]
            name = "null"
            type = "null"
            """
        let sessions = """
            82c39933 permission 127.0.0.1 alarm grant
            c71185f6 permission 127.0.0.1 call grant
            b6522019 permission "uid 4242" call deny
            c6d0b13a permission 127.0.0.1 call deny
            a99d9fe4 permission tablet assistant grant
            e7165ba5 permission uid:7 alarm grant
            6569db79 permission "a local client" call deny
            717b54c4 silence 1

            """
        _ = try folder.makeFolder("state", permissions: 0o700)
        try folder.write("state/sessions.journal", sessions)
        let clients = "a73151c1 client tablet \"\" permissions read,player zone default\n"
        try folder.write("state/clients.journal", clients)
        func journal(_ name: String) throws -> String {
            try String(contentsOfFile: folder.file("state/\(name).journal"), encoding: .utf8)
        }
        let server = try await Segued.start(.toml(settings), in: folder, waitsForLibrary: false)
        let owner = try server.connect()
        func decisions(_ owner: LineClient) throws -> [String] {
            try owner.order("session permission list").compactMap { $0.split(separator: ": ").last.map(String.init) }
        }
        let others = ["tablet", "assistant", "granted", "uid 4242", "call", "denied"]
        #expect(try decisions(owner) == ["127.0.0.1", "alarm", "granted", "127.0.0.1", "call", "denied"] + others)
        #expect(try owner.values("clients show tablet")["permissions"] == "read,player")
        for dropped in ["'a local client' (no-call)", "'uid:7' (alarm)"] {
            let line = "the session permissions of \(dropped) are dropped"
            #expect(server.process.errorText.contains(line), "\(dropped)")
        }
        try owner.order("clients forget 127.0.0.1")
        try await server.stop()
        #expect(try journal("sessions") == "717b54c4 silence 1\n")
        #expect(try journal("clients").contains("client \"uid 4242\" \"\" classes no-call\n"))
        let again = try await Segued.start(.toml(settings), in: folder, waitsForLibrary: false)
        #expect(try decisions(again.connect()) == others)
        #expect(!again.process.errorText.contains("session permissions"))
    }
}
