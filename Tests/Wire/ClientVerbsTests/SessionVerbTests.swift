import Foundation
import ProtocolClient
import TerminalText
import TestSupport
import TestThreads
import Testing

@testable import ClientVerbs

/// `segue session` and its neighbours against a server that speaks the extensions.
@Suite(.blocking, .serialized) struct SessionVerbTests {
    private static let list = [
        "session: 1", "name: default", "kind: zone", "owner: segued", "zone: default", "category: playback",
        "mode: default", "options: ", "policy: default", "class: normal", "state: interrupted", "playing: 1",
        "ducked: 0", "gain: 0", "background: 0", "interruptedby: 2",
        "session: 2", "name: phone", "kind: system", "owner: uid:0", "zone: default", "category: playAndRecord",
        "mode: voiceChat", "options: ", "policy: default", "class: call", "state: active", "playing: 1", "ducked: 0",
        "gain: 0", "background: 0",
        "session: 3", "name: map", "kind: client", "owner: uid:0", "zone: hall", "category: playback",
        "mode: voicePrompt", "options: duckOthers,mixWithOthers", "policy: default", "class: normal",
        "state: active", "playing: 0", "ducked: 1", "muted: 1", "gain: -14.5", "background: 1",
        "session: 4", "name: map", "kind: client", "owner: uid:7", "zone: hall", "category: soloAmbient",
        "mode: default", "options: ", "policy: default", "class: normal", "state: inactive", "playing: 0",
        "ducked: 0", "gain: 0", "background: 0",
    ]

    private static let events = [
        "oldest: 1", "event: 8", "time: 2026-11-21T08:15:30.125Z", "session: 2", "type: didBecomeActive",
        "event: 9", "time: 2026-11-21T08:15:30.126Z", "session: 1", "type: interruptionBegan", "reason: 0 default",
        "source: system", "event: 10", "time: 2026-11-21T08:15:40.000Z", "session: 1", "type: interruptionEnded",
        "source: system", "shouldresume: 1", "event: 11", "time: 2026-11-21T08:15:41.000Z", "type: mediaServicesLost",
    ]

    private static func server() throws -> FakeSegued {
        try FakeSegued([
            "session list": .lines(list), "session list zone default": .lines(Array(list[..<16])),
            "session info 3": .lines(Array(list[31..<48])), "session": .lines([]),
            "session events": .lines(events), "session open": .lines(["session: 12"]),
            "session interrupt begin": .lines(["session: 13"]), "partition": .lines([]),
            "session hint": .lines(["otheraudio: 1", "secondaryaudioshouldbesilenced: 0"]),
        ])
    }

