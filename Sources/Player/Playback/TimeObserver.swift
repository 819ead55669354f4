package import AudioTypes
internal import Outputs
internal import Synchronization

/// Decides when somebody who watches an item's time is told of it.
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

    /// The next time that ticks; `nil` when none does.
    package var next: MediaTime? {
        switch kind {
        case .periodic(let interval):
            // A hair more than the quotient, so that a tick that came a little early is not given twice.
            let count = ((passed.seconds + interval.seconds * 1e-3) / interval.seconds).rounded(.down) + 1
            return MediaTime(seconds: count * interval.seconds)
        case .boundary(let times): return times.first { $0 > passed }
        }
    }

    /// The ticks up to a time that playing has reached: of a period's the last one only.
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

    /// Goes to another time without playing what lies between.
    package mutating func jump(to time: MediaTime) -> [MediaTime] {
        passed = time
        return note(time)
    }

    /// Playing starts or stops at a time that was played to.
    package func note(_ time: MediaTime) -> [MediaTime] {
        if case .periodic = kind { [time] } else { [] }
    }
}

extension Player {
    /// Gives observers their ticks.
    func tick(_ ticks: (inout TimeObserver) -> [MediaTime]) {
        for number in observers.keys {
            guard var observation = observers[number] else { continue }
            for time in ticks(&observation.observer) { observation.continuation.yield(time) }
            observers[number] = observation
        }
    }

    /// The next moment at which something is to be noticed: an item ends, or an observed time is reached.
    func nextMoment() -> HostTime? {
        guard shared.withLock({ $0.target }) == nil, isLoaded else { return nil }
        let clock = output.clock
        let heard = clock.frame(at: .now)
        // What is due already is noticed at once, also by the clock of an output that is not in real time.
        let due = pipeline.timeline.withLock { $0.nextEnd(after: Double(followedStart.index)) }
        if let due, transport.rate != 0, Double(due.start.index) <= heard + 0.5 { return .now }
        guard clock.rate > 0 else { return nil }
        let times = observers.values.compactMap(\.observer.next)
        let frame = pipeline.timeline.withLock { timeline in
            let boundary = timeline.nextEnd(after: Double(followedStart.index)).map { Double($0.start.index) }
            let observed = times.compactMap { timeline.frame(of: $0, from: heard) }.filter { $0 > heard }
            return ([boundary, timeline.nextNotice].compactMap(\.self) + observed).min()
        }
        return frame.flatMap { clock.time(of: FramePosition(Int($0.rounded(.up)))) }
    }
}
