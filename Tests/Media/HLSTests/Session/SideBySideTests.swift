import AudioTypes
import Foundation
import HTTP
import TestSupport
import TestThreads
import Testing

@testable import HLS
@testable import Segments

/// Servers that limit each connection to less than is played.
@Suite(.blocking, .timeLimit(.minutes(5)), .enabled(if: isEquipped, "needs nginx and ffmpeg")) struct SideBySideTests {
    /// Bytes per second of the segments in a folder of so many seconds.
    private func rate(_ folder: String, seconds: Int) throws -> Int {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        let bytes = try names.filter { !$0.hasSuffix(".m3u8") }.reduce(0) {
            try $0 + FileBytes.read("\(folder)/\($1)").count
        }
        return bytes / seconds
    }

    /// A server that gives each connection a share of what is played.
    private func server(_ folder: String, seconds: Int, share: Double = 0.6) async throws -> WebServer {
        let rate = try rate(folder, seconds: seconds)
        let server = try await WebServer.start(.slow("slow/", rate: Int(Double(rate) * share)))
        try server.publish(folder: folder, as: "vod")
        return server
    }

    /// The most requests that were under way at a time.
    private func width(_ requests: [WebServer.Request]) -> Int {
        let segments = requests.filter { $0.duration > 0.1 }
        return segments.map { one in
            let moment = one.end - 0.01
            return segments.count { $0.end - $0.duration <= moment && moment <= $0.end }
        }.max() ?? 0
    }

    @Test(arguments: [NetworkMaterial.Segments.ts, .fmp4, .encrypted])
    func segmentsComeInOrderHoweverTheyAreFetched(form: NetworkMaterial.Segments) async throws {
        let folder = try await NetworkMaterial.segments(form, seconds: 16)
        let server = try await server(folder, seconds: 16)
        let listening = Listening(server.url("slow/vod/index.m3u8"), isShort: true)
        let start = ContinuousClock.now
        #expect(try await listening.waitForEnd() == nil)
        // Alone they take 27 s.
        #expect((ContinuousClock.now - start).seconds < 20)
        #expect(listening.reasons == [.start])
        let heard = try secondsHeard(listening)
        #expect(heard.order == Array(0..<16), "\(heard.text)")
        #expect(heard.faults() == [])
        let requests = try await server.waitForRequests { $0.count >= 9 }
        #expect((2...FetchWidth.most).contains(width(requests)), "\(requests)")
        #expect(Set(requests.map(\.path)).count == requests.count)
    }

    @Test func oneConnectionIsEnoughWhereMuchIsBuffered() async throws {
        let folder = try await NetworkMaterial.segments(.ts, seconds: 8)
        let server = try await server(folder, seconds: 8)
        let listening = Listening(server.url("slow/vod/index.m3u8"))
        #expect(try await listening.waitForEnd() == nil)
        let requests = try await server.waitForRequests { $0.count >= 5 }
        #expect(width(requests) == 1)
        #expect(Set(requests.map(\.connection)).count == 1)
    }

    @Test func aConnectionThatCarriesWhatIsPlayedIsAlone() async throws {
        let folder = try await NetworkMaterial.segments(.ts, seconds: 8)
        let server = try await server(folder, seconds: 8, share: 1.5)
        let listening = Listening(server.url("slow/vod/index.m3u8"), isShort: true)
        #expect(try await listening.waitForEnd() == nil)
        #expect(width(try await server.waitForRequests { $0.count >= 5 }) == 1)
    }

    /// A segment that is refused while it is fetched ahead is asked for again when its turn has come.
    @Test func whatFailsAheadIsNoFailure() async throws {
        let folder = try await NetworkMaterial.segments(.ts, seconds: 16)
        let server = try await server(folder, seconds: 16)
        try server.fail("slow/vod/2.ts", with: .missing)
        let listening = Listening(server.url("slow/vod/index.m3u8"), isShort: true)
        _ = try await server.waitForRequests { $0.contains { $0.path.hasSuffix("/2.ts") } }
        server.mend("slow/vod/2.ts")
        #expect(try await listening.waitForEnd() == nil)
        #expect(listening.failures.isEmpty, "\(listening.failures)")
        let heard = try secondsHeard(listening)
        #expect(heard.order == Array(0..<16), "\(heard.text)")
    }

    /// What was fetched for another place is given up.
    @Test func aSeekEndsWhatIsFetched() async throws {
        let folder = try await NetworkMaterial.segments(.ts, seconds: 60)
        let server = try await server(folder, seconds: 60)
        let listening = Listening(server.url("slow/vod/index.m3u8"), isShort: true)
        let hasSought = Watched(false)
        while !hasSought.current {
            listening.order { session in
                guard !session.ahead.isEmpty else { return }
                session.seek(to: 50)
                hasSought.withLock { $0 = session.ahead.isEmpty }
            }
            try await listening.wait("a read") { $0.order == nil || $0.end != nil }
        }
        #expect(try await listening.waitForEnd() == nil)
        let requests = try await server.waitForRequests { $0.contains { $0.path.hasSuffix("/29.ts") } }
        let size = try FileBytes.read("\(folder)/1.ts").count
        #expect(requests.contains { $0.path.hasSuffix("/1.ts") && $0.bytes < size }, "\(requests)")
        let last = try #require(listening.state.current.parts.last?.bytes)
        let heard = SecondsHeard(try decoded(last), sampleRate: 48_000)
        #expect(heard.order.suffix(10) == Array(50..<60) && heard.order.count < 14, "\(heard.text)")
    }
}
