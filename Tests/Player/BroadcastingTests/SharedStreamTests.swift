import OutputGroups
import Outputs
import Playback
import Synchronization
import TestSupport
import TestThreads
import Testing

@testable import Broadcasting

/// Streams for listeners in this process, beside those who come by HTTP.
@Suite(.blocking, .serialized)
struct SharedStreamTests {
    /// A listener, which takes what it is told to take.
    private final class Listener: Sendable {
        private let events = Mutex<[SharedStreamEvent]>([])
        private let seat = Mutex<(any SharedStreamSeat)?>(nil)

        init(_ stage: BroadcastStage, withTitles: Bool = false) throws {
            let stream = try #require(stage.group.sharedStreams.first)
            let seat = stream.listen(withTitles: withTitles) { [self] event in events.withLock { $0.append(event) } }
            self.seat.withLock { $0 = seat }
        }

        var others: [SharedStreamEvent] {
            events.withLock { $0.filter { if case .bytes = $0 { false } else { true } } }
        }

        /// Takes the parts that have come since the last call, so that more come.
        func take() -> [UInt8] {
            let bytes = events.withLock { events in
                defer { events.removeAll { if case .bytes = $0 { true } else { false } } }
                return events.flatMap { event -> [UInt8] in if case .bytes(let bytes) = event { bytes } else { [] } }
            }
            seat.withLock { $0?.took(bytes.count) }
            return bytes
        }

        /// How many bytes wait to be taken.
        var waiting: Int {
            events.withLock {
                $0.reduce(0) { sum, event in if case .bytes(let bytes) = event { sum + bytes.count } else { sum } }
            }
        }

        func read(_ count: Int) throws -> [UInt8] {
            var bytes: [UInt8] = []
            try wait(for: "\(count) bytes") {
                bytes += take()
                return bytes.count >= count
            }
            return bytes
        }

        func leave() { seat.withLock { $0?.leave() } }
    }

    @Test func aListenerHearsWhatIsPlayed() async throws {
        let stage = try await BroadcastStage()
        _ = try stage.addStream(StreamEncoding(.wav))
        let signal = Signal.noise(frames: 44_100 * 3)
        let listener = try Listener(stage)
        try stage.waitForListeners(1)
        try await stage.play(signal)
        let played = Signal.integers(signal).filter { $0 != 0 }
        var (bytes, heard): ([UInt8], [Int16]) = ([], [])
        while heard.count < played.count {
            bytes += try listener.read(44_100 * 4)
            heard = pcm(bytes).filter { $0 != 0 }
        }
        #expect(zip(heard, played).allSatisfy { $0 == $1 })
        #expect(listener.others == [.begun])
        await stage.player.close()
        try wait(for: "the end") { listener.others == [.begun, .ended] }
    }

    @Test func titlesComeAsByHTTP() async throws {
        let stage = try await BroadcastStage()
        let settings = try stage.addStream(StreamEncoding(.wav)) { $0.texts.genre = "Noise" }
        stage.group.show(StreamTitle(title: "One", artist: "Ann"))
        let stream = try #require(stage.group.sharedStreams.first)
        let reader = try StreamReader(settings.port, "GET", "/x.wav", "Icy-MetaData: 1")
        for field in stream.fields(withTitles: true) { #expect(reader.head.contains("\(field.name): \(field.value)")) }
        let length = ListenerResponse.titleInterval
        let bytes = try Listener(stage, withTitles: true).read(length + 100)
        let title = String(decoding: bytes[(length + 1)...].prefix { $0 != 0 }, as: UTF8.self)
        #expect(bytes[length] == 2 && title == "StreamTitle='Ann - One';")
        await stage.player.close()
    }

    @Test func oneWhoTakesNothingIsGivenNoMore() async throws {
        let stage = try await BroadcastStage()
        let settings = try stage.addStream(StreamEncoding(.wav))
        let listener = try Listener(stage)
        let other = try StreamReader(settings.port)
        // As much passes by as the stream keeps, and more.
        #expect(other.read(2 << 20).count == 2 << 20)
        let waiting = listener.waiting
        #expect(waiting >= 64 << 10 && waiting < 512 << 10, "\(waiting)")
        _ = other.read(200_000)
        #expect(listener.waiting == waiting)
        // It goes on with the newest, as soon as it takes what it has.
        _ = listener.take()
        #expect(try listener.read(200_000).count >= 200_000)
        await stage.player.close()
    }

    @Test func listenersOfBothKindsAreCountedTogether() async throws {
        let stage = try await BroadcastStage()
        let settings = try stage.addStream(StreamEncoding(.mp3)) { $0.maxListeners = 2 }
        let first = try Listener(stage)
        let second = try StreamReader(settings.port)
        try stage.waitForListeners(2)
        let third = try Listener(stage)
        try wait(for: "an answer") { !third.others.isEmpty }
        #expect(third.others == [.full] && third.waiting == 0)
        #expect(try StreamReader(settings.port).status == "503")
        // One who had no place leaves without taking another's.
        third.leave()
        first.leave()
        first.leave()
        try stage.waitForListeners(1)
        let fourth = try Listener(stage)
        try stage.waitForListeners(2)
        // The last listener is sent away.
        try stage.group.setAttribute("max-clients", to: "1", of: "stream")
        try wait(for: "the end") { fourth.others == [.begun, .ended] }
        #expect(second.read(1_000).count == 1_000)
        await stage.player.close()
    }
}
