import Foundation
import ProtocolClient
import TestSupport
import TestThreads
import Testing

/// Alarms in the real server, seconds ahead.
@Suite(.blocking)
struct AlarmTests {
    private let place: Place

    init() throws { place = try Place() }

    private func state(_ remote: RemoteConnection, _ id: String = "1") throws -> String {
        try remote.run("alarm", "info", id)["state"] ?? ""
    }

    private func wait(_ remote: RemoteConnection, for state: String, _ id: String = "1") throws {
        try TestSupport.wait(for: "an alarm that is \(state)") { try self.state(remote, id) == state }
    }

    private func play(_ remote: RemoteConnection) throws {
        try remote.run("add", "one.wav")
        try remote.run("play")
        _ = try remote.wait { $0.state == .playing && $0.elapsed ?? 0 > 0.1 }
    }

    @Test func itRingsIsSnoozedAndDismissed() throws {
        let daemon = try Segued.start(in: place)
        let remote = try daemon.connect()
        try play(remote)
        try remote.run("setvol", "12")
        let other = try daemon.connect()
        try other.beginIdle(["timer"])
        let id = try remote.addTimer("alarm", ["uri", "gone.wav", "volume", "5-33"])
        #expect(try other.endIdle() == ["timer"])
        try wait(remote, for: "ringing", id)
        let status = try remote.run("status")
        #expect(status["alarm"] == id && status["state"] == "pause")
        try TestSupport.wait(for: "the alarm's volume") { try remote.run("status")["volume"] == "33" }
        #expect(try remote.run("why")["cause"]?.contains("the alarm") == true)
        try remote.run("alarm", "snooze", "10s")
        #expect(try state(remote, id) == "snoozed")
        #expect(ServerStatus(try remote.run("status")).volume == 12)
        try remote.run("alarm", "dismiss")
        #expect(try state(remote, id) == "disabled")
        #expect(throws: RemoteError.self) { try remote.run("alarm", "dismiss") }
    }

    /// Any client ends it by its own commands; the music was playing, and does not come back.
    @Test(arguments: ["pause", "pause 1", "stop"])
    func anyClientEndsIt(command: String) throws {
        let daemon = try Segued.start(in: place)
        let remote = try daemon.connect()
        try play(remote)
        let id = try remote.addTimer("alarm", ["uri", "gone.wav"])
        try wait(remote, for: "ringing", id)
        let words = command.split(separator: " ").map(String.init)
        try daemon.connect().run(Request(words[0], Array(words.dropFirst())))
        #expect(try state(remote, id) == "disabled")
        let expected: ServerStatus.State = words[0] == "stop" ? .stopped : .paused
        #expect(ServerStatus(try remote.run("status")).state == expected)
    }

    @Test func itOutlivesAKilledServer() async throws {
        let words = ["07:00", "mon-fri", "zone", "default", "volume", "5-40"]
        let ringing: String
        do {
            let daemon = try Segued.start(in: place)
            let remote = try daemon.connect()
            try remote.run(Request("alarm", ["add"] + words))
            try remote.run("alarm", "skip", "1")
            try remote.run("alarm", "addholiday", "2030-12-24", "2030-12-31")
            ringing = try remote.addTimer("alarm", ["uri", "gone.wav"])
            try wait(remote, for: "ringing", ringing)
            try TestSupport.wait(for: "the journal") {
                (try? String(contentsOfFile: place.folder.file("state/timers.journal"), encoding: .utf8))?
                    .contains("ringing") == true
            }
            daemon.process.kill(SIGKILL)
            _ = try await daemon.process.wait(within: .patience)
        }
        let daemon = try Segued.start(in: place)
        let remote = try daemon.connect()
        let alarm = try remote.run("alarm", "info", "1")
        #expect(alarm["time"] == "07:00" && alarm["days"] == "mon-fri" && alarm["volume"] == "5-40")
        #expect(alarm["skipped"] != nil && alarm["next"]?.hasSuffix("Z") == true)
        #expect(try remote.run("alarm", "holidays").values("holiday") == ["2030-12-24..2030-12-31"])
        try wait(remote, for: "ringing", ringing)
        try remote.run("alarm", "dismiss")
        try remote.run("alarm", "rm", "1")
        #expect(try remote.run("alarm", "list").values("alarm") == [ringing])
    }

    /// What it plays is in the queue after it.
    @Test func itsSongsPlayOn() throws {
        let daemon = try Segued.start(in: place)
        let remote = try daemon.connect()
        try play(remote)
        try remote.run("save", "morning")
        try remote.run("clear")
        try remote.run("add", "gone.wav")
        let id = try remote.addTimer("alarm", ["uri", "morning", "thenplay", "1"])
        try wait(remote, for: "ringing", id)
        try remote.run("alarm", "dismiss")
        _ = try remote.wait { $0.state == .playing }
        #expect(try remote.run("playlistinfo").values("file") == ["one.wav"])
    }

    /// Nothing runs while the server waits.
    @Test func itWaitsWithoutWaking() throws {
        let daemon = try Segued.start(in: place)
        let remote = try daemon.connect()
        try remote.run("alarm", "add", "07:00", "daily")
        let comm = "/proc/\(daemon.process.pid)/task"
        /// How often the timer's thread has waited; `nil` before it is there.
        func switches() throws -> Substring? {
            for thread in try FileManager.default.contentsOfDirectory(atPath: comm) {
                let data = FileManager.default.contents(atPath: "\(comm)/\(thread)/status") ?? Data()
                let lines = String(decoding: data, as: UTF8.self).split(separator: "\n")
                guard lines.contains("Name:\tsegue-timer") else { continue }
                return lines.first { $0.hasPrefix("voluntary_ctxt_switches") }
            }
            return nil
        }
        // Once it has gone to sleep, a second passes without a wake-up.
        try TestSupport.wait(for: "a timer that sleeps") {
            let before = try switches()
            for _ in 0..<20 { try remote.run("ping") }
            usleep(1_000_000)
            return try before != nil && switches() == before
        }
    }

    @Test func onlyThoseWhoMayMakeThem() throws {
        let daemon = try Segued.start(in: place)
        let remote = try daemon.connect()
        for words in [
            ["add", "25:00"], ["add", "07:00", "zone", "attic"], ["add"], ["rm", "7"], ["enable", "x"], ["skip"],
            ["add", "07:00", "uri", "gopher://x/y"], ["addholiday", "2030-12-24", "2030-12-20"], ["sing"],
        ] {
            #expect(throws: RemoteError.self, "\(words)") { try remote.run(Request("alarm", words)) }
        }
        #expect(try remote.run("alarm", "list").pairs.isEmpty)
    }
}
