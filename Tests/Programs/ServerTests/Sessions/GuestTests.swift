import TestSupport
import TestThreads
import Testing

/// Home Assistant's way to play something, by a rule an announcement: `clear`, `add`, `play`, each on a connection of its own.
@Suite(.blocking, .enabled("the fixtures' tools are missing") { Music.missing.isEmpty })
struct GuestTests {
    private func start(_ settings: String...) async throws -> (server: Segued, port: UInt16) {
        let folder = try TemporaryFolder()
        let port = try steadyPort()
        let server = try await Segued.start(
            .toml(
                """
                listen = ["tcp:127.0.0.1:\(port)", "unix:\(folder.file("socket"))"]
                [[output]]
                name = "null"
                type = "null"
                mixer = "software"
                \(settings.reversed().joined(separator: "\n"))
                [[announcement-rule]]
                prefix = "http://127.0.0.1:9/api/tts_proxy/"
                host = "127.0.0.1"
                """
            ),
            in: folder
        )
        return (server, port)
    }

    private let speech = "http://127.0.0.1:9/api/tts_proxy/abc.mp3"

    @Test func nobodyElseSeesAnything() async throws {
        let (server, port) = try await start()
        let owner = try server.connect()
        for command in ["add one.flac", "add two.flac", "play 1"] { try owner.order(command) }
        let before = try owner.order("playlistinfo")
        let version = try owner.values("status")["playlist"]
        try LineClient(.ipv4(port)).order("clear")
        try LineClient(.ipv4(port)).order("setvol 30")
        try LineClient(.ipv4(port)).order("add \(speech)")
        #expect(try LineClient(.ipv4(port)).values("status")["volume"] == "30")
        #expect(try LineClient(.ipv4(port)).values("status")["playlistlength"] == "1")
        #expect(try LineClient(.ipv4(port)).values("currentsong")["file"] == speech)
        #expect(try owner.order("announcement list") == [])
        try LineClient(.ipv4(port)).order("play")
        // No server answers at that address, so it ends at once, and is told to have stopped.
        try owner.wait(for: "announcement") { client in
            try client.order("announcement list").contains("state: failed") ? true : nil
        }
        let status = try LineClient(.ipv4(port)).values("status")
        #expect(status["state"] == "stop" && status["playlistlength"] == "1")
        // From then on it sees the zone again.
        #expect(try LineClient(.ipv4(port)).values("status")["playlistlength"] == "2")
        #expect(try owner.order("playlistinfo") == before)
        let after = try owner.values("status")
        #expect(after["playlist"] == version && after["state"] == "play" && after["volume"] == "100")
    }

    @Test func whatIsNoAnnouncementIsDoneForReal() async throws {
        let (server, port) = try await start()
        let owner = try server.connect()
        try owner.order("add one.flac")
        let guest = try LineClient(.ipv4(port))
        try guest.order("clear")
        #expect(try owner.values("status")["playlistlength"] == "1", "not yet")
        #expect(try guest.values("status")["playlistlength"] == "0")
        try guest.order("add two.flac")
        #expect(try owner.order("playlistinfo").filter { $0.hasPrefix("file: ") } == ["file: two.flac"])
        try guest.order("play")
        #expect(try owner.values("status")["state"] == "play")
        try guest.order("clear")
        try guest.order("random 1")
        #expect(try owner.values("status")["playlistlength"] == "0")
    }

    /// A second announcement is cleared for while the first is still to be seen; the user's queue has nothing to do with it.
    @Test func whatAGuestClearsOfItsOwnIsNobodysElse() async throws {
        let (server, port) = try await start()
        let owner = try server.connect()
        for command in ["add one.flac", "add two.flac", "play 1", "setvol 50"] { try owner.order(command) }
        let before = try owner.order("playlistinfo")
        let guest = try LineClient(.ipv4(port))
        for command in ["clear", "setvol 90", "add \(speech)", "play"] { try guest.order(command) }
        try owner.wait(for: "announcement") { client in
            try client.order("announcement list").contains("state: failed") ? true : nil
        }
        // It has ended, and the guest goes on with what it knows.
        for command in ["clear", "pause 0"] { try guest.order(command) }
        #expect(try owner.values("status")["volume"] == "50")
        #expect(try owner.order("playlistinfo") == before)
        // What it goes on to play is meant for everybody.
        for command in ["clear", "add two.flac"] { try guest.order(command) }
        #expect(try owner.order("playlistinfo").filter { $0.hasPrefix("file: ") } == ["file: two.flac"])
    }

    /// What cannot be announced leaves no queue of its own behind.
    @Test func aRefusedPlayShowsTheZoneAgain() async throws {
        let (server, port) = try await start("max-queued = 1", "[announcements]")
        let owner = try server.connect()
        try owner.order("add one.flac")
        // One is heard and one waits, for as long as no server answers at that address.
        let guest = try LineClient(.ipv4(port))
        for uri in ["one.flac", "one.flac"] { try owner.order("announce \(uri)") }
        for command in ["clear", "add \(speech)"] { try guest.order(command) }
        #expect(guest.ask("play").last?.hasPrefix("ACK [52@0] {play} resourceNotAvailable: ") == true)
        try guest.order("stop")
        #expect(try owner.order("playlistinfo").contains("file: one.flac"))
        #expect(try guest.values("status")["playlistlength"] == "1")
    }

    @Test func othersAreNoGuests() async throws {
        let (server, _) = try await start()
        let owner = try server.connect()
        for command in ["add one.flac", "clear"] { try owner.order(command) }
        #expect(try owner.values("status")["playlistlength"] == "0")
        try owner.order("add \(speech)")
        #expect(try owner.values("status")["playlistlength"] == "1")
        #expect(try owner.order("announcement list") == [])
    }
}
