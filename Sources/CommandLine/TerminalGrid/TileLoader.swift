internal import Threads

/// Makes the values that a screen wants on threads of its own, the most urgent ones first.
package final class TileLoader<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct State {
        /// The most urgent one first.
        var wanted: [Key] = []
        var inWork: Set<Key> = []
        var made: [(key: Key, value: Value)] = []
        var isOver = false
    }

    private let state = Monitor(State())
    private let news = Interrupt()

    /// - Parameters:
    ///   - threads: How many values are made at the same time.
    ///   - makeWorker: Called on each of the threads, and then its result for each value.
    package init(threads: Int, makeWorker: @escaping @Sendable () -> (Key) -> Value) {
        for _ in 0..<threads {
            WorkThread.startWhenPossible(named: "segue-tiles") { [state, news] in
                let make = makeWorker()
                while let key = Self.next(state) {
                    let value = make(key)
                    state.change { state in
                        state.inWork.remove(key)
                        state.wanted.removeAll { $0 == key }
                        state.made.append((key, value))
                    }
                    news.raise()
                }
            }
        }
    }

    deinit { state.change { $0.isOver = true } }

    private static func next(_ state: Monitor<State>) -> Key? {
        state.wait { state -> Key?? in
            if state.isOver { return .some(nil) }
            guard let place = state.wanted.firstIndex(where: { !state.inWork.contains($0) }) else { return nil }
            let key = state.wanted.remove(at: place)
            state.inWork.insert(key)
            return key
        }
    }

    /// Readable when there are new values.
    package var descriptor: Int32 { news.descriptor }

    /// Wants these values, and none of those before that are not in work.
    package func want(_ keys: [Key]) { state.change { $0.wanted = keys } }

    /// The new values; what is wanted should be told again then.
    package func take() -> [(key: Key, value: Value)] {
        news.lowerAll()
        return state.change { state in
            defer { state.made = [] }
            return state.made
        }
    }
}
