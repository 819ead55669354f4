private import Dispatch
private import Synchronization

/// State that other threads change, and that a test waits on: no polling, no sleeping.
///
/// Every change through `withLock` re-evaluates what is waited for and resumes those whose condition now holds.
package final class Watched<State: Sendable>: Sendable {
    private struct Waiter: Sendable {
        var condition: @Sendable (borrowing State) -> Bool
        var resume: @Sendable (Bool) -> Void
    }

    private struct Guarded: Sendable {
        var state: State
        var waiters: [Int: Waiter] = [:]
        var nextID = 0
    }

    private let guarded: Mutex<Guarded>

    package init(_ state: State) { self.guarded = Mutex(Guarded(state: state)) }

    package var current: State { guarded.withLock { $0.state } }

    /// Reads or changes the state, then wakes those whose condition holds.
    package func withLock<Value: Sendable>(_ body: (inout State) -> Value) -> Value {
        let (value, satisfied) = guarded.withLock { guarded in
            let value = body(&guarded.state)
            var satisfied: [Waiter] = []
            for (id, waiter) in guarded.waiters where waiter.condition(guarded.state) {
                satisfied.append(waiter)
                guarded.waiters[id] = nil
            }
            return (value, satisfied)
        }
        for waiter in satisfied { waiter.resume(true) }
        return value
    }

    /// Waits until `condition` holds.
    ///
    /// - Returns: Whether it did within `deadline`.
    package func wait(
        within deadline: Duration,
        until condition: @escaping @Sendable (borrowing State) -> Bool
    ) async -> Bool {
        await withCheckedContinuation { continuation in
            guard let id = add(Waiter(condition: condition, resume: { continuation.resume(returning: $0) })) else {
                continuation.resume(returning: true)
                return
            }
            DispatchQueue.global().asyncAfter(deadline: .now() + deadline.seconds) { self.expire(id) }
        }
    }

    /// The same for code that is not asynchronous; it blocks its thread.
    package func waitBlocking(
        within deadline: Duration,
        until condition: @escaping @Sendable (borrowing State) -> Bool
    ) -> Bool {
        let semaphore = DispatchSemaphore(value: 0)
        guard let id = add(Waiter(condition: condition, resume: { _ in semaphore.signal() })) else { return true }
        if semaphore.wait(timeout: .now() + deadline.seconds) == .success { return true }
        return !expire(id)
    }

    /// Registers a waiter, or returns `nil` when its condition holds already.
    private func add(_ waiter: Waiter) -> Int? {
        guarded.withLock { guarded in
            if waiter.condition(guarded.state) { return nil }
            defer { guarded.nextID += 1 }
            guarded.waiters[guarded.nextID] = waiter
            return guarded.nextID
        }
    }

    /// Gives up a waiter; `false` when it had been resumed before.
    @discardableResult
    private func expire(_ id: Int) -> Bool {
        guard let waiter = guarded.withLock({ $0.waiters.removeValue(forKey: id) }) else { return false }
        waiter.resume(false)
        return true
    }
}

extension Duration {
    package var seconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) * 1e-18
    }
}
