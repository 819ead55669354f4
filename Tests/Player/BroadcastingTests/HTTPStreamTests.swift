import AudioTypes
import Glibc
import OutputGroups
import Outputs
import Playback
import TestSupport
import TestThreads
import Testing

@testable import Broadcasting

/// Streams over HTTP, with real connections.
@Suite(.blocking, .serialized)
struct HTTPStreamTests {
    private static let frame = 4

    /// Each codec's stream can be joined in the middle, and sounds as what is played, within half a second of sound.
    @Test(arguments: StreamEncoding.Codec.allCases.filter { $0 != .pcm })
    func aNewcomerHearsAtOnceWhatIsPlayed(codec: StreamEncoding.Codec) async throws {
        let stage = try await BroadcastStage()
        let settings = try stage.addStream(StreamEncoding(codec))
        try await stage.play(Signal.tone(1_000, seconds: 60, sampleRate: 44_100))
        try wait(for: "the sound") { stage.player.currentTime().seconds > 2.5 }
        for round in 0..<2 {
            let begin = ContinuousClock.now
            let reader = try StreamReader(settings.port)
            #expect(reader.status == "200")
            // What a listener has after half a second is the second before, too; a busy machine may take longer.
            let path = stage.folder.file("\(round).\(codec.fileExtension)")
            var bytes: [UInt8] = []
            var sound = MediaSound(format: .cd)
            var elapsed = Duration.zero
            repeat {
                let next = elapsed + .milliseconds(500)
                while elapsed < next {
                    bytes += reader.client.arrived()
                    elapsed = ContinuousClock.now - begin
                }
                try FileBytes.write(bytes, to: path)
                sound = try MediaSound.of(path)
            } while sound.channel(0).count <= sound.format.sampleRate && elapsed < .patience
            let samples = sound.channel(0)
            let ahead = Double(samples.count) / Double(sound.format.sampleRate) - elapsed / .seconds(1)
            #expect(ahead > 0.4, "\(samples.count) in \(elapsed)")
            let end = samples.suffix(sound.format.sampleRate / 2)
            let frequency = Analysis.frequency(end, sampleRate: sound.format.sampleRate)
            #expect(abs(frequency - 1_000) < 20, "\(frequency)")
        }
        await stage.player.close()
    }

    /// While nothing plays, the connection is kept and silence comes at the pace of time; what was paused goes on with the
    /// very next sample.
    @Test func aPauseIsSilence() async throws {
        let stage = try await BroadcastStage()
        let settings = try stage.addStream(StreamEncoding(.wav))
        let reader = try StreamReader(settings.port)
        try stage.waitForListeners(1)
        let signal = Signal.noise(frames: 44_100 * 3)
        try await stage.play(signal)
        try wait(for: "the sound") { stage.player.currentTime().seconds > 0.5 }
        await stage.player.pause()
        let begin = ContinuousClock.now
        var bytes = reader.read(44_100 * Self.frame * 5)
        let seconds = (ContinuousClock.now - begin) / .seconds(1)
        // At most what a newcomer gets at once comes faster than time.
        #expect(seconds > 2)
        await stage.player.play()
        bytes += reader.read(44_100 * Self.frame * 5)
        await stage.player.close()
        let heard = pcm(bytes).filter { $0 != 0 }
        let played = Signal.integers(signal).filter { $0 != 0 }
        #expect(heard.count >= played.count)
        #expect(zip(heard, played).allSatisfy { $0 == $1 })
    }

    /// A stream is heard sample by sample by one listener while another one reads nothing.
    @Test func aSlowListenerDisturbsNobody() async throws {
        let stage = try await BroadcastStage()
        let settings = try stage.addStream(StreamEncoding(.wav)) { $0.keptTime = 2 }
        let slow = try StreamReader(settings.port)
        let reader = try StreamReader(settings.port)
        try stage.waitForListeners(2)
        let signals = [Signal.noise(frames: 44_101 * 4, seed: 1), Signal.noise(frames: 44_103 * 6, seed: 2)]
        try await stage.play(signals[0], signals[1])
        let samples = pcm(reader.read(44_100 * Self.frame * 12))
        let played = Signal.integers(signals[0] + signals[1])
        let start = try #require(samples.firstIndex { $0 != 0 })
        let silence = try #require(played.firstIndex { $0 != 0 })
        let heard = samples.dropFirst(start - silence)
        #expect(heard.count >= played.count)
        #expect(zip(heard, played).allSatisfy { $0 == $1 })
        // The slow one finds its head, the beginning, and then what is new: not all that was sent meanwhile.
        let late = pcm(slow.read(44_100 * Self.frame * 14))
        let lateStart = try #require(late.firstIndex { $0 != 0 })
        let lateHeard = late.dropFirst(lateStart - silence)
        let agreed = zip(lateHeard, played).prefix { $0 == $1 }.count
        #expect(agreed > 4_410 && agreed < played.count, "\(agreed)")
        await stage.player.close()
    }

    /// Without a listener nothing is encoded, and the zone's clock goes on.
    @Test func nothingIsEncodedForNobody() async throws {
        let stage = try await BroadcastStage()
        let settings = try stage.addStream(StreamEncoding(.wav))
        try await stage.play(Signal.tone(1_000, seconds: 30, sampleRate: 44_100))
        try wait(for: "the clock") { stage.player.currentTime().seconds > 0.6 }
        #expect(stage.stream?.error == nil)
        let reader = try StreamReader(settings.port)
        // A header, and then not more than the time that is kept.
        #expect(reader.read(44_100).count == 44_100)
        try stage.waitForListeners(1)
        shutdown(reader.client.descriptor, Int32(SHUT_RDWR))
        try stage.waitForListeners(0)
        #expect(stage.stream?.error == nil)
        await stage.player.close()
    }

