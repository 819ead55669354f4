import AudioTypes
import Foundation
import TestSupport
import TestThreads
import Testing

extension StreamTests {
    /// What is asked for while a server says nothing.
    @Suite(.blocking, .serialized) struct ControlTests {
        /// How long anything may take; the machine may be busy, so the best of several counts.
        private static let limit = 0.25
        private static let repetitions = 5

        /// Where a server falls silent.
        enum Silence: String, CaseIterable, Sendable {
            case beforeTheHead
            case inTheHead
            case inTheBody
            case beforeTheHandshake
        }

        private func server(_ silence: Silence) throws -> HostileServer {
            try HostileServer { exchange in
                if silence == .inTheHead { exchange.send("HTTP/1.1 200 OK\r\nContent-") }
                if silence == .inTheBody {
                    exchange.send("HTTP/1.1 200 OK\r\nContent-Type: audio/mpeg\r\nContent-Length: 100000\r\n\r\n")
                    exchange.send([0xff, 0xfb, 0x90, 0x64])
                }
                exchange.waitForEnd()
            }
        }

        private func url(_ server: HostileServer, _ silence: Silence) -> String {
            let url = server.url("a.mp3")
            return silence == .beforeTheHandshake ? url.replacingOccurrences(of: "http:", with: "https:") : url
        }

        @Test(arguments: Silence.allCases) func quitting(_ silence: Silence) async throws {
            var times: [Double] = []
            for _ in 0..<Self.repetitions {
                let server = try server(silence)
                let player = try await StreamPlayer([url(server, silence)])
                try await player.wait(for: "its beginning") { $0.name == "started" }
                let isAsked = await server.state.wait(within: .patience) { $0.open > 0 }
                #expect(isAsked)
                let start = ContinuousClock.now
                try await player.quit()
                times.append((ContinuousClock.now - start).seconds)
            }
            #expect(times.min() ?? 1 < Self.limit, "\(times)")
        }

        /// However it is ended, what was recorded until then is there.
        @Test(arguments: [SIGINT, SIGTERM, SIGHUP]) func aRecordingIsWhole(_ signal: Int32) async throws {
            let web = try await WebServer.start()
            let url = try web.publish(await MediaFixtures.position(.m4a, seconds: 60), as: "a.m4a")
            for _ in 0..<2 {
                let folder = try TemporaryFolder()
                let player = try await StreamPlayer(["--record", folder.file("a.m4a"), url])
                try await player.waitForSound()
                player.process.kill(signal)
                _ = try await player.process.wait(within: .patience)
                let recorded = try await Programs.samples([folder.file("a.m4a")])
                #expect(recorded.seconds.order.starts(with: [0, 1, 2]), "\(recorded.errors)")
            }
        }

        /// In the daemon: stop, and the next song, which is heard at once.
        @Test(arguments: Silence.allCases) func stoppingAndSkipping(_ silence: Silence) async throws {
            let server = try server(silence)
            let seat = try await Seat.take()
            let daemon = try await StreamDaemon(on: seat)
            let client = try daemon.connect()
            let song = try await MediaFixtures.position(.flac, seconds: 10)
            try client.order("add \"\(url(server, silence))\"")
            try client.order("add \"file://\(song)\"")
            var stops: [Double] = []
            var skips: [Double] = []
            for repetition in 1...Self.repetitions {
                for (command, key) in [("stop", 0), ("next", 1)] {
                    try client.order("play 0")
                    let isAsked = await server.state.wait(within: .patience) { $0.open > 0 }
                    #expect(isAsked, "\(repetition)")
                    let start = ContinuousClock.now
                    try client.order(command)
                    let status = try client.values("status")
                    let time = (ContinuousClock.now - start).seconds
                    if key == 0 { stops.append(time) } else { skips.append(time) }
                    #expect(status["state"] == (key == 0 ? "stop" : "play"))
                    if key == 1 { #expect(status["song"] == "1") }
                    try client.order("stop")
                    let isLeft = await server.state.wait(within: .patience) { $0.open == 0 }
                    #expect(isLeft, "the connection is still there")
                }
            }
            #expect(stops.min() ?? 1 < Self.limit, "\(stops)")
            #expect(skips.min() ?? 1 < Self.limit, "\(skips)")
        }
    }
}
