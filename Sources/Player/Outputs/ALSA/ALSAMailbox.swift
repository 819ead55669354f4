internal import AudioTypes
internal import Mixing
internal import Synchronization
internal import Threads

/// The state that the callers of an output and its thread share: orders one way, the clock the other.
final class ALSAMailbox: Sendable {
    struct State {
        /// Counts the orders: what the thread has found out before the last one is not published.
        var number = 0
        var ring: (any FrameReading)?
        var events: (@Sendable (OutputEvent) -> Void)?
        /// Whether the receiver of events has been told nothing yet.
        var isNew = false
        /// As last told.
        var isStarted = false
        var isClosing = false
        var format: AudioFormat
        var preferred: AudioFormat
        var capabilities: ALSACapabilities?
        /// The frame to go on with, after all that was written was dropped.
        var jumped: FramePosition?
        /// Frames from here on are wrong, and replaced when there are new ones.
        var rewound: FramePosition?
        /// Frames from here on have changed.
        var rewritten: FramePosition?
        var clock = StreamClock()
        /// The end of the frames written.
        var limit = FramePosition.zero
        var gain = SoftwareVolume(.unity)
        private(set) var volume = Volume.full
        private(set) var isMuted = false
        /// Whether the card's mixer has the volume.
        var hasMixer = false
        var xruns = 0

        init(format: AudioFormat, capabilities: ALSACapabilities?) {
            self.format = format
            preferred = format
            self.capabilities = capabilities
        }

        func nearest(to format: AudioFormat) -> AudioFormat { capabilities?.nearest(to: format) ?? format }

        var wantedGain: Gain { isMuted ? .silence : volume.gain }

        mutating func jump(to position: FramePosition) {
            jumped = position
            (rewound, rewritten) = (nil, nil)
            limit = position
            gain = SoftwareVolume(gain.target)
            clock.set(Double(position.index), at: .now, rate: 0, limit: position)
        }

        /// - Returns: Whether that is another volume.
        mutating func setVolume(_ volume: Volume, isMuted: Bool) -> Bool {
            defer { (self.volume, self.isMuted) = (volume, isMuted) }
            return (volume, isMuted) != (self.volume, self.isMuted)
        }
    }

    let state: Mutex<State>
    /// Whether the thread waits for frames.
    let isStarving = Atomic<Bool>(false)
    private let interrupt = Interrupt()

    init(format: AudioFormat, capabilities: ALSACapabilities?) {
        state = Mutex(State(format: format, capabilities: capabilities))
    }

    func wake() { interrupt.raise() }

    /// Whether there are orders after the one with this number.
    func hasNewOrders(since number: Int) -> Bool { state.withLock { $0.number != number } }

    /// Readable when the thread was woken.
    var descriptor: Int32 { interrupt.descriptor }

    /// The thread looks at everything after this.
    func hearWake() { interrupt.lowerAll() }

    func tell(_ event: OutputEvent) { state.withLock { $0.events }?(event) }
}
