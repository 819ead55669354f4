import AudioTypes
import Foundation
import HTTP
import TestSupport
import TestThreads
import Testing

@testable import HLS
@testable import Segments

/// Live streams, whose playlist goes on by hand.
@Suite(.blocking, .timeLimit(.minutes(5)), .enabled(if: isEquipped, "needs nginx and ffmpeg")) struct LiveTests {
    /// A stream of segments of one second; and the bytes of each.
    private func stream(
        on server: WebServer,
        window: Int = 4,
        encodings: Int = 1
    ) async throws -> (live: HLSLive, segments: [[UInt8]]) {
        var folders: [String] = []
        for rate in [48_000, 44_100].prefix(encodings) {
            folders.append(try await NetworkMaterial.segments(.ts, seconds: 20, segment: 1, sampleRate: rate))
        }
        let live = try HLSLive(folders, on: server, window: window)
        let segments = try folders.flatMap { folder in try (0..<20).map { try FileBytes.read("\(folder)/\($0).ts") } }
        return (live, segments)
    }

    private func listen(_ live: HLSLive, _ options: StreamOptions = StreamOptions()) -> Listening {
        Listening(live.url, options)
    }

    @Test func itBeginsNearTheEdgeAndGoesOn() async throws {
        let server = try await WebServer.start()
        let (live, segments) = try await stream(on: server, window: 8)
        let listening = listen(live)
        // A target duration of 2 s: 6 s before the end of 0 to 7.
        let first = segments[1...7].joined()
        try await listening.waitForBytes(first.count)
        #expect(listening.state.current.presentation?.isLive == true)
        #expect(listening.state.current.presentation?.duration == nil)
        for _ in 0..<3 { try live.publishNext() }
        let all = segments[1...10].joined()
        try await listening.waitForBytes(all.count)
        try live.end()
        #expect(try await listening.waitForEnd() == nil)
        #expect(listening.bytes == Array(all))
        #expect(listening.reasons == [.start])
        #expect(listening.state.current.parts[0].part.startTime == 0)
    }

    @Test(arguments: [WebServer.Fault.missing, .unavailable, .closed])
    func aPlaylistThatIsAwayComesBack(fault: WebServer.Fault) async throws {
        let server = try await WebServer.start()
        let (live, segments) = try await stream(on: server)
        let listening = listen(live)
        try await listening.waitForBytes(segments[0...3].joined().count)
        try server.fail(live.path, with: fault)
        try await listening.wait("a wait") { state in
            state.events.contains {
                if case .changed(let status) = $0, case .reconnecting(let wait) = status.connection {
                    wait.attempt >= 2
                } else {
                    false
                }
            }
        }
        try live.publishNext()
        try live.publishNext()
        server.mend(live.path)
        let all = segments[0...5].joined()
        try await listening.waitForBytes(all.count)
        try live.end()
        #expect(try await listening.waitForEnd() == nil)
        #expect(listening.bytes == Array(all))
        #expect(listening.reasons == [.start])
        #expect(listening.connections.contains(.connected))
    }

    @Test func aPlaylistThatWentOnWithoutUsIsTakenUpAtItsEdge() async throws {
        let server = try await WebServer.start()
        let (live, segments) = try await stream(on: server)
        let listening = listen(live)
        try await listening.waitForBytes(segments[0...3].joined().count)
        server.stop()
        try await listening.wait("a failure") { state in
            state.events.contains { if case .failed = $0 { true } else { false } }
        }
        for _ in 0..<8 { try live.publishNext() }
        try await server.start()
        // 8 to 11 are there; 6 s are more than that.
        try await listening.waitForBytes(segments[0...3].joined().count + segments[8...11].joined().count)
        try live.end()
        #expect(try await listening.waitForEnd() == nil)
        #expect(listening.reasons == [.start, .gap])
        let part = listening.state.current.parts[1]
        #expect(part.bytes == Array(segments[8...11].joined()))
        #expect(abs(part.part.startTime - 8) < 0.2)
        #expect(listening.failures.contains { $0.domain == "HLS" })
    }

    @Test func aSegmentThatNeverComesIsLeftOut() async throws {
        let server = try await WebServer.start()
        let (live, segments) = try await stream(on: server)
        let listening = listen(live)
        try await listening.waitForBytes(segments[0...3].joined().count)
        live.loseNext()
        try live.publishNext()
        try live.publishNext()
        let heard = segments[0...3].joined().count + segments[5].count
        try await listening.waitForBytes(heard)
        try live.end()
        #expect(try await listening.waitForEnd() == nil)
        #expect(listening.reasons == [.start, .gap])
        #expect(listening.state.current.parts[1].bytes == segments[5])
        #expect(listening.failures.allSatisfy { $0.statusCode == 404 })
    }

    @Test func anotherEncodingIsADiscontinuity() async throws {
        let server = try await WebServer.start()
        let (live, segments) = try await stream(on: server, encodings: 2)
        let listening = listen(live)
        try await listening.waitForBytes(segments[0...3].joined().count)
        live.change()
        for _ in 0..<2 { try live.publishNext() }
        let all = Array(segments[0...3].joined()) + segments[24] + segments[25]
        try await listening.waitForBytes(all.count)
        try live.end()
        #expect(try await listening.waitForEnd() == nil)
        #expect(listening.reasons == [.start, .discontinuity])
        #expect(listening.bytes == all)
        #expect(Set(listening.state.current.parts.map(\.part.timeline)).count == 2)
    }

    @Test func aPlaylistThatStandsStillIsTold() async throws {
        let server = try await WebServer.start()
        let (live, segments) = try await stream(on: server)
        let listening = listen(live)
        try await listening.wait("a standstill") { state in
            state.events.contains {
                if case .changed(let status) = $0, case .reconnecting(let wait) = status.connection {
                    wait.reason == "the playlist has stalled"
                } else {
                    false
                }
            }
        }
        try live.publishNext()
        try await listening.waitForBytes(segments[0...4].joined().count)
        #expect(listening.connections.last == .connected)
        #expect(listening.reasons == [.start])
    }

    @Test func theLimitEndsAStandstill() async throws {
        let server = try await WebServer.start()
        let (live, _) = try await stream(on: server)
        var options = StreamOptions()
        options.reconnectLimit = 1
        let end = try await listen(live, options).waitForEnd()
        #expect(end?.hasPrefix("the live playlist has not changed for ") == true, "\(end ?? "")")
    }

    @Test func aServerThatBeginsAnewIsFollowed() async throws {
        let server = try await WebServer.start()
        let folder = try await NetworkMaterial.segments(.ts, seconds: 20, segment: 1)
        for number in 0..<20 { try server.publish("\(folder)/\(number).ts", as: "live/\(number).ts") }
        func publish(_ numbers: ClosedRange<Int>, from sequence: Int) throws {
            let segments = numbers.map { "#EXTINF:1,\n\($0).ts\n" }.joined()
            let head = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXT-X-MEDIA-SEQUENCE:\(sequence)\n"
            try server.publish(text: head + segments, as: "live/index.m3u8")
        }
        try publish(10...12, from: 500)
        let listening = Listening(server.url("live/index.m3u8"))
        let segments = try (0..<20).map { try FileBytes.read("\(folder)/\($0).ts") }
        let first = segments[10...12].joined().count
        try await listening.waitForBytes(first)
        try publish(0...1, from: 0)
        try await waitForLook(at: "live/index.m3u8", on: server)
        try publish(0...2, from: 0)
        try await listening.waitForBytes(first + segments[0...2].joined().count)
        #expect(listening.reasons == [.start, .discontinuity])
        let part = listening.state.current.parts[1]
        #expect(part.part.startTime == 3)
        #expect(part.part.timeline != listening.state.current.parts[0].part.timeline)
    }

    /// Waits until a playlist that was just published has been fetched.
    private func waitForLook(at path: String, on server: WebServer) async throws {
        let count = server.requests(of: path).count
        // One may have been under way.
        try await server.waitForRequests { requests in requests.count { $0.path == "/\(path)" } >= count + 2 }
    }

    /// A cache in between serves what it had, for longer than the playlist may stand still.
    @Test(arguments: [0...2, 2...4]) func anOldCopyIsWaitedOut(old: ClosedRange<Int>) async throws {
        let server = try await WebServer.start()
        let folder = try await NetworkMaterial.segments(.ts, seconds: 20, segment: 1)
        for number in 0..<20 { try server.publish("\(folder)/\(number).ts", as: "live/\(number).ts") }
        func publish(_ numbers: ClosedRange<Int>) throws {
            let segments = numbers.map { "#EXTINF:1,\n\($0).ts\n" }.joined()
            let head = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXT-X-MEDIA-SEQUENCE:\(numbers.lowerBound)\n"
            try server.publish(text: head + segments, as: "live/index.m3u8")
        }
        try publish(3...5)
        let listening = Listening(server.url("live/index.m3u8"))
        let segments = try (0..<20).map { try FileBytes.read("\(folder)/\($0).ts") }
        try await listening.waitForBytes(segments[3...5].joined().count)
        try publish(old)
        try await Task.sleep(for: .seconds(5))
        try publish(4...7)
        try await listening.waitForBytes(segments[3...7].joined().count)
        #expect(listening.bytes == Array(segments[3...7].joined()))
        #expect(listening.reasons == [.start])
    }

    /// A broadcast that begins again may have another key under the same name, or change it from one segment to the next.
    @Test(arguments: [true, false]) func anotherKeyOfTheSameNameIsFetched(beginsAnew: Bool) async throws {
        let server = try await WebServer.start()
        let segments = try await NetworkMaterial.segments(.ts, seconds: 6, segment: 1)
        let keys = (UInt8(1)...2).map { [UInt8](repeating: $0, count: 16) }
        for (index, key) in keys.enumerated() {
            for number in 0..<6 {
                let plain = try FileBytes.read("\(segments)/\(number).ts")
                try server.publish(bytes: try OpenSSLDecryptor.encrypted(plain, key), as: "live/\(index)-\(number).ts")
            }
        }
        func publish(_ numbers: ClosedRange<Int>, of encoder: Int, from sequence: Int) throws {
            try server.publish(bytes: keys[encoder], as: "live/key")
            let segments = numbers.map { "#EXTINF:1,\n\(encoder)-\($0).ts\n" }.joined()
            let vector = String(repeating: "0", count: 32)
            let head = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXT-X-MEDIA-SEQUENCE:\(sequence)\n"
            let line = "#EXT-X-KEY:METHOD=AES-128,URI=\"key\",IV=0x\(vector)\n"
            try server.publish(text: head + line + segments, as: "live/index.m3u8")
        }
        try publish(0...2, of: 0, from: 500)
        let listening = Listening(server.url("live/index.m3u8"))
        let plain = try (0..<6).map { try FileBytes.read("\(segments)/\($0).ts") }
        let first = plain[0...2].joined().count
        try await listening.waitForBytes(first)
        if beginsAnew {
            try publish(3...4, of: 1, from: 0)
            try await waitForLook(at: "live/index.m3u8", on: server)
        }
        try publish(3...5, of: 1, from: beginsAnew ? 0 : 503)
        try await listening.waitForBytes(first + plain[3...5].joined().count)
        #expect(listening.bytes == Array(plain.joined()))
        try await server.waitForRequests { $0.count { $0.path == "/live/key" } == 2 }
    }

    /// A page in the key's place is what a server says that is not ready.
    @Test func aKeyThatIsNoneIsAskedForAgain() async throws {
        let server = try await WebServer.start()
        let segments = try await NetworkMaterial.segments(.ts, seconds: 2, segment: 1)
        let key = [UInt8](repeating: 7, count: 16)
        let plain = try FileBytes.read("\(segments)/0.ts")
        try server.publish(bytes: try OpenSSLDecryptor.encrypted(plain, key), as: "live/0.ts")
        try server.publish(text: "busy", as: "live/key")
        let vector = String(repeating: "0", count: 32)
        let line = "#EXT-X-KEY:METHOD=AES-128,URI=\"key\",IV=0x\(vector)\n#EXTINF:1,\n0.ts\n"
        try server.publish(text: "#EXTM3U\n#EXT-X-TARGETDURATION:1\n" + line, as: "live/index.m3u8")
        let listening = Listening(server.url("live/index.m3u8"))
        try await listening.wait("a wait") { state in
            state.events.contains {
                if case .changed(let status) = $0, case .reconnecting(let wait) = status.connection {
                    wait.reason == "the key has 4 bytes instead of 16"
                } else {
                    false
                }
            }
        }
        try server.publish(bytes: key, as: "live/key")
        try await listening.waitForBytes(plain.count)
        #expect(listening.bytes == plain)
    }

    /// Paused for longer than the window lasts.
    @Test func afterAPauseItIsTheEdgeThatIsPlayed() async throws {
        let server = try await WebServer.start()
        let (live, segments) = try await stream(on: server)
        let (gate, listening) = Listening.gated(live.url, after: 6)
        try await listening.waitForBytes(segments[0].count)
        for _ in 0..<8 { try live.publishNext() }
        // As if the pause had been a minute.
        listening.order { $0.schedule.failed(retryAt: .now + -60) }
        gate.withLock { $0 = true }
        try await listening.wait("the edge") { state in state.parts.contains { $0.part.reason == .gap } }
        let part = try #require(listening.state.current.parts.last)
        #expect(abs(part.part.startTime - 8) < 0.2)
        // What had left was not even asked for.
        #expect(listening.failures.allSatisfy { $0.domain == "HLS" })
    }

    @Test func aVariantWhosePlaylistIsLostIsReplaced() async throws {
        let server = try await WebServer.start()
        let folder = try await NetworkMaterial.segments(.ts, seconds: 20, segment: 1)
        let lives = try ["low", "high"].map { try HLSLive([folder], on: server, name: $0) }
        try server.publish(
            text: """
                #EXTM3U
                #EXT-X-STREAM-INF:BANDWIDTH=100000
                low/index.m3u8
                #EXT-X-STREAM-INF:BANDWIDTH=200000
                high/index.m3u8

                """,
            as: "index.m3u8"
        )
        let segments = try (0..<20).map { try FileBytes.read("\(folder)/\($0).ts") }
        let listening = Listening(server.url("index.m3u8"))
        try await listening.waitForBytes(segments[0...3].joined().count)
        try server.fail("high/index.m3u8", with: .missing)
        for live in lives { try live.publishNext() }
        let all = segments[0...4].joined()
        try await listening.waitForBytes(all.count)
        #expect(listening.bytes == Array(all))
        #expect(listening.reasons == [.start, .format])
        #expect(listening.state.current.parts.map(\.part.indicatedBitRate) == [200_000, 100_000])
        #expect(listening.state.current.parts[1].part.startTime == listening.state.current.parts[1].part.soundFrom)
    }

    /// A server whose playlists are good for one life of its own.
    @Test func aNewSessionIsBegunThroughTheMasterPlaylist() async throws {
        let server = try await WebServer.start()
        let folder = try await NetworkMaterial.segments(.ts, seconds: 20, segment: 1)
        let (old, new) = (
            try HLSLive([folder], on: server, name: "a"), try HLSLive([folder], on: server, name: "b")
        )
        let master = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=100000\n"
        try server.publish(text: master + "a/index.m3u8\n", as: "index.m3u8")
        let segments = try (0..<20).map { try FileBytes.read("\(folder)/\($0).ts") }
        let listening = Listening(server.url("index.m3u8"))
        try await listening.waitForBytes(segments[0...3].joined().count)
        try server.publish(text: master + "b/index.m3u8\n", as: "index.m3u8")
        try server.fail(old.path, with: .missing)
        try new.publishNext()
        let all = segments[0...4].joined()
        try await listening.waitForBytes(all.count)
        #expect(listening.bytes == Array(all))
        try new.end()
        #expect(try await listening.waitForEnd() == nil)
    }
}
