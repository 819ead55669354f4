import AudioTypes
import Mixing
import Outputs
import Synchronization
import TestThreads
import Testing
import Threads

@testable import OutputGroups

/// An output that gets converted frames.
@Suite(.blocking)
struct FedOutputTests {
    /// An output that does something when its frames have been dropped, and that looks for frames when it is rewound.
    private final class ProbedOutput: AudioOutput {
        private let output = NullOutput(
            format: AudioFormat(sampleFormat: .s16, sampleRate: 48_000, channels: .stereo)
        )
        let probe = Mutex<(@Sendable () -> Void)?>(nil)
        let hasFrames = Doorbell()
        /// The number of frames that it could have taken when it was rewound, each time.
        let found = Mutex<[Int]>([])
        private let ring = Mutex<(any FrameReading)?>(nil)

        var format: AudioFormat { output.format }
        var depth: Double { output.depth }
        var lead: Double { output.lead }
        var clock: OutputClock { output.clock }

        func attach(
            _ ring: any FrameReading,
            at position: FramePosition,
            events: @escaping @Sendable (OutputEvent) -> Void
        ) {
            self.ring.withLock { $0 = ring }
            output.attach(ring, at: position, events: events)
        }

        func discard(to position: FramePosition) -> Double {
            defer { probe.withLock { $0 }?() }
            return output.discard(to: position)
        }

        func framesAvailable() {
            output.framesAvailable()
            hasFrames.ring()
        }

        func start() { output.start() }
        func pause() { output.pause() }
        func rewind(to position: FramePosition) {
            output.rewind(to: position)
            let written = ring.withLock { $0 }?.written ?? .zero
            found.withLock { $0.append(written - position) }
        }
        func close() { output.close() }
    }

    /// While frames are dropped, after which the output numbers them otherwise, the clock stands.
    @Test func theClockStandsWhileFramesAreDropped() {
        let inner = ProbedOutput()
        let output = FedOutput(inner, format: .cd, rendersVolume: false)
        let ring = FrameRing(format: .cd, capacity: 44_100 * 5)
        _ = unsafe ring.write { $0.count / AudioFormat.cd.bytesPerFrame }
        output.attach(ring, at: .zero) { _ in }
        output.framesAvailable()
        inner.hasFrames.wait()
        let read = Mutex<[OutputClock]>([])
        inner.probe.withLock { [output] probe in
            probe = { read.withLock { $0.append(output.clock) } }
        }
        output.discard(to: FramePosition(7))
        #expect(read.withLock { $0.map(\.frame) } == [0])
        #expect(output.clock.frame == 7)
        inner.probe.withLock { $0 = nil }
        output.close()
    }

    /// A sound server may ask for frames at that moment; with those of before, it would never get the new ones.
    @Test("an output that is rewound finds none of the frames that are replaced")
    func replacedFramesAreGone() {
        let inner = ProbedOutput()
        let output = FedOutput(inner, format: .cd, rendersVolume: true)
        let ring = FrameRing(format: .cd, capacity: 44_100 * 5)
        _ = unsafe ring.write { $0.count / AudioFormat.cd.bytesPerFrame }
        output.attach(ring, at: .zero) { _ in }
        output.framesAvailable()
        inner.hasFrames.wait()
        output.rewrite(from: FramePosition(441))
        #expect(inner.found.withLock { $0 } == [0])
        output.close()
    }
}
