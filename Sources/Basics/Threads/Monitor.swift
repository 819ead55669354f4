package import AudioTypes

/// State shared by several threads, which can wait for changes.
///
/// Sound as `@unchecked Sendable`: the state is accessed only with the lock held.
@safe
package final class Monitor<State>: @unchecked Sendable {
    private let lock = ConditionLock()
    private var state: State

    package init(_ state: sending State) { self.state = state }

    /// Changes the state and wakes all waiting threads.
    package func change<Success>(_ body: (inout State) -> Success) -> Success {
        lock.withLock {
            defer { lock.broadcast() }
            return body(&state)
        }
    }

    /// Reads the state.
    package func read<Success>(_ body: (State) -> Success) -> Success { lock.withLock { body(state) } }

    /// Sleeps until `body` returns a value; it may change the state then, which wakes the other threads.
    package func wait<Success>(for body: (inout State) -> Success?) -> Success {
        lock.withLock {
            while true {
                if let result = body(&state) {
                    lock.broadcast()
                    return result
                }
                lock.wait()
            }
        }
    }

    /// Sleeps until `body` returns a value, or until `deadline`; it may change the state then, which wakes the others.
    ///
    /// - Returns: `nil` when the deadline came first.
    package func wait<Success>(until deadline: HostTime, for body: (inout State) -> Success?) -> Success? {
        lock.withLock {
            while true {
                if let result = body(&state) {
                    lock.broadcast()
                    return result
                }
                guard lock.wait(until: deadline.nanoseconds) else { return body(&state) }
            }
        }
    }
}
