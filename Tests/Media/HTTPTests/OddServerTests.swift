import AudioTypes
import Foundation
import HTTP
import TestSupport
import TestThreads
import Testing

/// Servers of media with an end that break off, send parts as they like, or say less than others.
@Suite(.blocking) struct OddServerTests {
    private static let bytes = pattern(400_000)

    /// What one request asks for.
    private struct Wanted {
        var first: Int
        var last: Int
        /// How many requests came before.
        var number: Int
    }

    /// A server of `bytes`; counts what it is asked for.
    private func server(
        _ answer: @escaping @Sendable (HostileServer.Exchange, Wanted) -> Void
    ) throws -> HostileServer {
        let count = Watched(0)
        return try HostileServer { exchange in
            let number = count.withLock { count in
                count += 1
                return count - 1
            }
            let range = exchange.head.firstMatch(of: /(?i)range: bytes=(\d+)-(\d*)/)
            let first = range.flatMap { Int($0.output.1) } ?? 0
            let last = range.flatMap { Int($0.output.2) } ?? .max
            answer(exchange, Wanted(first: first, last: min(last, Self.bytes.count - 1), number: number))
        }
    }

    /// How a part comes that was asked for.
    enum Part: CaseIterable {
        /// The connection breaks after 40,000 bytes.
        case broken
        /// No more than 16 KiB of it, and the server says so.
        case small
        /// As `small`, and with what lies before it from a multiple of 4 KiB on.
        case aligned
    }

    private func server(of part: Part) throws -> HostileServer {
        try server { exchange, wanted in
            let start = part == .aligned ? wanted.first & ~4_095 : wanted.first
            let end = part == .broken ? wanted.last + 1 : min(wanted.last + 1, start + 16_384)
            let body = Self.bytes[start..<(part == .broken ? min(end, start + 40_000) : end)]
            exchange.answer(
                "206 Partial Content",
                "audio/mp4",
                Array(body),
                length: end - start,
                headers: ["Content-Range: bytes \(start)-\(end - 1)/\(Self.bytes.count)"]
            )
        }
    }

    /// Also beside the reading, where a part is wanted in full.
    @Test(arguments: Part.allCases) func partsArePutTogether(part: Part) async throws {
        let server = try server(of: part)
        let url = server.url("x")
        try await onThread {
            let source = source(url, StreamOptions(http: HTTPOptions(), reconnectLimit: 10))
            _ = try source.open()
            #expect(try source.next(exactly: 1_001) == Array(Self.bytes[..<1_001]))
            #expect(try source.bytes(at: 150_001, count: 100_000) == Array(Self.bytes[150_001..<250_001]))
            source.seek(to: Self.bytes.count - 50_000)
            #expect(try source.next(exactly: 50_000) == Array(Self.bytes.suffix(50_000)))
            source.seek(to: 1_001)
            #expect(try source.rest() == Array(Self.bytes[1_001...]))
        }
        #expect(server.state.current.requests.count < 60)
    }

    /// What is read once more is no progress: neither where it is dropped, nor where nothing follows.
    @Test(arguments: [(false, 200_000), (true, 200_000), (true, 0)])
    func whoAlwaysBreaksAtTheSamePlaceIsGivenUp(hasRanges: Bool, place: Int) async throws {
        let server = try server { exchange, wanted in
            guard wanted.number < 40 else { return exchange.answer("404 Not Found") }
            let start = hasRanges ? wanted.first : 0
            let range = "Content-Range: bytes \(start)-\(wanted.last)/\(Self.bytes.count)"
            exchange.answer(
                hasRanges ? "206 Partial Content" : "200 OK",
                "audio/mpeg",
                start < place ? Array(Self.bytes[start..<place]) : [],
                length: Self.bytes.count - start,
                headers: hasRanges ? [range] : ["Accept-Ranges: none"]
            )
        }
        let url = server.url("x")
        let reports = Reports()
        let found = try await onThread {
            let source = source(url, StreamOptions(http: HTTPOptions(), reconnectLimit: 2), reports)
            _ = try source.open()
            return failure { () throws(HTTPError) in try source.rest() }
        }
        #expect(found == .closedEarly)
        // Back after each of them it never was.
        #expect(reports.connections.count { $0 == .connected } == 1)
    }

    /// The same part again and again, whatever was asked for.
    @Test func whoNeverComesFurtherIsGivenUp() async throws {
        let server = try server { exchange, wanted in
            guard wanted.number < 40 else { return exchange.answer("404 Not Found") }
            let range = "Content-Range: bytes 0-16383/\(Self.bytes.count)"
            exchange.answer("206 Partial Content", "audio/mpeg", Array(Self.bytes[..<16_384]), headers: [range])
        }
        let url = server.url("x")
        let found = try await onThread {
            let source = source(url, StreamOptions(http: HTTPOptions(), reconnectLimit: 2))
            _ = try source.open()
            return failure { () throws(HTTPError) in try source.rest() }
        }
        #expect(found == .closedEarly)
    }

