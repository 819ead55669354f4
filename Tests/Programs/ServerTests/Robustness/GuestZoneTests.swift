import Foundation
import Glibc
import TestSupport
import TestThreads
import TestTiming
import Testing

/// A client that is limited to some zones changes nothing in the others: by numbers of sessions, by alarms, by switches.
///
/// The guest comes by TCP, so that it is an address; the owner by the Unix socket.
@Suite(.blocking, .enabled("the fixtures' tools are missing") { Music.missing.isEmpty })
struct GuestZoneTests {
    private let server: Segued
    let owner: LineClient
    private let address: SocketAddress
    private static let name = "127.0.0.1"

    init() async throws {
        let (folder, port) = (try TemporaryFolder(), try steadyPort())
        let configuration = """
            listen = ["tcp:127.0.0.1:\(port)", "unix:\(folder.file("socket"))"]
            [[output]]
            name = "here"
            type = "null"
            [[zone]]
            name = "kitchen"
            [[zone.output]]
            name = "there"
            type = "null"
            """
        server = try await Segued.start(.toml(configuration), in: folder)
        owner = try server.connect()
        address = .ipv4(port)
    }

    private func set(_ words: String) throws { try owner.order("clients set \(Self.name) \(words)") }

    /// A guest of the kitchen, where it may do what sessions and alarms need.
    func guest(_ permissions: String = "read,add,player,control,outputs,network") throws -> LineClient {
        try set("permissions \(permissions) zone kitchen")
        return try LineClient(address)
    }

    private func expectRefusal(_ client: LineClient, _ commands: [String]) {
        for command in commands {
            #expect(client.ask(command).last?.hasPrefix("ACK [4@0]") == true, "\(command)")
        }
    }

    private func sessions(_ key: String) throws -> [String] {
        try owner.order("session list").filter { $0.hasPrefix(key + ": ") }.map { String($0.dropFirst(key.count + 2)) }
    }

    func interruption(by client: LineClient, zone: String? = nil) throws -> String {
        let words = "session interrupt begin call" + (zone.map { " zone \($0)" } ?? "")
        return try #require(try client.values(words)["session"])
    }

    @Test func sessionsOfOtherZonesAreOutOfReach() throws {
        for command in ["add one.flac", "play"] { try owner.order(command) }
        let call = try interruption(by: owner)
        let guest = try guest()
        expectRefusal(
            guest,
            [
                "session send 1 stop", "session send nowplaying stop", "session interrupt end \(call)",
                "session interrupt accept \(call)", "session silence 1", "session lock 1", "session deactivate 1",
                "session open Intercom sink elsewhere",
            ]
        )
        #expect(try sessions("session").contains(call))
        #expect(try owner.values("status")["state"] == "pause")
        let own = try interruption(by: guest)
        try guest.order("session interrupt end \(own)")
        try guest.order("session send 2 stop")
        try guest.order("session open Intercom")
        try owner.order("session open Intercom sink elsewhere")
    }

    @Test func outputsOfOtherZonesAreOutOfReach() throws {
        let guest = try guest()
        let commands = ["newpartition attic", "zone remove kitchen", "moveoutput here"]
        expectRefusal(guest, commands + ["route set elsewhere", "route set default"])
        #expect(try owner.order("listpartitions") == ["partition: default", "partition: kitchen"])
        try set("zone default")
        try guest.order("newpartition attic")
    }

    @Test(.timed) func alarmsOfOtherZonesAreOutOfReach() throws {
        let start = ContinuousClock.now
        try owner.order("alarm add \(timeOfDay(in: 3)) length 60")
        try expect(ContinuousClock.now - start, atMost: .seconds(2), since: start)
        let guest = try guest("read,player,control")
        expectRefusal(
            guest,
            [
                "alarm addholiday 2030-12-24", "alarm rmholiday 2030-12-24", "alarm rm 1", "alarm skip 1",
                "alarm add 07:00 daily thenplay 1",
            ]
        )
        try guest.order("alarm add 07:00 daily")
        try TestSupport.wait(for: "the alarm") { try owner.values("status")["alarm"] == "1" }
        expectRefusal(guest, ["alarm dismiss", "alarm snooze", "alarm dismiss 1"])
        try owner.order("alarm snooze 10m")
        expectRefusal(guest, ["alarm dismiss", "alarm dismiss 1"])
        #expect(try owner.values("alarm info 1")["state"] == "snoozed")
        try owner.order("alarm dismiss")
    }

    /// What a guest has begun ends in the zones that it loses, whether a connection is bound to it or not.
    @Test func lostZonesAreFreed() throws {
        try set("permissions read,add,player,control")
        let guest = try LineClient(address)
        let (here, there) = (try interruption(by: guest), try interruption(by: guest, zone: "kitchen"))
        try guest.order("announce two.flac")
        try guest.order("announce two.flac zone kitchen")
        try set("zone default")
        #expect(try sessions("session").contains(here))
        #expect(try !sessions("session").contains(there))
        let announcements = try owner.order("announcement list").filter { !$0.hasPrefix("file: ") }
        let states = announcements.filter { $0.hasPrefix("zone: ") || $0.hasPrefix("state: ") }
        #expect(states.contains("zone: default") && states.first { $0.hasPrefix("state: ") } != "state: cancelled")
        #expect(states.last == "state: cancelled" || !states.contains("zone: kitchen"))
        try guest.order("session interrupt end \(here)")
    }

    /// What a guest has left behind ends when it is denied.
    @Test func whatWasLeftBehindEnds() throws {
        try set("permissions read,add,player,control")
        let call: String
        do {
            let guest = try LineClient(address)
            try guest.order("session open Intercom persistent")
            call = try interruption(by: guest)
        }
        try TestSupport.wait(for: "the guest's end") {
            try owner.order("clients show \(Self.name)").allSatisfy { !$0.hasPrefix("connection: ") }
        }
        #expect(try sessions("name").contains("Intercom"))
        #expect(try sessions("session").contains(call))
        try owner.order("clients revoke \(Self.name)")
        #expect(try !sessions("name").contains("Intercom"))
        #expect(try !sessions("session").contains(call))
    }

    /// A command that waits does not land in the default zone when its own is removed.
    @Test func commandsOfARemovedZoneAreRefused() throws {
        let silent = try HostileServer.silent()
        let guest = try guest()
        guest.send("load \(silent.url("list.m3u"))\nstatus\n")
        try TestSupport.wait(for: "the fetch") { !silent.state.current.requests.isEmpty }
        try owner.order("zone remove kitchen")
        #expect(guest.line() == "ACK [4@0] {load} you don't have permission for \"load\"")
        #expect(guest.line() == "ACK [4@0] {status} you don't have permission for \"status\"")
        #expect(try owner.values("status")["playlistlength"] == "0")
    }
}
