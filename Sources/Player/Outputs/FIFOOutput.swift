package import AudioTypes
private import Glibc
package import Mixing
private import Synchronization

/// Writes raw frames to a FIFO while somebody reads it; without a reader it is lost, and costs nothing.
///
/// It takes frames as fast as they come, so somebody else has to set the pace. What it has taken counts as heard, whether
/// its reader kept up or not.
package final class FIFOOutput: AudioOutput {
    package let format: AudioFormat
    package let depth = 0.0
    package let lead = 0.0
    package let keepsTime = false
    private let fifo: FIFO
    private let state: Mutex<State>
    private let bell = Doorbell()
    private let finished = Doorbell()

    private struct State {
        var ring: (any FrameReading)?
        var events: (@Sendable (OutputEvent) -> Void)?
        var position = FramePosition.zero
        var isRunning = false
        var isClosing = false
        /// Whether nobody reads.
        var isLost = true
        var gain = GainRamp(.unity)
    }

    /// Frames written at once.
    private static let chunk = 2_048
    /// How long a volume change takes, in seconds.
    private static let rampLength = 0.02
    /// Seconds of frames that the pipe is to hold for a reader that is late.
    private static let pipeLength = 0.5

    /// Finds or makes the FIFO; its reader may come and go.
    ///
    /// - Throws: One line that says why the path cannot be used.
    package init(path: String, format: AudioFormat = .cd) throws {
        self.format = format
        fifo = try FIFO(path: path)
        state = Mutex(State())
        WorkThread.start(named: "segue-fifo") { [self] in
            blockBrokenPipeSignal()
            run()
            finished.ring()
        }
    }

    package func attach(
        _ ring: any FrameReading,
        at position: FramePosition,
        events: @escaping @Sendable (OutputEvent) -> Void
    ) {
        let isLost = state.withLock {
            $0.ring = ring
            $0.events = events
            $0.position = position
            return $0.isLost
        }
        if isLost { events(.lost(reason)) }
    }

    package func start() {
        state.withLock { $0.isRunning = true }
        bell.ring()
    }

    package func pause() { state.withLock { $0.isRunning = false } }

    package func discard(to position: FramePosition) { state.withLock { $0.position = position } }

    package func rewind(to position: FramePosition) { state.withLock { $0.position = min($0.position, position) } }

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
        // The thread may wait for a reader, or be about to.
        let reader = fifo.openReader()
        finished.wait()
        if reader >= 0 { Glibc.close(reader) }
        fifo.remove()
    }

    // MARK: The thread

    private var reason: String { "\(fifo.path): nobody reads it" }

    private func run() {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.chunk * format.bytesPerFrame, alignment: 64)
        defer { unsafe buffer.deallocate() }
        while !state.withLock({ $0.isClosing }) {
            let capacity = format.frames(in: Self.pipeLength) * format.bytesPerFrame
            guard let descriptor = fifo.waitForReader(capacity: capacity) else { return }
            setLost(false)
            unsafe serve(descriptor, buffer)
            Glibc.close(descriptor)
            setLost(true)
        }
    }

    private func setLost(_ isLost: Bool) {
        let events = state.withLock { state in
            state.isLost = isLost
            return state.isClosing ? nil : state.events
        }
        events?(isLost ? .lost(reason) : .restored)
    }

    /// Writes what comes until the last reader has left.
    private func serve(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) {
        // The end of a frame that was written in part.
        var rest = [UInt8]()
        var hasWritten = false
        while true {
            guard let count = unsafe take(buffer) else { return }
            if count == 0 {
                if hasWritten { state.withLock { $0.events }?(.clockChanged) }
                hasWritten = false
                bell.wait()
                continue
            }
            if !rest.isEmpty {
                let written = unsafe rest.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
                if written < 0, errno != EAGAIN, errno != EINTR { return }
                rest.removeFirst(max(0, written))
                if !rest.isEmpty { continue }
            }
            hasWritten = true
            let bytes = count * format.bytesPerFrame
            let written = unsafe write(descriptor, buffer.baseAddress, bytes)
            if written < 0, errno != EAGAIN, errno != EINTR { return }
            let part = max(0, written) % format.bytesPerFrame
            if part > 0 { unsafe rest = Array(buffer[written..<written + format.bytesPerFrame - part]) }
        }
    }

    /// Takes what comes next into the buffer.
    ///
    /// - Returns: The number of frames; `nil` when it is time to end.
    private func take(_ buffer: UnsafeMutableRawBufferPointer) -> Int? {
        state.withLock { state in
            if state.isClosing { return nil }
            guard state.isRunning, let ring = state.ring, let base = buffer.baseAddress else { return 0 }
            let count = unsafe ring.read(at: state.position, into: base, count: Self.chunk)
            unsafe state.gain.apply(to: base, count: count, format: format)
            state.position += count
            return count
        }
    }
}
