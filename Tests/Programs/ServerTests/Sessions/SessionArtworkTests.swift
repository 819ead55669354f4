import Foundation
import Glibc
import TestSupport
import TestThreads
import Testing

/// Artwork that sessions tell of: read for the client that tells, as it could have read it, and made small.
@Suite(.blocking, .enabled("the fixtures' tools are missing") { Music.missing.isEmpty })
struct SessionArtworkTests {
    private func picture(_ name: String, _ colour: String, in folder: TemporaryFolder) async throws -> [UInt8] {
        let path = folder.file(name)
        try await MediaFixtures.ffmpeg(["-f", "lavfi", "-i", "color=\(colour):size=900x600", "-frames:v", "1", path])
        return try FileBytes.read(path)
    }

    /// A session that is elected, on a connection of its own.
    private func session(_ client: LineClient) throws -> String {
        let id = try client.openSession("radio", "playback", playing: true)
        try client.order("session commands \(id) play pause")
        return id
    }

    /// The elected session's artwork as clients see it; `nil` while there is none.
    private func artwork(_ client: LineClient) throws -> String? { try client.values("session nowplaying")["artwork"] }

    /// Waits until a session's artwork is a JPEG file at most 512 pixels wide.
    private func waitForArtwork(_ client: LineClient, otherThan old: String? = nil) throws -> String {
        var found: String?
        try wait(for: "the artwork") {
            found = try artwork(client)
            return found != nil && found != old
        }
        let address = try #require(found)
        try #require(address.hasPrefix("file:///"))
        let bytes = try FileBytes.read(String(address.dropFirst(7)))
        #expect(bytes.starts(with: [0xff, 0xd8]) && bytes.count < 20_000)
        return address
    }

    /// Takes the changes that a client has not been told of yet.
    private func takeChanges(_ client: LineClient) throws {
        client.send("idle\nnoidle\n")
        _ = client.reply()
    }

    private func isThere(_ address: String) -> Bool { unsafe access(String(address.dropFirst(7)), F_OK) == 0 }

    @Test func filesAndAddressesAreMadeSmall() async throws {
        let folder = try TemporaryFolder()
        let (red, blue) = (
            try await picture("red.png", "red", in: folder), try await picture("blue.png", "blue", in: folder)
        )
        let web = try HostileServer { exchange in
            switch exchange.path {
            case "/blue.png": exchange.answer("200 OK", "image/png", blue)
            case "/page": exchange.answer("200 OK", "image/png", Array("<html>".utf8))
            case "/large": exchange.answer("200 OK", "image/png", blue, length: 11 << 20)
            default: exchange.answer("404 Not Found", "text/plain")
            }
        }
        let server = try await Segued.start(in: folder)
        let (client, listener) = (try server.connect(), try server.connect())
        let id = try session(client)
        try client.order("session nowplaying \(id) title x artwork \(folder.file("red.png"))")
        let first = try waitForArtwork(client)
        // The same file is another picture for the next song.
        try folder.write("red.png", blue)
        try client.order("session nowplaying \(id) title y artwork file://\(folder.file("red.png"))")
        let second = try waitForArtwork(client, otherThan: first)
        try wait(for: "the file before to go") { !isThere(first) }
        try folder.write("red.png", red)
        // The picture is fetched when a client asks for it, and clients are told when it has arrived.
        try client.order("session nowplaying \(id) title y artwork \(web.url("blue.png"))")
        #expect(web.state.current.requests.isEmpty)
        try takeChanges(listener)
        listener.send("idle session\n")
        #expect(try artwork(client) == nil)
        #expect(listener.reply() == ["changed: session", "OK"])
        let third = try waitForArtwork(client, otherThan: second)
        // An address with something else, with too much, or with nothing is asked once.
        for path in ["page", "large", "none", "page", "large", "none"] {
            let count = web.state.current.requests.count
            let isNew = !web.state.current.requests.contains { $0.contains("/\(path) ") }
            try client.order("session nowplaying \(id) title y artwork \(web.url(path))")
            try takeChanges(listener)
            listener.send("idle session\n")
            #expect(try artwork(client) == nil)
            if isNew {
                #expect(await web.state.wait(within: .patience) { $0.requests.count == count + 1 })
                // The server knows by then that it has failed.
                #expect(listener.reply() == ["changed: session", "OK"])
                try client.order("session nowplaying \(id) title y artwork \(web.url("blue.png"))")
                _ = try waitForArtwork(client, otherThan: third)
            } else {
                listener.send("noidle\n")
                _ = listener.reply()
            }
        }
        #expect(web.state.current.requests.filter { !$0.contains("/blue.png ") }.count == 3)
        try client.order("session nowplaying \(id) title y artwork \(web.url("blue.png"))")
        let last = try waitForArtwork(client, otherThan: third)
        // Told again with another position, it stays as it is.
        let count = web.state.current.requests.count
        try client.order("session nowplaying \(id) title y elapsed 7 artwork \(web.url("blue.png"))")
        #expect(try artwork(client) == last && web.state.current.requests.count == count)
        try client.order("session close \(id)")
        try wait(for: "the file to go") { !isThere(last) }
    }

    /// A client of the network has no files read, and no address fetched that it could not have fetched itself.
    @Test func whatAClientCouldNotReadIsNotReadForIt() async throws {
        let folder = try TemporaryFolder()
        _ = try await picture("red.png", "red", in: folder)
        let web = try HostileServer { $0.answer("200 OK", "text/plain", Array("x".utf8)) }
        let server = try await Segued.start(
            .toml(
                """
                listen = ["unix:\(folder.file("socket"))"]
                local-permissions = ["read", "player"]
                [[output]]
                name = "null"
                type = "null"
                """
            ),
            in: folder
        )
        let client = try server.connect()
        let id = try session(client)
        // Without the permission for URLs none is fetched.
        try client.order("session nowplaying \(id) title x artwork \(web.url("red.png"))")
        #expect(try artwork(client) == nil)
        try client.order("session nowplaying \(id) title x artwork \(folder.file("red.png"))")
        _ = try waitForArtwork(client)
        #expect(web.state.current.requests.isEmpty)
        for odd in ["/dev/zero", folder.path, folder.file("none"), "relative.png", "gopher://x/a", "file://host/a.png"]
        {
            try client.order("session nowplaying \(id) title \(odd) artwork \(odd)")
            #expect(try artwork(client) == nil)
        }
    }
}
