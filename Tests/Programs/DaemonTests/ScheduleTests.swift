import Foundation
import ProtocolClient
import TestSupport
import TestThreads
import Testing

/// Commands that the real server carries out seconds ahead.
@Suite(.blocking)
struct ScheduleTests {
    private let place: Place

    init() throws { place = try Place() }

    private func event(_ type: String, _ remote: RemoteConnection) throws -> ServerReply? {
        try remote.run("session", "events").groups(startingWith: "event").first { $0["type"] == type }
    }

    @Test func itsCommandsAreRunOneAfterAnother() throws {
        let daemon = try Segued.start(in: place)
        let remote = try daemon.connect()
        try remote.run("add", "one.wav")
        try remote.run("play")
        try remote.run("newpartition", "kitchen")
        let time = RemoteConnection.timeOfDay(in: 5)
        // Two wait for the disk, so the list goes on later.
        let list = ["command", "setvol 17", "command", "lsinfo", "command", "stop", "command", "save \"a list\""]
        try remote.run(Request("schedule", ["add", time] + list))
        try remote.run(Request("schedule", ["add", time, "zone", "kitchen", "command", "add one.wav"]))
        try remote.run(Request("schedule", ["add", time, "command", "playid 77", "command", "clear"]))
        let idle = try daemon.connect()
        try idle.beginIdle(["timer"])
        #expect(try idle.endIdle() == ["timer"])
        try TestSupport.wait(for: "the failure") { try event("scheduleFailed", remote) != nil }
        try TestSupport.wait(for: "the others") {
            try remote.run("schedule", "list").groups(startingWith: "schedule").count { $0["last"] != nil } == 3
        }
        let status = ServerStatus(try remote.run("status"))
        #expect(status.volume == 17 && status.state == .stopped)
        #expect(try remote.run("listplaylist", "a list").values("file") == ["one.wav"])
        #expect(try remote.run("playlistinfo").values("file") == ["one.wav"])
        try remote.run("partition", "kitchen")
        #expect(try remote.run("playlistinfo").values("file") == ["one.wav"])
        let failed = try remote.run("schedule", "info", "3")
        #expect(failed["error"]?.contains("playid") == true && failed["state"] == "disabled")
        // The commands' clients are gone.
        #expect(try remote.run("clients", "list").groups(startingWith: "client").count <= 2)
    }

    @Test func itOutlivesAKilledServer() async throws {
        let due: String
        do {
            let daemon = try Segued.start(in: place)
            let remote = try daemon.connect()
            try remote.run(
                Request("schedule", ["add", "22:00", "mon-fri", "name", "night", "command", "setvol \"9\""])
            )
            due = try remote.addTimer("schedule", in: 4, ["command", "random 1"])
            try TestSupport.wait(for: "the journal") {
                (try? String(contentsOfFile: place.folder.file("state/timers.journal"), encoding: .utf8))?
                    .contains("random 1") == true
            }
            daemon.process.kill(SIGKILL)
            _ = try await daemon.process.wait(within: .patience)
        }
        let daemon = try Segued.start(in: place)
        let remote = try daemon.connect()
        let schedule = try remote.run("schedule", "info", "1")
        #expect(schedule["time"] == "22:00" && schedule["days"] == "mon-fri" && schedule["name"] == "night")
        #expect(schedule["command"] == "setvol \"9\"" && schedule["next"]?.hasSuffix("Z") == true)
        try TestSupport.wait(for: "what was due meanwhile") { try remote.run("status")["random"] == "1" }
        try remote.run("schedule", "rm", "1")
        #expect(try remote.run("schedule", "list").values("schedule") == [due])
    }

    /// A stop that was planned does not end an alarm, which is there to be heard.
    @Test func aPlannedStopLeavesTheAlarmAlone() throws {
        let daemon = try Segued.start(in: place)
        let remote = try daemon.connect()
        let alarm = try remote.addTimer("alarm")
        try TestSupport.wait(for: "the alarm") { try remote.run("alarm", "info", alarm)["state"] == "ringing" }
        _ = try remote.addTimer("schedule", ["command", "stop"])
        try TestSupport.wait(for: "the schedule") { try event("scheduleRan", remote) != nil }
        #expect(try remote.run("alarm", "info", alarm)["state"] == "ringing")
        try remote.run("alarm", "dismiss")
    }

    @Test func theVerbMakesLinesOfWords() async throws {
        let daemon = try Segued.start(in: place)
        let remote = try daemon.connect()
        let added = try await place.segue(
            "schedule",
            "add",
            "22:00",
            "daily",
            "--command",
            "random 0",
            "--",
            "save",
            "my \"list\""
        )
        #expect(added.status == .code(0), "\(added.errorText)")
        #expect(added.outputText.contains("22:00\tmon-sun\tdefault"))
        #expect(try remote.run("schedule", "info", "1").values("command") == ["random 0", #"save "my \"list\"""#])
        let json = try await place.segue("schedule", "--json")
        #expect(json.outputText.contains(#""commands":["random 0","save \"my \\\"list\\\"\""]"#))
        let none = try await place.segue("schedule", "add", "22:00")
        #expect(none.status != .code(0) && none.errorText.contains("say which command"))
    }
}
