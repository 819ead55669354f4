import AudioTypes
import Foundation
import HTTP
import TestSupport
import TestThreads
import Testing
import Threads

@testable import HLS
@testable import Segments

/// Presentations with an end whose server fails.
@Suite(.blocking, .timeLimit(.minutes(5)), .enabled(if: isEquipped, "needs nginx and ffmpeg")) struct FaultTests {
    private func file(_ folder: String, _ name: String) throws -> [UInt8] { try FileBytes.read("\(folder)/\(name)") }

    @Test(arguments: [WebServer.Fault.missing, .forbidden, .broken, .closed])
    func aSegmentThatCannotBeFetchedIsAGap(fault: WebServer.Fault) async throws {
        let server = try await WebServer.start()
        let folder = try await NetworkMaterial.segments(.ts, seconds: 9)
        try server.publish(folder: folder, as: "vod")
        try server.fail("vod/2.ts", with: fault)
        let listening = Listening(server.url("vod/index.m3u8"))
        #expect(try await listening.waitForEnd() == nil)
        #expect(listening.reasons == [.start, .gap])
        let parts = listening.state.current.parts
        #expect(parts[0].bytes == (try file(folder, "0.ts")) + (try file(folder, "1.ts")))
        #expect(parts[1].bytes == (try file(folder, "3.ts")) + (try file(folder, "4.ts")))
        #expect(abs(parts[1].part.startTime - 6.016) < 0.01)
        let failure = try #require(listening.failures.first)
        #expect(failure.uri == server.url("vod/2.ts"))
        #expect(failure.isFinal == false)
        if fault == .missing { #expect(failure.statusCode == 404) }
    }

    @Test func aSegmentThatIsMissingForAMomentIsNoGap() async throws {
        let server = try await WebServer.start()
        let folder = try await NetworkMaterial.segments(.ts, seconds: 18, segment: 6)
        try server.publish(folder: folder, as: "vod")
        try server.fail("vod/2.ts", with: .unavailable)
        let listening = Listening(server.url("vod/index.m3u8"))
        try await listening.wait("a failure") { state in
            state.events.contains { if case .failed = $0 { true } else { false } }
        }
        server.mend("vod/2.ts")
        #expect(try await listening.waitForEnd() == nil)
        #expect(listening.reasons == [.start])
        #expect(try secondsHeard(listening).faults() == [])
        #expect(
            listening.connections.contains { if case .reconnecting(let wait) = $0 { wait.attempt == 1 } else { false } }
        )
    }

    /// A server that sends part of a segment and breaks off, with ranges and without.
    @Test(arguments: [true, false])
    func aSegmentThatBreaksOffIsReadOn(hasRanges: Bool) async throws {
        let folder = try await NetworkMaterial.segments(.fmp4, seconds: 4)
        let names = ["init.mp4", "0.m4s", "1.m4s"]
        let bytes = try Dictionary(uniqueKeysWithValues: names.map { ($0, try file(folder, $0)) })
        let list = try String(decoding: file(folder, "index.m3u8"), as: UTF8.self)
        let tries = Watched<[String: Int]>([:])
        let server = try HostileServer { exchange in
            let name = String(exchange.path.dropFirst())
            guard let body = bytes[name] else { return exchange.answer("200 OK", "text/plain", Array(list.utf8)) }
            let attempt = tries.withLock { tries in
                tries[name, default: 0] += 1
                return tries[name] ?? 0
            }
            let range = exchange.head.range(of: "Range: bytes=").map { exchange.head[$0.upperBound...] }
            let first = hasRanges ? range.flatMap { Int($0.prefix { $0.isNumber }) } ?? 0 : 0
            // Each attempt gets a third further.
            let end = min(body.count, body.count * attempt / 3 + 1)
            let rest = Array(body[first..<max(first, end)])
            guard hasRanges, first > 0 else {
                return exchange.answer("200 OK", "video/mp4", rest, length: body.count, headers: ["ETag: \"\(name)\""])
            }
            exchange.answer(
                "206 Partial Content",
                "video/mp4",
                rest,
                length: body.count - first,
                headers: ["Content-Range: bytes \(first)-\(body.count - 1)/\(body.count)", "ETag: \"\(name)\""]
            )
        }
        let listening = Listening(server.url("index.m3u8"))
        #expect(try await listening.waitForEnd() == nil)
        #expect(listening.reasons == [.start])
        #expect(listening.bytes == names.flatMap { bytes[$0] ?? [] })
    }

    @Test func aSegmentThatHasChangedIsNotSpliced() async throws {
        let folder = try await NetworkMaterial.segments(.ts, seconds: 4)
        let bytes = try file(folder, "0.ts")
        let count = Watched(0)
        let server = try HostileServer { exchange in
            guard exchange.path.hasSuffix(".ts") else {
                let list = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n0.ts\n#EXTINF:1,\n1.ts\n#EXT-X-ENDLIST\n"
                return exchange.answer("200 OK", "text/plain", Array(list.utf8))
            }
            guard exchange.path == "/0.ts" else { return exchange.answer("200 OK", "video/mp2t", bytes) }
            let number = count.withLock { count in
                count += 1
                return count
            }
            let half = Array(bytes[..<(bytes.count / 2)])
            exchange.answer("200 OK", "video/mp2t", half, length: bytes.count, headers: ["ETag: \"\(number)\""])
        }
        let listening = Listening(server.url("index.m3u8"))
        #expect(try await listening.waitForEnd() == nil)
        #expect(listening.reasons == [.start, .gap])
        #expect(listening.state.current.parts[1].bytes == bytes)
        #expect(listening.failures.contains { $0.comment == "it has changed on the server" })
    }

    @Test func aServerThatIsAwayIsWaitedFor() async throws {
        let server = try await WebServer.start()
        let folder = try await NetworkMaterial.segments(.ts, seconds: 9)
        try server.publish(folder: folder, as: "vod")
        let (gate, listening) = Listening.gated(server.url("vod/index.m3u8"), after: 12)
        try await listening.waitForBytes(40_000)
        server.stop()
        gate.withLock { $0 = true }
        try await listening.wait("a wait") { state in
            state.events.contains {
                if case .changed(let status) = $0, case .reconnecting(let wait) = status.connection {
                    wait.attempt >= 2
                } else {
                    false
                }
            }
        }
        try await server.start()
        #expect(try await listening.waitForEnd() == nil)
        #expect(listening.reasons == [.start])
        #expect(try secondsHeard(listening).faults() == [])
        #expect(listening.failures.contains { $0.comment == "connection refused" })
    }

    @Test func theLimitEndsTheWaiting() async throws {
        let server = try await WebServer.start()
        try server.publish(folder: try await NetworkMaterial.segments(.ts, seconds: 9), as: "vod")
        var options = StreamOptions()
        options.reconnectLimit = 0.3
        let gate = Watched(false)
        let listening = Listening(server.url("vod/index.m3u8"), options, chunk: 4096) {
            _ = gate.waitBlocking(within: .patience) { $0 }
        }
        try await listening.wait("a part") { !$0.parts.isEmpty }
        server.stop()
        gate.withLock { $0 = true }
        #expect(try await listening.waitForEnd() == "a segment: connection refused")
        #expect(listening.failures.last?.isFinal == true)
    }

    @Test func whereNothingIsThereItFails() async throws {
        let server = try await WebServer.start()
        let list = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n" + (0..<20).map { "#EXTINF:1,\n\($0).ts\n" }.joined()
        try server.publish(text: list + "#EXT-X-ENDLIST\n", as: "index.m3u8")
        let end = try await Listening(server.url("index.m3u8")).waitForEnd()
        #expect(end == "no segment could be fetched: the server says 404 Not Found")
        // The first is tried for a second, the others once.
        try await server.waitForRequests { $0.contains { $0.path == "/19.ts" } }
        #expect(server.requests(of: "19.ts").count == 1)
        for index in 0..<20 { try server.publish(text: "<html>sorry</html>", as: "\(index).ts") }
        let words = try await Listening(server.url("index.m3u8")).waitForEnd()
        #expect(words == "a segment is neither a transport stream nor MP4 nor WebM nor packed audio")
        #expect(server.requests(of: "19.ts").count == 1)
    }

    /// Where one after the other is missing it is the server, and what was left out is read after all.
    @Test(arguments: [WebServer.Fault.missing, .forbidden], [1, 3])
    func whereManyAreMissingTheyAreWaitedFor(fault: WebServer.Fault, first: Int) async throws {
        let server = try await WebServer.start()
        let folder = try await NetworkMaterial.segments(.ts, seconds: 9)
        try server.publish(folder: folder, as: "vod")
        for number in first...4 { try server.fail("vod/\(number).ts", with: fault) }
        let listening = Listening(server.url("vod/index.m3u8"))
        try await listening.wait("a wait") { state in
            state.end != nil
                || state.events.contains {
                    if case .changed(let status) = $0, case .reconnecting(let wait) = status.connection {
                        wait.attempt >= 2
                    } else {
                        false
                    }
                }
        }
        for number in first...4 { server.mend("vod/\(number).ts") }
        #expect(try await listening.waitForEnd() == nil)
        #expect(listening.reasons == [.start, .gap])
        #expect(listening.bytes == (try (0..<5).flatMap { try file(folder, "\($0).ts") }))
        let start = try #require(listening.state.current.parts.last?.part.startTime)
        #expect(abs(start - 2 * Double(first)) < 0.1)
    }

    @Test(arguments: [1, 3], [0, 0.5]) func anEndThatIsMissingIsAFailure(first: Int, limit: Double) async throws {
        let server = try await WebServer.start()
        try server.publish(folder: try await NetworkMaterial.segments(.ts, seconds: 9), as: "vod")
        for number in first...4 { try server.fail("vod/\(number).ts", with: .missing) }
        var options = StreamOptions()
        options.reconnectLimit = limit
        let listening = Listening(server.url("vod/index.m3u8"), options)
        #expect(try await listening.waitForEnd() == "a segment: the server says 404 Not Found")
        #expect(listening.failures.last?.isFinal == true)
        #expect(listening.connections.last != .complete)
    }

    /// What breaks in the server is left out, but an end without it is none.
    @Test func anEndThatBreaksIsAFailure() async throws {
        let server = try await WebServer.start()
        try server.publish(folder: try await NetworkMaterial.segments(.ts, seconds: 9), as: "vod")
        try server.fail("vod/4.ts", with: .broken)
        let end = try await Listening(server.url("vod/index.m3u8")).waitForEnd()
        #expect(end == "a segment: the server says 500 Internal Server Error")
    }

    /// Some authors list what rounding left over, and have no segment for it.
    @Test func aRemainderThatIsMissingIsNoLoss() async throws {
        let server = try await WebServer.start()
        let folder = try await NetworkMaterial.segments(.ts, seconds: 9)
        try server.publish(folder: folder, as: "vod")
        let list = String(decoding: try file(folder, "index.m3u8"), as: UTF8.self)
        let longer = list.replacingOccurrences(of: "#EXT-X-ENDLIST", with: "#EXTINF:0.3,\n9.ts\n#EXT-X-ENDLIST")
        try server.publish(text: longer, as: "vod/index.m3u8")
        let listening = Listening(server.url("vod/index.m3u8"))
        #expect(try await listening.waitForEnd() == nil)
        #expect(listening.failures.allSatisfy { $0.uri == server.url("vod/9.ts") && !$0.isFinal })
    }

    @Test func aVariantWithoutAPlaylistIsReplaced() async throws {
        let server = try await WebServer.start()
        try server.publish(folder: try await NetworkMaterial.variants([48, 128], seconds: 4), as: "vod")
        try server.fail("vod/128/index.m3u8", with: .missing)
        let listening = Listening(server.url("vod/index.m3u8"))
        #expect(try await listening.waitForEnd() == nil)
        #expect(listening.state.current.parts.first?.part.indicatedBitRate == 52_800)
        #expect(try secondsHeard(listening).faults() == [])
    }

    @Test func anInterruptIsHeardAtOnceAndLosesNothing() async throws {
        let server = try await WebServer.start()
        let folder = try await NetworkMaterial.segments(.ts, seconds: 9)
        try server.publish(folder: folder, as: "vod")
        let url = server.url("vod/index.m3u8")
        let interrupt = Interrupt()
        let client = HTTPClient(HTTPOptions(), interrupt: interrupt) { _ in }
        let document = try client.fetch(url, atMost: 1 << 20)
        let session = SegmentSession(
            HLSPlaylists(PresentationRequest(document, url: url, client: client)),
            client: client,
            options: StreamOptions(),
            decryptor: OpenSSLDecryptor.Factory(),
            report: { _ in }
        )
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1000)
        var parts = 0
        /// Runs it with the interrupt raised, which must end it, and then without.
        func twice<Value>(_ body: () throws(SegmentError) -> Value) throws -> Value {
            let number = interrupt.raise()
            if case .success(let value) = Result(catching: body) {
                interrupt.lower(to: number)
                return value
            }
            interrupt.lower(to: number)
            return try body()
        }
        _ = try twice { () throws(SegmentError) in try session.open() }
        while try twice({ () throws(SegmentError) in try session.nextPart() }) != nil {
            parts += 1
            while true {
                let count = try twice { () throws(SegmentError) -> Int in
                    let outcome = unsafe buffer.withUnsafeMutableBytes { bytes in
                        Result { () throws(SegmentError) in try unsafe session.read(into: bytes) }
                    }
                    return try outcome.get()
                }
                guard count > 0 else { break }
                bytes += buffer[..<count]
            }
        }
        #expect(parts == 1)
        #expect(bytes == (try (0..<5).flatMap { try file(folder, "\($0).ts") }))
    }

    /// Locations that are good for a while, as those of many podcasts are.
    @Test func whatHasExpiredIsAskedForAnew() async throws {
        let folder = try await NetworkMaterial.segments(.fmp4, seconds: 9)
        let names = ["init.mp4"] + (0..<5).map { "\($0).m4s" }
        let bytes = try Dictionary(uniqueKeysWithValues: names.map { ($0, try file(folder, $0)) })
        let valid = Watched(1)
        let server = try HostileServer { exchange in
            let parts = exchange.path.dropFirst().split(separator: "?").map(String.init)
            let now = valid.current
            if let body = bytes[parts[0]] {
                let isValid = parts.last == "t=\(now)"
                return exchange.answer(isValid ? "200 OK" : "403 Forbidden", "video/mp4", isValid ? body : [])
            }
            if parts[0] == "index.m3u8" {
                let text = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nlist.m3u8?t=\(now)\n"
                return exchange.answer("200 OK", "text/plain", Array(text.utf8))
            }
            var text = "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-MAP:URI=\"init.mp4?t=\(now)\"\n"
            for number in 0..<5 { text += "#EXTINF:2,\n\(number).m4s?t=\(now)\n" }
            exchange.answer("200 OK", "text/plain", Array((text + "#EXT-X-ENDLIST\n").utf8))
        }
        let (gate, listening) = Listening.gated(server.url("index.m3u8"), after: 4)
        try await listening.wait("a part") { !$0.parts.isEmpty }
        listening.order { $0.freshness = 0 }
        valid.withLock { $0 = 2 }
        gate.withLock { $0 = true }
        #expect(try await listening.waitForEnd() == nil)
        let segments = (0..<5).flatMap { bytes["\($0).m4s"] ?? [] }
        let initialization = bytes["init.mp4"] ?? []
        #expect(listening.bytes.count == segments.count + 2 * initialization.count)
        // The new location of the initialisation is another one as far as anybody can know.
        #expect(listening.reasons == [.start, .format])
        #expect(Set(listening.state.current.parts.map(\.part.timeline)).count == 1)
    }
}
