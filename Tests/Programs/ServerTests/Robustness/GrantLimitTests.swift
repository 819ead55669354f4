import Foundation
import TestSupport
import TestThreads
import Testing

/// Ceilings of volume and speed, quotas, and turns.
@Suite(.blocking)
struct GrantLimitTests {
    private let folder: TemporaryFolder
    private let server: Segued
    private let owner: LineClient
    private let address: SocketAddress
    private static let guest = "127.0.0.1"

    init() async throws {
        folder = try TemporaryFolder()
        let port = try steadyPort()
        _ = try folder.makeFolder("music")
        for number in 0..<9 { try folder.write("music/\(number).flac", MadeMedia.flac(["title=\(number)"])) }
        let text = """
            listen = ["tcp:127.0.0.1:\(port)", "unix:\(folder.file("socket"))"]
            max-volume = 80
            [[output]]
            type = "null"
            name = "null"
            [[zone]]
            name = "kitchen"
            max-volume = 50
            [[zone.output]]
            type = "null"
            name = "other"
            """
        server = try await Segued.start(.toml(text), in: folder, music: folder.file("music"))
        owner = try server.connect()
        address = .ipv4(port)
    }

    private func set(_ words: String) throws { try owner.order("clients set \(Self.guest) \(words)") }

    private func volume(_ client: LineClient) throws -> String? { try client.values("getvol")["volume"] }

    @Test("A zone is never louder than its ceiling, whoever asks, and who asks for more is told")
    func zoneCeiling() throws {
        #expect(try volume(owner) == "80")
        let idle = try server.connect()
        idle.send("idle mixer\n")
        try wait(for: "the client to wait") { try owner.order("clients list").contains("idle: 0") }
        try owner.order("setvol 100")
        #expect(try volume(owner) == "80")
        #expect(idle.reply() == ["changed: mixer", "OK"])
        try owner.order("setvol 60")
        try owner.order("volume 50")
        #expect(try volume(owner) == "80")
        try owner.order("partition kitchen")
        try owner.order("setvol 51")
        #expect(try volume(owner) == "50")
    }

