import Foundation
import TestSupport
import TestThreads
import Testing

/// Songs that do not say how long they are get their exact length when nothing else is to be done.
@Suite(.blocking, .enabled("the fixtures' tools are missing") { Music.missing.isEmpty })
struct MeasuringTests {
    /// Ten frames of 128 kbit/s, then many of 64: nothing at the beginning and in the middle tells the length.
    private func changing(_ count: Int) -> Data {
        let fast = [0xff, 0xfb, 0x90, 0x40] + [UInt8](repeating: 1, count: 413)
        let slow = [0xff, 0xfb, 0x50, 0x40] + [UInt8](repeating: 1, count: 204)
        return Data(repeatElement(fast, count: 10).joined()) + Data(repeatElement(slow, count: count).joined())
    }

    private func seconds(_ count: Int) -> String {
        String(format: "%.3f", Double(10 + count) * 1152 / 44_100)
    }

    @Test func lengthsBecomeExactOnceAndStay() async throws {
        let folder = try TemporaryFolder()
        let music = try folder.makeFolder("mine")
        for count in [100, 2_000, 3_000] { try changing(count).write(to: URL(filePath: "\(music)/\(count).mp3")) }
        let server = try await Segued.start(in: folder, music: music, waitsForLibrary: false)
        let client = try server.connect()
        try client.order("add 2000.mp3")
        func isDone(_ client: LineClient) throws -> Bool {
            try [100, 2_000, 3_000].allSatisfy { count in
                try client.values("find file \(count).mp3")["duration"] == seconds(count)
            }
        }
        try wait(for: "all to be measured") { try isDone(client) }
        #expect(try client.values("lsinfo 3000.mp3")["duration"] == seconds(3_000))
        // The queue is told when all is measured, not song by song.
        try wait(for: "the queue to be told") { try client.values("playlistinfo")["duration"] == seconds(2_000) }
        for count in [100, 3_000] { try client.order("playlistadd Two \(count).mp3") }
        #expect(try client.values("listplaylistinfo Two 1:")["duration"] == seconds(3_000))
        try client.order("load Two 1:2")
        #expect(try client.values("playlistinfo 1")["duration"] == seconds(3_000))
        try wait(for: "the end of the measuring") { !server.process.threadNames.contains("segue-measure") }

        // Other tags, and another start, leave them what they are.
        let tagged =
            Data(Array("ID3".utf8) + [4, 0, 0, 0, 0, 1, 0] + [UInt8](repeating: 0, count: 128)) + changing(100)
        try tagged.write(to: URL(filePath: "\(music)/100.mp3"))
        let other = try server.connect()
        other.send("idle database\n")
        try client.order("update")
        #expect(other.line() == "changed: database")
        #expect(try isDone(client))
        try await server.stop()
        let next = try await Segued.start(in: folder, music: music)
        #expect(try isDone(next.connect()))
    }

    /// What many songs come to is told at once.
    @Test func manyAreToldAtOnce() async throws {
        let folder = try TemporaryFolder()
        let music = try folder.makeFolder("mine")
        let count = 150
        for index in 0..<count { try changing(40 + index).write(to: URL(filePath: "\(music)/\(index).mp3")) }
        let server = try await Segued.start(in: folder, music: music, waitsForLibrary: false)
        let client = try server.connect()
        let watcher = try server.connect()
        var events = 0
        let end = ContinuousClock.now + .patience
        watcher.send("idle database\n")
        while try client.values("find file \(count - 1).mp3")["duration"] != seconds(39 + count),
            ContinuousClock.now < end
        {
            if watcher.line() == "changed: database" { events += 1 }
            _ = watcher.line()
            watcher.send("idle database\n")
        }
        #expect(events <= 2, "the scan, and what was measured of it")
        for index in 0..<count {
            #expect(try client.values("find file \(index).mp3")["duration"] == seconds(40 + index))
        }
    }

    /// A file that takes for ever to be measured holds up neither a scan nor the server's end.
    @Test func othersGoFirst() async throws {
        let folder = try TemporaryFolder()
        let music = try folder.makeFolder("mine")
        let long = "\(music)/long.mp3"
        try changing(100).write(to: URL(filePath: long))
        // Two frames now and then, and nothing between them.
        let handle = try FileHandle(forWritingTo: URL(filePath: long))
        let frames = changing(2).suffix(416)
        for index in 1...2_000 {
            try handle.seek(toOffset: UInt64(index) * 12_000_000)
            try handle.write(contentsOf: frames)
        }
        try handle.close()
        let server = try await Segued.start(in: folder, music: music)
        let client = try server.connect()
        let estimate = try #require(try client.values("find file long.mp3")["duration"])
        func waitUntilItIsMeasured(_ isMeasured: Bool = true) throws {
            try wait(for: "it \(isMeasured ? "" : "not ")to be measured") {
                server.process.threadNames.contains("segue-measure") == isMeasured
            }
        }
        try waitUntilItIsMeasured()
        try changing(50).write(to: URL(filePath: "\(music)/short.mp3"))
        try client.order("update")
        while try client.values("status")["updating_db"] != nil { try client.order("idle update") }
        #expect(client.ask("find file short.mp3").first == "file: short.mp3")
        try waitUntilItIsMeasured()
        try client.order("library pause")
        try waitUntilItIsMeasured(false)
        try client.order("library resume")
        try waitUntilItIsMeasured()
        #expect(try client.values("find file long.mp3")["duration"] == estimate)
        try await server.stop()
    }
}
