import AudioTypes
import Mixing
import Outputs
import Playback
import Synchronization
import TestSupport
import Testing

/// An output that reports something whenever frames come keeps no thread busy.
@Suite(.enabled("ffmpeg or lame is not installed") { MediaFixtures.missing.isEmpty })
struct TalkativeOutputTests {
    private final class TalkativeOutput: AudioOutput {
        private let output = NullOutput()
        private let events = Mutex<(@Sendable (OutputEvent) -> Void)?>(nil)
        let count = Atomic(0)

        var format: AudioFormat { output.format }
        var depth: Double { output.depth }
        var lead: Double { output.lead }
        var clock: OutputClock { output.clock }

        var history: Double { output.history }

        func attach(
            _ ring: any FrameReading,
            at position: FramePosition,
            events: @escaping @Sendable (OutputEvent) -> Void
        ) {
            self.events.withLock { $0 = events }
            output.attach(ring, at: position, events: events)
        }

        func framesAvailable() {
            output.framesAvailable()
            count.add(1, ordering: .relaxed)
            events.withLock { $0 }?(.clockChanged)
        }

        func start() { output.start() }
        func pause() { output.pause() }
        func discard(to position: FramePosition) -> Double { output.discard(to: position) }
        func rewind(to position: FramePosition) { output.rewind(to: position) }
        func close() { output.close() }
    }

    @Test(arguments: [0.7, 20])
    func theDecoderRests(_ seconds: Double) async throws {
        let output = TalkativeOutput()
        let player = Player(output: output)
        let entry = MediaEntry(try await noiseFile(seconds))
        await player.setLoopMode(.item)
        await player.append([entry])
        let times = await player.boundaryTimes(at: [0.6])
        await player.play()
        for await _ in times { break }
        await player.close()
        // Once for each half a second that is decoded, and a few more.
        #expect(output.count.load(ordering: .relaxed) < 100)
    }
}
