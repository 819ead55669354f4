internal import AudioTypes
internal import Mixing
internal import Outputs
private import Synchronization
internal import Threads

/// An output that gets the group's frames in another form or at another pace: converted, with a gain, or as they are
/// heard.
///
/// Its thread renders from the group's ring into the output's own, well ahead of the heard frame.
final class FedOutput: AudioOutput, VolumeControl {
    /// The group's.
    var format: AudioFormat { state.withLock { $0.feed.source } }
    let inner: any AudioOutput
    let depth: Double
    let lead: Double
    var keepsTime: Bool { inner.keepsTime }
    var spread: Double { inner.spread }
    private let state: Mutex<State>
    /// For reading the clock without waiting for the thread.
    private let scale: Mutex<Scale>
    private let bell = Doorbell()
    private let finished = Doorbell()
    private let progress = Doorbell()
    /// Whether the thread is waiting for frames.
    private let isStarving = Atomic(true)
    /// Whether the thread is waiting for room.
    private let isFull = Atomic(false)
    private let isLost = Atomic(false)
    private let hasReturned = Atomic(false)

    /// The frames that the output's clock means.
    private struct Scale {
        var map: FrameMap { didSet { changes += 1 } }
        /// The group's frame at which the clock stands while the output drops its frames, whose numbers then change.
        var rest: Double? { didSet { changes += 1 } }
        private(set) var changes = 0
    }

    private struct State: ~Copyable {
        var feed: Feed
        var pace: Pace?
        var isClosing = false
        var hasThread = false
        /// Whether the output was notified of the first frames after a jump.
        var hasLanded = false
        /// Whether the output holds stale frames, so that the next ones are urgent.
        var isUrgent = false
        var untold = FramePosition.zero
        /// Up to where a follower is rendered without reading the clock again.
        var goal: FramePosition?
        var failure: String?
    }

    /// How far ahead of the heard frame a new volume is rendered, and how long its ramp is, in seconds.
    private static let volumeMargin = 0.06
    private static let rampLength = 0.02
    /// Seconds that rendering again may take.
    private static let rewriteDelay = 0.04
    /// Seconds of heard frames that are kept.
    private static let history = 0.3
    /// Seconds of room to wait for.
    private static let stretch = 1.0
    /// Frames in seconds that a resampler may hold back.
    private static let conversionDelay = 0.005

    /// - Parameter rendersVolume: Whether `setVolume` may be called, which applies a gain to the frames rendered here.
    init(_ inner: any AudioOutput, format: AudioFormat, rendersVolume: Bool) {
        self.inner = inner
        depth = inner.depth
        lead = inner.lead + (inner.format.sampleRate == format.sampleRate ? 0 : Self.conversionDelay)
        var feed = Feed(from: format, to: inner.format, capacity: inner.depth + Self.history + Self.stretch)
        if rendersVolume { feed.volume = SoftwareVolume(.unity) }
        scale = Mutex(Scale(map: feed.map))
        state = Mutex(State(feed: feed))
    }

    // MARK: The output

    func attach(_ ring: any FrameReading, at position: FramePosition, events: @escaping @Sendable (OutputEvent) -> Void)
    {
        let (store, hadThread) = state.withLock { state in
            precondition(ring.format == state.feed.source, "converts frames of the group's format")
            state.feed.ring = ring
            jump(&state, to: position)
            defer { state.hasThread = true }
            return (state.feed.store, state.hasThread)
        }
        if hadThread { return bell.ring() }
        inner.attach(store, at: .zero) { [weak self] event in
            self?.handle(event)
            events(event)
        }
        WorkThread.startWhenPossible(named: "segue-feed") { [self] in
            run()
            finished.ring()
        }
    }

    /// Converts from another format of the group.
    func reformat(to format: AudioFormat) {
        state.withLock { state in
            state.feed.reformat(from: format)
            jump(&state, to: state.feed.position)
        }
    }

    func start() {
        inner.start()
        bell.ring()
    }

    func pause() {
        // A follower gets nothing while the clock stands, but may have been given frames before.
        if state.withLock({ $0.pace == nil }) { inner.pause() }
        bell.ring()
    }

    @discardableResult
    func discard(to position: FramePosition) -> Double {
        state.withLock { state in
            let map = state.feed.map
            let heard: Double
            if state.pace != nil {
                catchUp(&state)
                heard = inner.clock.frame(at: .now)
            } else {
                heard = drop(&state)
            }
            jump(&state, to: position)
            state.feed.hold = position
            return map.group(heard)
        }
    }

    func rewind(to position: FramePosition) {
        state.withLock { state in
            guard state.feed.position > position else { return }
            let frame = state.feed.map.member(position.index)
            if state.pace == nil, state.feed.canRepeat(from: frame) {
                goBack(&state, to: frame)
            } else {
                if state.pace == nil { drop(&state) }
                jump(&state, to: position)
            }
            state.feed.hold = position
            isStarving.store(true, ordering: .sequentiallyConsistent)
        }
    }

