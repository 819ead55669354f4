import TestSupport
import TestThreads
import Testing

/// Why an output cannot be heard is an attribute of the output.
@Suite(.blocking, .enabled("the fixtures' tools are missing") { Music.missing.isEmpty })
struct OutputErrorTests {
    @Test func aRefusalOfAnIcecastServer() async throws {
        let icecast = try HostileServer { exchange in
            exchange.send("HTTP/1.0 403 Mountpoint in use\r\nContent-Length: 0\r\n\r\n".utf8)
        }
        let folder = try TemporaryFolder()
        let settings = """
            listen = ["unix:\(folder.file("socket"))"]
            [[output]]
            type = "icecast"
            name = "radio"
            host = "127.0.0.1"
            port = \(icecast.port)
            mount = "/radio"
            password = "x"

            """
        let server = try await Segued.start(.toml(settings), in: folder)
        let (client, watcher) = (try server.connect(), try server.connect())
        for line in ["add one.flac", "play"] { try client.order(line) }
        let refusal = "attribute: error=127.0.0.1:\(icecast.port)/radio: 403 Mountpoint in use"
        // A client in `idle output` is told.
        while try !watcher.order("outputs").contains(refusal) { try watcher.order("idle output") }
        #expect(client.ask("outputset 0 error none").last?.hasPrefix("ACK [2@0]") == true)
    }
}
