import TestSupport
import TestThreads
import Testing

extension StreamTests {
    /// Seeking in hours of a network file: at the right place, with few requests.
    @Suite(.blocking) struct SeekTests {
        /// An MP3 of changing bit rate is walked through, as far as the network gives that in a second or two; without
        /// even an encoder's table nothing else would do, and how far one comes depends on the machine: a busy one
        /// may need more than one attempt.
        @Test(arguments: NetworkMaterial.Hours.allCases.filter { $0 != .mp3WithoutIndex }) func theMiddle(
            _ form: NetworkMaterial.Hours
        ) async throws {
            let web = try await WebServer.start()
            let url = try web.publish(await NetworkMaterial.hours(form), as: "hours.\(form == .opus ? "opus" : "mp3")")
            var heard = try await start(url)
            for _ in 0..<12 where form == .mp3 && !isRight(heard) { heard = try await start(url) }
            #expect(isRight(heard), "\(heard.text)")
            let bytes = try await web.waitForRequests { !$0.isEmpty }.reduce(0) { $0 + $1.bytes }
            #expect(form == .mp3 || bytes < 20_000_000, "\(bytes) bytes were read of it")
        }

        /// What is heard of a file from its middle on.
        private func start(_ url: String) async throws -> SecondsHeard {
            let player = try await StreamPlayer(["--start", "5400.5", url])
            try await player.waitForSound()
            let first = player.capture.current.firstSound(after: 0) ?? 0
            try await player.hear(3)
            try await player.quit()
            return player.heard(from: first, period: 60)
        }

        /// The medium's second 5,400 is the first of a minute; half of it is left.
        private func isRight(_ heard: SecondsHeard) -> Bool {
            heard.order.prefix(3) == [0, 1, 2] && abs((heard.stretches.first?.duration ?? 0) - 0.5) < 0.1
        }

        /// A server that sends only all of it is read on from the beginning, and what lies before is dropped.
        @Test(arguments: [MediaFixtures.Codec.mp3, .opus, .flac, .adts])
        func withoutRanges(_ codec: MediaFixtures.Codec) async throws {
            let web = try await WebServer.start(.whole("whole/"))
            let file = try await MediaFixtures.position(codec, seconds: 12)
            try web.publish(file, as: "a")
            let words = ["--start", "7.25", "--end", "10"]
            let heard = try await Programs.samples(words + [web.url("whole/a")])
            let local = try await Programs.samples(words + [file])
            #expect(local.seconds.order == [7, 8, 9], "\(local.errors)")
            #expect(heard.difference(from: local) == nil, "\(heard.seconds.text) \(heard.errors)")
        }

        /// It is asked for once more to begin again.
        @Test func aLoopWithoutRanges() async throws {
            let web = try await WebServer.start(.whole("whole/"))
            try web.publish(await MediaFixtures.position(.mp3, seconds: 2), as: "a.mp3")
            let player = try await StreamPlayer(["--loop", web.url("whole/a.mp3")])
            try await player.waitForSound()
            try await player.hear(6)
            let heard = player.heard(period: 2)
            #expect(heard.order.prefix(5) == [0, 1, 0, 1, 0], "\(heard.text) \(player.process.errorText)")
            try await player.quit()
        }

        /// In HLS the segment is opened that is wanted, and not those before.
        @Test func segments() async throws {
            let web = try await WebServer.start()
            let url = try web.publish(folder: await NetworkMaterial.segments(.ts, seconds: 60), as: "a")
            let heard = try await Programs.samples(["--start", "40", "--end", "45", "\(url)/index.m3u8"])
            #expect(heard.seconds.order == [40, 41, 42, 43, 44], "\(heard.errors)")
            #expect(!web.requests.contains { $0.path == "/a/10.ts" })
        }

        /// Packed audio has no clock of its own, so only the playlist knows where a segment belongs.
        @Test func packedAudio() async throws {
            let web = try await WebServer.start()
            let url = try web.publish(folder: await NetworkMaterial.packedAudio(seconds: 18), as: "a")
            let heard = try await Programs.samples(["--start", "8", "--end", "15", "\(url)/index.m3u8"])
            #expect(heard.seconds.order == Array(8..<15), "\(heard.seconds.text) \(heard.errors)")
            // A segment that is missing costs itself.
            try web.fail("a/2.aac", with: .missing)
            let gap = try await Programs.samples(["\(url)/index.m3u8"])
            #expect(gap.seconds.order == Array(0..<4) + Array(6..<18), "\(gap.seconds.text) \(gap.errors)")
        }

        /// Back to before what the last seek began with, of which nothing is in the buffer.
        @Test func packedAudioBackwards() async throws {
            let web = try await WebServer.start(.slow("slow/", rate: 24_000))
            try web.publish(folder: await NetworkMaterial.packedAudio(seconds: 60), as: "a")
            let seat = try await Seat.take()
            let daemon = try await StreamDaemon(on: seat)
            let client = try daemon.connect()
            let capture = try await MonitorCapture(of: seat.server, sink: seat.sink)
            try client.order("add \"\(web.url("slow/a/index.m3u8"))\"")
            try client.order("play 0")
            try await capture.waitForSound()
            for place in [50, 40, 44] {
                try client.order("seekcur \(place)")
                let from = capture.frames
                try await capture.waitForFrames(4 * 44_100, after: from)
                let heard = SecondsHeard(capture.current, from: from + 44_100)
                // What the encoder puts before the first sample is heard of packed audio.
                let isNear = heard.order.first.map { (place - 1...place + 3).contains($0) }
                #expect(isNear == true, "\(place): \(heard.text)")
            }
        }

        /// What is in the buffer is there: going back and forth in it makes no request.
        @Test func withinTheBuffer() async throws {
            let web = try await WebServer.start()
            let file = try await MediaFixtures.position(.mp3, seconds: 20)
            let (url, size) = (try web.publish(file, as: "a.mp3"), try FileBytes.read(file).count)
            let seat = try await Seat.take()
            let daemon = try await StreamDaemon(on: seat)
            let client = try daemon.connect()
            let capture = try await MonitorCapture(of: seat.server, sink: seat.sink)
            try client.order("add \"\(url)\"")
            try client.order("play 0")
            try await capture.waitForSound()
            try await web.waitForRequests { $0.reduce(0) { $0 + $1.bytes } >= size - 4096 }
            let count = web.requests.count
            for place in [8, 3, 10] {
                try client.order("seekcur \(place)")
                let from = capture.frames
                try await capture.waitForFrames(44_100, after: from)
                let heard = SecondsHeard(capture.current, from: from + 22_050)
                #expect(heard.order.first.map { abs($0 - place) <= 1 } == true, "\(place): \(heard.text)")
            }
            #expect(web.requests.count == count, "\(web.requests.dropFirst(count))")
        }
    }
}
