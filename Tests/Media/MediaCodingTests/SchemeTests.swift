import AudioTypes
import Glibc
import HTTP
import MediaCoding
import TestSupport
import Testing
import Threads

/// What may be opened by which kind of address.
@Suite(.enabled("ffmpeg or lame is not installed") { MediaFixtures.missing.isEmpty })
struct SchemeTests {
    private static func open(_ location: String) throws -> MediaInfo {
        var context = StreamContext()
        context.options.reconnectLimit = 0
        return try MediaReader.open(MediaEntry(location: location), interrupt: Interrupt(), stream: context).info
    }

    private static func reason(_ location: String) -> MediaError.Reason? {
        do {
            _ = try open(location)
            return nil
        } catch {
            return (error as? MediaError)?.reason
        }
    }

    /// Answers any request with a document, as gopher does (RFC 1436).
    private static func server(_ document: [UInt8]) throws -> Listener {
        try Listener { client in
            var request = [UInt8](repeating: 0, count: 1024)
            _ = unsafe read(client, &request, request.count)
            _ = unsafe send(client, document, document.count, Int32(MSG_NOSIGNAL))
            close(client)
        }
    }

    @Test(arguments: [
        "concat:///etc/hosts", "pipe://0", "unix:///tmp/socket", "cache://http://h/", "async://file:///etc/hosts",
        "crypto+file:///etc/hosts", "subfile://x", "nonsense://h/x",
    ])
    func nothingIsPlayedFrom(_ location: String) {
        #expect(Self.reason(location) == .unknownScheme)
    }

    /// What cannot be fetched because libavformat was built without it is said to be that.
    @Test func protocolsThatAreMissingAreNamed() {
        let isThere = MediaCatalog.protocols.contains("rtmpe")
        let reason = Self.reason("rtmpe://127.0.0.1:1/live/a")
        #expect((reason == .missingProtocol) == !isThere, "\(String(describing: reason))")
    }

    @Test func whatNobodySendsIsAProblemOfTheNetwork() throws {
        let port = try steadyPort()
        #expect(Self.reason("srt://127.0.0.1:\(port)") == .network(HTTPError(.connecting(code: 0))))
        #expect(Self.reason("rtmp://127.0.0.1:\(port)/a/b") == .network(HTTPError(.connecting(code: ECONNREFUSED))))
        #expect(Self.reason("rtsp://127.0.0.1:\(port)/a") == .network(HTTPError(.connecting(code: ECONNREFUSED))))
    }

    @Test func aFileFromElsewhereEnds() async throws {
        let path = try await MediaFixtures.position(.mp3, seconds: 2)
        let server = try Self.server(FileBytes.read(path))
        let info = try Self.open("gopher://127.0.0.1:\(server.port)/9/a")
        #expect(info.container == "mp3")
    }

    /// Lists that libavformat understands by itself lead to nothing of this machine.
    @Test func whatIsFetchedOpensNoFiles() async throws {
        let path = try await MediaFixtures.position(.mp3, seconds: 2)
        for place in [path, "file:\(path)", "file://\(path)", "concat:\(path)", "subfile,,start,0,end,0,,:\(path)"] {
            for text in [
                "ffconcat version 1.0\nfile '\(place)'\n",
                "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\n\(place)\n#EXT-X-ENDLIST\n",
            ] {
                let server = try Self.server(Array(text.utf8))
                let reason = Self.reason("gopher://127.0.0.1:\(server.port)/9/list.m3u8")
                #expect(reason != nil, "\(text)")
            }
        }
    }
}