    var rewriteMargin: Double? { inner.rewriteMargin.map { $0 + Self.rewriteDelay } }

    func rewrite(from position: FramePosition) {
        let isPaced = state.withLock { state in
            // A follower has been given the frames heard so far; the rest may be discarded.
            if state.pace != nil { catchUp(&state) }
            return state.pace != nil
        }
        if !isPaced { rewind(to: position) }
        framesAvailable()
    }

    func framesAvailable() {
        guard isStarving.exchange(false, ordering: .sequentiallyConsistent) else { return }
        state.withLock { $0.feed.hold = nil }
        bell.ring()
    }

    var clock: OutputClock {
        while true {
            let scale = scale.withLock { $0 }
            if let rest = scale.rest { return OutputClock(frame: rest, time: .now, rate: 0) }
            let clock = inner.clock
            // Else the output may have counted otherwise when its clock was read.
            guard self.scale.withLock({ $0.changes }) == scale.changes else { continue }
            return OutputClock(
                frame: scale.map.group(clock.frame),
                time: clock.time,
                rate: clock.rate * Double(scale.map.groupRate) / Double(scale.map.memberRate)
            )
        }
    }

    func setVolume(_ volume: Volume, isMuted: Bool) {
        let gain = isMuted ? Gain.silence : volume.gain
        state.withLock { state in
            guard let old = state.feed.volume, state.feed.store.written > .zero else {
                state.feed.volume = SoftwareVolume(gain)
                return
            }
            guard old.target != gain else { return }
            let heard = Int(sample: inner.clock.frame(at: .now))
            let frame = heard + inner.format.frames(in: Self.volumeMargin)
            let start = min(frame, state.feed.store.written.index)
            state.feed.volume?.move(to: gain, at: start, over: inner.format.frames(in: Self.rampLength))
            guard start == frame, state.feed.canRepeat(from: start) else { return }
            goBack(&state, to: start)
        }
        bell.ring()
    }

    func close() {
        release().close()
    }

    /// Stops feeding, after the heard frames were passed on, and returns the output.
    func release() -> any AudioOutput {
        let end = state.withLock { state -> FramePosition? in
            state.isClosing = true
            guard state.pace != nil else { return nil }
            catchUp(&state)
            state.pace = nil
            return isLost.load(ordering: .acquiring) ? nil : state.feed.store.written
        }
        bell.ring()
        finished.wait()
        guard let end else { return inner }
        inner.framesAvailable()
        let deadline = HostTime.now + Self.drainTime
        while inner.clock.frame < Double(end.index), HostTime.now < deadline, state.withLock({ $0.failure }) == nil {
            progress.wait(until: deadline)
        }
        return inner
    }

    /// How long to wait for a sink that does not accept its frames, in seconds.
    private static let drainTime = 2.0

    // MARK: Pace

    /// Makes the output follow a clock, or lets it take frames as they come.
    ///
    /// - Parameter isStarted: Whether the group is to play; what follows a clock stands with that.
    func setPace(_ pace: Pace?, isStarted: Bool) {
        state.withLock { $0.pace = pace }
        if pace != nil || isStarted { inner.start() } else { inner.pause() }
        bell.ring()
    }

    /// Makes the thread read the clock that it follows.
    func wake() { bell.ring() }

    // MARK: The output's events

    private func handle(_ event: OutputEvent) {
        switch event {
        case .lost, .routeLost, .idle: isLost.store(true, ordering: .releasing)
        case .restored:
            hasReturned.store(true, ordering: .releasing)
            isLost.store(false, ordering: .releasing)
            bell.ring()
        case .failed(let reason):
            state.withLock { $0.failure = reason }
            progress.ring()
        case .routeChanged, .corkRequested, .volumeHeld, .formatChanged, .attributesChanged: break
        case .clockChanged:
            if isFull.load(ordering: .sequentiallyConsistent) { bell.ring() }
            progress.ring()
        }
    }

    // MARK: The thread

    private enum Turn {
        case again
        case wait(until: HostTime?)
        case end
    }

    private func run() {
        while true {
            switch state.withLock({ turn(&$0) }) {
            case .again: continue
            case .wait(let deadline): bell.wait(until: deadline)
            case .end: return
            }
        }
    }

    private func turn(_ state: inout State) -> Turn {
        if state.isClosing || state.failure != nil { return .end }
        guard state.feed.ring != nil else { return .wait(until: nil) }
        return state.pace.map { follow($0, &state) } ?? renderAhead(&state)
    }

    /// Renders as much as there is room for.
    private func renderAhead(_ state: inout State) -> Turn {
        guard makeRoom(&state) else {
            tellRest(&state)
            // The thread that frees room may not have seen the flag.
            if !isFull.exchange(true, ordering: .sequentiallyConsistent) { return .again }
            let clock = inner.clock
            guard clock.rate > 0 else { return .wait(until: nil) }
            let missing = inner.format.frames(in: Self.stretch) - state.feed.store.free
            return .wait(until: .now + Double(max(missing, 0)) / clock.rate + 0.01)
        }
        isFull.store(false, ordering: .relaxed)
        guard render(&state, to: state.feed.bound) else {
            tellRest(&state)
            return starve(&state)
        }
        tell(&state)
        return .again
    }

