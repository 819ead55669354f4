import Foundation
import ServerBasics
import TestSupport
import TestThreads
import Testing
import TextEncodings

/// Values that are sent whenever they change.
@Suite(.blocking, .enabled("the fixtures' tools are missing") { Music.missing.isEmpty })
struct WatchTests {
    // MARK: Values

    @Test func eachTopicHasAValue() async throws {
        let server = try await Segued.start()
        let watcher = try server.connectJSON().watch()
        let expected = Topic.allCases.map { $0.isOfZone ? "\($0.rawValue) default" : $0.rawValue }
        #expect(Set(watcher.values.keys) == Set(expected))
        #expect(watcher.values.values.allSatisfy { $0 != .null })
        let one = try server.connectJSON().watch(#"{"topics":"mixer"}"#)
        #expect(one.values.keys.sorted() == ["mixer default"])
    }

    /// A change by a client of MPD's protocol, and the topic that it is told with.
    private static let changes: [(command: String, topic: String, member: String, value: JSON)] = [
        ("setvol 40", "mixer default", "volume", .integer(40)),
        ("repeat 1", "options default", "repeat", .bool(true)),
        ("single oneshot", "options default", "single", .string("once")),
        ("crossfade 5", "options default", "crossfade", .integer(5)),
        ("replay_gain_mode album", "options default", "replay_gain_mode", .string("album")),
        ("add one.flac", "why default", "", .null), ("play", "player default", "state", .string("playing")),
        ("pause 1", "player default", "state", .string("paused")),
        ("stop", "player default", "state", .string("stopped")),
        ("sleep endofsong", "sleep default", "after", .string("endofsong")),
        ("alarm add 07:00 name morning", "timers", "alarms", .null),
        ("schedule add 07:00 command stop", "timers", "schedules", .null),
        ("session open Door class assistant", "sessions", "", .null), ("newpartition hall", "zones", "", .null),
        ("disableoutput 0", "outputs default", "", .null), ("announce one.flac", "announcements", "", .null),
        ("library pause", "library", "paused", .bool(true)),
        ("clients set 10.0.0.1 permissions read", "audit", "", .null),
        ("subscribe news", "channels default", "", .null), ("save mine", "playlists", "revision", .integer(1)),
        ("sticker set song one.flac rating 5", "stickers", "revision", .integer(1)),
        ("add two.flac", "queue default", "", .null), ("play 1", "artwork default", "id", .integer(2)),
    ]

    @Test func changesAreTold() async throws {
        let server = try await Segued.start()
        let (watcher, client) = (try server.connectJSON().watch(), try server.connect())
        for (command, topic, member, value) in Self.changes {
            let before = watcher.told.count
            try client.order(command)
            try watcher.wait(for: "\(topic) after \(command)") {
                watcher.told[before...].contains { name, told in
                    name == topic && (value == .null || told[member] == value)
                }
            }
        }
        #expect(
            watcher.values["zones"]?.elements.count == 2 && watcher.values["timers"]?["alarms"]?.elements.count == 1
        )
    }

