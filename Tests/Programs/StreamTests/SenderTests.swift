import Foundation
import TestSupport
import TestThreads
import TestTiming
import Testing

extension StreamTests {
    /// What libavformat fetches itself, from real senders that go away and come back.
    @Suite(.blocking) struct SenderTests {
        enum Way: String, CaseIterable, Sendable {
            case srt
            case rtmp
            case udp
        }

        /// ffmpeg, which sends a file in real time.
        private struct Sender {
            let way: Way
            let url: String

            init(_ way: Way) throws {
                self.way = way
                url = "\(way)://127.0.0.1:\(try steadyPort())" + (way == .rtmp ? "/live/a" : "")
            }

            func start() async throws -> ChildProcess {
                let target =
                    switch way {
                    case .srt: ["-f", "mpegts", url + "?mode=listener"]
                    case .rtmp: ["-f", "flv", "-listen", "1", url]
                    case .udp: ["-f", "mpegts", url]
                    }
                let file = try await MediaFixtures.position(.mp3, seconds: 60)
                return try ChildProcess(
                    "ffmpeg",
                    ["-nostdin", "-v", "error", "-re", "-i", file, "-c", "copy"] + target
                )
            }
        }

        @Test(.timed, arguments: Way.allCases) func goesAndComesBack(_ way: Way) async throws {
            let sender = try Sender(way)
            let first = try await sender.start()
            let player = try await StreamPlayer(["--buffer", "2", sender.url])
            try await player.waitForSecond(3, within: 40)
            first.kill(SIGKILL)
            try await player.waitForSilence()
            if way == .udp {
                // A sender of datagrams can only be missed.
                #expect(!player.isReconnecting, "\(player.told)")
            } else {
                try await player.wait(for: "the loss") { $0.name == "reconnecting" }
            }
            let second = try await sender.start()
            try await player.capture.waitForSound(after: player.capture.frames, within: .patience)
            try await player.hear(3)
            #expect(!player.isReconnecting && player.waiting == nil, "\(player.told)")
            let heard = player.heard()
            #expect(heard.silences.count == 1, "\(heard.text)")

            second.kill(SIGKILL)
            try await player.waitForSilence()
            let start = ContinuousClock.now
            try await player.quit()
            try expect(ContinuousClock.now - start, atMost: .seconds(2), since: start)
        }

        /// A sender that does not come back is given up like any other server.
        @Test func patienceEnds() async throws {
            let sender = try Sender(.srt)
            let process = try await sender.start()
            let player = try await StreamPlayer(["--buffer", "1", "--reconnect-for", "2", sender.url])
            try await player.waitForSecond(1, within: 40)
            process.kill(SIGKILL)
            let failure = try await player.wait(for: "the failure") { $0.name == "item_failed" }
            #expect(failure.text["message"]?.contains("cannot connect") == true, "\(failure)")
            let result = try await player.process.wait(within: .patience)
            #expect(result.status == .code(1))
        }

        /// A camera that breaks off again and again.
        @Test func rtsp() async throws {
            let camera = try Camera()
            let player = try await StreamPlayer(["--buffer", "2", camera.url])
            try await player.wait(for: "the first loss") { $0.name == "reconnecting" }
            try await player.wait(for: "the return") { $0.name == "reconnected" }
            try await player.hear(2)
            #expect(player.waiting == nil, "\(player.told)")
            #expect(camera.server.state.current.requests.allSatisfy { $0.hasPrefix("OPTIONS rtsp://") })
            try await player.quit()
        }
    }
}

/// Says by RTSP (RFC 2326) all that it has to say at once, and sends a tone for some seconds over the same connection.
private struct Camera {
    let server: HostileServer
    var url: String { "rtsp://127.0.0.1:\(server.port)/a" }

    init() throws {
        server = try HostileServer { exchange in
            let description = """
                v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=a\r\nt=0 0\r\na=control:*\r\nm=audio 0 RTP/AVP 11\r\na=control:t\r\n
                """
            Self.say(exchange, 1, "Public: OPTIONS, DESCRIBE, SETUP, PLAY")
            Self.say(exchange, 2, "Content-Type: application/sdp", description)
            Self.say(exchange, 3, "Session: 1\r\nTransport: RTP/AVP/TCP;unicast;interleaved=0-1")
            Self.say(exchange, 4, "Session: 1")
            let samples = Signal.tone(440, seconds: 3, sampleRate: 44_100)
            for (number, start) in stride(from: 0, to: samples.count, by: 441).enumerated() {
                guard exchange.send(Self.packet(number, samples[start..<start + 441])) else { return }
                // A tenth of a second at once.
                if number % 10 == 9 { Thread.sleep(forTimeInterval: 0.1) }
            }
        }
    }

    private static func say(_ exchange: HostileServer.Exchange, _ number: Int, _ head: String, _ body: String = "") {
        exchange.send(
            "RTSP/1.0 200 OK\r\nCSeq: \(number)\r\n\(head)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        )
    }

    /// Of 16-bit samples, one channel at 44.1 kHz (RFC 3551, type 11), interleaved with what is said.
    private static func packet(_ number: Int, _ samples: ArraySlice<Float>) -> [UInt8] {
        let count = 12 + 2 * samples.count
        var bytes: [UInt8] = [0x24, 0, UInt8(count >> 8), UInt8(count & 0xff), 0x80, 11]
        bytes += [UInt8(number >> 8), UInt8(number & 0xff)]
        let time = 441 * number
        bytes += [UInt8(time >> 24 & 0xff), UInt8(time >> 16 & 0xff), UInt8(time >> 8 & 0xff), UInt8(time & 0xff)]
        bytes += [0, 0, 0, 1]
        for sample in samples {
            let value = UInt16(bitPattern: Int16(sample * 32_767))
            bytes += [UInt8(value >> 8), UInt8(value & 0xff)]
        }
        return bytes
    }
}
