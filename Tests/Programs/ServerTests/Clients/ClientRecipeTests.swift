import Foundation
import TestSupport
import TestThreads
import Testing

/// Runs the examples of segue-clients(7), copied from the page, and lets the clients try what they may do.
@Suite(.blocking, .enabled("the fixtures' tools are missing") { Music.missing.isEmpty })
struct ClientRecipeTests {
    private let (folder, server, owner, address): (TemporaryFolder, Segued, LineClient, SocketAddress)
    private let recipes: [String]

    init() async throws {
        folder = try TemporaryFolder()
        let (port, web) = (try steadyPort(), try steadyPort())
        address = .ipv4(port)
        let zones = ["kitchen", "hall", "nursery"].map {
            "[[zone]]\nname = \"\($0)\"\n[[zone.output]]\nname = \"\($0)\"\ntype = \"null\"\n"
        }
        server = try await Segued.start(
            .toml(
                """
                listen = ["tcp:127.0.0.1:\(port)", "unix:\(folder.file("socket"))"]
                [web]
                listen = ["tcp:0.0.0.0:\(web)"]
                [[output]]
                name = "here"
                type = "null"
                \(zones.joined())
                """
            ),
            in: folder
        )
        owner = try server.connect()
        recipes = try ManualPage.examples(in: "EXAMPLES", of: "segue-clients.7")
    }

    // MARK: Running

    /// Runs the one example that has a word, whose client is this machine instead of another.
    ///
    /// - Returns: What it prints.
    @discardableResult
    private func run(_ word: String, _ changes: [String: String] = [:]) throws -> String {
        let found = recipes.filter { $0.contains(word) }
        try #require(found.count == 1, "\(word): \(found)")
        var text = found[0].replacing(#/192\.168\.1\.\d+/#, with: "127.0.0.1")
        for (old, new) in changes { text = text.replacing(old, with: new) }
        let programs = URL(filePath: try Segued.path()).deletingLastPathComponent().path
        let environment = [
            "PATH": "\(programs):/usr/bin:/bin", "HOME": folder.path, "LANG": "C.UTF-8", "SEGUE_HOST": server.socket,
        ]
        let result = try ChildProcess("bash", ["-e", "-c", text], environment: environment).waitBlocking()
        #expect(result.status == .code(0), "\(text)\n\(result.errorText)")
        return result.outputText
    }

    private func login(_ password: String) throws -> LineClient {
        let client = try LineClient(address)
        try client.order("password \(password)")
        return client
    }

    /// The password that a command has printed for a client.
    private func password(_ output: String, _ name: String) throws -> String {
        let word = output.split(whereSeparator: \.isWhitespace).first { $0.hasPrefix("\(name):") }
        return String(try #require(word, "\(output)"))
    }

    private func expect(_ client: LineClient, may: [String] = [], not: [String] = []) {
        for command in may { #expect(client.ask(command).last?.hasPrefix("OK") == true, "\(command)") }
        for command in not { #expect(client.ask(command).last?.hasPrefix("ACK") == true, "\(command)") }
    }

    // MARK: The examples

    @Test func allAreTried() {
        let words = [
            "laptop", "anna", "hall", "nursery", "192.168.1.5 ", "phone", "--songs 5 --until", "limit", "revoke",
        ]
        #expect(recipes.filter { recipe in !words.contains { recipe.contains($0) } } == [])
    }

    @Test func aLaptopIsPaired() throws {
        let laptop = try server.connect()
        let code = try #require(try laptop.values("pair request laptop")["code"])
        #expect(try run("laptop", ["482913": code]).contains(code))
        let told = try laptop.values("pair wait")
        #expect(told["name"] == "laptop" && told["state"] == "authorized")
        expect(laptop, may: ["status", "play"], not: ["clients list"])
    }

    @Test func aGuestIsInvited() throws {
        let output = try run("anna")
        #expect(output.contains("/#/join/"), "a link for its browser: \(output)")
        let anna = try login(try password(output, "anna"))
        #expect(try anna.values("status")["partition"] == "kitchen")
        expect(
            anna,
            may: Array(repeating: "add one.flac", count: 5),
            not: ["add two.flac", "clear", "partition default"]
        )
        let shown = try owner.values("clients show anna")
        #expect(shown["songs"] == "5" && shown["volume"] == "60" && shown["until"] != nil)
    }

    @Test func aKioskLooks() throws {
        try run("hall")
        let kiosk = try LineClient(address)
        #expect(try kiosk.values("status")["partition"] == "hall")
        expect(
            kiosk,
            may: ["status", "currentsong", "idle player\nnoidle"],
            not: ["play", "setvol 1", "partition kitchen"]
        )
    }

    @Test func aChildPlaysInItsRoom() throws {
        try run("nursery")
        #expect(try owner.values("clients show 127.0.0.1")["hours"] == "07:00-19:30")
        // Whatever the time is now.
        try owner.order("clients set 127.0.0.1 hours always")
        let child = try LineClient(address)
        #expect(try child.values("status")["partition"] == "nursery")
        expect(
            child,
            may: ["add one.flac", "play", "pause 1"],
            not: ["add http://127.0.0.1:1/a", "partition kitchen", "disableoutput 0"]
        )
    }

    @Test func homeAssistantDoesNearlyEverything() throws {
        try run("192.168.1.5 ")
        let assistant = try LineClient(address)
        expect(
            assistant,
            may: ["setvol 20", "add one.flac", "play", "stop", "disableoutput 0", "session list", "partition kitchen"],
            not: ["clients list", "kill"]
        )
    }

    @Test func aPhoneGivesAPassword() throws {
        let phone = try login(try password(run("clients password phone"), "phone"))
        expect(phone, may: ["add one.flac", "play"], not: ["partition hall", "disableoutput 0"])
        #expect(try phone.values("status")["partition"] == "kitchen")
    }

    @Test func aPartyTakesFiveSongs() throws {
        let guests = try login(try password(run("--songs 5 --until"), "guest"))
        try owner.order("partition kitchen")
        try owner.order("add two.flac")
        let theirs = try #require(try guests.values("addid one.flac")["Id"])
        expect(
            guests,
            may: Array(repeating: "add one.flac", count: 4),
            not: ["add one.flac", "delete 0", "add http://127.0.0.1:1/a"]
        )
        expect(guests, may: ["deleteid \(theirs)", "add one.flac"], not: ["play", "clear"])
    }

    @Test func aGuestIsGivenAlbums() throws {
        let albums = ["Miles Davis/Kind of Blue": "Blue", "Nina Simone/Pastel Blues": "other"]
        let guest = try login(try password(run("limit", albums), "guest"))
        expect(
            guest,
            may: ["add \"Blue/01 So What.flac\"", "add other/untagged.wav"],
            not: ["add one.flac", "lsinfo one.flac"]
        )
        try owner.order("clients revoke guest")
        expect(guest, not: ["status", "add other/untagged.wav"])
    }

    @Test func aRightIsTakenBack() throws {
        let guest = try LineClient(address)
        try run("revoke")
        expect(guest, not: ["add one.flac", "status"])
        try owner.order("clients set 127.0.0.1 permissions read,add")
        expect(guest, may: ["add one.flac"], not: ["play"])
    }
}
