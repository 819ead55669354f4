import Foundation
import Glibc
import TestSupport
import TestThreads
import Testing

/// What a restart keeps.
@Suite(.blocking, .enabled("the fixtures' tools are missing") { Music.missing.isEmpty })
struct StateTests {
    /// What a client sees of all that is to be kept.
    private func picture(_ server: Segued) throws -> [String] {
        let client = try server.connect()
        var lines: [String] = []
        for zone in ["default", "kitchen"] {
            try client.order("partition \(zone)")
            let status = try client.values("status")
            let keys = [
                "volume", "repeat", "random", "single", "consume", "xfade", "mixrampdb", "mixrampdelay", "state",
            ]
            lines += keys.map { "\($0)=\(status[$0] ?? "")" } + ["song=\(status["song"] ?? "")"]
            lines += ["elapsed=\(Int((Double(status["elapsed"] ?? "0") ?? 0).rounded()))"]
            // Restored songs are looked into, and do not say since when the library has them.
            lines += try client.order("playlistinfo").filter { !$0.hasPrefix("Added: ") }
            lines += try client.order("outputs") + client.order("replay_gain_status")
        }
        try client.order("partition default")
        lines += try client.order("listplaylists").filter { !$0.hasPrefix("Last") } + client.order("listplaylist kept")
        return lines + (try client.order("sticker list song one.flac"))
    }

    private func prepare(_ server: Segued) throws {
        let client = try server.connect()
        for command in [
            "newpartition kitchen", "add one.flac", "add Blue", "add two.flac", "delete 0", "move 0 2",
            "addid one.flac 1",
            "prio 7 1", "rangeid 3 2:9", "repeat 1", "random 1", "single oneshot", "consume 1", "crossfade 4",
            "mixrampdb -12", "mixrampdelay 3", "replay_gain_mode album", "setvol 37", "save kept",
            "sticker set song one.flac name \"a = b\"", "addid http://127.0.0.1:9/stream",
            "addtagid 6 title \"A stream\"",
            "random 0", "single 0", "play 1",
        ] { try client.order(command) }
        try client.wait("audio", "44100:16:2")
        for command in ["pause 1", "seekcur 4", "partition kitchen", "add two.flac", "repeat 1", "play", "stop"] {
            try client.order(command)
        }
        // Songs that were looked into show it.
        while try !client.order("playlistinfo").contains("Title: Two") { try client.order("idle playlist") }
    }

    @Test func restart() async throws {
        let server = try await Segued.start()
        try prepare(server)
        let before = try picture(server)
        try await server.stop()
        let again = try await Segued.start(in: server.folder)
        let client = try again.connect()
        while try !client.order("playlistinfo 0").contains(where: { $0.hasPrefix("duration") }) {
            try client.order("idle playlist")
        }
        let deadline = ContinuousClock.now + .patience
        while try picture(again) != before {
            let now = try picture(again)
            guard ContinuousClock.now < deadline else { throw ClientError(description: "the songs stay unknown") }
            let difference = now.difference(from: before)
            // The songs are looked into again, in a moment.
            guard difference.contains(where: { "\($0)".contains("Format") || "\($0)".contains("duration") }) else {
                #expect(now == before)
                return
            }
            usleep(5000)
        }
    }

    /// Outputs that were turned off stay off.
    @Test func outputs() async throws {
        let server = try await Segued.start()
        try server.connect().order("disableoutput 0")
        try await server.stop()
        let again = try await Segued.start(in: server.folder)
        #expect(try again.connect().order("outputs").contains("outputenabled: 0"))
    }

    /// A damaged file is put aside and named, and what is good in it used.
    @Test func damage() async throws {
        let server = try await Segued.start()
        for uri in ["one.flac", "two.flac"] { try server.connect().order("add \(uri)") }
        try await server.stop()
        let path = server.stateFolder + "/zones/default.journal"
        var bytes = Array(try Data(contentsOf: URL(filePath: path)))
        try #require(bytes.count > 40)
        bytes[bytes.count / 2] ^= 0x55
        try Data(bytes).write(to: URL(filePath: path))
        let again = try await Segued.start(in: server.folder)
        #expect(try again.connect().ask("status").last == "OK")
        let log = again.process.errorText
        #expect(log.contains("default.journal") && log.contains("damaged"), "\(log)")
        let names = try FileManager.default.contentsOfDirectory(atPath: server.stateFolder + "/zones")
        #expect(names.contains { $0.contains("damaged") })
        try again.connect().order("add one.flac")
        try await again.stop()
    }

    /// A folder that cannot be written to is reported; the server plays nevertheless.
    @Test func unwritable() async throws {
        let folder = try TemporaryFolder()
        // Not even root writes below a file.
        try folder.write("state", "")
        let server = try await Segued.start(in: folder)
        let client = try server.connect()
        for command in ["add one.flac", "sticker set song one.flac a b", "newpartition kitchen", "play"] {
            try client.order(command)
        }
        try client.wait("state", "play")
        #expect(server.process.errorText.contains(server.stateFolder))
    }

    /// Nothing is written, and nothing wakes up, while nothing changes.
    @Test func rest() async throws {
        let server = try await Segued.start()
        let client = try server.connect()
        for command in ["add Blue", "repeat 1"] { try client.order(command) }
        let idle = try server.connect()
        idle.send("idle\n")
        client.send("idle database\n")
        // Once what was changed is on disk, three seconds pass in which nothing happens.
        func figures() throws -> [Int] { [try written(server), server.process.voluntarySwitches] }
        var before = try figures()
        for _ in 0..<10 {
            try await Task.sleep(for: .seconds(3))
            let after = try figures()
            if after == before { return }
            before = after
        }
        Issue.record("it writes or wakes up all the time")
    }

    private func written(_ server: Segued) throws -> Int {
        let text = try String(contentsOfFile: "/proc/\(server.process.pid)/io", encoding: .utf8)
        let line = text.split(separator: "\n").first { $0.hasPrefix("wchar") }
        return line.flatMap { Int($0.split(separator: " ")[1]) } ?? -1
    }
}
