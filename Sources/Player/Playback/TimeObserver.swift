package import AudioTypes
internal import Mixers
internal import Outputs
internal import Synchronization

/// Decides when an observer of an item's time gets a tick.
///
/// A pure value.
package struct TimeObserver: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        case periodic(MediaTime)
        /// In ascending order.
        case boundary([MediaTime])
    }

    package let kind: Kind
    /// The time up to which ticks were given.
    package private(set) var passed: MediaTime

    package init(_ kind: Kind, at time: MediaTime) {
        self.kind = kind
        passed = time
    }

    /// The time of the next tick; `nil` when there is none.
    package var next: MediaTime? {
        switch kind {
        case .periodic(let interval):
            // Slightly more than the quotient, so that a tick given a little early is not repeated.
            let count = ((passed.seconds + interval.seconds * 1e-3) / interval.seconds).rounded(.down) + 1
            return MediaTime(seconds: count * interval.seconds)
        case .boundary(let times): return times.first { $0 > passed }
        }
    }

    /// The ticks up to a time reached by playing: of a period only the last one.
    package mutating func play(to time: MediaTime) -> [MediaTime] {
        var ticks: [MediaTime] = []
        switch kind {
        case .periodic(let interval):
            guard let next, next <= time else { break }
            let count = ((time.seconds + interval.seconds * 1e-9) / interval.seconds).rounded(.down)
            ticks = [max(next, MediaTime(seconds: count * interval.seconds))]
        case .boundary(let times): ticks = times.filter { $0 > passed && $0 <= time }
        }
        passed = max(passed, time, ticks.last ?? passed)
        return ticks
    }

    /// Moves to another time without playing the part in between.
    package mutating func jump(to time: MediaTime) -> [MediaTime] {
        passed = time
        return record(time)
    }

    /// Ticks when playback starts or stops at a time it has reached.
    package func record(_ time: MediaTime) -> [MediaTime] {
        if case .periodic = kind { [time] } else { [] }
    }
}

extension Player {
    /// How much later than the output's clock the last listener hears a frame, in frames.
    var spreadInFrames: Double { output.spread * Double(output.format.sampleRate) }

    /// The next moment at which there is something to notice: an item ends, or an observed time is reached.
    func nextMoment() -> HostTime? {
        guard shared.withLock({ $0.target }) == nil, isLoaded else { return nil }
        let clock = output.clock
        let heard = clock.frame(at: .now)
        // Anything due already is noticed at once, even if the output's clock is not in real time.
        let due = pipeline.timeline.withLock { $0.nextEnd(after: Double(followedStart.index)) }
        let spread = spreadInFrames
        if let due, transport.rate != 0, due.noticeFrame(spread: spread) <= heard + 0.5 { return .now }
        guard clock.rate > 0 else { return nil }
        let times = audience.nextTicks
        let frame = pipeline.timeline.withLock { timeline in
            let boundary = timeline.nextEnd(after: Double(followedStart.index))?.noticeFrame(spread: spread)
            let observed = times.compactMap { timeline.frame(of: $0, from: heard) }.filter { $0 > heard }
            return ([boundary, timeline.nextNotice].compactMap(\.self) + observed).min()
        }
        return frame.flatMap { clock.time(of: FramePosition(Int(sample: $0.rounded(.up)))) }
    }
}
