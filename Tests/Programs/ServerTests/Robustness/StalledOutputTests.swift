import Glibc
import TestSupport
import TestThreads
import Testing

/// An output whose folder does not answer delays no client.
@Suite(
    .blocking,
    .enabled("the fixtures' tools are missing") { Music.missing.isEmpty },
    .enabled(if: StallingFileSystem.missing == nil, "no FUSE: \(StallingFileSystem.missing ?? "")")
)
struct StalledOutputTests {
    /// A request that waited for the folder would have no answer until the end of the test.
    @Test("Nobody waits for an HLS output's folder, and the zone plays on") func anHLSFolder() async throws {
        let folder = try TemporaryFolder()
        let source = try folder.makeFolder("stream")
        let system = try StallingFileSystem(of: source)
        let settings = """
            listen = ["unix:\(folder.file("socket"))"]
            [[output]]
            type = "null"
            name = "clock"
            [[output]]
            type = "hls"
            name = "stream"
            folder = "\(system.path)/live"
            segment-seconds = 1

            """
        let server = try await Segued.start(.toml(settings), in: folder)
        let (client, other) = (try server.connect(), try server.connect())
        for line in ["add one.flac", "add two.flac", "repeat 1", "play"] { try client.order(line) }
        try wait(for: "a segment") {
            unsafe access("\(source)/live/stream-0.aac", F_OK) == 0
        }

        try system.stall()
        let begin = try elapsed(client)
        // Segments are a second long, so that the output waits for the folder by then.
        try wait(for: "the zone to play on") { try elapsed(client) > begin + 3 }
        // Another title for listeners, and all that names outputs.
        for line in ["next", "outputs", "outputset stream name x", "disableoutput 1", "enableoutput 1", "status"] {
            _ = client.ask(line)
            try other.order("ping")
        }
        #expect(try client.values("status")["state"] == "play")
        server.process.kill(SIGHUP)
        try other.order("ping")
        for line in ["next", "partition default", "newpartition new", "moveoutput stream", "outputs"] {
            client.send(line + "\n")
            try other.order("outputs")
        }
        // The end has its own limit.
        try await server.stop()
    }

    private func elapsed(_ client: LineClient) throws -> Double {
        let status = try client.values("status")
        return status["elapsed"].flatMap(Double.init) ?? 0
    }

    /// Names of other machines are looked up by threads that end with that, and not by libdispatch's.
    @Test("Outputs to other machines leave no threads behind") func lookedUpNames() async throws {
        let folder = try TemporaryFolder()
        let ports = [try steadyPort(), try steadyPort()]
        let hosts = ["localhost", "127.0.0.1", "nowhere.invalid"]
        let outputs = hosts.map { host in
            """
            [[output]]
            type = "icecast"
            name = "icecast \(host)"
            host = "\(host)"
            port = \(ports[0])
            mount = "/radio"
            password = "x"
            [[output]]
            type = "snapcast"
            name = "snapcast \(host)"
            host = "\(host)"
            port = \(ports[1])

            """
        }
        let settings = "listen = [\"unix:\(folder.file("socket"))\"]\n" + outputs.joined()
        let server = try await Segued.start(.toml(settings), in: folder)
        let client = try server.connect()
        for line in ["add one.flac", "play"] { try client.order(line) }
        try wait(for: "the log to tell of each") {
            hosts.allSatisfy { host in
                ["icecast", "snapcast"].allSatisfy { server.process.errorText.contains("\($0) \(host)") }
            }
        }
        try wait(for: "the look-ups to end") { !server.process.threadNames.contains("segue-resolve") }
        // Those of libdispatch have the names of its queues, such as com.apple.root.default-qos.overcommit.
        let names = server.process.threadNames
        #expect(names.contains("segued") && !names.contains { $0.contains("qos") }, "\(names)")
        try await server.stop()
    }
}