    @Test func listing() async throws {
        let server = try Self.server()
        #expect(
            try await server.segue("session").outputText == """
                1\tdefault\tzone\tdefault\tplayback\tinterrupted by phone\t0
                2\tphone\tsystem\tdefault\tplayAndRecord voiceChat\tplaying, call\t0
                3\tmap\tclient\thall\tplayback voicePrompt +duckOthers +mixWithOthers\tactive, ducked, muted, background\t-14.5
                4\tmap\tclient\thall\tsoloAmbient\tinactive\t0

                """
        )
        let json = try await server.segue("session", "list", "--json").outputText.split(separator: "\n")
        #expect(
            json[2]
                == #"{"session":3,"name":"map","kind":"client","owner":"uid:0","zone":"hall","category":"playback","#
                + #""mode":"voicePrompt","options":["duckOthers","mixWithOthers"],"policy":"default","#
                + #""class":"normal","state":"active","playing":false,"ducked":true,"muted":true,"gain":-14.5,"#
                + #""background":true,"interrupted_by":[]}"#
        )
        #expect(json[0].contains(#""state":"interrupted","playing":true,"#))
        #expect(json[0].hasSuffix(#""interrupted_by":[2]}"#))
        let terminal = try TerminalProcess(
            try Segue.path(),
            ["session", "list"],
            environment: Segue.environment(["SEGUE_HOST": server.path, "NO_COLOR": "1"]),
            columns: 120
        )
        _ = try await terminal.process.wait()
        #expect(terminal.contents.lines[0].hasPrefix("1  default  zone    default  playback  "))
        #expect(terminal.contents.lines[0].hasSuffix("interrupted by phone"))
        #expect(terminal.contents.lines[2].hasSuffix("-14.5 dB"), "\(terminal.contents.text)")
    }

    /// The list of one zone names sessions of others that interrupt it.
    @Test func listingOfAZone() async throws {
        let server = try Self.server()
        let text = try await server.segue("session", "list", "--zone", "default").outputText
        #expect(text == "1\tdefault\tzone\tdefault\tplayback\tinterrupted by phone\t0\n")
    }

    /// What each verb asks the server for.
    @Test(
        arguments: [
            (["session", "list", "--zone", "hall"], ["session list zone hall"]),
            (["session", "--zone", "hall", "info", "3"], ["partition hall", "session info 3"]),
            (["session", "open", "My map"], ["session open My map persistent"]),
            (["session", "close", "3"], ["session close 3"]),
            (["session", "close", "phone"], ["session list", "session close 2"]),
            (
                ["session", "category", "3", "playback", "--mode", "spokenAudio", "--options", "a,b", "--policy", "p"],
                ["session category 3 playback mode spokenAudio options a,b policy p"]
            ), (["session", "activate", "3"], ["session activate 3"]),
            (["session", "deactivate", "3"], ["session deactivate 3 notifyothers"]),
            (["session", "deactivate", "3", "--no-notify"], ["session deactivate 3"]),
            (["session", "playing", "3", "on"], ["session playing 3 1"]),
            (["session", "background", "3", "off"], ["session background 3 0"]),
            (["session", "prefer", "3", "autoResume", "off"], ["session prefer 3 autoResume 0"]),
            (["session", "silence", "on"], ["session silence 1"]), (["session", "lock", "off"], ["session lock 0"]),
            (["silence", "on"], ["session silence 1"]), (["silence", "off"], ["session silence 0"]),
            (["session", "permission"], ["session permission list"]),
            (["session", "permission", "grant", "uid:7", "record"], ["session permission grant uid:7 record"]),
            (
                [
                    "session", "interrupt", "begin", "call", "--name", "Anna", "--style", "banner", "--recording",
                    "--zone", "all",
                ], ["session interrupt begin call name Anna style banner recording 1 zone all"]
            ), (["session", "interrupt", "end", "13"], ["session interrupt end 13 resume 1"]),
            (["session", "interrupt", "end", "13", "--no-resume"], ["session interrupt end 13 resume 0"]),
            (["session", "events", "--since", "0"], ["session events 0", "session list"]),
        ]
    )
    func requests(words: [String], lines: [String]) async throws {
        let server = try Self.server()
        let result = try await server.start(words).wait()
        #expect(result.status == .code(0), "\(result.errorText)")
        #expect(server.state.current.requests == lines)
        if lines[0].contains("open") { #expect(result.outputText == "12\n") }
        if lines[0].contains("begin") { #expect(result.outputText == "13\n") }
    }

    @Test func namesThatAreNoneOrSeveral() async throws {
        let server = try Self.server()
        #expect(
            try await server.segue("session", "close", "x").errorText
                == "segue: there is no session 'x'; 'segue session list' shows them\n"
        )
        #expect(
            try await server.segue("session", "close", "map").errorText
                == "segue: there are 2 sessions 'map'; name one by its number: 3, 4\n"
        )
    }

    @Test func events() async throws {
        let server = try Self.server()
        #expect(
            try await server.segue("session", "events").outputText == """
                8\t2026-11-21T08:15:30.125Z\t2\tdidBecomeActive\t
                9\t2026-11-21T08:15:30.126Z\t1\tinterruptionBegan\t0 default, by system
                10\t2026-11-21T08:15:40.000Z\t1\tinterruptionEnded\tby system, resume
                11\t2026-11-21T08:15:41.000Z\t\tmediaServicesLost\t

                """
        )
        #expect(
            try await server.segue("session", "events", "--json").outputText.split(separator: "\n")[2]
                == #"{"event":10,"time":"2026-11-21T08:15:40.000Z","session":1,"name":"default","#
                + #""type":"interruptionEnded","source":"system","should_resume":true}"#
        )
        let text = SessionEventText(event: try #require(ServerReply(pairs: Self.pairs).sessionEvents.first), name: "a")
        // In the time zone that the tests are run in.
        #expect(text.line.plain.hasSuffix(":15:30.125  a (2)  didBecomeActive"), "\(text.line.plain)")
    }

    private static var pairs: [Pair] {
        events[1...4].map { line in
            let parts = line.split(separator: ":", maxSplits: 1)
            return Pair(String(parts[0]), String(parts[1].dropFirst()))
        }
    }

    /// Each event is told once, and those that were lost are counted.
    @Test func following() async throws {
        let server = try Self.server()
        let child = try server.start(["session", "events", "--follow"])
        try await server.wait("idle") { $0.idleCount == 1 }
        server.answer(
            "session events 11",
            .lines(["oldest: 15", "event: 15", "time: x", "session: 9", "type: ducked"])
        )
        server.change("session")
        try await server.waitForRequest("session events 11")
        try await server.wait("idle") { $0.requests.filter { $0 == "idle session" }.count == 2 && $0.idleCount == 1 }
        server.drop()
        let result = try await child.wait()
        #expect(result.status == .code(3))
        #expect(result.outputText.split(separator: "\n").count == 5)
        #expect(result.outputText.hasSuffix("15\tx\t9\tducked\t\n"))
        #expect(result.errorText.hasPrefix("segue: the server has forgotten 3 events\n"), "\(result.errorText)")
    }

    @Test func hintsAndCauses() async throws {
        let server = try Self.server()
        #expect(
            try await server.segue("session", "hint", "--json").outputText
                == "{\"other_audio\":true,\"secondary_audio_should_be_silenced\":false}\n"
        )
        server.answer(
            "why hall",
            .lines(["cause: interrupted by phone", "since: 2026-11-21T08:15:30.125Z", "cause: muted"])
        )
        #expect(
            try await server.segue("why", "hall").outputText
                == "interrupted by phone\t2026-11-21T08:15:30.125Z\nmuted\n"
        )
        #expect(
            try await server.segue("why", "hall", "--json").outputText
                == #"{"cause":"interrupted by phone","since":"2026-11-21T08:15:30.125Z"}"# + "\n"
                + #"{"cause":"muted"}"# + "\n"
        )
        server.answer("nowplaying", .lines(["session: 3", "name: map"]))
        #expect(try await server.segue("nowplaying").outputText == "session: 3\nname: map\n")
    }

    @Test(
        arguments: [
            (["session", "playing", "3", "once"], "once"),
            (["session", "prefer", "3", "x", "on"], "'x' is not one of"),
            (["session", "interrupt", "begin", "bell"], "begin needs call, alarm or assistant"),
            (["session", "interrupt", "end", "x"], "'x' is not the number of an interruption"),
            (["session", "permission", "grant", "a"], "name an owner"),
            (["session", "events", "--since=-1"], "--since"),
        ]
    )
    func usage(words: [String], text: String) async throws {
        let result = try await Segue.run(words)
        #expect(result.status == .code(64), "\(result.errorText)")
        #expect(result.errorText.contains(text), "\(result.errorText)")
    }

    @Test func aRefusalIsOneLine() async throws {
        let server = try FakeSegued(["session": .refusal(code: 52, "cannotInterruptOthers: a call is active")])
        let result = try await server.segue("session", "activate", "3")
        #expect(result.status == .code(1))
        #expect(result.errorText == "segue: the server refuses 'session': cannotInterruptOthers: a call is active\n")
    }
}