    /// Renders up to the clock's position.
    private func follow(_ pace: Pace, _ state: inout State) -> Turn {
        if isLost.load(ordering: .acquiring) { return .wait(until: nil) }
        let clock = pace.clock()
        let format = state.feed.source
        let ahead = format.frames(in: pace.ahead)
        let due = FramePosition(Int(sample: clock.frame(at: .now)) + ahead)
        let kept = state.feed.ring?.kept ?? .zero
        if hasReturned.exchange(false, ordering: .acquiring) || state.feed.position < kept {
            jump(&state, to: max(due - ahead - format.frames(in: pace.behind), kept))
        }
        guard makeRoom(&state) else {
            return isFull.exchange(true, ordering: .sequentiallyConsistent) ? .wait(until: nil) : .again
        }
        isFull.store(false, ordering: .relaxed)
        let period = format.frames(in: pace.period)
        // Rendering each new bit at once would never end: more falls due in the meantime.
        if state.goal == nil, clock.rate == 0 || due - state.feed.position >= period * 9 / 10 { state.goal = due }
        if let goal = state.goal, render(&state, to: min(state.feed.bound, goal)) { return .again }
        state.goal = nil
        tellRest(&state)
        if state.feed.position >= state.feed.bound { return starve(&state) }
        // A clock that stands rings the bell when it moves again, or when there are frames again.
        if clock.rate == 0 { isStarving.store(true, ordering: .sequentiallyConsistent) }
        return .wait(until: clock.time(of: state.feed.position + (period - ahead)))
    }

    private func starve(_ state: inout State) -> Turn {
        isStarving.store(true, ordering: .sequentiallyConsistent)
        // Frames may have been written since by a thread that did not see the flag.
        let isThere = state.pace == nil && state.feed.bound > state.feed.position
        return isThere ? .again : .wait(until: nil)
    }

    private func makeRoom(_ state: inout State) -> Bool {
        let heard = FramePosition(Int(sample: inner.clock.frame(at: .now)))
        state.feed.store.discard(before: heard - inner.format.frames(in: Self.history))
        return state.feed.hasRoom
    }

    private func render(_ state: inout State, to end: FramePosition) -> Bool {
        do {
            return try state.feed.render(to: end)
        } catch {
            state.failure = "\(error)"
            return false
        }
    }

    /// Notifies the output of the first frames after a jump as soon as it can use them, of replacements at once, and
    /// otherwise every half a second.
    private func tell(_ state: inout State) {
        let enough =
            state.isUrgent ? 1 : state.hasLanded ? inner.format.sampleRate / 2 : inner.format.frames(in: inner.lead)
        guard state.feed.store.written - state.untold >= enough else { return }
        tellRest(&state)
    }

    private func tellRest(_ state: inout State) {
        guard state.feed.store.written > state.untold else { return }
        state.isUrgent = false
        state.hasLanded = true
        state.untold = state.feed.store.written
        inner.framesAvailable()
    }

    // MARK: Positions

    private func jump(_ state: inout State, to position: FramePosition) {
        state.feed.jump(to: position)
        let newMap = state.feed.map
        scale.withLock { scale in
            scale.map = newMap
            scale.rest = nil
        }
        state.hasLanded = false
        state.goal = nil
        state.untold = state.feed.store.written
        isStarving.store(true, ordering: .sequentiallyConsistent)
    }

    /// Drops the output's frames, before a jump; the clock stands until then.
    ///
    /// - Returns: The output's frame heard last.
    @discardableResult
    private func drop(_ state: inout State) -> Double {
        let end = state.feed.store.written
        let rest = clock.frame(at: .now)
        scale.withLock { $0.rest = rest }
        let heard = inner.discard(to: end)
        state.feed.store.discard(before: end)
        return heard
    }

    /// Renders frames again.
    ///
    /// The old ones are gone before the output is rewound: a sound server that asks for frames at that moment must not get
    /// them once more, after which it would not take the new ones.
    private func goBack(_ state: inout State, to frame: Int) {
        let wasTaken = frame < state.feed.store.written.index
        state.feed.goBack(to: frame)
        if wasTaken { inner.rewind(to: FramePosition(frame)) }
        state.untold = min(state.untold, state.feed.store.written)
        state.isUrgent = true
    }

    /// Renders the frames heard so far.
    private func catchUp(_ state: inout State) {
        guard let pace = state.pace, !isLost.load(ordering: .acquiring) else { return }
        let heard = FramePosition(Int(sample: pace.clock().frame(at: .now)))
        while render(&state, to: min(state.feed.bound, heard)) {}
        tellRest(&state)
    }
}
