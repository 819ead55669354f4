import TestSupport
import TestThreads
import Testing

extension StreamTests {
    /// Live MPEG-DASH with what goes wrong with it.
    @Suite(.blocking) struct DASHLiveTests {
        private static let segment = 2.0

        private func start(
            _ web: WebServer,
            _ form: DASHLive.Form
        ) async throws -> (live: DASHLive, player: StreamPlayer) {
            let live = try await DASHLive(NetworkMaterial.dash(.timeline, seconds: 120), on: web, form)
            live.run()
            let player = try await StreamPlayer(["--buffer", "4", live.url])
            try await player.waitForSound()
            try await player.hear(3)
            return (live, player)
        }

        /// How far behind the newest segment's end it is, in seconds.
        private func distance(_ live: DASHLive, _ heard: SecondsHeard) -> Double {
            Double(live.count) * Self.segment - Double(heard.order.last ?? 0)
        }

        @Test(arguments: DASHLive.Form.allCases) func plays(_ form: DASHLive.Form) async throws {
            let web = try await WebServer.start()
            let (live, player) = try await start(web, form)
            try await player.hear(12)
            let heard = player.heard()
            // All is heard, one second after the other, so it stays as far behind as it began: three times the longest segment
            // before the end of five, in the second one.
            #expect(heard.faults().isEmpty && heard.silences.isEmpty, "\(heard.text)")
            #expect(try #require(heard.order.first) >= Int(Self.segment), "\(heard.text)")
            if form == .clock { #expect(web.requests(of: live.path).count == 1) }
            try await player.quit()
        }

        @Test func aSegmentIsMissing() async throws {
            let web = try await WebServer.start()
            let (live, player) = try await start(web, .timeline)
            let missing = live.count + 1
            try web.fail("live/0-\(missing + 1).m4s", with: .missing)
            try await player.hear(16)
            let heard = player.heard()
            for silence in heard.silences { #expect(silence.duration < 2 * Self.segment, "\(heard.text)") }
            #expect(!heard.order.contains(2 * missing + 1) && heard.order.contains(2 * missing + 3), "\(heard.text)")
            try await player.quit()
        }

        /// Where the clock says what is there, a manifest is needed once only.
        @Test(arguments: DASHLive.Form.allCases) func theManifestIsMissing(_ form: DASHLive.Form) async throws {
            let web = try await WebServer.start()
            let (live, player) = try await start(web, form)
            try web.fail(live.path, with: .missing)
            try await player.hear(14)
            web.mend(live.path)
            try await player.hear(10)
            let heard = player.heard()
            if form == .clock {
                #expect(heard.faults().isEmpty && heard.silences.isEmpty, "\(heard.text)")
            } else {
                for silence in heard.silences { #expect(silence.duration < 14 + Self.segment, "\(heard.text)") }
                #expect(zip(heard.order, heard.order.dropFirst()).count { $1 != $0 + 1 } <= 1, "\(heard.text)")
            }
            #expect(distance(live, heard) < 14, "\(heard.text)")
            try await player.quit()
        }

        @Test func theServerIsGone() async throws {
            let web = try await WebServer.start()
            let (live, player) = try await start(web, .timeline)
            web.stop()
            try await player.waitForSilence()
            try await player.hear(3)
            let back = ContinuousClock.now
            try await web.start()
            #expect(try await player.waitForSound(after: back) < 2 + Self.segment)
            try await player.hear(4)
            #expect(distance(live, player.heard()) < 14, "\(player.heard().text)")
            try await player.quit()
        }

        /// A broadcast that ends ends the item.
        @Test func theEnd() async throws {
            let web = try await WebServer.start()
            let (live, player) = try await start(web, .timeline)
            try live.end()
            let result = try await player.process.wait(within: .patience)
            #expect(result.status == .code(0))
            #expect(
                player.heard().order.last.map { abs($0 - 2 * live.count + 1) <= 1 } == true,
                "\(player.heard().text)"
            )
        }
    }
}
