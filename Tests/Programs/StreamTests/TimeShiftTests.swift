import AudioTypes
import Foundation
import TestSupport
import TestThreads
import Testing

extension StreamTests {
    /// Going back in live HLS as far as its server keeps it, and to where it is now.
    @Suite(.blocking) struct TimeShiftTests {
        private static let segment = 2.0

        /// What is heard at a sink of a daemon.
        private struct Listener {
            let daemon: StreamDaemon
            let client: LineClient
            let capture: MonitorCapture

            /// The second of the programme that is heard within a while.
            func wait(for seconds: ClosedRange<Int>, within limit: Double = 10) async throws -> Int? {
                let end = ContinuousClock.now + .seconds(limit)
                while ContinuousClock.now < end {
                    let recording = capture.current
                    let window = Int(0.1 * Double(recording.format.sampleRate))
                    let samples = recording.samples(in: max(0, recording.frames - window)..<recording.frames)
                    let heard = Analysis.position(samples, sampleRate: recording.format.sampleRate)
                    if let heard, seconds.contains(heard) { return heard }
                    try await capture.waitForFrames(window, after: capture.frames, within: .seconds(limit))
                }
                return nil
            }

            func seekable() throws -> ClosedRange<Double> {
                let values = try client.values("buffer")
                let (start, end) = (Double(values["seekablestart"] ?? ""), Double(values["seekableend"] ?? ""))
                return try #require(start, "\(values)")...(try #require(end, "\(values)"))
            }
        }

        private func listen(_ live: HLSLive) async throws -> Listener {
            let seat = try await Seat.take()
            let daemon = try await StreamDaemon(on: seat)
            let capture = try await MonitorCapture(of: seat.server, sink: seat.sink)
            let client = try daemon.connect()
            _ = try client.order("add \(live.url)")
            _ = try client.order("play")
            try await capture.waitForSound(after: 0, within: .seconds(20))
            return Listener(daemon: daemon, client: client, capture: capture)
        }

        @Test func anEventHasItsBeginning() async throws {
            let web = try await WebServer.start()
            let live = try HLSLive(
                [await NetworkMaterial.segments(.ts, seconds: 60)],
                on: web,
                window: 12,
                isEvent: true
            )
            live.run()
            let listener = try await listen(live)
            // It begins near the live edge, 24 s into the event, and says so.
            let first = try #require(try await listener.wait(for: 16...24))
            let elapsed = Double(try listener.client.values("status")["elapsed"] ?? "") ?? 0
            #expect(abs(elapsed - Double(first)) < 3, "\(elapsed) at \(first)")
            #expect(try listener.seekable().lowerBound == 0)
            _ = try listener.client.order("seekcur 1")
            #expect(try await listener.wait(for: 1...3) != nil)
            _ = try listener.client.order("seekcur +8")
            #expect(try await listener.wait(for: 8...13) != nil)
            _ = try listener.client.order("seekcur live")
            let edge = try #require(try await listener.wait(for: 18...59))
            let behind = Double(live.count) * Self.segment - Double(edge)
            #expect((2...12).contains(behind), "\(behind) s behind")
        }

        /// Of a window that moves on, what has been played since.
        @Test func aWindowIsKeptToWhatWasPlayed() async throws {
            let web = try await WebServer.start()
            let live = try HLSLive([await NetworkMaterial.segments(.ts, seconds: 60)], on: web, window: 14)
            live.run()
            let listener = try await listen(live)
            let first = try #require(try await listener.wait(for: 14...28))
            #expect(try await listener.wait(for: first + 8...first + 10, within: 15) != nil)
            #expect(try listener.seekable().lowerBound == 0)
            let back = try await listener.daemon.segue("seek", "0")
            #expect(back.status == .code(0), "\(back.errorText)")
            #expect(try await listener.wait(for: first - 2...first + 2) != nil)
            let now = try await listener.daemon.segue("seek", "live")
            #expect(now.status == .code(0), "\(now.errorText)")
            #expect(try await listener.wait(for: first + 7...59) != nil)
        }

        @Test func aSongHasNoLiveEdge() async throws {
            let web = try await WebServer.start()
            let song = try web.publish(await MediaFixtures.position(.mp3, seconds: 9), as: "a.mp3")
            let seat = try await Seat.take()
            let daemon = try await StreamDaemon(on: seat)
            let client = try daemon.connect()
            _ = try client.order("add \(song)")
            _ = try client.order("play")
            _ = try client.wait("duration", "9.000")
            #expect(client.ask("seekcur live").last?.hasPrefix("ACK") == true)
            #expect(try await daemon.segue("seek", "live").status == .code(1))
        }
    }
}
