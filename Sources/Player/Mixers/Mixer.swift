package import AudioTypes
internal import Mixing
package import Outputs
internal import Synchronization

/// Lets several players be heard through one output: music, and voices over it or alone.
///
/// Each player has a channel, which is an output to it. What the output holds is written over when something changes, so
/// a voice, a duck or a fade is heard within some 20 ms however much is buffered; where the output cannot be rewritten, it
/// is heard when what was taken has been. One channel that plays alone at its full loudness costs what it costs without
/// a mixer: its frames are copied, and its calls are the output's.
///
///     let mixer = Mixer(output)
///     let player = Player(output: mixer.makeChannel())
package final class Mixer: Sendable {
    /// What a channel is for.
    package enum Role: Sendable, Hashable {
        /// Music: its volume is the output's, and the mixer ends with it.
        case programme
        /// Something said over the programme: it has a volume of its own, below that of the output, and is made quieter
        /// where it would otherwise exceed full scale together with the programme.
        case voice
    }

    let output: any AudioOutput
    let frames: MixedFrames
    /// Held while the output is called, so that what was decided first is done first.
    private let desk = Mutex(Desk())

    private struct Desk {
        var nextID = 0
        var alarm: Task<Void, Never>?
        var isClosed = false
    }

    /// Takes an open output; the programme's channel, or `close`, closes it.
    package init(_ output: any AudioOutput) {
        self.output = output
        frames = MixedFrames(format: output.format)
        output.attach(frames, at: .zero) { [weak self, weak frames] event in
            // The output may hold locks of its own.
            if frames?.tell(event) == true { Task { self?.lookAtEnd() } }
        }
    }

    /// How many seconds pass until a change is heard.
    package var reach: Double { output.rewriteMargin ?? output.depth }

    /// How many seconds too early it may be told that something was heard: by outputs that are late to change, such as
    /// PipeWire's.
    package var haste: Double { (output.rewriteMargin ?? 0) > 0.1 ? 0.1 : 0 }

    /// A new channel for one player.
    ///
    /// - Parameter ceiling: The highest volume a voice can have, relative to the output's.
    package func makeChannel(_ role: Role = .programme, ceiling: Volume = .full) -> MixerChannel {
        desk.withLock { desk in
            desk.nextID += 1
            let track = Track(id: desk.nextID, role: role)
            frames.mix.withLock { $0.add(track) }
            return MixerChannel(self, id: desk.nextID, role: role, ceiling: ceiling)
        }
    }

    /// Ends all channels, and the output; blocks until that is done.
    package func close() {
        let isFirst = desk.withLock { desk in
            desk.alarm?.cancel()
            desk.alarm = nil
            defer { desk.isClosed = true }
            return !desk.isClosed
        }
        guard isFirst else { return }
        _ = frames.tell(.failed("the output was closed"))
        // Who follows another output takes now what was heard last.
        output.close()
        frames.mix.withLock { mix in
            mix.isRunning = false
            mix.tracks = []
        }
    }

    /// Whether nothing is heard, and the output is paused.
    package var isIdle: Bool { frames.mix.withLock { !$0.isRunning } }

    // MARK: Deciding and doing

    /// Lets `decide` change what is mixed, and has the output follow.
    func conduct(_ decide: (inout Mix, Mix.Moment) -> [Mix.Effect]) {
        desk.withLock { desk in
            guard !desk.isClosed else { return }
            let clock = output.clock
            let format = output.format
            let moment = Mix.Moment(
                heard: clock.frame(at: .now),
                isMoving: clock.rate > 0,
                margin: output.rewriteMargin.map(format.frames),
                lead: format.frames(in: output.lead)
            )
            let effects = frames.mix.withLock { mix in
                mix.takesForGood = moment.margin == nil
                return decide(&mix, moment)
            }
            for effect in effects { perform(effect, &desk) }
        }
    }

    private func perform(_ effect: Mix.Effect, _ desk: inout Desk) {
        switch effect {
        case .start: output.start()
        case .pause: output.pause()
        case .discard(let frame): output.discard(to: FramePosition(frame))
        case .rewind(let frame): output.rewind(to: FramePosition(frame))
        case .rewrite(let frame): output.rewrite(from: FramePosition(frame))
        case .framesAvailable: output.framesAvailable()
        case .alarm(let frame): setAlarm(at: frame, &desk)
        case .wait:
            look(&desk, after: Self.patience) { mixer in mixer.conduct { mix, now in mix.hasWaited(now) } }
        case .tell(let id):
            let events = frames.mix.withLock { mix in mix.tracks.first { $0.id == id }?.events }
            events?(.clockChanged)
        }
    }

    /// How long an output is waited for that stands, in seconds.
    private static let patience = 0.1

    private func setAlarm(at frame: Int, _ desk: inout Desk) {
        let delay = output.clock.time(of: FramePosition(frame)).map { max(0, $0 - .now) } ?? 0
        look(&desk, after: delay) { $0.lookAtEnd() }
    }

    /// Does something later, instead of what was to be done later.
    private func look(_ desk: inout Desk, after delay: Double, _ body: @escaping @Sendable (Mixer) -> Void) {
        desk.alarm?.cancel()
        desk.alarm = Task { [weak self] in
            guard (try? await Task.sleep(for: .seconds(delay), clock: .continuous)) != nil, let self else { return }
            body(self)
        }
    }

    /// Takes a channel out, and forgets it as soon as nobody reads its frames any more.
    func remove(_ id: Int) {
        conduct { mix, now in mix.remove(id, now) }
        let delay = output.history + Self.grace
        Task { [weak self] in
            try? await Task.sleep(for: .seconds(delay), clock: .continuous)
            self?.conduct { mix, now in mix.forget(now) }
        }
    }

    /// Seconds by which something may be late.
    private static let grace = 0.2

    private func lookAtEnd() { conduct { mix, now in mix.alarm(now) } }
}
