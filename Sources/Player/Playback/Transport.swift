/// Decides whether time passes, from what was requested and what is possible.
///
/// A pure value.
package struct Transport: Sendable, Hashable {
    /// The state of the media to play.
    package enum Load: Sendable, Hashable {
        /// Nothing.
        case empty
        /// An item is being opened or seeked.
        case preparing
        /// An item is open, and its buffered data does not last.
        case buffering
        /// Frames are available.
        case ready
        /// All frames were heard.
        case finished
    }

    /// The wanted rate; 0 is paused.
    package private(set) var rate: Double = 0
    /// The rate that `play` sets.
    package private(set) var defaultRate: Double = 1
    /// The rate for which frames are rendered: the last that was played at, or will be.
    package private(set) var renderedRate: Double = 1
    package private(set) var load = Load.empty
    package private(set) var isOutputLost = false
    /// Whether the player waits until enough is buffered; else it pauses when frames run out.
    package private(set) var automaticallyWaits = true
    /// Whether the output is to run: while there is something to hear, and across a jump.
    ///
    /// The player's decision, of which effects tell its channel. The output is not started before the first frames are
    /// available, because it might still hold others.
    private var runsOutput = false

    package init() {}

    package enum Event: Sendable, Hashable {
        /// Seconds of fade-in, where the output starts at once; 0: none.
        case play(fade: Double = 0)
        /// Seconds of fade-out before the output pauses; 0: none.
        case pause(fade: Double = 0)
        /// The rate to play at from now on; the one that `play` sets stays.
        case rateSet(PlaybackRate)
        /// The rate to play at from now on if it plays, and that `play` sets.
        case speedSet(PlaybackRate)
        case loaded(Load)
        /// All received frames were heard, and the item continues.
        case ranDry
        case waitingSet(Bool)
        case outputLost
        case outputRestored
    }

    /// The answer to an event.
    package enum Effect: Sendable, Hashable {
        /// With a fade-in of so many seconds; 0: at once.
        case startOutput(fade: Double = 0)
        /// After a fade-out of so many seconds; 0: at once.
        case pauseOutput(fade: Double = 0)
        /// Render the decoded frames again at the new ``renderedRate``.
        case render
        /// Report a stall.
        case tellStall
    }

    package mutating func handle(_ event: Event) -> [Effect] {
        let wasRunning = runsOutput
        var effects: [Effect] = []
        var fade = 0.0
        switch event {
        case .play(let seconds): (rate, fade) = (defaultRate, seconds)
        case .pause(let seconds): (rate, fade) = (0, seconds)
        case .rateSet(let wanted): rate = wanted.value
        case .speedSet(let wanted):
            defaultRate = wanted.value
            if rate != 0 { rate = wanted.value }
            if renders(wanted.value) { effects.append(.render) }
        case .loaded(let load): self.load = load
        case .ranDry:
            guard load == .ready else { return [] }
            load = .buffering
            if rate != 0 { effects.append(.tellStall) }
            if !automaticallyWaits { rate = 0 }
        case .waitingSet(let waits): automaticallyWaits = waits
        case .outputLost: isOutputLost = true
        case .outputRestored: isOutputLost = false
        }
        if rate != 0, renders(rate) { effects.append(.render) }
        runsOutput = rate != 0 && (load == .ready || [.preparing, .buffering].contains(load) && wasRunning)
        if runsOutput != wasRunning { effects.append(runsOutput ? .startOutput(fade: fade) : .pauseOutput(fade: fade)) }
        return effects
    }

    /// Records the rate to render for; whether it is another one.
    private mutating func renders(_ rate: Double) -> Bool {
        defer { renderedRate = rate }
        return rate != renderedRate
    }

    package var status: TimeControlStatus {
        guard rate != 0 else { return .paused }
        if isOutputLost { return .waitingToPlayAtSpecifiedRate(.outputUnavailable) }
        return switch load {
        case .empty, .finished: .waitingToPlayAtSpecifiedRate(.noItemToPlay)
        case .preparing: .waitingToPlayAtSpecifiedRate(.evaluatingBufferingRate)
        case .buffering:
            .waitingToPlayAtSpecifiedRate(automaticallyWaits ? .toMinimizeStalls : .evaluatingBufferingRate)
        case .ready: .playing
        }
    }
}
