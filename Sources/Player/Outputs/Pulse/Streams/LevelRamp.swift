/// The changes that lead from one level to another without a click: a pure value.
///
/// A stream that is muted becomes silent first; then it has its volume again, so that a user who unmutes it hears it.
struct LevelRamp: Sendable, Hashable {
    enum Change: Sendable, Hashable {
        case volume([UInt32])
        case mute(Bool)
    }

    /// The changes of each step, some milliseconds apart.
    let steps: [[Change]]
    private var next = 0

    init(from: StreamLevel, to: StreamLevel, steps count: Int) {
        let from = from.fitted(to: to.volumes.count)
        let silence = to.volumes.map { _ in UInt32(0) }
        switch (from.isMuted, to.isMuted) {
        case (false, false): steps = Self.steps(from.volumes, to.volumes, count)
        case (true, true): steps = from.volumes == to.volumes ? [] : [[.volume(to.volumes)]]
        case (false, true): steps = Self.steps(from.volumes, silence, count) + [[.mute(true), .volume(to.volumes)]]
        case (true, false): steps = [[.volume(silence), .mute(false)]] + Self.steps(silence, to.volumes, count)
        }
    }

    private static func steps(_ from: [UInt32], _ to: [UInt32], _ count: Int) -> [[Change]] {
        guard from != to else { return [] }
        return (1...max(1, count)).map { step in
            let part = Double(step) / Double(max(1, count))
            return [
                .volume(
                    zip(from, to).map { UInt32(saturating: (Double($0) + (Double($1) - Double($0)) * part).rounded()) }
                )
            ]
        }
    }

    var isOver: Bool { next >= steps.count }

    /// The changes that are due when so many steps should have been made; volumes that were missed are left out.
    mutating func advance(to count: Int) -> [Change] {
        let due = steps[next..<min(max(count, next), steps.count)]
        next += due.count
        var changes = due.joined().reduce(into: [Change]()) { changes, change in
            if case .volume = change, case .volume = changes.last { changes.removeLast() }
            changes.append(change)
        }
        if due.isEmpty { changes = [] }
        return changes
    }
}

/// The levels that a stream was given and that may still be reported as changes: a pure value.
struct SentLevels: Sendable, Hashable {
    /// As it is, or will be when the server has done all it was told.
    private(set) var current: StreamLevel
    /// Those given, of which the server may not have reported the effect yet.
    private var recent: [StreamLevel] = []
    /// How many changes were made so far.
    private(set) var count = 0

    private static let limit = 256

    init(_ level: StreamLevel) { current = level }

    /// Whether the server has reported the effect of all changes.
    var isSettled: Bool { recent.isEmpty }

    mutating func send(_ change: LevelRamp.Change) {
        // PipeWire applies changes some time after it has answered.
        if recent.isEmpty { recent.append(current) }
        switch change {
        case .volume(let volumes): current.volumes = volumes
        case .mute(let isMuted): current.isMuted = isMuted
        }
        count += 1
        guard !recent.contains(current) else { return }
        if recent.count == Self.limit { recent.removeFirst() }
        recent.append(current)
    }

    /// Compares a level that the server reports with those that it was given.
    ///
    /// - Parameter asked: How many changes had been made when the server was asked.
    /// - Returns: Whether it is one of them; otherwise the user has changed it.
    mutating func report(_ level: StreamLevel, asked: Int) -> Bool {
        if level.isClose(to: current) {
            if asked == count { recent = [] }
            return true
        }
        if recent.contains(where: level.isClose) { return true }
        (current, recent) = (level, [])
        return false
    }
}
