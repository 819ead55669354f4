import TestSupport
import TestThreads
import Testing

extension StreamTests {
    /// Bodies of which the server does not say how long they are.
    @Suite(.blocking) struct EndlessBodyTests {
        /// A file that ends with its connection, as small servers send what they make on the spot, is played once.
        @Test func aFileWithoutALengthIsPlayedOnce() async throws {
            let file = try FileBytes.read(await MediaFixtures.position(.mp3, seconds: 3))
            let server = try HostileServer { exchange in
                exchange.send("HTTP/1.0 200 OK\r\nContent-Type: audio/mpeg\r\n\r\n")
                exchange.send(file)
            }
            let next = try await MediaFixtures.position(.flac, seconds: 2)
            let heard = try await Programs.samples([server.url("item"), next])
            #expect(heard.seconds.order == [0, 1, 2, 0, 1], "\(heard.errors)")
            #expect(heard.errors.isEmpty, "\(heard.errors)")
            #expect(heard.result.status == .code(0))
        }

        /// A broadcast in chunks that does not say that it is one: after a loss what is on then is heard, at once.
        @Test func aBroadcastInChunksComesBack() async throws {
            let seconds = 60
            let file = try FileBytes.read(await MediaFixtures.position(.mp3, seconds: seconds))
            let rate = Double(file.count) / Double(seconds)
            let start = ContinuousClock.now
            let losses = Watched(0)
            let server = try HostileServer { exchange in
                exchange.send("HTTP/1.1 200 OK\r\nContent-Type: audio/mpeg\r\nTransfer-Encoding: chunked\r\n\r\n")
                // A second is sent at once, and none of it twice.
                let lead = losses.current > 0 ? 1.0 : 0
                var place = Int(((ContinuousClock.now - start).seconds + lead) * rate)
                let end = place + Int(5 * rate)
                // The first one is lost after five seconds, without the chunk that would end it.
                while losses.current > 0 || place < end, exchange.pause(0.1) {
                    let now = min(file.count, Int(((ContinuousClock.now - start).seconds + 1) * rate))
                    let chunk = file[min(place, now)..<now]
                    exchange.send(String(chunk.count, radix: 16) + "\r\n")
                    guard chunk.count > 0, exchange.send(Array(chunk) + [13, 10]) else { return }
                    place = now
                }
                losses.withLock { $0 += 1 }
            }
            let player = try await StreamPlayer([server.url("live")])
            try await player.waitForSecond(3)
            _ = await losses.wait(within: .patience) { $0 > 0 }
            try await player.waitForSecond(14)
            let heard = player.heard()
            #expect(heard.order == heard.order.sorted(), "\(heard.text)")
            #expect(heard.silences.allSatisfy { $0.duration < 3 }, "\(heard.text)")
            try await player.quit()
        }
    }
}
