import Foundation
import Glibc
import TestSupport
import TestThreads
import Testing

/// What the owner grants to a client, and takes away again.
///
/// The guest comes by TCP, so that it is an address; the owner by the Unix socket.
@Suite(.blocking, .enabled("the fixtures' tools are missing") { Music.missing.isEmpty })
struct GrantTests {
    private let server: Segued
    private let owner: LineClient
    private let address: SocketAddress
    private static let guest = "127.0.0.1"

    init() async throws {
        let (folder, port) = (try TemporaryFolder(), try steadyPort())
        server = try await Segued.start(.toml(Self.configuration(folder, port)), in: folder)
        owner = try server.connect()
        address = .ipv4(port)
    }

    private static func configuration(_ folder: TemporaryFolder, _ port: UInt16) -> String {
        """
        listen = ["tcp:127.0.0.1:\(port)", "unix:\(folder.file("socket"))"]
        [[output]]
        name = "here"
        type = "null"
        [[zone]]
        name = "kitchen"
        [limits]
        max-principals = 2
        """
    }

    private func set(_ words: String) throws { try owner.order("clients set \(Self.guest) \(words)") }

    private func revoke() throws { try owner.order("clients revoke \(Self.guest)") }

    private func denied(_ command: String) -> [String] {
        ["ACK [4@0] {\(command)} you don't have permission for \"\(command)\""]
    }

    private var shown: [String: String] {
        get throws { try owner.values("clients show \(Self.guest)") }
    }

    @Test func grantsHoldFromTheNextCommandOn() throws {
        let guest = try LineClient(address)
        try guest.order("add one.flac")
        #expect(try shown["status"] == "authorized")
        try set("permissions read")
        #expect(guest.ask("add one.flac") == denied("add"))
        #expect(guest.ask("notcommands").contains("command: add"))
        try guest.order("status")
        #expect(try shown["status"] == "limited")
        try set("permissions read,add,player")
        try guest.order("add one.flac")
        try revoke()
        #expect(guest.ask("status") == denied("status"))
        try guest.order("ping")
        #expect(try shown["status"] == "denied")
        #expect(try LineClient(address).ask("status") == denied("status"))
        try owner.order("clients forget \(Self.guest)")
        try guest.order("status")
        #expect(owner.ask("clients forget \(Self.guest)").last?.hasPrefix("ACK [50@0]") == true)
    }

    @Test func clientsAreListed() throws {
        let guest = try LineClient(address)
        try guest.order("partition kitchen")
        let list = try owner.order("clients list")
        #expect(list.contains("client: \(Self.guest)") && list.contains("client: uid \(geteuid())"))
        #expect(list.contains("process: \(getpid())") && list.contains("from: unix"))
        let name = try String(contentsOfFile: "/proc/self/comm", encoding: .utf8).dropLast()
        #expect(list.contains("program: \(name)"))
        let shown = try shown
        #expect(shown["partition"] == "kitchen" && shown["from"] == Self.guest && shown["permissions"] != nil)
        #expect(shown["since"]?.hasSuffix("Z") == true && shown["idle"] == "0")
        #expect(guest.ask("clients list") == denied("clients"))
    }

