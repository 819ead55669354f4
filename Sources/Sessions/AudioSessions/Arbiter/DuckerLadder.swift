/// The active sessions that duck others, ordered so that the winner is found at once.
///
/// A higher class wins over a lower one, within a class the one that started last. Ended ones stay in place until they
/// reach the top, or outnumber the active ones.
struct DuckerLadder: Sendable {
    struct Ducker: Hashable, Sendable {
        let id: SessionID
        let sessionClass: SessionClass
        /// Whether it leaves silent players of spoken audio alone: it interrupts them when they play.
        let sparesSpeech: Bool
        /// The event number at which it started to duck.
        let order: Int

        func winsOver(_ other: Ducker) -> Bool {
            (sessionClass.rank, order) > (other.sessionClass.rank, other.order)
        }
    }

    private struct Rung: Sendable {
        var duckers: [Ducker] = []
        var living: Set<Ducker> = []

        var top: Ducker? { duckers.last }

        mutating func add(_ ducker: Ducker) {
            duckers.append(ducker)
            living.insert(ducker)
        }

        mutating func remove(_ ducker: Ducker) {
            living.remove(ducker)
            while let last = duckers.last, !living.contains(last) { duckers.removeLast() }
            if duckers.count > 2 * living.count + 16 { duckers.removeAll { !living.contains($0) } }
        }
    }

    /// Per class, those that duck all others and those that spare speech.
    private var rungs = [Rung](repeating: Rung(), count: 2 * SessionClass.allCases.count)

    private static func place(_ ducker: Ducker) -> Int {
        let step =
            switch ducker.sessionClass {
            case .normal: 0
            case .assistant: 1
            case .alarm: 2
            case .call: 3
            }
        return 2 * step + (ducker.sparesSpeech ? 1 : 0)
    }

    mutating func add(_ ducker: Ducker) { rungs[Self.place(ducker)].add(ducker) }

    mutating func remove(_ ducker: Ducker) { rungs[Self.place(ducker)].remove(ducker) }

    /// The winner among all.
    var top: Ducker? {
        guard let plain = topPlain, let sparing = top(offset: 1) else { return topPlain ?? top(offset: 1) }
        return sparing.winsOver(plain) ? sparing : plain
    }

    /// The winner among those that also duck silent speech.
    var topPlain: Ducker? { top(offset: 0) }

    private func top(offset: Int) -> Ducker? {
        for place in stride(from: rungs.count - 2 + offset, through: 0, by: -2) {
            if let top = rungs[place].top { return top }
        }
        return nil
    }

    /// All of them, winners first.
    var all: [Ducker] { rungs.flatMap(\.living).sorted { $0.winsOver($1) } }
}

extension AudioSession {
    /// Its entry on the ladder, if it ducks others now.
    var ducker: DuckerLadder.Ducker? {
        guard isActive, configuration.ducksOthers else { return nil }
        return DuckerLadder.Ducker(
            id: id,
            sessionClass: sessionClass,
            sparesSpeech: configuration.interruptsSpokenAudio,
            order: duckOrder
        )
    }
}
