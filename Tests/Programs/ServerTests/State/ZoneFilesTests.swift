import Foundation
import Glibc
import TestSupport
import TestThreads
import Testing

/// The files of zones that come and go, and of zones on a disk that is full.
@Suite(.blocking, .enabled("the fixtures' tools are missing") { Music.missing.isEmpty })
struct ZoneFilesTests {
    private func names(_ server: Segued) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: server.stateFolder + "/zones").sorted()
    }

    private func queue(_ server: Segued, of zone: String) throws -> [String] {
        let client = try server.connect()
        try client.order("partition \(zone)")
        return try client.order("playlistinfo").filter { $0.hasPrefix("file: ") }
    }

    /// A zone that is removed and made again at once has the new one's queue, whatever is being written meanwhile.
    @Test(arguments: [0, 300, 700, 1_100]) func madeAgain(milliseconds: UInt32) async throws {
        let server = try await Segued.start()
        let client = try server.connect()
        for command in ["newpartition x", "partition x", "add Blue", "volume -3", "partition default"] {
            _ = client.ask(command)
        }
        // On the disk, being written, or not yet.
        usleep(milliseconds * 1_000)
        for command in ["delpartition x", "newpartition x", "partition x", "add one.flac"] { try client.order(command) }
        try await server.stop()
        let again = try await Segued.start(in: server.folder)
        #expect(try queue(again, of: "x") == ["file: one.flac"])
    }

    /// Removed zones leave no files, those that an earlier version removed neither; a queue that is not configured stays.
    @Test func removed() async throws {
        let folder = try TemporaryFolder()
        let server = try await Segued.start(in: folder)
        let client = try server.connect()
        for number in 0..<20 {
            for command in ["newpartition z\(number)", "partition z\(number)", "add one.flac", "partition default"] {
                try client.order(command)
            }
            if number % 5 == 0 { usleep(600_000) }
            try client.order("delpartition z\(number)")
        }
        try client.order("add one.flac")
        try client.order("play 0")
        try client.order("stop")
        try await server.stop()
        #expect(try names(server) == ["default.journal", "default.position"])
        let zones = server.stateFolder + "/zones/"
        for name in ["old.journal", "old.position"] {
            #expect(FileManager.default.createFile(atPath: zones + name, contents: nil))
        }
        try FileManager.default.copyItem(atPath: zones + "default.journal", toPath: zones + "absent.journal")
        let again = try await Segued.start(in: folder)
        #expect(try names(again) == ["absent.journal", "default.journal", "default.position"])
        #expect(try again.connect().values("status")["song"] == "0", "what was current while stopped")
    }

    private func outputs(_ server: Segued, of zone: String) throws -> [String] {
        let client = try server.connect()
        try client.order("partition \(zone)")
        return try client.order("outputs").filter { $0.hasPrefix("outputname: ") }.map { String($0.dropFirst(12)) }
    }

    /// A zone of the configuration is removed by force only, and comes back with its outputs; an output that was moved
    /// stays where it was moved to.
    @Test func configured() async throws {
        let folder = try TemporaryFolder()
        let settings = Segued.Form.toml(
            """
            listen = ["unix:\(folder.file("socket"))"]
            [[output]]
            name = "main"
            type = "null"
            [[zone]]
            name = "kitchen"
            [[zone.output]]
            name = "stove"
            type = "null"
            """
        )
        var server = try await Segued.start(settings, in: folder)
        func restart() async throws {
            try await server.stop()
            server = try await Segued.start(settings, in: folder)
        }
        let client = try server.connect()
        let refused = client.ask("delpartition kitchen")
        #expect(refused.last?.hasPrefix("ACK [52@0] {delpartition} the configuration has zone kitchen: ") == true)
        let guest = try server.connect()
        for command in ["partition kitchen", "add one.flac"] { try guest.order(command) }
        try client.order("zone remove kitchen")
        #expect(try guest.values("status")["partition"] == "default")
        #expect(try client.order("listpartitions") == ["partition: default"])
        #expect(try outputs(server, of: "default") == ["main", "stove"])
        try client.order("newpartition kitchen")
        try client.wait(for: "output") { _ in try outputs(server, of: "kitchen") == ["stove"] ? true : nil }
        #expect(try queue(server, of: "kitchen") == [])
        try client.order("zone remove kitchen")
        for _ in 0..<2 {
            try await restart()
            #expect(try outputs(server, of: "kitchen") == ["stove"] && outputs(server, of: "default") == ["main"])
            let cook = try server.connect()
            for command in ["partition kitchen", "add one.flac"] { try cook.order(command) }
        }
        try server.connect().order("moveoutput stove")
        try await restart()
        #expect(try outputs(server, of: "kitchen") == [] && outputs(server, of: "default") == ["main", "stove"])
        #expect(
            try server.connect().ask("zone remove default").last
                == "ACK [5@0] {zone} cannot delete the default partition"
        )
    }

    /// What is kept of outputs is kept when a journal is rewritten.
    @Test func outputsOutliveCompaction() async throws {
        let server = try await Segued.start()
        let client = try server.connect()
        try client.order("disableoutput 0")
        let path = server.stateFolder + "/zones/default.journal"
        func size() -> Int { (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0 }
        for _ in 0..<1_000 { try client.order("add /") }
        try wait(for: "the queue to be on the disk") { size() > 200_000 }
        try client.order("clear")
        try wait(for: "the journal to shrink", within: .seconds(10)) { size() < 5_000 }
        try await server.stop()
        let again = try await Segued.start(in: server.folder)
        #expect(try again.connect().values("outputs")["outputenabled"] == "0")
    }

    /// Stickers and a queue that are gone take no room on the disk.
    @Test func proportion() async throws {
        let server = try await Segued.start()
        let client = try server.connect()
        let value = String(repeating: "v", count: 1_000)
        for number in 0..<600 { try client.order("sticker set song one.flac s\(number) \(value)") }
        let path = server.stateFolder + "/stickers.journal"
        func size() -> Int {
            (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
        }
        try wait(for: "the stickers to be on the disk") { size() >= 600_000 }
        #expect(size() < 1_400_000)
        for number in 0..<599 { try client.order("sticker delete song one.flac s\(number)") }
        try wait(for: "the journal to shrink", within: .seconds(10)) { size() <= 200_000 }
    }

    /// A full disk is logged once, loses nothing, and is written again by itself.
    @Test(.enabled("mounting is not allowed") { MountNamespace.isAllowed }) func fullDisk() async throws {
        let folder = try TemporaryFolder()
        let state = try folder.makeFolder("state")
        let server = try await Segued.start(in: folder, mounting: "mount -t tmpfs -o size=2m none '\(state)'")
        let namespace = MountNamespace(server: server)
        let client = try server.connect()
        try client.order("newpartition kitchen")
        try namespace.run("! cat /dev/zero >'\(state)/filler' 2>/dev/null")
        for command in [
            "add one.flac", "add two.flac", "sticker set song one.flac a b", "partition kitchen", "add Blue",
        ] {
            try client.order(command)
        }
        func lines(_ text: String) -> Int {
            server.process.errorText.split(separator: "\n").count { $0.contains(text) }
        }
        try wait(for: "the full disk in the log") { lines("No space left on device") > 0 }
        try namespace.run("rm '\(state)/filler'")
        try wait(for: "the disk to be written again", within: .seconds(120)) { lines("can be written again") > 0 }
        #expect(lines("No space left on device") == 1, "\(server.process.errorText)")
        // All of it is there for the next server.
        let copy = try TemporaryFolder()
        for file in ["stickers.journal", "zones.journal", "zones/default.journal", "zones/kitchen.journal"] {
            _ = try copy.makeFolder("state/zones")
            try wait(for: file) { unsafe access(namespace.path(state + "/" + file), F_OK) == 0 }
            try FileManager.default.copyItem(
                atPath: namespace.path(state + "/" + file),
                toPath: copy.file("state/" + file)
            )
        }
        let again = try await Segued.start(in: copy)
        #expect(try queue(again, of: "default") == ["file: one.flac", "file: two.flac"])
        #expect(try !queue(again, of: "kitchen").isEmpty)
        #expect(try again.connect().order("sticker get song one.flac a") == ["sticker: a=b"])
    }
}
