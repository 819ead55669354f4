import AudioTypes
import Foundation
import HTTP
import TestSupport
import TestThreads
import Testing

@testable import HLS
@testable import Segments

/// A network that does not carry the variant, and one that does again.
@Suite(.blocking, .timeLimit(.minutes(5)), .enabled(if: isEquipped, "needs nginx and ffmpeg")) struct AdaptingTests {
    @Test func aSlowNetworkMeansALowerVariant() async throws {
        let kilobits = [32, 192]
        // 12 kB/s: half of what the higher variant takes, three times what the lower one does.
        let server = try await WebServer.start(.slow("slow/", rate: 12_000))
        try server.publish(folder: try await NetworkMaterial.variants(kilobits, seconds: 12), as: "vod")
        let listening = Listening(server.url("slow/vod/index.m3u8"))
        #expect(try await listening.waitForEnd() == nil)
        #expect(listening.reasons == [.start, .format])
        let parts = listening.state.current.parts.map(\.part)
        #expect(parts.map(\.indicatedBitRate) == [211_200, 35_200])
        // Their clock is the same, and nothing is heard twice.
        #expect(parts[0].timeline == parts[1].timeline)
        #expect(parts[1].soundFrom == parts[1].startTime)
        let heard = try secondsHeard(listening)
        #expect(heard.order == Array(0..<12), "\(heard.text)")
        let high = server.requests.filter { $0.path.contains("/192/") && $0.path.hasSuffix(".ts") }
        #expect(high.count == 1)
    }

    @Test func segmentsAreLoggedWithTheirLength() async throws {
        let server = try await WebServer.start()
        let folder = try await NetworkMaterial.segments(.ts, seconds: 9)
        try server.publish(folder: folder, as: "vod")
        let listening = Listening(server.url("vod/index.m3u8"))
        #expect(try await listening.waitForEnd() == nil)
        let segments = listening.transfers.filter { $0.uri.hasSuffix(".ts") }
        #expect(segments.count == 5)
        #expect(segments.reduce(0) { $0 + $1.bytes } == listening.bytes.count)
        #expect(abs(segments.reduce(0) { $0 + ($1.mediaDuration ?? 0) } - 9) < 0.1)
        #expect(listening.transfers.first?.mediaDuration == nil)
    }
}
