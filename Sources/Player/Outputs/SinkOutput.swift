package import AudioTypes
package import Mixing
private import Synchronization

/// Feeds a `FrameSink` from a thread of its own, as fast as frames come and the sink takes them.
///
/// What a sink has taken counts as heard. The volume is applied to the samples, since no server does it.
package final class SinkOutput: AudioOutput {
    package let format: AudioFormat
    package let depth = 0.0
    package let lead = 0.0
    package let keepsTime = false
    private let state: Mutex<State>
    private let bell = Doorbell()
    private let finished = Doorbell()

    private struct State {
        var ring: (any FrameReading)?
        var events: (@Sendable (OutputEvent) -> Void)?
        var position = FramePosition.zero
        var isRunning = false
        var isClosing = false
        var hasFailed = false
        var gain = GainRamp(.unity)
    }

    /// Frames given to a sink at once.
    private static let chunk = 8_192
    /// How long a volume change takes, in seconds: short enough to be at once, long enough not to click.
    private static let rampLength = 0.02

    /// - Parameter sink: Is used on the output's thread only from here on.
    package init(format: AudioFormat, sink: sending any FrameSink) {
        self.format = format
        state = Mutex(State())
        let transfer = Mutex<(any FrameSink)?>(sink)
        WorkThread.start(named: "segue-sink") { [self] in
            blockBrokenPipeSignal()
            if let sink = transfer.withLock({ $0.take() }) { run(sink) }
            finished.ring()
        }
    }

    package func attach(
        _ ring: any FrameReading,
        at position: FramePosition,
        events: @escaping @Sendable (OutputEvent) -> Void
    ) {
        state.withLock {
            $0.ring = ring
            $0.events = events
            $0.position = position
        }
    }

    package func start() {
        state.withLock { $0.isRunning = true }
        bell.ring()
    }

    package func pause() { state.withLock { $0.isRunning = false } }

    package func discard(to position: FramePosition) {
        state.withLock {
            $0.position = position
        }
    }

    package func giveUp(to position: FramePosition) -> Double {
        state.withLock { state in
            defer { state.position = position }
            return Double(state.position.index)
        }
    }

    package func rewind(to position: FramePosition) {
        // What a sink has taken cannot be called back; the new frames follow it whole.
        state.withLock {
            $0.position = min($0.position, position)
        }
    }

    package func framesAvailable() { bell.ring() }

    package var clock: OutputClock {
        state.withLock { OutputClock(frame: Double($0.position.index), time: .now, rate: 0) }
    }

    package func setVolume(_ volume: Volume, isMuted: Bool) {
        state.withLock {
            $0.gain.move(to: isMuted ? .silence : volume.gain, over: format.frames(in: Self.rampLength))
        }
    }

    package func close() {
        state.withLock { $0.isClosing = true }
        bell.ring()
        finished.wait()
    }

    /// One piece of work, decided under the lock and done without it.
    private enum Work {
        case wait
        /// So many frames, which are in the buffer.
        case write(Int)
        case finish
    }

    private func run(_ sink: any FrameSink) {
        let size = format.bytesPerFrame
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.chunk * size, alignment: 64)
        defer { unsafe buffer.deallocate() }
        while true {
            switch unsafe nextWork(buffer) {
            case .wait: bell.wait()
            case .finish:
                do { try sink.finish() } catch { fail("\(error)") }
                return
            case .write(let count):
                do {
                    unsafe try sink.write(UnsafeRawBufferPointer(rebasing: buffer[..<(count * size)]))
                    state.withLock { $0.events }?(.clockChanged)
                } catch {
                    fail("\(error)")
                }
            }
        }
    }

    /// Takes what comes next into the buffer; it counts as heard from then on, for it cannot be called back.
    private func nextWork(_ buffer: UnsafeMutableRawBufferPointer) -> Work {
        state.withLock { state in
            if state.isClosing { return .finish }
            guard state.isRunning, !state.hasFailed, let ring = state.ring, ring.written > state.position else {
                return .wait
            }
            guard let base = buffer.baseAddress else { return .wait }
            let count = unsafe ring.read(at: state.position, into: base, count: Self.chunk)
            unsafe state.gain.apply(to: base, count: count, format: format)
            state.position += count
            return .write(count)
        }
    }

    private func fail(_ reason: String) {
        let events = state.withLock { state in
            state.hasFailed = true
            return state.events
        }
        events?(.failed(reason))
    }
}
