import TestSupport
import TestThreads
import Testing

extension StreamTests {
    /// Live HLS with what goes wrong with it: playing goes on, and no stall is longer than the fault and a segment.
    @Suite(.blocking) struct LiveTests {
        private static let segment = 2.0

        private func station(_ web: WebServer, window: Int = 4) async throws -> HLSLive {
            let first = try await NetworkMaterial.segments(.ts, seconds: 60)
            let second = try await NetworkMaterial.segments(.ts, seconds: 60, sampleRate: 44_100)
            return try HLSLive([first, second], on: web, window: window)
        }

        private func start(_ live: HLSLive) async throws -> StreamPlayer {
            live.run()
            let player = try await StreamPlayer(["--buffer", "4", live.url])
            try await player.waitForSound()
            try await player.hear(3)
            return player
        }

        @Test func plays() async throws {
            let web = try await WebServer.start()
            let live = try await station(web, window: 8)
            // Three target durations, which are 3 s, before the end (RFC 8216, 6.3.3), at the beginning of a segment.
            let earliest = Int(Double(live.count - 5) * Self.segment)
            let player = try await start(live)
            try await player.hear(10)
            let heard = player.heard(period: 60)
            // All is heard, one second after the other: it stays as far behind as it began.
            #expect(heard.faults().isEmpty && heard.silences.isEmpty, "\(heard.text)")
            #expect(try #require(heard.order.first) >= earliest, "\(heard.text)")
            // Never at the very edge, where nothing would be in store.
            let behind = Double(live.count) * Self.segment - Double(heard.order.last ?? 0)
            #expect(behind > Self.segment, "\(behind) s behind")
            try await player.quit()
        }

        @Test func thePlaylistIsMissing() async throws {
            let web = try await WebServer.start()
            let live = try await station(web)
            let player = try await start(live)
            let fault = 20.0
            try web.fail(live.path, with: .missing)
            try await player.hear(fault)
            web.mend(live.path)
            try await player.hear(12)
            let heard = player.heard()
            for silence in heard.silences { #expect(silence.duration < fault + Self.segment, "\(heard.text)") }
            // What was missed is missed; before and after it, all is in order.
            let jumps = zip(heard.order, heard.order.dropFirst()).filter { $1 != $0 + 1 }
            #expect(jumps.count <= 1, "\(heard.text)")
            // A second that has begun is not in order yet, and a segment may have come since.
            let behind = Double(live.count) * Self.segment - Double(heard.order.last ?? 0)
            #expect(behind < 12 + 1 + Self.segment, "\(behind) s behind: \(heard.text)")
            try await player.quit()
        }

        @Test func aSegmentIsMissing() async throws {
            let web = try await WebServer.start()
            let live = try await station(web)
            let player = try await start(live)
            let missing = live.count
            live.loseNext()
            try await player.hear(16)
            let heard = player.heard()
            for silence in heard.silences { #expect(silence.duration < 2 * Self.segment, "\(heard.text)") }
            let expected = heard.order.first.map { first in
                (first...).prefix(40).filter { $0 / Int(Self.segment) != missing }.prefix(heard.order.count)
            }
            #expect(heard.order == expected.map(Array.init), "\(missing) is missing: \(heard.text)")
            try await player.quit()
        }

        @Test func aDiscontinuity() async throws {
            let web = try await WebServer.start()
            let live = try await station(web)
            let player = try await start(live)
            live.change()
            try await player.hear(14)
            let heard = player.heard()
            #expect(heard.faults(tolerance: 0.12).isEmpty, "\(heard.text)")
            for silence in heard.silences { #expect(silence.duration < Self.segment, "\(heard.text)") }
            try await player.quit()
        }

        @Test func theServerIsGone() async throws {
            let web = try await WebServer.start()
            let live = try await station(web)
            let player = try await start(live)
            web.stop()
            try await player.waitForSilence()
            try await player.hear(3)
            let back = ContinuousClock.now
            try await web.start()
            #expect(try await player.waitForSound(after: back) < 2 + Self.segment)
            try await player.hear(4)
            let edge = Double(live.count) * Self.segment
            let heard = player.heard()
            #expect(edge - Double(heard.order.last ?? 0) < 12, "\(heard.text)")
            try await player.quit()
        }

        /// A broadcast that ends ends the item.
        @Test func theEnd() async throws {
            let web = try await WebServer.start()
            let live = try await station(web)
            let player = try await start(live)
            try live.end()
            let result = try await player.process.wait(within: .patience)
            #expect(result.status == .code(0))
            #expect(player.heard().order.last == Int(Double(live.count) * Self.segment) - 1, "\(player.heard().text)")
        }
    }
}
