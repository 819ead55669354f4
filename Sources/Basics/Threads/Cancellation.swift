private import Synchronization

/// Signals that a result is no longer wanted.
package final class Cancellation: Sendable {
    private struct State {
        var isCancelled = false
        var handler: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    package init() {}

    package var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Calls `handler` once on cancellation, on the cancelling thread; at once if it is already cancelled.
    package func onCancel(_ handler: @escaping @Sendable () -> Void) {
        let isCancelled = state.withLock { state in
            if !state.isCancelled { state.handler = handler }
            return state.isCancelled
        }
        if isCancelled { handler() }
    }

    package func cancel() {
        let handler = state.withLock { state in
            state.isCancelled = true
            return state.handler.take()
        }
        handler?()
    }
}
