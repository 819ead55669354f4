import Foundation
import TestSupport
import TestThreads
import Testing

/// A state folder that does not answer holds up only those who make zones.
@Suite(
    .blocking,
    .enabled("the fixtures' tools are missing") { Music.missing.isEmpty },
    .enabled(if: StallingFileSystem.missing == nil, "no FUSE: \(StallingFileSystem.missing ?? "")")
)
struct StalledStateTests {
    /// Longer than any answer takes, on a machine that does much else.
    private static let patience = Duration.seconds(2)

    private func ping(_ client: LineClient) -> Duration {
        let start = ContinuousClock.now
        #expect(client.ask("ping") == ["OK"])
        return .now - start
    }

    @Test(
        "A zone is made when its folder answers, also if its client has left; no other client waits, and the server ends"
    )
    func newZones() async throws {
        let folder = try TemporaryFolder()
        let system = try StallingFileSystem(of: try folder.makeFolder("zones"))
        let zones = try folder.makeFolder("state/zones")
        try ChildProcess.run("mount", ["--bind", system.path, zones])
        defer { _ = try? ChildProcess.run("umount", ["--lazy", zones]) }
        let server = try await Segued.start(in: folder)
        let (observer, maker, leaver) = (try server.connect(), try server.connect(), try server.connect())
        try observer.order("newpartition first")

        try system.stall()
        maker.send("newpartition second\npartition second\nstatus\n")
        #expect(ping(observer) < Self.patience)
        #expect(observer.ask("newpartition second").last?.contains("already exists") == true)
        leaver.send("newpartition third\n")
        #expect(ping(observer) < Self.patience)
        leaver.endOutput()
        for line in ["add one.flac", "setvol 10", "repeat 1"] {
            try observer.order(line)
            #expect(ping(observer) < Self.patience, "after \(line)")
        }
        #expect(try observer.order("listpartitions") == ["partition: default", "partition: first"])

        system.resume()
        #expect(maker.reply() == ["OK"])
        #expect(maker.reply() == ["OK"])
        #expect(maker.reply().contains("partition: second"))
        try wait(for: "the third zone") { try observer.order("listpartitions").contains("partition: third") }

        try observer.order("add two.flac")
        try system.stall()
        // It does not wait for the folder, which stays stalled; a server that did would never end.
        try await server.stop()
    }
}
