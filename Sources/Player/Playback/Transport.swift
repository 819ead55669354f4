/// Decides whether time passes: what was asked for, against what is possible.
///
/// A pure value.
package struct Transport: Sendable, Hashable {
    /// What is there to be played.
    package enum Load: Sendable, Hashable {
        /// Nothing.
        case empty
        /// An item is being opened or sought in.
        case preparing
        /// An item is open, and what has come of it does not last.
        case buffering
        /// Frames are there.
        case ready
        /// All that was there has been heard.
        case finished
    }

    /// The wanted rate; 0 is paused.
    package private(set) var rate: Double = 0
    /// What `play` sets the rate to.
    package private(set) var defaultRate: Double = 1
    package private(set) var load = Load.empty
    package private(set) var isOutputLost = false
    /// Whether the player waits for enough to play on for a while; else it pauses when frames run out.
    package private(set) var automaticallyWaits = true
    /// The output runs while there is something to hear, and goes on over a jump; but it is not started before the first
    /// frames are there, for it might still hold others.
    private var runsOutput = false

    package init() {}

    /// The rates a player can have, other than 0.
    package static let rates = 0.25...4.0

    package enum Event: Sendable, Hashable {
        case play
        case pause
        case rateSet(Double)
        case loaded(Load)
        /// All that is there has been heard, and the item goes on.
        case ranDry
        case waitingSet(Bool)
        case outputLost
        case outputRestored
    }

    /// What an event leads to.
    package enum Effect: Sendable, Hashable {
        case startOutput
        case pauseOutput
        /// What is decoded must be rendered anew at the new rate.
        case render
        /// It is told that frames came too late.
        case tellStall
    }

    package mutating func handle(_ event: Event) -> [Effect] {
        let wasRunning = runsOutput
        var effects: [Effect] = []
        switch event {
        case .play: rate = defaultRate
        case .pause: rate = 0
        case .rateSet(0): rate = 0
        case .rateSet(let wanted):
            let limited = min(max(wanted, Self.rates.lowerBound), Self.rates.upperBound)
            if limited != defaultRate { effects.append(.render) }
            defaultRate = limited
            if rate != 0 { rate = limited }
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
        runsOutput = rate != 0 && (load == .ready || [.preparing, .buffering].contains(load) && wasRunning)
        if runsOutput != wasRunning { effects.append(runsOutput ? .startOutput : .pauseOutput) }
        return effects
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
