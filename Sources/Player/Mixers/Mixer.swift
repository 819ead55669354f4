package import AudioTypes
package import Outputs
internal import Synchronization
internal import Threads

/// Plays several players through one output: music, and voices over it or alone.
///
/// Each player has a channel, which it uses as its output. On a change the frames that the real output holds are
/// overwritten, so a voice, a duck or a fade is heard within some 20 ms however much is buffered; if the output cannot
/// be rewritten, it is heard after the frames already taken. One channel that plays alone at unity gain costs no more
/// than without a mixer: its frames are copied, and its calls are passed on to the output.
///
///     let mixer = Mixer(output)
///     let player = Player(output: mixer.makeChannel())
package final class Mixer: Sendable {
    /// The purpose of a channel.
    package enum Role: Sendable, Hashable {
        /// Music: its volume is the output's, and closing it closes the mixer.
        case programme
        /// Speech over the programme: it has its own volume, below that of the output, and is attenuated where the sum
        /// with the programme would exceed full scale.
        case voice
    }

    let output: any AudioOutput
    /// The output's volume; `nil` if it has none.
    let volumeControl: (any VolumeControl)?
    let frames: MixedFrames
    /// Held while the output is called, so that effects take place in the order in which they were decided.
    private let control = Mutex(Control())

    private struct Control {
        var nextID = 0
        var alarm: Task<Void, Never>?
        var isClosed = false
    }

    /// Takes an open output, which is closed by the programme's channel or by `close`.
    package init(_ output: any AudioOutput) {
        self.output = output
        volumeControl = output.volumeControl
        frames = MixedFrames(format: output.format)
        attachOutput(at: .zero)
        if output.preferredFormat != output.format { adoptFormat() }
    }

    private func attachOutput(at position: FramePosition) {
        output.attach(frames, at: position) { [weak self, weak frames] event in
            // The output may hold locks of its own, so this must not call it back.
            if event == .formatChanged {
                WorkThread.startWhenPossible(named: "segue-format") { [weak self] in self?.adoptFormat() }
            } else if frames?.tell(event) == true {
                Task { self?.lookAtEnd() }
            }
        }
    }

    /// Goes on in the format that the output prefers, at the heard frame.
    ///
    /// The channels' players are told; each renders the frames again that were not heard.
    ///
    /// - Parameter caller: The channel whose player has asked, and does that unasked.
    private func adoptFormat(for caller: Int? = nil) {
        let hasChanged = control.withLock { control in
            let format = output.preferredFormat
            guard !control.isClosed, format != output.format else { return false }
            control.alarm?.cancel()
            output.pause()
            let heard = Int(sample: output.clock.frame(at: .now).rounded())
            output.discard(to: FramePosition(heard))
            output.reformat(to: format)
            // Before the output can read again: both must mean the same by a frame.
            frames.mix.withLock { $0.reformat(to: output.format, at: heard) }
            attachOutput(at: FramePosition(heard))
            return true
        }
        guard hasChanged else { return }
        let listeners = frames.mix.withLock { mix in mix.tracks.compactMap { $0.id == caller ? nil : $0.events } }
        for listener in listeners { listener(.formatChanged) }
    }

    /// Adopts the format of a medium, if the output follows media.
    func prefer(_ format: AudioFormat, for caller: Int) {
        output.prefer(format)
        adoptFormat(for: caller)
    }

    /// Seconds until a change is heard.
    package var reach: Double { output.rewriteMargin ?? output.depth }

    /// A new channel for one player.
    ///
    /// - Parameter ceiling: The highest volume a voice can have, relative to the output's.
    package func makeChannel(_ role: Role = .programme, ceiling: Volume = .full) -> MixerChannel {
        control.withLock { control in
            control.nextID += 1
            let track = Track(id: control.nextID, role: role)
            frames.mix.withLock { $0.add(track) }
            return MixerChannel(self, id: control.nextID, role: role, ceiling: ceiling)
        }
    }

    /// Closes all channels and the output; blocks until that is done.
    package func close() {
        let isFirst = control.withLock { control in
            control.alarm?.cancel()
            control.alarm = nil
            defer { control.isClosed = true }
            return !control.isClosed
        }
        guard isFirst else { return }
        _ = frames.tell(.failed("the output was closed"))
        // An output that follows another one now takes the frames heard last.
        output.close()
        frames.mix.withLock { mix in
            mix.runsOutput = false
            mix.tracks = []
        }
    }

    /// Whether no channel sounds and the output is paused.
    package var isIdle: Bool { frames.mix.withLock { !$0.runsOutput } }

    // MARK: Decisions and effects

    /// Lets `decide` change the mix, and applies the effects to the output.
    ///
    /// - Returns: The frame heard last before the effects.
    @discardableResult
    func conduct(_ decide: (inout Mix, Mix.Moment) -> [Mix.Effect]) -> Double {
        control.withLock { control in
            let clock = output.clock
            var heard = clock.frame(at: .now)
            guard !control.isClosed else { return heard }
            let format = frames.format
            let moment = Mix.Moment(
                heard: heard,
                isMoving: clock.rate > 0,
                margin: output.rewriteMargin.map(format.frames),
                lead: format.frames(in: output.lead),
                spread: format.frames(in: output.spread)
            )
            let effects = frames.mix.withLock { mix in
                mix.takesForGood = moment.margin == nil
                return decide(&mix, moment)
            }
            for effect in effects {
                // The output may have taken more since the decision.
                if let last = perform(effect, &control) { heard = last }
            }
            return heard
        }
    }

    /// - Returns: The frame heard last, if the output drops those after it.
    private func perform(_ effect: Mix.Effect, _ control: inout Control) -> Double? {
        switch effect {
        case .start: output.start()
        case .pause: output.pause()
        case .discard(let frame): return output.discard(to: FramePosition(frame))
        case .rewind(let frame): output.rewind(to: FramePosition(frame))
        case .rewrite(let frame): output.rewrite(from: FramePosition(frame))
        case .framesAvailable: output.framesAvailable()
        case .alarm(let frame): setAlarm(at: frame, &control)
        case .wait:
            look(&control, after: Self.patience) { mixer in mixer.conduct { mix, now in mix.hasWaited(now) } }
        case .tell(let id):
            let events = frames.mix.withLock { mix in mix.tracks.first { $0.id == id }?.events }
            events?(.clockChanged)
        }
        return nil
    }

    /// How long to wait for an output whose clock stands, in seconds.
    private static let patience = 0.1

    private func setAlarm(at frame: Int, _ control: inout Control) {
        let delay = output.clock.time(of: FramePosition(frame)).map { max(0, $0 - .now) } ?? 0
        look(&control, after: delay) { $0.lookAtEnd() }
    }

    /// Schedules an action; replaces the one scheduled before.
    private func look(_ control: inout Control, after delay: Double, _ body: @escaping @Sendable (Mixer) -> Void) {
        control.alarm?.cancel()
        control.alarm = Task { [weak self] in
            guard (try? await Task.sleep(for: .seconds(saturating: delay), clock: .continuous)) != nil, let self else {
                return
            }
            body(self)
        }
    }

    /// Removes a channel, and forgets it once its frames are no longer read.
    func remove(_ id: Int) {
        conduct { mix, now in mix.remove(id, now) }
        let delay = output.history + Self.grace
        Task { [weak self] in
            try? await Task.sleep(for: .seconds(saturating: delay), clock: .continuous)
            self?.conduct { mix, now in mix.forget(now) }
        }
    }

    /// Seconds by which a timer may be late.
    private static let grace = 0.2

    private func lookAtEnd() { conduct { mix, now in mix.alarm(now) } }
}
