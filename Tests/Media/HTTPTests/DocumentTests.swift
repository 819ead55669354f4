import Foundation
import HTTP
import TestSupport
import TestThreads
import Testing

/// Playlists and the like: small, in full, perhaps packed.
@Suite(.blocking) struct DocumentTests {
    /// Half a megabyte of zeros for each byte that is sent, nearly.
    private static func packed(_ bytes: Int) throws -> [UInt8] {
        let folder = try TemporaryFolder()
        let path = try folder.write("zeros", [UInt8](repeating: 0, count: bytes))
        try ChildProcess.run("gzip", ["-9", path])
        return Array(try Data(contentsOf: URL(fileURLWithPath: path + ".gz")))
    }

    @Test func aPackedDocumentIsUnpacked() async throws {
        let body = try Self.packed(100_000)
        let server = try HostileServer { exchange in
            #expect(exchange.head.contains("gzip"))
            exchange.answer("200 OK", "audio/x-mpegurl", body, headers: ["Content-Encoding: gzip"])
        }
        let url = server.url("list")
        let document = try await onThread { try client().fetch(url, atMost: 100_000) }
        #expect(document.bytes == [UInt8](repeating: 0, count: 100_000))
        #expect(document.head.contentType == "audio/x-mpegurl")
        #expect(document.head.size == nil)
    }

    @Test func aBombIsDefused() async throws {
        let body = try Self.packed(64 << 20)
        #expect(body.count < 1 << 17)
        let server = try HostileServer {
            $0.answer("200 OK", "audio/x-mpegurl", body, headers: ["Content-Encoding: gzip"])
        }
        let url = server.url("list")
        let found = try await onThread { failure { () throws(HTTPError) in try client().fetch(url, atMost: 1 << 20) } }
        #expect(found == .tooLarge)
    }

    @Test(arguments: [(10, nil), (9, .tooLarge), (11, nil)] as [(Int, HTTPError.Kind?)])
    func theBoundIsExact(limit: Int, expected: HTTPError.Kind?) async throws {
        let server = try HostileServer { $0.answer("200 OK", "text/plain", Array("0123456789".utf8)) }
        let url = server.url("list")
        let found = try await onThread { failure { () throws(HTTPError) in try client().fetch(url, atMost: limit) } }
        #expect(found == expected)
    }

    /// A byte now and then, for ever.
    @Test func aTrickleIsGivenUp() async throws {
        let server = try HostileServer { exchange in
            exchange.send("HTTP/1.1 200 OK\r\n\r\n")
            while exchange.pause(0.1), exchange.send("x") {}
        }
        let url = server.url("list")
        let found = try await onThread {
            failure { () throws(HTTPError) in try client(.impatient()).fetch(url, atMost: 1 << 20) }
        }
        #expect(found == .slow)
    }

    /// A stream that never ends, where a list was expected.
    @Test func theEndlessIsNotTaken() async throws {
        let server = try HostileServer { exchange in
            exchange.send("HTTP/1.1 200 OK\r\n\r\n")
            while exchange.send([UInt8](repeating: 1, count: 65_536)) {}
        }
        let url = server.url("list")
        let found = try await onThread { failure { () throws(HTTPError) in try client().fetch(url, atMost: 1 << 20) } }
        #expect(found == .tooLarge)
    }
}
