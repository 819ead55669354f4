package import AudioTypes
package import Mixing
private import Synchronization
internal import Threads

/// An output without a clock of its own: its thread takes frames from a feed as fast as they come, and frames that it has
/// taken count as heard.
package protocol FeedOutput: AudioOutput, VolumeControl {
    var feed: FrameFeed { get }
}

extension FeedOutput {
    package var format: AudioFormat { feed.format }
    package var depth: Double { 0 }
    package var lead: Double { 0 }
    package var keepsTime: Bool { false }

    package func attach(
        _ ring: any FrameReading,
        at position: FramePosition,
        events: @escaping @Sendable (OutputEvent) -> Void
    ) {
        feed.attach(ring, at: position, events: events)
    }

    package func start() { feed.start() }
    package func pause() { feed.pause() }
    @discardableResult
    package func discard(to position: FramePosition) -> Double { feed.discard(to: position) }
    package func rewind(to position: FramePosition) { feed.rewind(to: position) }
    package func framesAvailable() { feed.ring() }
    package var clock: OutputClock { feed.clock }
    package func setVolume(_ volume: Volume, isMuted: Bool) { feed.setVolume(volume, isMuted: isMuted) }
}

/// The frames of a `FeedOutput`: where its thread reads them, and whether it may.
///
/// The volume is applied to the samples, since no server does it. Only `wait` blocks.
package final class FrameFeed: Sendable {
    private struct State {
        var ring: (any FrameReading)?
        var events: (@Sendable (OutputEvent) -> Void)?
        var position = FramePosition.zero
        /// As last told.
        var isStarted = false
        var isClosing = false
        /// Whether there is something to give the frames to.
        var hasTaker: Bool
        var gain = GainRamp(.unity)
    }

    package let format: AudioFormat
    private let state: Mutex<State>
    private let bell = Doorbell()

    /// Length of a volume ramp, in seconds: short enough to seem immediate, long enough not to click.
    private static let rampLength = 0.02

    package init(format: AudioFormat, hasTaker: Bool = true) {
        self.format = format
        state = Mutex(State(hasTaker: hasTaker))
    }

    // MARK: The player's side

    /// - Returns: Whether there is something to give the frames to.
    @discardableResult
    package func attach(
        _ ring: any FrameReading,
        at position: FramePosition,
        events: @escaping @Sendable (OutputEvent) -> Void
    ) -> Bool {
        state.withLock {
            ($0.ring, $0.events, $0.position) = (ring, events, position)
            return $0.hasTaker
        }
    }

    func start() {
        state.withLock { $0.isStarted = true }
        bell.ring()
    }

    func pause() { state.withLock { $0.isStarted = false } }

    func discard(to position: FramePosition) -> Double {
        state.withLock { state in
            defer { state.position = position }
            return Double(state.position.index)
        }
    }

    /// Frames that were taken cannot be recalled; the new ones follow in full.
    func rewind(to position: FramePosition) { state.withLock { $0.position = min($0.position, position) } }

    package func ring() { bell.ring() }

    var clock: OutputClock { state.withLock { OutputClock(frame: Double($0.position.index), time: .now, rate: 0) } }

    func setVolume(_ volume: Volume, isMuted: Bool) {
        state.withLock {
            $0.gain.move(to: isMuted ? .silence : volume.gain, over: format.frames(in: Self.rampLength))
        }
    }

    /// Has the thread end.
    package func close() {
        state.withLock { $0.isClosing = true }
        bell.ring()
    }

    // MARK: The thread's side

    package var isClosing: Bool { state.withLock { $0.isClosing } }

    /// Waits until there may be frames to take, or the end, or until a deadline.
    package func wait(until deadline: HostTime? = nil) { bell.wait(until: deadline) }

    /// Whether there is something to give the frames to.
    package var hasTaker: Bool { state.withLock { $0.hasTaker } }

    /// Copies the next frames into a buffer; they count as heard from then on.
    ///
    /// - Returns: The number of frames, 0 when there are none to take now; `nil` when the output closes.
    package func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        state.withLock { state in
            if state.isClosing { return nil }
            guard state.isStarted, state.hasTaker, let ring = state.ring, let base = buffer.baseAddress else {
                return 0
            }
            let most = buffer.count / format.bytesPerFrame
            let count = unsafe ring.read(at: state.position, into: base, count: most)
            unsafe state.gain.apply(to: base, count: count, format: format)
            state.position += count
            return count
        }
    }

    /// Records whether there is something to give the frames to, and tells of it, unless the output closes.
    package func setTaker(_ hasTaker: Bool, _ event: OutputEvent) {
        let events = state.withLock { state in
            state.hasTaker = hasTaker
            return state.isClosing ? nil : state.events
        }
        events?(event)
    }

    /// Takes no more frames, and tells why.
    package func fail(_ reason: String) {
        state.withLock { $0.hasTaker = false }
        tell(.failed(reason))
    }

    package func tell(_ event: OutputEvent) { state.withLock { $0.events }?(event) }
}