    @Test func whoCannotBeLimited() throws {
        for name in ["uid:0", "uid:\(geteuid())"] {
            for command in ["clients revoke \(name)", "clients set \(name) permissions read"] {
                #expect(owner.ask(command).last?.contains("the server's owner") == true, "\(command)")
            }
            let refusal = owner.ask("clients set \(name) classes no-call until 1").last
            #expect(refusal?.contains("the server's owner") == true)
        }
        for words in [
            "set a", "set a permissions", "set a permissions fly", "set a zone attic", "set \"a b\" permissions read",
            "set a wings 2", "show a", "forget a", "list a", "revoke", "fly a", "set a until tomorrow",
        ] { #expect(owner.ask("clients \(words)").last?.hasPrefix("ACK") == true, "\(words)") }
        for name in ["a", "b"] { try owner.order("clients set \(name) permissions read") }
        #expect(owner.ask("clients set c permissions read").last?.contains("limits.max-principals = 2") == true)
        try owner.order("clients set b permissions player")
    }

    /// A guest of one zone is in that zone, and neither enters another one nor acts on it by name.
    @Test func zones() throws {
        try set("permissions read,add,player,outputs zone kitchen")
        let guest = try LineClient(address)
        #expect(try guest.values("status")["partition"] == "kitchen")
        try guest.order("add one.flac")
        #expect(guest.ask("partition default") == denied("partition"))
        for command in [
            "why default", "zone handover default", "delpartition default", "announce one.flac zone default",
            "announce one.flac zone kitchen,default", "announce one.flac zone all", "moveoutput here",
        ] { #expect(guest.ask(command).last?.hasPrefix("ACK [4@0]") == true, "\(command)") }
        try guest.order("why kitchen")
        try set("zone kitchen=read")
        #expect(guest.ask("clear") == denied("clear"))
        try guest.order("status")
        try set("zone all")
        try guest.order("partition default")
    }

    /// All that a client has is ended when it may do nothing any more, before the order to do so is answered.
    @Test func revocationEndsWhatIsGoingOn() throws {
        let (guest, other) = (try LineClient(address), try server.connect())
        try guest.order("subscribe news")
        try guest.order("session open Intercom persistent")
        try guest.order("session open Bell")
        try guest.order("announce two.flac")
        try other.order("subscribe other")
        let (idle, told) = (try LineClient(address), try LineClient(address))
        idle.send("idle\n")
        told.send("idle permission\n")
        try TestSupport.wait(for: "both to wait") {
            try owner.order("clients show \(Self.guest)").count { $0.hasPrefix("connection: ") } == 3
        }
        let start = ContinuousClock.now
        try revoke()
        #expect(told.reply() == ["changed: permission", "OK"])
        #expect(idle.line() == "<closed>")
        #expect(ContinuousClock.now - start < .patience)
        #expect(try owner.order("session list").allSatisfy { $0 != "name: Intercom" && $0 != "name: Bell" })
        #expect(try owner.order("announcement list").allSatisfy { $0 != "state: playing" && $0 != "state: waiting" })
        #expect(try owner.order("channels") == ["channel: other"])
        #expect(guest.ask("status") == denied("status"))
    }

    /// A class that is denied ends the sessions of that class, and no others.
    @Test func deniedClassesEnd() throws {
        try owner.order("session permission grant \(Self.guest) alarm")
        try set("permissions read,player")
        let guest = try LineClient(address)
        try guest.order("session open Wake class alarm")
        try guest.order("session open Radio")
        try owner.order("session permission deny \(Self.guest) alarm")
        let names = try owner.order("session list").filter { $0.hasPrefix("name: ") }
        #expect(names.contains("name: Radio") && !names.contains("name: Wake"))
        try guest.order("status")
    }

    /// The classes of sessions are grants like others; `session permission` is another way to see and set them.
    @Test func classesAreGrants() throws {
        func decisions() throws -> [String] { try owner.order("session permission list") }
        func hasWake() throws -> Bool { try owner.order("session list").contains("name: Wake") }
        try set("permissions read,player classes alarm,no-assistant")
        let name = "owner: \(Self.guest)"
        let denial = [name, "kind: assistant", "state: denied"]
        #expect(try decisions() == denial + [name, "kind: alarm", "state: granted"])
        #expect(try shown["classes"] == "no-assistant,alarm")
        let (guest, told) = (try LineClient(address), try LineClient(address))
        try guest.order("session open Wake class alarm")
        #expect(guest.ask("announce one.flac class assistant").last?.contains("missingEntitlement") == true)
        told.send("idle permission\n")
        try owner.order("session permission deny \(Self.guest) alarm")
        #expect(told.reply() == ["changed: permission", "OK"])
        #expect(try !hasWake() && shown["classes"] == "no-assistant,no-alarm")
        let change = try owner.order("audit list \(Self.guest)").last { $0.hasPrefix("text: ") }
        #expect(change?.hasSuffix("classes no-assistant,no-alarm") == true)
        // It ends when the grants do, and comes back with them.
        try set("classes alarm")
        try guest.order("session open Wake class alarm persistent")
        try set("until 1")
        #expect(try !hasWake() && decisions() == [name, "kind: alarm", "state: denied"])
        #expect(try shown["status"] == "denied" && shown["classes"] == "alarm")
        try set("until never")
        try guest.order("session open Wake class alarm persistent")
        try owner.order("clients revoke \(Self.guest)")
        #expect(try !hasWake() && decisions() == [])
        for words in ["grant \"a b\" alarm", "grant \(Self.guest) boss", "grant \(Self.guest)", "list x"] {
            #expect(owner.ask("session permission \(words)").last?.hasPrefix("ACK [2@0]") == true, "\(words)")
        }
    }

    /// When a client that the owner knows was last used is shown, also after a restart.
    @Test func theLastUseOutlivesTheServer() async throws {
        let secret = try #require(try owner.values("clients password tablet permissions read")["password"])
        #expect(try owner.values("clients show tablet")["used"] == nil)
        do {
            let tablet = try LineClient(address)
            try tablet.order("password \(secret)")
            #expect(try owner.values("clients show tablet")["used"]?.hasSuffix(".000Z") == true)
        }
        try TestSupport.wait(for: "the end of the connection") {
            try owner.values("clients show tablet")["connection"] == nil
        }
        let before = try #require(try owner.values("clients show tablet")["used"])
        try await server.stop()
        let again = try await Segued.start(
            .toml(Self.configuration(server.folder, try steadyPort())),
            in: server.folder
        )
        #expect(try again.connect().values("clients show tablet")["used"] == before)
    }

    /// The rest of a command list is refused, and a command that waits.
    @Test func revocationInTheMiddle() throws {
        let (guest, waiting) = (try LineClient(address), try LineClient(address))
        try set("permissions read,add,player,control")
        try guest.order("add one.flac")
        guest.send("command_list_begin\n")
        guest.send("status\n")
        waiting.send("idle player\n")
        try revoke()
        guest.send("clear\ncommand_list_end\n")
        #expect(guest.reply() == denied("status"))
        #expect(try owner.values("status")["playlistlength"] == "1")
        #expect(waiting.line() == "<closed>")
    }

    /// A command that waits for a server which does not answer is refused at once.
    @Test func revocationWhileWaiting() throws {
        let silent = try HostileServer.silent()
        let guest = try LineClient(address)
        guest.send("listplaylist \(silent.url("list.m3u"))\nstatus\n")
        try TestSupport.wait(for: "the fetch") { !silent.state.current.requests.isEmpty }
        try revoke()
        #expect(guest.line() == denied("listplaylist")[0])
        #expect(guest.line() == denied("status")[0])
    }

    /// A long reply that is being read ends where it is.
    @Test func revocationInALongReply() throws {
        for _ in 0..<10 {
            owner.send("command_list_begin\n\(String(repeating: "add one.flac\n", count: 5_000))command_list_end\n")
            #expect(owner.reply() == ["OK"])
        }
        let guest = try LineClient(address)
        guest.send("playlistinfo\nstatus\n")
        #expect(guest.line().hasPrefix("file: "))
        try revoke()
        var lines = 0
        while case let line = guest.line(), line != "<closed>", line != "OK" { lines += 1 }
        #expect(lines < 440_000)
        #expect(guest.line() == "<closed>")
    }

    /// A named client is known by its password, wherever it comes from.
    @Test func passwordsOfClients() throws {
        let words = "tablet permissions read zone kitchen"
        let secret = try #require(try owner.values("clients password \(words)")["password"])
        #expect(secret.hasPrefix("tablet:"))
        #expect(owner.ask("clients password anna zone nowhere").last?.hasPrefix("ACK [50@0]") == true)
        #expect(owner.ask("clients password anna permissions fly").last?.hasPrefix("ACK [2@0]") == true)
        #expect(owner.ask("clients show anna").last?.hasPrefix("ACK [50@0]") == true)
        try set("permissions none")
        let tablet = try LineClient(address)
        #expect(tablet.ask("status") == denied("status"))
        #expect(tablet.ask("password tablet:guess") == ["ACK [3@0] {password} incorrect password"])
        #expect(tablet.ask("password nosuch:guess") == ["ACK [3@0] {password} incorrect password"])
        try tablet.order("password \(secret)")
        #expect(try tablet.values("status")["partition"] == "kitchen")
        #expect(tablet.ask("play") == denied("play"))
        // The owner's own socket is no way around the name's grants.
        let local = try server.connect()
        try local.order("password \(secret)")
        #expect(local.ask("clients list") == denied("clients"))
        #expect(try owner.order("clients show tablet").count { $0.hasPrefix("connection: ") } == 2)
        let journal = try String(contentsOfFile: server.stateFolder + "/clients.journal", encoding: .utf8)
        #expect(!journal.contains(secret.dropFirst(7)))
        // Another password ends what the first one gave.
        let second = try #require(try owner.values("clients password tablet")["password"])
        #expect(tablet.ask("status") == denied("status"))
        #expect(tablet.ask("password \(secret)").last?.hasPrefix("ACK [3@0]") == true)
        try tablet.order("password \(second)")
        try tablet.order("status")
        #expect(tablet.ask("play") == denied("play"))
        try owner.order("clients forget tablet")
        #expect(tablet.ask("status") == denied("status"))
        #expect(local.ask("status") == denied("status"))
        for name in ["uid:1000", "192.0.2.1"] {
            #expect(owner.ask("clients password \(name)").last?.hasPrefix("ACK [2@0]") == true, "\(name)")
        }
    }

    /// The right to play is what an alarm rings with; a right that ends by the time comes back.
    @Test func alarmsEndWithTheRightToPlay() throws {
        try set("permissions read,player,control")
        let guest = try LineClient(address)
        let id = try #require(try guest.values("alarm add 03:00 daily")["alarm"])
        #expect(try owner.values("alarm info \(id)")["by"] == Self.guest)
        try set("permissions read,player,control until 1")
        #expect(try owner.values("alarm info \(id)")["state"] == "enabled")
        let waiting = try server.connect()
        waiting.send("idle timer\n")
        try set("permissions read until never")
        #expect(waiting.reply() == ["changed: timer", "OK"])
        let alarm = try owner.values("alarm info \(id)")
        #expect(alarm["state"] == "disabled" && alarm["reason"]?.contains(Self.guest) == true)
        #expect(guest.ask("alarm enable \(id)").last?.hasPrefix("ACK [4@0]") == true)
        try owner.order("alarm enable \(id)")
        #expect(try owner.values("alarm info \(id)")["reason"] == nil)
    }

    /// A guest adds at the end, sees what plays and its own entries, removes these, and does nothing else.
    @Test func addOnly() throws {
        try owner.order("add one.flac")
        try set("permissions add-only songs 2")
        let (guest, waiting) = (try LineClient(address), try LineClient(address))
        waiting.send("idle playlist\n")
        try guest.order("add two.flac")
        #expect(waiting.reply() == ["changed: playlist", "OK"])
        let id = try #require(try guest.values("addid one.flac")["Id"])
        #expect(guest.ask("add two.flac").last?.hasPrefix("ACK [51@0]") == true)
        let own = try guest.order("playlistinfo").filter { $0.hasPrefix("Pos: ") || $0.hasPrefix("AddedBy: ") }
        #expect(own == ["Pos: 1", "AddedBy: \(Self.guest)", "Pos: 2", "AddedBy: \(Self.guest)"])
        #expect(guest.ask("playlistid 1").last?.hasPrefix("ACK [50@0]") == true)
        try guest.order("playlistid \(id)")
        for command in [
            "add one.flac 0", "addid one.flac +0", "delete 0", "delete 0:", "deleteid 1", "clear", "play", "next",
            "move 2 0", "find any x", "lsinfo", "plchanges 0", "findadd any x", "load list", "add http://127.0.0.1:9/a",
            "prioid 255 \(id)", "setvol 3", "save x", "playlist", "outputs",
        ] { #expect(guest.ask(command).last?.hasPrefix("ACK [4@0]") == true, "\(command)") }
        #expect(guest.ask("commands").contains("command: add") && !guest.ask("commands").contains("command: clear"))
        try owner.order("play 1")
        #expect(try guest.values("currentsong")["AddedBy"] == Self.guest)
        try guest.order("status")
        try guest.order("deleteid \(id)")
        try guest.order("add two.flac")
        // The owner sees who added what, and a new order of the queue keeps it.
        try owner.order("move 2 0")
        let all = try owner.order("playlistinfo").filter { $0.hasPrefix("file: ") || $0.hasPrefix("AddedBy: ") }
        let added = "AddedBy: \(Self.guest)"
        #expect(all == ["file: two.flac", added, "file: one.flac", "file: two.flac", added])
        try guest.order("delete 0")
        #expect(guest.ask("delete 0").last?.contains("others have added") == true)
    }

    @Test func whoAddedWhatOutlivesTheServer() async throws {
        try set("permissions read,add zone kitchen")
        try LineClient(address).order("add one.flac")
        try owner.order("partition kitchen")
        try owner.order("add two.flac")
        let before = try owner.order("playlistinfo").filter { !$0.hasPrefix("Id: ") }
        #expect(before.contains("AddedBy: \(Self.guest)"))
        try await server.stop()
        let again = try await Segued.start(
            .toml(Self.configuration(server.folder, try steadyPort())),
            in: server.folder
        )
        let owner = try again.connect()
        try owner.order("partition kitchen")
        try TestSupport.wait(for: "the songs' tags") {
            try owner.order("playlistinfo").filter { !$0.hasPrefix("Id: ") } == before
        }
    }

    /// Grants end by themselves, and those who wait are told.
    @Test func grantsEnd() throws {
        try set("permissions read until \(Int(Date().timeIntervalSince1970) + 5)")
        let (guest, told) = (try LineClient(address), try LineClient(address))
        try guest.order("status")
        told.send("idle permission\n")
        #expect(told.reply() == ["changed: permission", "OK"])
        told.send("idle permission\n")
        #expect(told.reply().last == denied("idle")[0])
        #expect(guest.ask("status") == denied("status"))
        #expect(try shown["status"] == "denied")
        try set("until never")
        try guest.order("status")
    }

    /// A server that is killed right after its reply has the grants again.
    @Test func grantsOutliveTheServer() async throws {
        try set("permissions read zone kitchen hours 00:00-24:00")
        try owner.order("clients set tablet permissions none")
        let before = try owner.order("clients show tablet")
        server.process.kill(SIGKILL)
        _ = try await server.process.wait()
        let again = try await Segued.start(
            .toml(Self.configuration(server.folder, try steadyPort())),
            in: server.folder
        )
        let owner = try again.connect()
        #expect(try owner.order("clients show tablet") == before)
        #expect(try owner.order("clients list").contains("hours: 00:00-24:00"))
    }
}
