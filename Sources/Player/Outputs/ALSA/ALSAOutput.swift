package import AudioTypes
package import Mixing
internal import Synchronization
internal import Threads

/// Plays to a device of ALSA, with a buffer as deep as the device allows, yet every change is heard at once: frames that
/// were written are taken back, or dropped and written again.
///
/// A thread of its own has the device; calls leave it orders. A device that was silent for five seconds is closed, so that
/// other programs can open it.
package final class ALSAOutput: AudioOutput, VolumeControl, AttributedOutput {
    package struct Options: Sendable {
        /// A PCM's name, as in `aplay -D`.
        package var device = ALSAOutput.usualDevice
        /// The behaviour when the device is gone; `nil`: pause for the usual device, and wait for one that was named.
        package var whenLost: LossPolicy?
        /// The format of the output while the device is missing; `nil`: a missing device is an error.
        package var formatWithoutDevice: AudioFormat?
        package var volume = Volume.full
        package var isMuted = false
        /// The control of the card's mixer that has the volume; `nil`: samples are scaled.
        package var mixerControl: String?
        /// Where the kernel makes the cards' device files.
        package var cardFolder = "/dev/snd"

        package init() {}
    }

    /// The device that is played to unless another is named.
    package static let usualDevice = "default"

    package let depth = ALSADevice.bufferLength
    package let lead = 0.25
    package let rewriteMargin: Double? = ALSAOutput.margin

    /// Seconds ahead of the heard frame from which on frames can be replaced.
    static let margin = 0.02
    /// Seconds of the ramp to another volume.
    private static let rampLength = 0.02

    private let mailbox: ALSAMailbox
    private let finished = Doorbell()

    /// Opens the device and learns what it takes.
    ///
    /// Blocks until the device answers.
    package init(_ options: Options = Options()) throws {
        var device: ALSADevice?
        var format = options.formatWithoutDevice ?? .cd
        do throws(ALSAError) {
            let open = try ALSADevice(options.device)
            format = open.capabilities.firstFormat
            try open.configure(format)
            device = open
        } catch {
            guard error.isLoss, options.formatWithoutDevice != nil else { throw error }
        }
        mailbox = ALSAMailbox(format: format, capabilities: device?.capabilities)
        mailbox.state.withLock { state in
            _ = state.setVolume(options.volume, isMuted: options.isMuted)
            state.gain = SoftwareVolume(state.wantedGain)
        }
        let transfer = Mutex<ALSADevice?>(device)
        try WorkThread.start(named: "segue-alsa") { [mailbox, finished] in
            let worker = ALSAWorker(options, mailbox, transfer.withLock { $0.take() })
            worker.run()
            finished.ring()
        }
    }

    // MARK: The format

    package var format: AudioFormat { mailbox.state.withLock { $0.format } }

    package var preferredFormat: AudioFormat { mailbox.state.withLock { $0.preferred } }

    package var formatPolicy: FormatPolicy {
        mailbox.state.withLock { $0.capabilities?.hasChoice == true ? .media : .sink }
    }

    package func prefer(_ format: AudioFormat) { mailbox.state.withLock { $0.preferred = $0.nearest(to: format) } }

    package func nearest(to format: AudioFormat) -> AudioFormat { mailbox.state.withLock { $0.nearest(to: format) } }

    package func reformat(to format: AudioFormat) {
        order { state in
            state.ring = nil
            let seconds = state.clock.heard(at: .now)
            state.format = state.nearest(to: format)
            state.preferred = state.format
            state.jump(to: FramePosition(Int(sample: seconds)))
        }
    }

    // MARK: Transport

    package func attach(
        _ ring: any FrameReading,
        at position: FramePosition,
        events: @escaping @Sendable (OutputEvent) -> Void
    ) {
        order { state in
            precondition(ring.format == state.format, "plays frames of its own format")
            state.ring = ring
            state.events = events
            state.isNew = true
            state.jump(to: position)
        }
    }

    package func start() { order { $0.isStarted = true } }

    package func pause() {
        order { state in
            guard state.isStarted else { return }
            state.isStarted = false
            state.clock.set(state.clock.heard(at: .now), at: .now, rate: 0, limit: state.limit)
        }
    }

    @discardableResult
    package func discard(to position: FramePosition) -> Double {
        order { state in
            let heard = state.clock.heard(at: .now)
            state.jump(to: position)
            return heard
        }
    }

    package func rewind(to position: FramePosition) {
        order { state in
            // The thread may be writing frames beyond the limit right now.
            state.rewound = min(position, state.rewound ?? position)
            guard state.limit > position else { return }
            state.limit = position
            state.clock.shorten(to: position)
        }
    }

    package func rewrite(from position: FramePosition) {
        // Whether there are such frames is known to the thread, which may be writing some right now.
        order { $0.rewritten = min(position, $0.rewritten ?? position) }
        framesAvailable()
    }

    package func framesAvailable() {
        if mailbox.isStarving.exchange(false, ordering: .sequentiallyConsistent) { mailbox.wake() }
    }

    package var clock: OutputClock {
        let now = HostTime.now
        return mailbox.state.withLock { $0.clock.reading(at: now) }
    }

    package func setVolume(_ volume: Volume, isMuted: Bool) {
        order { state in
            guard state.setVolume(volume, isMuted: isMuted), !state.hasMixer else { return }
            let first = Int(sample: state.clock.heard(at: .now)) + state.format.frames(in: Self.margin)
            state.gain.move(to: state.wantedGain, at: first, over: state.format.frames(in: Self.rampLength))
            state.rewritten = min(FramePosition(first), state.rewritten ?? FramePosition(first))
        }
    }

    package var scalesSamples: Bool { mailbox.state.withLock { !$0.hasMixer } }

    package func close() {
        order { $0.isClosing = true }
        finished.wait()
    }

    /// Times that the device ran dry although there were frames.
    package var xruns: Int { mailbox.state.withLock { $0.xruns } }

    /// The attribute with the number of `xruns`.
    package static let xrunsAttribute = "xruns"

    package var attributes: [String: String] { [Self.xrunsAttribute: "\(xruns)"] }

    package func setAttribute(_ name: String, to value: String) throws(AttributeProblem) {
        throw AttributeProblem("\(name) cannot be set")
    }

    @discardableResult
    private func order<Result: Sendable>(_ change: (inout ALSAMailbox.State) -> Result) -> Result {
        let result = mailbox.state.withLock { state in
            state.number += 1
            return change(&state)
        }
        mailbox.wake()
        return result
    }
}

extension ALSACapabilities {
    /// The format before anything is known of what is played: a CD's where it can follow, else all that the device has.
    var firstFormat: AudioFormat {
        let wanted = SampleFormat.s16
        let format = AudioFormat(sampleFormat: hasChoice ? wanted : .s32, sampleRate: 44_100, channels: .stereo)
        return nearest(to: format)
    }
}