    @Test func titlesAreInTheStreamForThoseWhoAsk() async throws {
        let stage = try await BroadcastStage()
        let settings = try stage.addStream(StreamEncoding(.wav)) { $0.texts.genre = "Noise" }
        stage.group.show(StreamTitle(title: "One", artist: "Ann"))
        let reader = try StreamReader(settings.port, "GET", "/x.wav", "Icy-MetaData: 1")
        #expect(reader.head.contains("icy-metaint: 16384"))
        #expect(reader.head.contains("icy-name: Test") && reader.head.contains("icy-genre: Noise"))
        #expect(Self.nextTitle(reader) == "StreamTitle='Ann - One';")
        #expect(Self.nextTitle(reader) == "")
        stage.group.show(StreamTitle(title: "Two"))
        let second = (0..<100).lazy.map { _ in Self.nextTitle(reader) }.first { !$0.isEmpty }
        #expect(second == "StreamTitle='Two';")
        let plain = try StreamReader(settings.port)
        #expect(!plain.head.contains { $0.hasPrefix("icy-metaint") })
        await stage.player.close()
    }

    private static func nextTitle(_ reader: StreamReader) -> String {
        _ = reader.read(ListenerResponse.titleInterval)
        let length = Int(reader.read(1).first ?? 0) * 16
        return String(decoding: reader.read(length).prefix { $0 != 0 }, as: UTF8.self)
    }

    /// Listeners have a limit of their own, and can be sent away.
    @Test func listenersAreCountedAndCanBeSentAway() async throws {
        let stage = try await BroadcastStage()
        let settings = try stage.addStream(StreamEncoding(.mp3)) { $0.maxListeners = 2 }
        let readers = try (0..<2).map { _ in try StreamReader(settings.port) }
        try stage.waitForListeners(2)
        let third = try StreamReader(settings.port)
        #expect(third.status == "503" && third.head.contains { $0.hasPrefix("Retry-After") })
        #expect(stage.stream?.attributes["max-clients"] == "2")
        #expect(stage.stream?.attributes["stream"] == "mp3")
        try stage.group.setAttribute("max-clients", to: "1", of: "stream")
        try stage.waitForListeners(1)
        // Who came last leaves.
        #expect(readers[1].read(10_000_000).count < 10_000_000)
        #expect(readers[0].read(10_000).count == 10_000)
        #expect(throws: AttributeProblem.self) { try stage.group.setAttribute("max-clients", to: "-1", of: "stream") }
        #expect(throws: AttributeProblem.self) { try stage.group.setAttribute("listeners", to: "0", of: "stream") }
        stage.group.setEnabled(false, "stream")
        #expect(readers[0].read(10_000_000).count < 10_000_000)
        await stage.player.close()
    }

    @Test func requestsHaveBorders() async throws {
        let stage = try await BroadcastStage()
        let settings = try stage.addStream(StreamEncoding(.mp3)) {
            $0.maxListeners = 1
            $0.requestTime = 1
        }
        let head = try StreamReader(settings.port, "HEAD")
        #expect(head.status == "200" && head.head.contains("Content-Type: audio/mpeg"))
        #expect(head.read(1).isEmpty)
        #expect(try StreamReader(settings.port, "GET", "/favicon.ico").status == "404")
        #expect(try StreamReader(settings.port, "POST").status == "405")
        #expect(try StreamReader(settings.port, "GET", "nonsense").status == "400")
        let long = "X: " + String(repeating: "x", count: 9_000)
        #expect(try StreamReader(settings.port, "GET", "/", long).status == "431")
        // One that sends its request byte by byte.
        let slow = LineClient(descriptor: try SocketAddress.ipv4(settings.port).connect())
        slow.send("GET / HT")
        #expect(slow.line().hasPrefix("HTTP/1.1 408 "))
        await stage.player.close()
    }

    /// Of those that keep their requests waiting the oldest give way, and never a listener.
    @Test func halfRequestsKeepNobodyOut() async throws {
        let stage = try await BroadcastStage()
        let settings = try stage.addStream(StreamEncoding(.mp3)) {
            $0.maxListeners = 3
            $0.requestTime = 300
        }
        let first = try StreamReader(settings.port)
        let halves = try (0..<300).map { _ in
            let client = LineClient(descriptor: try SocketAddress.ipv4(settings.port).connect())
            client.send("GET / HTTP/1.1\r\nHost: x\r\n")
            return client
        }
        #expect(halves[0].line().hasPrefix("HTTP/1.1 408 "))
        let second = try StreamReader(settings.port)
        #expect(second.status == "200")
        try stage.waitForListeners(2)
        halves[299].send("\r\n")
        #expect(halves[299].line().hasPrefix("HTTP/1.1 200 "))
        try stage.waitForListeners(3)
        #expect(first.read(10_000).count == 10_000 && second.read(10_000).count == 10_000)
        await stage.player.close()
    }

    /// A port that is taken is told, and taken when it is free.
    @Test func aPortThatIsTakenIsAnError() async throws {
        let stage = try await BroadcastStage()
        let settings = try stage.addStream(StreamEncoding(.mp3))
        #expect(throws: StreamProblem("cannot listen at 127.0.0.1:\(settings.port): Address already in use")) {
            _ = try StreamOutput.httpd(settings, format: .cd)
        }
        await stage.player.close()
    }
}
