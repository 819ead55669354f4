internal import AudioTypes
internal import Outputs
internal import Synchronization

/// Somebody who wants to know when the item reaches certain times.
struct TimeObserver {
    enum Kind {
        case periodic(MediaTime)
        case boundary([MediaTime])
    }

    let kind: Kind
    let continuation: AsyncStream<MediaTime>.Continuation
    /// The time up to which ticks were given.
    var passed: MediaTime

    /// The next time that ticks; `nil` when none does.
    var next: MediaTime? {
        switch kind {
        case .periodic(let interval):
            // A hair more than the quotient, so that a tick that came a little early is not given twice.
            let count = ((passed.seconds + interval.seconds * 1e-3) / interval.seconds).rounded(.down) + 1
            return MediaTime(seconds: count * interval.seconds)
        case .boundary(let times): return times.first { $0 > passed }
        }
    }

    /// Gives the ticks up to a time that playing has reached.
    mutating func play(to time: MediaTime) {
        while let next, next <= time {
            passed = next
            if case .periodic(let interval) = kind, next + interval <= time { continue }
            continuation.yield(next)
        }
        passed = max(passed, time)
    }

    /// Goes to another time without playing what lies between.
    mutating func jump(to time: MediaTime) {
        passed = time
        if case .periodic = kind { continuation.yield(time) }
    }
}

extension Player {
    /// Gives observers their ticks.
    func tick(isJump: Bool) {
        guard !observers.isEmpty else { return }
        let time = currentTime()
        for number in observers.keys {
            if isJump { observers[number]?.jump(to: time) } else { observers[number]?.play(to: time) }
        }
    }

    /// The next moment at which something is to be noticed: a segment begins, or an observed time is reached.
    func nextMoment() -> HostTime? {
        guard shared.withLock({ $0.target }) == nil, transport.load == .ready else { return nil }
        let clock = output.clock
        guard clock.rate > 0 else { return nil }
        let heard = clock.frame(at: .now)
        let times = observers.values.compactMap(\.next)
        let frame = pipeline.timeline.withLock { timeline in
            let boundary = timeline.next(after: max(heard, followedFrame)).map { Double($0.start.index) }
            let observed = times.compactMap { timeline.frame(of: $0, from: heard) }.filter { $0 > heard }
            return ([boundary].compactMap(\.self) + observed).min()
        }
        return frame.flatMap { clock.time(of: FramePosition(Int($0.rounded(.up)))) }
    }
}
