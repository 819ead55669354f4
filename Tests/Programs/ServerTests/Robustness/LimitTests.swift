import Foundation
import Glibc
import Settings
import TestSupport
import TestThreads
import Testing

/// Every limit of the configuration does what it says.
@Suite(.blocking, .enabled("the fixtures' tools are missing") { Music.missing.isEmpty })
struct LimitTests {
    /// A server with some limits, and where it listens.
    struct Limited {
        let server: Segued
        let port: UInt16

        func remote() throws -> LineClient { try LineClient(.ipv4(port)) }

        /// The greeting of one more client over TCP.
        func greeting() throws -> String { try remote().greeting }
    }

    private static let stranger = "[[host]]\naddress = \"127.0.0.1\"\npermissions = \"none\""

    /// Each key with a value, settings beside, and what is then to be seen.
    private static let limits:
        [(key: String, value: String, beside: String, check: @Sendable (Limited) async throws -> Void)] = [
            (
                "max-connections", "3", "",
                { (it: Limited) async throws in
                    let others = try (0..<3).map { _ in try it.remote() }
                    #expect(try it.greeting() == "<closed>")
                    // The owner has a way in.
                    #expect(try it.server.connect().ask("ping") == ["OK"])
                    #expect(others.allSatisfy { $0.ask("ping") == ["OK"] })
                }
            ),
            (
                "max-connections-per-address", "2", "",
                { (it: Limited) async throws in
                    // Loopback is more generous; the rule itself is tested by itself.
                    let clients = try (0..<4).map { _ in try it.remote() }
                    #expect(clients.allSatisfy { $0.ask("ping") == ["OK"] })
                }
            ),
            (
                "max-local-connections", "2", "",
                { (it: Limited) async throws in
                    let clients = try (0..<2).map { _ in try it.remote() }
                    #expect(try it.greeting() == "<closed>")
                    #expect(try LineClient(.ipv6(it.port)).greeting == "<closed>")
                    #expect(try it.server.connect().ask("ping") == ["OK"])
                    #expect(clients.count == 2)
                }
            ),
            (
                "max-connections-before-permission", "2", stranger,
                { (it: Limited) async throws in
                    let clients = try (0..<2).map { _ in try it.remote() }
                    #expect(try it.greeting() == "<closed>")
                    #expect(try LineClient(.ipv6(it.port)).ask("status").last == "OK")
                    #expect(clients.count == 2)
                }
            ),
            (
                "owner-connections", "1", "limits.max-connections = 1",
                { (it: Limited) async throws in
                    let other = try it.remote()
                    let owner = try it.server.connect()
                    #expect(owner.ask("ping") == ["OK"])
                    #expect(try it.server.connect().greeting == "<closed>")
                    #expect(other.ask("ping") == ["OK"])
                }
            ),
            (
                "connection-timeout", "1", "",
                { (it: Limited) async throws in #expect(try it.remote().line() == "<closed>") }
            ),
            (
                "max-line-size", "4096", "",
                { (it: Limited) async throws in
                    let client = try it.server.connect()
                    #expect(client.ask("ping" + String(repeating: " ", count: 4_092)) == ["OK"])
                    #expect(
                        client.ask("ping" + String(repeating: " ", count: 4_093)).last?.contains(
                            "limits.max-line-size "
                        )
                            == true
                    )
                }
            ),
            (
                "max-line-size-before-permission", "256", stranger,
                { (it: Limited) async throws in
                    let long = "ping" + String(repeating: " ", count: 300)
                    #expect(try it.remote().ask(long).last?.contains("limits.max-line-size-before-permission ") == true)
                    #expect(try LineClient(.ipv6(it.port)).ask(long) == ["OK"])
                }
            ),
            (
                "max-command-list-size", "4096", "",
                { (it: Limited) async throws in
                    let client = try it.server.connect()
                    #expect(client.ask(list(800)) == ["OK"])
                    #expect(client.ask(list(900)).last?.contains("limits.max-command-list-size ") == true)
                    #expect(client.line() == "<closed>")
                    try wait(for: "the limit in the log") {
                        it.server.process.errorText.contains("disconnected, for limits.max-command-list-size\n")
                    }
                }
            ),
            (
                "max-command-list-size-before-permission", "256", stranger,
                { (it: Limited) async throws in
                    #expect(try it.remote().ask(list(50)) == ["OK"])
                    let answer = try it.remote().ask(list(60)).last ?? ""
                    #expect(answer.contains("limits.max-command-list-size-before-permission "))
                    #expect(try LineClient(.ipv6(it.port)).ask(list(60)) == ["OK"])
                }
            ),
            (
                "max-command-list-length", "10", "",
                { (it: Limited) async throws in
                    let client = try it.server.connect()
                    #expect(client.ask(list(10)) == ["OK"])
                    #expect(client.ask(list(11)).last?.contains("limits.max-command-list-length ") == true)
                }
            ),
            (
                "max-request-memory", "65536", "",
                { (it: Limited) async throws in
                    // Who holds most goes, and others do not notice.
                    let small = try it.server.connect()
                    small.send("command_list_begin\nping\n")
                    let large = try (0..<3).map { _ in try it.remote() }
                    for client in large {
                        client.send("command_list_begin\n" + String(repeating: "ping\n", count: 6_000))
                    }
                    // Before any list ends, all of them are there.
                    var states = large.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
                    #expect(unsafe poll(&states, nfds_t(states.count), 30_000) == 1)
                    let ends = large.map { client in
                        client.send("command_list_end\n")
                        return client.line()
                    }
                    #expect(ends.contains("<closed>"))
                    #expect(small.ask("command_list_end") == ["OK"])
                }
            ),
            (
                "max-output-buffer-size", "16384", "",
                { (it: Limited) async throws in
                    let client = try it.server.connect()
                    // What is made while the client reads has any length.
                    #expect(client.ask(lines("add one.flac", 2_000)) == ["OK"])
                    #expect(client.ask("playlistinfo").last == "OK")
                    #expect(client.ask("binarylimit 16384").last?.hasPrefix("ACK [2@0]") == true)
                    // What is made at once, and not read, ends the connection.
                    let name = String(repeating: "n", count: 1_000)
                    for start in stride(from: 0, to: 1_000, by: 50) {
                        let names = (start..<start + 50).map { "sticker set playlist x \(name)\($0) 1" }
                        #expect(
                            client.ask((["command_list_begin"] + names + ["command_list_end"]).joined(separator: "\n"))
                                == ["OK"]
                        )
                    }
                    // A Unix socket takes no megabyte for a client that does not read.
                    let slow = try it.server.connect()
                    slow.send("stickernames\n")
                    try wait(for: "the limit in the log") {
                        it.server.process.errorText.contains("limits.max-output-buffer-size")
                    }
                    #expect(client.ask("ping") == ["OK"])
                }
            ),
            (
                "max-uri-size", "256", "",
                { (it: Limited) async throws in
                    let client = try it.server.connect()
                    let long = "http://127.0.0.1/" + String(repeating: "x", count: 250)
                    for command in ["add", "addid", "load", "playlistadd x", "announce"] {
                        #expect(
                            refusal(client.ask("\(command) \(long)")) == "ACK [2@0] limits.max-uri-size",
                            "\(command)"
                        )
                    }
                    #expect(refusal(client.ask("sticker set song \(long) a b")) == "ACK [2@0] limits.max-uri-size")
                    try client.order("add http://127.0.0.1/x")
                }
            ),
            (
                "max-playlist-length", "10", "",
                { (it: Limited) async throws in
                    let client = try it.server.connect()
                    #expect(client.ask(lines("add one.flac", 10)) == ["OK"])
                    #expect(client.ask("add one.flac").last?.hasPrefix("ACK [51@0]") == true)
                }
            ),
            (
                "max-queue-size", "65536", "",
                { (it: Limited) async throws in
                    let client = try it.server.connect()
                    try client.order("newpartition other")
                    let url = "add http://127.0.0.1/" + String(repeating: "x", count: 1_000)
                    var count = 0
                    while client.ask(url) == ["OK"], count < 200 {
                        count += 1
                        // All queues count together.
                        if count == 10 { try client.order("partition other") }
                    }
                    #expect((30...60).contains(count))
                    #expect(refusal(client.ask(url)) == "ACK [51@0] limits.max-queue-size")
                    try client.order("clear")
                    let id = try #require(client.values("addid http://127.0.0.1/x")["Id"])
                    let tag = "addtagid \(id) Comment " + String(repeating: "y", count: 3_000)
                    count = 0
                    while client.ask(tag) == ["OK"], count < 100 { count += 1 }
                    #expect(count < 30)
                }
            ),
            (
                "max-zones", "2", "",
                { (it: Limited) async throws in
                    let client = try it.server.connect()
                    try client.order("newpartition one")
                    #expect(refusal(client.ask("newpartition two")) == "ACK [52@0] limits.max-zones")
                    try client.order("delpartition one")
                    try client.order("newpartition two")
                }
            ),
            (
                "max-stickers", "2", "",
                { (it: Limited) async throws in
                    let client = try it.server.connect()
                    try client.order("sticker set playlist x a 1")
                    try client.order("sticker inc playlist x b 1")
                    #expect(refusal(client.ask("sticker set playlist x c 1")) == "ACK [52@0] limits.max-stickers")
                    try client.order("sticker set playlist x a 2")
                    try client.order("sticker delete playlist x a")
                    try client.order("sticker set playlist x c 1")
                }
            ),
            (
                "max-stickers-size", "1000", "",
                { (it: Limited) async throws in
                    let client = try it.server.connect()
                    let value = String(repeating: "v", count: 300)
                    for name in ["a", "b"] { try client.order("sticker set playlist x \(name) \(value)") }
                    #expect(
                        refusal(client.ask("sticker set playlist x c \(value)"))
                            == "ACK [52@0] limits.max-stickers-size"
                    )
                    try client.order("sticker set playlist x a \(value)!")
                    try client.order("sticker delete playlist x a")
                    try client.order("sticker set playlist x c \(value)")
                }
            ),
            (
                "max-sticker-size", "10", "",
                { (it: Limited) async throws in
                    let client = try it.server.connect()
                    try client.order("sticker set playlist x 1234567890 1234567890")
                    for words in ["12345678901 1", "1 12345678901"] {
                        #expect(
                            refusal(client.ask("sticker set playlist x \(words)"))
                                == "ACK [2@0] limits.max-sticker-size"
                        )
                    }
                }
            ),
            (
                "max-stored-playlists", "2", "",
                { (it: Limited) async throws in
                    let client = try it.server.connect()
                    for name in ["a", "b", "a"] { try client.order("playlistadd \(name) one.flac") }
                    for command in ["playlistadd c one.flac", "save c"] {
                        #expect(refusal(client.ask(command)) == "ACK [52@0] limits.max-stored-playlists", "\(command)")
                    }
                    try client.order("rm a")
                    try client.order("save c")
                }
            ),
            (
                "max-stored-playlist-size", "30", "",
                { (it: Limited) async throws in
                    let client = try it.server.connect()
                    for _ in 0..<3 { _ = client.ask("playlistadd a one.flac") }
                    for command in ["playlistadd a one.flac", "playlistadd a one.flac 0"] {
                        #expect(
                            refusal(client.ask(command)) == "ACK [51@0] limits.max-stored-playlist-size",
                            "\(command)"
                        )
                    }
                    #expect(try client.order("listplaylist a").count <= 3)
                }
            ),
            (
                "max-subscriptions", "2", "",
                { (it: Limited) async throws in
                    let client = try it.server.connect()
                    for name in ["a", "b"] { try client.order("subscribe \(name)") }
                    #expect(client.ask("subscribe c").last?.hasPrefix("ACK [56@0]") == true)
                }
            ),
            (
                "max-messages", "2", "",
                { (it: Limited) async throws in
                    let client = try it.server.connect()
                    try client.order("subscribe a")
                    for text in ["1", "2"] { try client.order("sendmessage a \(text)") }
                    #expect(client.ask("sendmessage a 3").last?.hasPrefix("ACK [50@0] {sendmessage}") == true)
                    #expect(try client.order("readmessages").count == 4)
                }
            ),
            (
                "max-messages-size", "100", "",
                { (it: Limited) async throws in
                    let client = try it.server.connect()
                    try client.order("subscribe a")
                    let text = String(repeating: "t", count: 60)
                    try client.order("sendmessage a \(text)")
                    #expect(client.ask("sendmessage a \(text)").last?.hasPrefix("ACK [50@0]") == true)
                    #expect(try client.order("readmessages").count == 2)
                    try client.order("sendmessage a \(text)")
                    #expect(try client.order("readmessages").count == 2)
                }
            ),
            (
                "max-sessions", "2", "",
                { (it: Limited) async throws in
                    let client = try it.server.connect()
                    for _ in 0..<2 { try client.order("session open x") }
                    #expect(try it.remote().ask("session open x").last?.contains("limits.max-sessions") == true)
                    #expect(client.ask("session interrupt begin call").last?.contains("limits.max-sessions") == true)
                }
            ),
            (
                "max-sessions-per-client", "2", "",
                { (it: Limited) async throws in
                    let client = try it.server.connect()
                    for _ in 0..<2 { try client.order("session open x") }
                    #expect(
                        try it.server.connect().ask("session open x").last?.contains("max-sessions-per-client") == true
                    )
                    try it.remote().order("session open x")
                }
            ),
            (
                "max-announcements-per-client", "2", "",
                { (it: Limited) async throws in
                    let client = try it.server.connect()
                    for _ in 0..<2 { try client.order("announce one.flac") }
                    #expect(
                        refusal(client.ask("announce one.flac")) == "ACK [52@0] limits.max-announcements-per-client"
                    )
                    try it.remote().order("announce one.flac")
                    try client.order("announcement cancel all")
                    try client.order("announce one.flac")
                }
            ),
        ]

    /// Those that need a sound server are tried with one (`ForeignSoundTests.hostileStreams`), those of encryption in
    /// `EncryptionTests`; sets of songs that are not kept are made for each request: `LimitedLibraryTests`.
    private static let triedElsewhere = [
        "max-foreign-streams", "max-principals", "max-scopes-size", "max-tls-handshakes",
        "max-tls-handshakes-per-address", "tls-handshake-timeout",
    ]

    @Test func everyLimitHasItsTest() {
        let keys = Configuration.keys.filter { $0.hasPrefix("limits.") }.map { String($0.dropFirst(7)) }
        #expect((Self.limits.map(\.key) + Self.triedElsewhere).sorted() == keys.sorted())
    }

    @Test(arguments: limits.indices) func theLimitHolds(index: Int) async throws {
        let (key, value, beside, check) = Self.limits[index]
        let (folder, port) = (try TemporaryFolder(), try steadyPort())
        let server = try await Segued.start(
            .toml(
                """
                listen = ["tcp::\(port)", "unix:\(folder.file("socket"))"]
                limits.\(key) = \(value)
                \(beside)
                [[output]]
                name = "here"
                type = "null"
                """
            ),
            in: folder,
            waitsForLibrary: false
        )
        try await check(Limited(server: server, port: port))
        #expect(try server.connect().ask("ping").last?.isEmpty == false)
    }

    /// Clients who may do nothing can make the server hold next to nothing.
    @Test func beforePermission() async throws {
        let (folder, port) = (try TemporaryFolder(), try steadyPort())
        let server = try await Segued.start(
            .toml("listen = [\"unix:\(folder.file("socket"))\", \"tcp::\(port)\"]\n\(Self.stranger)"),
            in: folder
        )
        let before = try #require(server.process.privateDirty)
        let clients = try (0..<10).map { _ in try LineClient(.ipv4(port)) }
        let list = Array(("command_list_begin\n" + String(repeating: "a\n", count: 1_000_000)).utf8)
        for client in clients {
            client.send(list)
            // What the server has not read of the list may take the last word along.
            let word = client.line()
            #expect(word == "<closed>" || word.contains("limits.max-command-list-size-before-permission"))
            if word != "<closed>" { #expect(client.line() == "<closed>") }
        }
        #expect(try #require(server.process.privateDirty) - before < 5)
    }
}

/// A command list of so many commands, of five bytes each.
private func list(_ count: Int) -> String { lines("ping", count) }

private func lines(_ line: String, _ count: Int) -> String {
    (["command_list_begin"] + Array(repeating: line, count: count) + ["command_list_end"]).joined(separator: "\n")
}

/// The code of a refusal and the limit that it names.
private func refusal(_ reply: [String]) -> String {
    let line = reply.last ?? ""
    let limit = line.split(separator: " ").first { $0.hasPrefix("limits.") } ?? ""
    return "\(line.prefix { $0 != "{" })\(limit)"
}