    /// Where the size is not said, a part behind the end tells it.
    @Test(arguments: ["*/400000", nil, "*/500000", "*/300000"] as [String?])
    func theEndOfAnUnknownSizeIsFound(said: String?) async throws {
        let server = try server { exchange, wanted in
            guard wanted.first < Self.bytes.count else {
                let headers = said.map { ["Content-Range: bytes \($0)"] } ?? []
                return exchange.answer("416 Range Not Satisfiable", headers: headers)
            }
            exchange.answer(
                "206 Partial Content",
                "audio/mpeg",
                Array(Self.bytes[wanted.first...wanted.last]),
                headers: ["Content-Range: bytes \(wanted.first)-\(wanted.last)/*"]
            )
        }
        let url = server.url("x")
        let reports = Reports()
        let found = try await onThread {
            let source = source(url, StreamOptions(), reports)
            _ = try source.open()
            let bytes = try source.next(exactly: Self.bytes.count)
            #expect(bytes == Self.bytes)
            return failure { () throws(HTTPError) in try #expect(source.next() == []) }
        }
        switch said {
        case "*/500000": #expect(found == .status(416, "Range Not Satisfiable"))
        case "*/300000": #expect(found == .changed)
        default: #expect(found == nil)
        }
        if found == nil {
            #expect(reports.failures.isEmpty)
            #expect(reports.connections.last == .complete)
        }
    }

    /// Although the client has not asked for that.
    @Test(arguments: [200, 206]) func aPackedBodyIsUnpacked(status: Int) async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("a", Self.bytes)
        try ChildProcess.run("gzip", [path])
        let packed = Array(try Data(contentsOf: URL(fileURLWithPath: path + ".gz")))
        let server = try server { exchange, wanted in
            let isPart = status == 206 && wanted.last > 0
            let range = "Content-Range: bytes 0-\(packed.count - 1)/\(packed.count)"
            exchange.answer(
                isPart ? "206 Partial Content" : "200 OK",
                "audio/flac",
                packed,
                headers: ["Content-Encoding: gzip", "Accept-Ranges: bytes"] + (isPart ? [range] : [])
            )
        }
        let url = server.url("x")
        let reports = Reports()
        try await onThread {
            let source = source(url, StreamOptions(), reports)
            _ = try source.open()
            #expect(!source.isLive)
            #expect(!source.isSeekable)
            #expect(try source.rest() == Self.bytes)
            #expect(source.size == Self.bytes.count)
        }
        #expect(reports.failures.isEmpty)
    }

    /// What is no encoding says nothing.
    @Test(arguments: ["identity", "binary", "UTF-8", "none"]) func noPacking(_ name: String) async throws {
        let server = try server { exchange, _ in
            exchange.answer("200 OK", "audio/mpeg", Self.bytes, headers: ["Content-Encoding: \(name)"])
        }
        let url = server.url("x")
        try await onThread {
            let source = source(url)
            let head = try source.open()
            #expect(head.size == Self.bytes.count)
            let bytes = try source.rest()
            #expect(bytes == Self.bytes)
        }
        #expect(server.state.current.requests.count == 1)
    }

    // MARK: The account

    /// A request has ended when the last byte has come, and not when its last owner lets go of it.
    @Test func aRequestEndsWithTheLastByte() async throws {
        let server = try server { exchange, _ in
            exchange.answer("200 OK", "audio/mpeg", Self.bytes, headers: ["Accept-Ranges: bytes"])
        }
        let url = server.url("x")
        let reports = Reports()
        try await onThread {
            let source = source(url, StreamOptions(), reports)
            _ = try source.open()
            #expect(try source.next(exactly: 50_000).count == 50_000)
            // What has come until now is told.
            #expect(reports.progress >= 50_000)
            #expect(reports.transfers.isEmpty)
            #expect(try source.rest().count == 350_000)
            #expect(reports.transfers.map(\.bytes) == [Self.bytes.count])
        }
    }

    /// One that is given up is told, too.
    @Test func aRequestThatIsDroppedIsTold() async throws {
        let server = try server { exchange, _ in exchange.answer("200 OK", "audio/mpeg", Self.bytes) }
        let url = server.url("x")
        let reports = Reports()
        try await onThread {
            let source = source(url, StreamOptions(), reports)
            _ = try source.open()
            _ = try source.next()
        }
        #expect(reports.transfers.count == 1)
    }
}

extension Reports {
    /// Bytes that have come, as was told last.
    fileprivate var progress: Int {
        all.compactMap { if case .progressed(let transfer) = $0 { transfer.bytes } else { nil } }.last ?? 0
    }
}
