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
        let client = try await Segued.start(.toml(settings), in: folder).connect()
        for line in ["add one.flac", "play"] { try client.order(line) }
        let refusal = "attribute: error=127.0.0.1:\(icecast.port)/radio: 403 Mountpoint in use"
        try wait(for: "the refusal") { try client.order("outputs").contains(refusal) }
        #expect(client.ask("outputset 0 error none").last?.hasPrefix("ACK [2@0]") == true)
    }
}