    @Test("An owner limits a zone while it runs, and that outlives the server")
    func limitedZone() async throws {
        let idle = try server.connect()
        idle.send("idle mixer\n")
        try wait(for: "the client to wait") { try owner.order("clients list").contains("idle: 0") }
        try owner.order("speed 2")
        try owner.order("ceiling set default volume 30 speed 1.5")
        #expect(idle.reply() == ["changed: mixer", "OK"])
        #expect(try volume(owner) == "30")
        #expect(try owner.values("status")["speed"] == "1.5")
        try owner.order("setvol 90")
        try owner.order("speed 2")
        #expect(try volume(owner) == "30")
        #expect(try owner.values("status")["speed"] == "1.5")
        #expect(
            try owner.order("ceiling list")
                == ["zone: default", "most: 30", "volume: 30", "speed: 1.5", "zone: kitchen", "most: 50"]
        )
        // The configuration's ceiling holds as well, and times at which this one does not.
        try owner.order("ceiling set kitchen volume 90 until 4000000000")
        #expect(
            try owner.order("ceiling list").suffix(4) == [
                "zone: kitchen", "most: 50", "volume: 90", "until: 2096-10-02T07:06:40.000Z",
            ]
        )
        try owner.order("ceiling set kitchen until 1000")
        #expect(try owner.order("ceiling list").suffix(2) == ["zone: kitchen", "most: 50"])
        for wrong in ["x volume 1", "kitchen volume 101", "kitchen speed 9", "kitchen hours 25:00-1", "kitchen loud 1"]
        {
            #expect(owner.ask("ceiling set \(wrong)").last?.hasPrefix("ACK") == true, "\(wrong)")
        }
        try set("permissions read,add,player,control,outputs")
        #expect(try LineClient(address).ask("ceiling clear default").last?.hasPrefix("ACK [4@0]") == true)
        // An owner of one zone limits that one.
        let secret = try #require(try owner.values("clients password chef permissions all zone kitchen")["password"])
        let chef = try LineClient(address)
        try chef.order("password \(secret)")
        #expect(try chef.order("ceiling list") == ["zone: kitchen", "most: 50"])
        #expect(chef.ask("ceiling clear default").last?.hasPrefix("ACK [4@0]") == true)
        let journal = folder.file("state/clients.journal")
        try wait(for: "the journal") {
            (try? String(contentsOfFile: journal, encoding: .utf8))?.contains("ceiling default volume 30 speed 1.5")
                == true
        }
        server.process.kill(SIGKILL)
        _ = try? await server.process.wait()
        let text = try String(contentsOfFile: folder.file("segued.toml"), encoding: .utf8)
        let next = try await Segued.start(.toml(text), in: folder, music: folder.file("music"))
        let again = try next.connect()
        #expect(try volume(again) == "30")
        try again.order("speed 2")
        #expect(try again.values("status")["speed"] == "1.5")
        try again.order("ceiling clear default")
        try again.order("setvol 90")
        #expect(try volume(again) == "80")
    }

    @Test("A client sets no more than its own ceilings of volume and speed")
    func clientCeiling() throws {
        try set("permissions read,add,player volume 40 volume kitchen=20 speed 1.5")
        let shown = try owner.order("clients show \(Self.guest)")
        #expect(shown.contains("volume: 40") && shown.contains("volume: kitchen=20") && shown.contains("speed: 1.5"))
        #expect(shown.contains("status: limited"))
        let guest = try LineClient(address)
        try guest.order("setvol 100")
        #expect(try volume(guest) == "40")
        try guest.order("volume 10")
        #expect(try volume(guest) == "40")
        try guest.order("partition kitchen")
        try guest.order("setvol 30")
        #expect(try volume(guest) == "20")
        #expect(guest.ask("speed 2").last?.hasPrefix("ACK [4@0] {speed}") == true)
        try guest.order("speed 1.5")
        try owner.order("setvol 70")
        #expect(try volume(owner) == "70")
        try set("volume any speed any")
        try guest.order("setvol 45")
        #expect(try volume(guest) == "45")
    }

    /// Whatever the words: of a key that is given twice, the second counts.
    @Test(
        "Alarms of a client are no louder than it may be",
        arguments: [
            ("volume 100", "40"), ("volume 10 volume 100", "40"), ("name volume volume 100", "40"),
            ("volume 5-90", "5-40"), ("volume 30", "30"), ("zone default zone kitchen volume 100", "20"), ("", "40"),
            ("zone kitchen", "20"),
        ]
    )
    func alarmCeiling(words: String, volume: String) throws {
        try set("permissions read,player,control volume 40 volume kitchen=20")
        let guest = try LineClient(address)
        let id = try #require(try guest.values("alarm add 03:00 daily \(words)")["alarm"])
        #expect(try owner.values("alarm info \(id)")["volume"] == volume)
    }

    @Test("A client adds so many songs an hour, and announces so often a minute")
    func quotas() throws {
        try set("permissions read,add,player songs-per-hour 3 announcements-per-minute 2")
        let guest = try LineClient(address)
        try guest.order("add 0.flac")
        try guest.order("add 1.flac")
        #expect(guest.ask("add \"\"").last?.hasPrefix("ACK [51@0]") == true)
        try guest.order("add 2.flac")
        let refusal = "\(Self.guest) may add 3 songs an hour"
        #expect(guest.ask("addid 3.flac").last == "ACK [51@0] {addid} \(refusal)")
        #expect(try owner.values("audit why \(Self.guest)")["text"] == refusal)
        try owner.order("add 3.flac")
        for _ in 0..<2 { try guest.order("announce 0.flac") }
        #expect(guest.ask("announce 0.flac").last?.contains("2 announcements a minute") == true)
        #expect(try owner.values("audit why \(Self.guest)")["text"]?.contains("2 announcements a minute") == true)
        try set("songs-per-hour any announcements-per-minute any")
        try guest.order("add 4.flac")
        try guest.order("announce 0.flac")
    }

    @Test("A client that was sent its megabytes reads nothing more, and can still do what it may")
    func bytes() throws {
        try set("permissions read,add,player megabytes-per-hour 1")
        let (guest, other, told) = (try LineClient(address), try LineClient(address), try LineClient(address))
        told.send("idle permission\n")
        for _ in 0..<20 { try owner.order("add \"\"") }
        var count = 0
        while case let lines = guest.ask("playlistinfo"), lines.last == "OK" {
            count += lines.reduce(0) { $0 + $1.utf8.count + 1 }
            try #require(count < 1_100_000, "it is sent more than it may be")
        }
        #expect(count > 900_000)
        #expect(guest.ask("status").last?.hasPrefix("ACK [4@0]") == true)
        #expect(other.ask("status").last?.hasPrefix("ACK [4@0]") == true, "it counts for all of its connections")
        #expect(told.reply() == ["changed: permission", "OK"])
        #expect(guest.ask("idle").last == #"ACK [4@0] {idle} you don't have permission for "idle" now"#)
        #expect(guest.ask("kill").last == #"ACK [4@0] {kill} you don't have permission for "kill""#)
        told.send("idle permission\n")
        try guest.order("play")
        try guest.order("pause 1")
        let shown = try owner.order("clients show \(Self.guest)")
        #expect(shown.contains("status: restricted") && shown.contains("megabytes-per-hour: 1"))
        #expect(try guest.values("pair status")["state"] == "restricted")
        try set("megabytes-per-hour any")
        try guest.order("status")
        #expect(told.reply() == ["changed: permission", "OK"])
        #expect(try owner.values("clients show \(Self.guest)")["status"] == "limited")
        // The bytes that were sent before still count, and the owner sees that also when the client is not connected.
        try set("megabytes-per-hour 1")
        #expect(guest.ask("status").last == #"ACK [4@0] {status} you don't have permission for "status" now"#)
        for client in [guest, other, told] { client.send("close\n") }
        try wait(for: "its connections' end") {
            try !owner.order("clients show \(Self.guest)").contains { $0.hasPrefix("connection:") }
        }
        #expect(try owner.values("clients show \(Self.guest)")["status"] == "restricted")
    }

    @Test("In quiet hours a client looks on, and what it has begun ends")
    func quietHours() throws {
        try set("permissions read,add,player")
        let guest = try LineClient(address)
        try guest.order("add 0.flac")
        let session = try guest.values("session open Bell")["session"] ?? ""
        try guest.order("session activate \(session)")
        try set("quiet-hours 00:00-12:00,12:00-24:00")
        #expect(try guest.values("status")["playlistlength"] == "1")
        for refused in ["play", "add 0.flac", "announce 0.flac", "session open Bell"] {
            #expect(guest.ask(refused).last?.hasPrefix("ACK [4@0]") == true, "\(refused)")
        }
        #expect(try !owner.order("session list").contains("session: \(session)"))
        let shown = try owner.order("clients show \(Self.guest)")
        #expect(shown.contains("quiet-hours: 00:00-12:00, 12:00-24:00") && shown.contains("status: restricted"))
        #expect(shown.contains("granted: read,add,player"))
        try set("quiet-hours none")
        try guest.order("play")
    }

    @Test("The volume in one zone is limited and set free by itself, and there is no such limit without a zone")
    func volumesOfZones() throws {
        try set("permissions read,player volume 60 volume kitchen=20")
        try set("volume kitchen=any")
        #expect(try owner.order("clients show \(Self.guest)").filter { $0.hasPrefix("volume:") } == ["volume: 60"])
        // There is no such limit.
        for free in ["clients set \(Self.guest) volume kitchen=any", "clients set \(Self.guest) volume attic=any"] {
            try owner.order(free)
        }
        #expect(try owner.order("clients show \(Self.guest)").filter { $0.hasPrefix("volume:") } == ["volume: 60"])
        #expect(owner.ask("clients set \(Self.guest) volume =any").last?.hasPrefix("ACK [2@0]") == true)
        for wrong in ["clients set \(Self.guest) volume attic=20", "pairing invite anna volume attic=20"] {
            #expect(owner.ask(wrong).last?.contains("attic") == true, "\(wrong)")
        }
        #expect(owner.ask("ceiling set kitchen hours 20:00-07:00").last?.hasPrefix("ACK [2@0]") == true)
        try owner.order("ceiling set kitchen volume 30")
        try owner.order("ceiling set kitchen hours 20:00-07:00")
    }

    @Test("A limit holds where the loudspeaker is: only an owner moves an output out of a limited zone")
    func outputsOfLimitedZones() throws {
        try set("permissions read,add,player,control,outputs")
        try owner.order("ceiling set kitchen volume 30 hours 20:00-20:01")
        let guest = try LineClient(address)
        let told = "a loudspeaker of zone kitchen would escape its limit: only its owner changes that"
        #expect(guest.ask("moveoutput other").last == "ACK [4@0] {moveoutput} \(told)")
        #expect(
            guest.ask("zone remove kitchen").last == "ACK [4@0] {zone} \(told)",
            "its outputs would be the default zone's"
        )
        try guest.order("partition kitchen")
        try guest.order("moveoutput null")
        try owner.order("moveoutput other")
        try owner.order("ceiling clear kitchen")
        try guest.order("moveoutput other")
    }

    @Test("A command may be withheld by its name")
    func withheldCommands() throws {
        try set("permissions all commands no-clear,no-stop,no-idle")
        let guest = try LineClient(address)
        #expect(guest.ask("clear").last == #"ACK [4@0] {clear} you don't have permission for "clear""#)
        for refused in ["stop", "idle"] { #expect(guest.ask(refused).last?.hasPrefix("ACK [4@0]") == true) }
        #expect(guest.ask("command_list_begin\nping\nclear\ncommand_list_end").last?.hasPrefix("ACK [4@1]") == true)
        try guest.order("add 0.flac")
        try guest.order("delete 0")
        #expect(try guest.order("notcommands").filter { $0.hasPrefix("command: c") }.contains("command: clear"))
        #expect(try !guest.order("commands").contains("command: stop"))
        let shown = try owner.order("clients show \(Self.guest)")
        #expect(shown.contains("commands: no-clear,no-idle,no-stop") && shown.contains("status: limited"))
        for wrong in ["no-flute", "clear", "no-clear,"] {
            #expect(owner.ask("clients set \(Self.guest) commands \(wrong)").last?.hasPrefix("ACK [2@0]") == true)
        }
        #expect(owner.ask("pairing invite x commands no-flute").last?.hasPrefix("ACK [2@0]") == true)
        try set("commands all")
        try guest.order("clear")
        #expect(try !owner.order("clients show \(Self.guest)").contains { $0.hasPrefix("commands:") })
    }

    @Test("Songs of guests take turns, and the entries of others keep their places")
    func turns() throws {
        try owner.order("add 0.flac")
        var guests: [LineClient] = []
        for name in ["ann", "bob"] {
            let password = try owner.values("clients password \(name)")["password"] ?? ""
            try owner.order("clients set \(name) permissions read,add-only order fair")
            let guest = try LineClient(address)
            try guest.order("password \(password)")
            guests.append(guest)
        }
        for number in 1...3 { try guests[0].order("add \(number).flac") }
        for number in 4...5 { try guests[1].order("add \(number).flac") }
        let files = try owner.order("playlistinfo").filter { $0.hasPrefix("file: ") }.map { $0.dropFirst(6).prefix(1) }
        #expect(files.joined() == "014253")
    }
}
