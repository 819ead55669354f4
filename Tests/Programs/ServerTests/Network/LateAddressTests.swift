import TestSupport
import TestThreads
import Testing

/// A server that was started before its machine had all of its addresses, as when a tunnel begins later.
@Suite(
    .blocking,
    .enabled("the fixtures' tools are missing") { Music.missing.isEmpty },
    .enabled("the system lets no test have networks of its own") { NetworkNamespace.isAllowed }
)
struct LateAddressTests {
    @Test(arguments: ["listen", "web"])
    func clientsConnectWhenTheAddressIsThere(door: String) async throws {
        let (machine, other) = try NetworkNamespace.pair("10.77.4.1", "10.77.4.2")
        let (folder, late, port) = (try TemporaryFolder(), "10.77.4.9", UInt16(6_612))
        let listeners = "\"unix:\(folder.file("socket"))\"" + (door == "listen" ? ", \"tcp:\(late):\(port)\"" : "")
        let web = door == "web" ? "[web]\nlisten = [\"tcp:\(late):\(port)\"]\n" : ""
        let text = "listen = [\(listeners)]\nallow-anonymous = \"lan\"\n\(web)"
        let server = try await Segued.start(
            .toml(text + "[[output]]\nname = \"here\"\ntype = \"null\"\n"),
            in: folder,
            network: machine,
            waitsForLibrary: false
        )
        // It has opened its own socket before.
        try await server.process.waitForOutput("tcp:\(late):\(port) is no address of this machine yet")
        try machine.add(late)
        let client = LineClient(descriptor: try other.connect(late, port), of: server)
        if door == "web" { client.send("GET /api HTTP/1.0\r\n\r\n") }
        #expect(client.line().hasPrefix(door == "web" ? "HTTP/1." : "OK MPD"))
    }
}
