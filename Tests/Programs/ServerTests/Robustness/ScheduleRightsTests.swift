import Foundation
import Glibc
import TestSupport
import TestThreads
import TestTiming
import Testing

/// A schedule may do what its maker may do, when it is made and when it is due.
///
/// The guest comes by TCP, so that it is an address; the owner by the Unix socket.
@Suite(.blocking, .enabled("the fixtures' tools are missing") { Music.missing.isEmpty })
struct ScheduleRightsTests {
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
        [[password]]
        password = "secret"
        permissions = ["read", "player", "control"]
        [[zone]]
        name = "kitchen"
        """
    }

    /// Adds a schedule that is due in 4 seconds, and does something before it is due; for tests with the trait `.timed`.
    ///
    /// - Returns: Its number.
    private func schedule(
        _ command: String,
        by client: LineClient,
        before change: () throws -> Void = {}
    ) throws -> String {
        let start = ContinuousClock.now
        let time = timeOfDay(in: 4)
        let id = try client.values("schedule add \(time) command \"\(command)\"")["schedule"] ?? ""
        try change()
        // One that was added too late is due tomorrow.
        try expect(ContinuousClock.now - start, atMost: .seconds(3), since: start)
        return id
    }

    private func set(_ words: String) throws { try owner.order("clients set \(Self.guest) \(words)") }

    @Test func onlyWhatItsMakerMayDo() throws {
        let guest = try LineClient(address)
        try set("permissions read,player")
        #expect(
            guest.ask("schedule add 22:00 command \"add one.flac\"")[0].contains(
                "you don't have permission for \"add\""
            )
        )
        #expect(guest.ask("schedule add 22:00 command kill")[0].contains("permission"))
        #expect(guest.ask("schedule add 22:00 command idle")[0].hasPrefix("ACK [2@0]"))
        #expect(guest.ask("schedule add 22:00 command \"password x\"")[0].hasPrefix("ACK [2@0]"))
        #expect(guest.ask("schedule add 22:00 command \"schedule add 22:00 command stop\"")[0].hasPrefix("ACK [2@0]"))
        #expect(guest.ask("schedule add 22:00 command nonsense")[0].hasPrefix("ACK [2@0]"))
        #expect(guest.ask("schedule add 22:00 zone cellar command stop")[0].hasPrefix("ACK [50@0]"))
        #expect(guest.ask("schedule add 22:00 command stop") == ["schedule: 1", "OK"])
        try set("permissions read,player zone default")
        #expect(guest.ask("schedule add 22:00 zone kitchen command stop")[0].contains("permission"))
    }

    @Test func onlyItsMakerAndAdministratorsChangeIt() throws {
        let guest = try LineClient(address)
        try owner.order("schedule add 22:00 command \"setvol 5\"")
        for verb in ["rm", "enable", "disable", "skip"] {
            #expect(guest.ask("schedule \(verb) 1")[0].hasPrefix("ACK [4@0]"))
        }
        // Others see that there is one, and not what it does.
        let seen = guest.ask("schedule info 1")
        #expect(seen.contains("schedule: 1") && !seen.contains { $0.hasPrefix("command:") })
        try guest.order("schedule add 21:00 command stop")
        #expect(guest.ask("schedule info 2").contains("command: stop"))
        #expect(guest.ask("schedule info 2").contains("by: 127.0.0.1"))
        try owner.order("schedule disable 2")
        try owner.order("schedule rm 1")
        #expect(guest.ask("schedule rm 1")[0].hasPrefix("ACK [50@0]"))
        try guest.order("schedule rm 2")
    }

    /// Taken away between the making and the time.
    @Test(.timed) func whatWasRevokedIsNotDone() throws {
        let guest = try LineClient(address)
        try set("permissions read,player")
        let id = try schedule("setvol 3", by: guest) {
            try set("permissions read")
            try owner.order("setvol 50")
        }
        try wait(for: "the schedule") {
            owner.ask("schedule info \(id)").contains { $0.hasPrefix("error: ") && $0.contains("permission") }
        }
        #expect(try owner.values("status")["volume"] == "50")
    }

    /// A client with a configured password has no identity that a schedule could keep.
    @Test func aConfiguredPasswordMakesNone() throws {
        let guest = try LineClient(address)
        try guest.order("password secret")
        #expect(guest.ask("schedule add 22:00 command stop")[0].hasPrefix("ACK [4@0]"))
    }

    @Test(.timed) func aNamedClientMakesThem() throws {
        let password = try owner.values("clients password tablet")["password"] ?? ""
        try owner.order("clients set tablet permissions read,player")
        let tablet = try LineClient(address)
        try tablet.order("password \(password)")
        try owner.order("setvol 50")
        let id = try schedule("setvol 4", by: tablet)
        #expect(owner.ask("schedule info \(id)").contains("by: tablet"))
        try wait(for: "the volume") { try owner.values("status")["volume"] == "4" }
        // Forgotten, it may do nothing.
        let other = try schedule("setvol 6", by: tablet) { try owner.order("clients forget tablet") }
        try wait(for: "the refusal") { owner.ask("schedule info \(other)").contains { $0.hasPrefix("error: ") } }
        #expect(try owner.values("status")["volume"] == "4")
    }
}