    /// A program whose clock is another one learns the server's, and that there are other songs.
    @Test func timeAndLibrary() async throws {
        let folder = try TemporaryFolder()
        let music = try folder.makeFolder("music")
        let server = try await Segued.start(music: music)
        let watcher = try server.connectJSON().watch(#"{"topics":["library"]}"#)
        let time = try #require(watcher.time?.text).firstMatch(of: /^\d{10}\.\d+$/).flatMap { Double($0.0) }
        #expect(try abs(#require(time) - Date.now.timeIntervalSince1970) < 300)
        let revision = watcher.values["library"]?["revision"]
        let song = try await Music.folder() + "/one.flac"
        try FileManager.default.copyItem(atPath: song, toPath: "\(music)/one.flac")
        try server.connect().order("update")
        try watcher.wait { watcher.values["library"]?["revision"] != revision }
        #expect(try watcher.call("count", #"{"filter":"(base '')"}"#)["songs"] == .integer(1))
        // Its loudness is measured later, which is no update.
        try watcher.wait { watcher.values["library"]?["unmeasured"] == .integer(1) }
        try server.connect().order("replay_gain_mode track")
        try watcher.wait { watcher.values["library"]?["measured"] == .integer(1) }
        try watcher.wait { watcher.values["library"]?["measuring"] == .bool(false) }
    }

    /// Messages are the connection's own: it is told how many it has not read.
    @Test func messagesAreTold() async throws {
        let server = try await Segued.start()
        let watcher = try server.connectJSON().watch(#"{"topics":["messages"]}"#)
        let (other, client) = (try server.connectJSON().watch(#"{"topics":["messages"]}"#), try server.connect())
        #expect(watcher.values["messages"]?["unread"] == .integer(0))
        try watcher.call("subscribe", #"["news"]"#)
        for text in ["one", "two"] { try client.order("sendmessage news \(text)") }
        try watcher.wait { watcher.values["messages"]?["unread"] == .integer(2) }
        let messages = try watcher.call("readmessages")
        #expect(messages.elements.map { $0["message"] } == [.string("one"), .string("two")])
        try watcher.wait { watcher.values["messages"]?["unread"] == .integer(0) }
        try other.catchUp()
        #expect(other.told.isEmpty)
    }

    /// A zone has the channels of the clients that are in it, and not those of a client elsewhere that watches it.
    @Test func channelsAreThoseOfTheZone() async throws {
        let server = try await Segued.start()
        let client = try server.connect()
        try client.order("newpartition hall")
        let watcher = try server.connectJSON().watch(#"{"topics":["channels"],"zones":"all"}"#)
        func channels(_ zone: String) -> [String] {
            watcher.values["channels \(zone)"]?.elements.compactMap { $0["channel"]?.string } ?? []
        }
        try watcher.call("subscribe", #"["mine"]"#)
        try client.order("subscribe news")
        try watcher.wait { channels("default") == ["mine", "news"] && channels("hall") == [] }
        try client.order("partition hall")
        try watcher.wait { channels("default") == ["mine"] && channels("hall") == ["news"] }
        try server.connect().order("zone remove hall")
        try watcher.wait { channels("default") == ["mine", "news"] && watcher.values["channels hall"] == .null }
    }

    /// The position in a song is told when it begins to move or jumps, and goes on by itself in between.
    @Test func nothingTicks() async throws {
        let server = try await Segued.start()
        let (watcher, client) = (try server.connectJSON().watch(#"{"topics":"player"}"#), try server.connect())
        for command in ["add one.flac", "add two.flac", "play"] { try client.order(command) }
        func progress(_ member: String) -> Double? {
            switch watcher.values["player default"]?["progress"]?[member] {
            case .integer(let number)?: Double(number)
            case .number(let number)?: number
            default: nil
            }
        }
        try watcher.wait { progress("speed") == 1 }
        let (told, at) = (watcher.told.count, try #require(progress("at")))
        #expect(try #require(progress("elapsed")) < 5)
        // Each of these changes might change what is played.
        while Date.now.timeIntervalSince1970 < at + 2 {
            try client.order("add two.flac")
            try watcher.catchUp()
        }
        // Nothing is told but news: what the library has learnt of the song, or a position that was not as told.
        for (before, now) in zip(watcher.told[(told - 1)...], watcher.told[told...]) {
            #expect(Self.isNews(now.value, after: before.value), "\(before)\n\(now)")
        }
        try client.order("seekcur 20")
        try watcher.wait { (progress("elapsed") ?? 0) >= 20 }
        try client.order("pause 1")
        try watcher.wait { progress("speed") == 0 }
    }

    /// Whether a player's value is another one, but for a progress that has gone on from the one before.
    private static func isNews(_ value: JSON, after before: JSON) -> Bool {
        func others(_ value: JSON) -> [JSON.Field] { value.fields.filter { $0.name != "progress" } }
        func number(_ value: JSON, _ name: String) -> Double { value["progress"]?[name]?.number ?? .nan }
        let time = number(value, "at") - number(before, "at")
        let expected = number(before, "elapsed") + time * number(before, "speed")
        return others(value) != others(before) || number(value, "speed") != number(before, "speed")
            || abs(number(value, "elapsed") - expected) > 0.09
    }

    /// Several changes at once are told together, the last value only.
    @Test func changesComeTogether() async throws {
        let server = try await Segued.start()
        let (watcher, client) = (try server.connectJSON().watch(), try server.connect())
        let volumes = (1...9_990).map { "setvol \($0 % 100)\n" }
        client.send("command_list_begin\n" + volumes.joined() + "command_list_end\n")
        #expect(client.reply() == ["OK"])
        try watcher.wait { watcher.values["mixer default"]?["volume"] == .integer(90) }
        // The list takes a second at most, which is twenty times.
        #expect(watcher.told.filter { $0.name == "mixer default" }.count < 100)
        // Without a change nothing is told.
        let told = watcher.told.count
        try client.order("setvol 90")
        try client.order("setvol 91")
        try watcher.wait { watcher.values["mixer default"]?["volume"] == .integer(91) }
        #expect(watcher.told[told...].map(\.name) == ["mixer default"])
    }

    // MARK: Queues

    @Test func aQueueIsToldByItsEdits() async throws {
        let server = try await Segued.start()
        let client = try server.connect()
        client.send("command_list_begin\n" + String(repeating: "add one.flac\n", count: 100) + "command_list_end\n")
        #expect(client.reply() == ["OK"])
        let watcher = try server.connectJSON().watch(#"{"topics":"queue"}"#)
        func ids() throws -> [String] {
            try client.order("plchangesposid 0").filter { $0.hasPrefix("Id: ") }.map { String($0.dropFirst(4)) }
        }
        for (command, edit) in [
            ("add two.flac", #""replace":{"position":101,"count":0,"ids":[101]}"#),
            ("delete 3:5", #""replace":{"position":4,"count":2,"ids":[]}"#),
            ("move 10:13 50", #""move":{"position":11,"count":3,"to":51}"#),
            ("move 90 2", #""move":{"position":91,"count":1,"to":3}"#),
            ("swap 1 2", #""move":{"position":2,"count":1,"to":3}"#),
            ("prio 9 0:2", #""changed":["#),
        ] {
            let told = watcher.told.count
            try client.order(command)
            try watcher.wait { watcher.told.count > told }
            #expect(
                watcher.told[told].value.text.contains(edit),
                "\(command): \(watcher.told[told].value.text.prefix(300))"
            )
            #expect(try watcher.values["queue default"]?.elements.map(\.text) == ids())
        }
        try client.order("clear")
        try watcher.wait { watcher.values["queue default"] == .array([]) }
    }

    // MARK: Convergence

    /// Waits until a client that has watched has the values of one that begins to.
    private func expectSame(_ watcher: Watcher, _ circumstances: String, _ new: () throws -> Watcher) throws {
        var different: [String] = []
        do {
            try watcher.wait {
                guard let new = try? new() else { return false }
                different = watcher.differences(from: new)
                return different.isEmpty
            }
        } catch {
            Issue.record("\(error), \(circumstances): \(different.joined(separator: "; ").prefix(3_000))")
        }
    }

    /// After any commands, a client that has watched all the time has the values of one that begins to.
    @Test(.timeLimit(.minutes(20))) func theValuesAreThoseOfANewWatch() async throws {
        let environment = ProcessInfo.processInfo.environment
        let seed = environment["SEGUE_FUZZ_SEED"].flatMap(UInt64.init) ?? 41
        let server = try await Segued.start()
        let grammar = CommandGrammar()
        var generator = SplitMix(state: seed)
        let all = #"{"zones":"all"}"#
        let watcher = try server.connectJSON().watch(all)
        var clients = try (0..<3).map { _ in try FuzzClient(server, at: .unix(server.socket)) }
        for round in 0..<(environment["SEGUE_FUZZ_SECONDS"] == nil ? 12 : 600) {
            for index in clients.indices { clients[index].send(from: grammar, &generator) }
            for index in clients.indices { try clients[index].check() }
            // Some of the time it reads nothing.
            if round % 7 == 0 { try watcher.catchUp() }
        }
        try expectSame(watcher, "seed \(seed)") { try server.connectJSON().watch(all) }
    }

    /// So has one in a WebSocket that is cut and opened again, and whose rights change meanwhile.
    @Test(.timeLimit(.minutes(20))) func soHasAWebSocketThatIsCut() async throws {
        let environment = ProcessInfo.processInfo.environment
        let seed = environment["SEGUE_FUZZ_SEED"].flatMap(UInt64.init) ?? 37
        let stage = try await WebStage("", "anonymous-permissions = \"none\"")
        let owner = try stage.server.connect()
        let secret = try stage.makeClient("phone", "permissions read")
        func open() throws -> Watcher {
            let client = try stage.connect()
            try client.openSocket(["Authorization": secret])
            return try client.watch(#"{"zones":"all"}"#)
        }
        let grammar = CommandGrammar()
        var generator = SplitMix(state: seed)
        var watcher = try open()
        var clients = try (0..<2).map { _ in try FuzzClient(stage.server, at: .unix(stage.server.socket)) }
        let grants = ["read zone default", "read,player", "none", "read,admin", "read zone all"]
        for round in 0..<(environment["SEGUE_FUZZ_SECONDS"] == nil ? 15 : 900) {
            for index in clients.indices { clients[index].send(from: grammar, &generator) }
            for index in clients.indices { try clients[index].check() }
            try owner.order("clients set phone permissions \(grants[round % grants.count])")
            switch round % 4 {
            case 1: try watcher.catchUp()
            case 3:
                // Half a frame is all that comes of its last message.
                watcher.client.lines.send([0x81, 0xfe, 0x10, 0x00, 1, 2, 3, 4] + Array(repeating: 0x20, count: 100))
                watcher = try open()
            default: break
            }
        }
        try owner.order("clients set phone permissions read,player zone all")
        try expectSame(watcher, "seed \(seed)", open)
        #expect(watcher.values["player default"] != .null && watcher.values["queue default"] != .null)
    }

    // MARK: Flow

    /// A client that reads nothing for long gets the latest values, and few of those before.
    @Test func aSlowReaderGetsTheLatest() async throws {
        let server = try await Segued.start()
        let client = try server.connect()
        client.send("command_list_begin\n" + String(repeating: "add one.flac\n", count: 20_000) + "command_list_end\n")
        #expect(client.reply() == ["OK"])
        let watcher = try server.connectJSON().watch(#"{"topics":["queue","mixer"]}"#)
        let changes = 200
        for number in 1...changes {
            try client.order("shuffle")
            try client.order("setvol \(number % 100)")
        }
        try client.order("setvol 77")
        // Each of those queues has 110 KB, and a socket takes a few.
        try watcher.wait { watcher.values["mixer default"]?["volume"] == .integer(77) }
        let ids = try client.order("plchangesposid 0").filter { $0.hasPrefix("Id: ") }.map { String($0.dropFirst(4)) }
        try watcher.wait { watcher.values["queue default"]?.elements.map(\.text) == ids }
        #expect(watcher.told.filter { $0.name == "queue default" }.count < changes / 2)
    }

    /// A value that has changed and changed back meanwhile is no news.
    @Test func aSlowReaderIsToldNewsAlone() async throws {
        let server = try await Segued.start()
        let client = try server.connect()
        client.send("command_list_begin\n" + String(repeating: "add one.flac\n", count: 20_000) + "command_list_end\n")
        #expect(client.reply() == ["OK"])
        try client.order("setvol 40")
        let watcher = try server.connectJSON().watch(#"{"topics":["queue","mixer"]}"#)
        // Each of those queues has 110 KB, and a socket takes a few.
        for _ in 1...400 { try client.order("shuffle") }
        for volume in [50, 40] {
            try client.order("setvol \(volume)")
            for _ in 1...20 { try client.order("shuffle") }
        }
        let ids = try client.order("plchangesposid 0").filter { $0.hasPrefix("Id: ") }.map { String($0.dropFirst(4)) }
        try watcher.wait { watcher.values["queue default"]?.elements.map(\.text) == ids }
        try watcher.catchUp()
        #expect(!watcher.told.contains { $0.name == "mixer default" })
        try client.order("setvol 50")
        try watcher.wait { watcher.values["mixer default"]?["volume"] == .integer(50) }
    }

    /// Notifications come between lines, however requests and their responses are cut.
    @Test func linesStayWhole() async throws {
        let server = try await Segued.start()
        let (client, other) = (try server.connectJSON(), try server.connect())
        let setVolume = (0..<50).map { #"{"jsonrpc":"2.0","id":\#($0),"method":"setvol","params":[\#($0)]}"# }
        let list = (0..<50).map { _ in #"{"jsonrpc":"2.0","id":0,"method":"commands"}"# }
        client.lines.send(#"{"jsonrpc":"2.0","id":1,"method":"watch"}"# + "\n[\(setVolume.joined(separator: ","))]\n")
        client.lines.send("[\(list.joined(separator: ","))]\n")
        for number in 0..<20 { try other.order("setvol \(number)") }
        client.lines.send(#"{"jsonrpc":"2.0","id":"end","method":"ping"}"# + "\n")
        var (batches, changes) = (0, 0)
        while true {
            let message = client.response()
            if message["id"] == .string("end") { break }
            if !message.elements.isEmpty { batches += 1 }
            if message["method"] == .string("changed") { changes += 1 }
            if message == .null { break }
        }
        #expect(batches == 2 && changes > 0)
    }

    // MARK: Rights

    /// A value that the client may not read is null; it appears when the client is granted the right to read it.
    @Test func rightsDecide() async throws {
        let (folder, port) = (try TemporaryFolder(), try steadyPort())
        let text = """
            listen = ["tcp:127.0.0.1:\(port)", "unix:\(folder.file("socket"))"]
            [[output]]
            name = "here"
            type = "null"
            [[zone]]
            name = "kitchen"
            """
        let server = try await Segued.start(.toml(text), in: folder)
        let owner = try server.connect()
        let watcher = try JSONClient(LineClient(.ipv4(port), of: server)).watch(#"{"zones":"all"}"#)
        #expect(watcher.values["audit"] == .null && watcher.values["player kitchen"] != .null)
        func grant(_ words: String) throws { try owner.order("clients set 127.0.0.1 \(words)") }
        try grant("permissions read zone kitchen")
        try watcher.wait { watcher.values["player default"] == .null && watcher.values["queue default"] == .null }
        #expect(watcher.values["permissions kitchen"] == .array([.string("read")]))
        #expect(watcher.values["player kitchen"] != .null)
        // Of what it may not read, it is not told that it changes.
        let told = watcher.told.count
        try owner.order("add one.flac")
        try owner.order("partition kitchen")
        try owner.order("repeat 1")
        try watcher.wait { watcher.values["options kitchen"]?["repeat"] == .bool(true) }
        #expect(watcher.told[told...].allSatisfy { !$0.name.hasSuffix("default") || $0.value == .null })
        try owner.order("clients revoke 127.0.0.1")
        try watcher.wait { watcher.values.filter { $0.value != .null && !$0.key.hasPrefix("permissions") }.isEmpty }
        try grant("permissions read zone all")
        try watcher.wait { watcher.values["queue default"]?.elements.count == 1 }
        #expect(watcher.values["player default"] != .null)
    }

    /// A password changes what the connection that gives it sees.
    @Test func aPasswordDecides() async throws {
        let (folder, port) = (try TemporaryFolder(), try steadyPort())
        let text = """
            listen = ["tcp:127.0.0.1:\(port)", "unix:\(folder.file("socket"))"]
            [[host]]
            address = "127.0.0.1"
            permissions = []
            [[password]]
            password = "secret"
            permissions = ["read"]
            [[output]]
            name = "here"
            type = "null"
            """
        let server = try await Segued.start(.toml(text), in: folder)
        let watcher = try JSONClient(LineClient(.ipv4(port), of: server)).watch()
        #expect(watcher.values["player default"] == .null && watcher.values["queue default"] == .null)
        try watcher.call("password", #"["secret"]"#)
        try watcher.wait { watcher.values["player default"] != .null && watcher.values["queue default"] == .array([]) }
        try server.connect().order("repeat 1")
        try watcher.wait { watcher.values["options default"]?["repeat"] == .bool(true) }
        // So do the tags that it asks for.
        try server.connect().order("add one.flac")
        try server.connect().order("play")
        func title() -> JSON? { watcher.values["player default"]?["song"]?["title"] }
        try watcher.wait { title() == .string("One") }
        try watcher.call("tagtypes.clear")
        try watcher.wait { title() == nil }
    }

    /// A client that may do nothing does not keep its place among those that may not by watching.
    @Test func aStrangerIsDisconnected() async throws {
        let (folder, port) = (try TemporaryFolder(), try steadyPort())
        let text = """
            listen = ["tcp:127.0.0.1:\(port)", "unix:\(folder.file("socket"))"]
            limits.connection-timeout = 1
            [[host]]
            address = "127.0.0.1"
            permissions = []
            [[output]]
            name = "here"
            type = "null"
            """
        let server = try await Segued.start(.toml(text), in: folder)
        let watcher = try JSONClient(LineClient(.ipv4(port), of: server)).watch()
        #expect(watcher.client.lines.line() == "<closed>")
    }

    /// Zones exchange their queues, whose entries may have the same ids: all songs are others.
    @Test func exchangedQueuesAreToldWhole() async throws {
        let server = try await Segued.start()
        let client = try server.connect()
        for command in [
            "newpartition hall", "add one.flac", "add two.flac", "partition hall", "add two.flac", "add one.flac",
        ] {
            try client.order(command)
        }
        let watcher = try server.connectJSON().watch(#"{"topics":"queue","zones":"all"}"#)
        try client.order("zone handover default")
        try watcher.wait { Set(watcher.told.map(\.name)) == ["queue default", "queue hall"] }
        #expect(watcher.told.allSatisfy { $0.value["ids"] != nil && $0.value["after"] == nil })
    }

    // MARK: Zones

    @Test func zonesComeAndGo() async throws {
        let server = try await Segued.start()
        let (all, own) = (try server.connectJSON().watch(#"{"zones":["all"]}"#), try server.connectJSON().watch())
        let client = try server.connect()
        try client.order("newpartition hall")
        try all.wait { all.values["player hall"] != nil && all.values["queue hall"] == .array([]) }
        try client.order("partition hall")
        try client.order("add one.flac")
        try all.wait { all.values["queue hall"]?.elements.count == 1 }
        try own.wait { own.values["zones"]?.elements.count == 2 }
        #expect(own.values.keys.allSatisfy { !$0.hasSuffix("hall") })
        // The watch's zone stays, whichever the client enters.
        try own.call("partition", #"{"name":"hall"}"#)
        try own.watch(#"{"topics":["queue"],"zones":["default","hall"]}"#)
        #expect(own.values.keys.sorted() == ["queue default", "queue hall"])
        try client.order("partition default")
        try own.call("partition", #"{"name":"default"}"#)
        try client.order("delpartition hall")
        try all.wait { all.values["player hall"] == .null && all.values["zones"]?.elements.count == 1 }
    }

    // MARK: Requests

    @Test func wrongRequestsAreRefused() async throws {
        let server = try await Segued.start()
        let (client, lines) = (try server.connectJSON(), try server.connect())
        for (params, ack) in [
            (#"{"topics":["weather"]}"#, 2), (#"{"zones":["nowhere"]}"#, 50), (#"["zone"]"#, 2),
            (#"{"topic":"mixer"}"#, 2),
        ] { #expect(client.call("watch", params)["error"]?["data"]?["ack"] == .integer(ack), "\(params)") }
        #expect(lines.ask("watch mixer") == ["ACK [2@0] {watch} watch is for connections in JSON: 'json' comes first"])
        #expect(lines.ask("unwatch") == ["OK"])
    }

    @Test func aWatchEnds() async throws {
        let server = try await Segued.start()
        let (watcher, other) = (try server.connectJSON().watch(), try server.connectJSON().watch())
        #expect(try watcher.call("unwatch") == .null)
        try server.connect().order("setvol 12")
        try other.wait { other.values["mixer default"]?["volume"] == .integer(12) }
        try watcher.catchUp()
        #expect(watcher.told.isEmpty)
        // No client watches any more once this one has left.
        other.client.lines.endOutput()
        #expect(try server.connect().ask("ping") == ["OK"])
    }

    /// A client that watches is not disconnected for its silence.
    @Test func silenceIsNoReason() async throws {
        let folder = try TemporaryFolder()
        let text = """
            listen = ["unix:\(folder.file("socket"))"]
            limits.connection-timeout = 1
            [[output]]
            name = "here"
            type = "null"
            """
        let server = try await Segued.start(.toml(text), in: folder)
        let (watcher, silent) = (try server.connectJSON().watch(), try server.connect())
        #expect(silent.line() == "<closed>")
        try watcher.catchUp()
        #expect(watcher.told.isEmpty)
    }
}
